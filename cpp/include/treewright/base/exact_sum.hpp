/// Sums that do not depend on the order of addition.
#pragma once

namespace treewright {

/// Adds a term to high + low, the rounding error to the second.
inline __attribute__((always_inline)) void add_with_error(double& high, double& low, double term) {
    const double sum = high + term;
    const double part = sum - high;
    low += (high - (sum - part)) + (term - part);
    high = sum;
}

/// Sum of many doubles with the error carried along (Neumaier 1974), twice the working precision:
/// except in contrived cases the rounded result does not depend on the order of addition.
class ExactSum {
public:
    void add(double term) { add_with_error(high, low, term); }
    void add_product(double a, double b) {
        const double product = a * b;
        add(product);
        low += __builtin_fma(a, b, -product);
    }
    void add(const ExactSum& other) {
        add(other.high);
        add(other.low);
    }
    [[nodiscard]] double value() const { return high + low; }

private:
    double high = 0.0;
    double low = 0.0;
};

}  // namespace treewright
