/// Boosted trees as tree/shap.hpp needs them.
#pragma once

#include "treewright/boosting/ensemble.hpp"
#include "treewright/tree/shap.hpp"

namespace treewright::boosting {

/// How the shares of a node's children are measured.
enum class Cover {
    rows,     ///< training rows the tree was grown from, as LightGBM does
    hessian,  ///< sums of hessians, as XGBoost does
};

/// Trees [first, last) of a forest, which must outlive this object.
class BoostedTrees final : public tree::ShapModel {
public:
    BoostedTrees(const BoostForest& forest, std::size_t first, std::size_t last, Cover cover);

    [[nodiscard]] tree::ShapSource source(std::size_t tree) const override;
    [[nodiscard]] std::unique_ptr<tree::ShapBlock> read(const tree::Rows& rows, std::size_t begin,
                                                        std::size_t n) const override;
    void answer(std::size_t tree, const tree::ShapTree& form, const tree::Rows& rows,
                const tree::ShapBlock& block, tree::ShapAnswers& answers) const override;
    [[nodiscard]] double number(const tree::ShapRows& rows, std::size_t row,
                                std::uint32_t number) const override {
        return rows.rows.columns[number].number(row);
    }

private:
    struct Coded;

    const BoostForest& forest;
    std::size_t first;
    Cover cover;
};

}  // namespace treewright::boosting
