/// The number of errors that a leaf will make, estimated from those among its training rows, or
/// their cost.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace treewright::prune {

/// What is added to the errors counted among `n` rows. The same formulas, with their sources, are
/// in measures/error_estimates.py; a test holds the two equal.
struct AddedErrors {
    double log_confidence = 0.0;
    double deviate_squared = 0.0;
    double share_above = 0.67;  ///< of the rows still right, added where nearly all are wrong
    /// Release 8 and C5.0 interpolate parts of an error towards a whole one even in less than a
    /// row.
    double least_right = -std::numeric_limits<double>::infinity();
    double no_error = 1e-6;          ///< fewer errors than this are none
    double one_error = 0.9999;       ///< and fewer than this are a part of one
    double interpolate_above = 0.0;  ///< rows from which parts of an error are interpolated
    bool nothing = false;            ///< J48 adds nothing if the confidence is above 1/2

    [[nodiscard]] double operator()(double n, double e) const;
    /// Lower bound of the estimate, e and the added errors, once more rows have come, right
    /// or wrong.
    [[nodiscard]] double at_least(double n, double e) const;

private:
    [[nodiscard]] double none(double n) const;
    [[nodiscard]] double from_one(double n, double errors) const;
};

/// Costs of errors, and what a leaf adds to its class weights before it decides; empty: every
/// error costs 1, and nothing is added.
struct LeafPrices {
    std::vector<double> cost;   ///< actual class x decided class
    std::vector<double> price;  ///< by decided class: of an error not seen among the training rows
    std::vector<double> added;  ///< by class
};

/// Number of leaves of a subtree, and the weight (or cost) of its training errors.
struct Size {
    double leaves = 0.0;
    double wrong = 0.0;
};

struct Estimate {
    double errors = 0.0;
    Size size;

    void operator+=(const Estimate& other) {
        errors += other.errors;
        size.leaves += other.size.leaves;
        size.wrong += other.size.wrong;
    }
    void operator-=(const Estimate& other) {
        errors -= other.errors;
        size.leaves -= other.size.leaves;
        size.wrong -= other.size.wrong;
    }
};

/// Judges leaves by the weights of the classes in them.
class LeafJudge {
public:
    LeafJudge(const AddedErrors& added, const LeafPrices& prices, std::size_t n_classes);

    /// The class a leaf decides on: of least cost, the first of equals.
    [[nodiscard]] std::size_t decide(const double* weights) const;
    [[nodiscard]] Estimate estimate(const double* weights) const;
    /// Lower bound of `estimate` once more rows have come.
    [[nodiscard]] double at_least(const double* weights) const;
    /// The cost of rows of these class weights if this class is decided on.
    [[nodiscard]] double cost(const double* weights, std::size_t decided) const;

private:
    [[nodiscard]] double expected(const double* weights, std::size_t decided) const;

    const AddedErrors& added;
    const LeafPrices& prices;
    std::size_t n_classes;
    std::vector<double> surely;  ///< by decided class: what any error costs at least
};

}  // namespace treewright::prune
