#include "bindings.hpp"

NB_MODULE(_core, module) {
    module.doc() = "Compiled core of treewright: growing trees and predicting with them.";
    bind_data(module);
    bind_data_delimited(module);
    bind_data_objects(module);
    bind_grow(module);
    bind_tree(module);
    bind_tree_shap(module);
    bind_prune(module);
    bind_forest(module);
    bind_forest_importance(module);
    bind_forest_out_of_bag(module);
    bind_forest_leaf_rows(module);
    bind_boosting(module);
    bind_adaboost(module);
    bind_state(module);
}
