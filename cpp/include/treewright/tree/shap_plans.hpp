/// Single trees and forests as tree/shap.hpp needs them: plans that route rows, and what each leaf
/// adds to the answer.
#pragma once

#include "treewright/tree/shap.hpp"

namespace treewright::tree {

class PlanTrees final : public ShapModel {
public:
    /// One tree; arrays are by node of the tree. The plan must outlive this object.
    struct Member {
        const Plan* plan = nullptr;
        std::vector<double> value;              ///< nodes x outputs
        std::vector<std::uint32_t> term_start;  ///< nodes + 1; empty: no linear models
        std::vector<ShapTerm> terms;
        std::vector<ShapSource::Limits> limits;
    };

    PlanTrees(std::size_t columns, std::size_t outputs, std::size_t numbers) : n_numbers(numbers) {
        n_columns = columns;
        n_outputs = outputs;
    }
    void add(Member member);

    [[nodiscard]] ShapSource source(std::size_t tree) const override;
    [[nodiscard]] std::unique_ptr<ShapBlock> read(const Rows& rows, std::size_t begin,
                                                  std::size_t n) const override;
    void answer(std::size_t tree, const ShapTree& form, const Rows& rows, const ShapBlock& block,
                ShapAnswers& answers) const override;
    [[nodiscard]] double number(const ShapRows& rows, std::size_t row,
                                std::uint32_t number) const override {
        return rows.numbers[row * n_numbers + number];
    }
    void decided_by(std::size_t tree, std::uint32_t node, const Rows& rows, std::size_t row,
                    std::vector<std::uint32_t>& columns) const override;
    void may_decide(std::size_t tree, std::uint32_t node,
                    std::vector<std::uint32_t>& columns) const override;
    [[nodiscard]] int branch(std::size_t tree, std::uint32_t node, const Rows& rows,
                             std::size_t row) const override;

private:
    struct Cells;

    std::vector<Member> members;
    std::size_t n_numbers;
};

}  // namespace treewright::tree
