#include "bindings.hpp"

NB_MODULE(_core, module) {
    module.doc() = "Compiled core of treewright: growing trees and predicting with them.";
    bind_columns(module);
    bind_grow(module);
    bind_plan(module);
    bind_prune(module);
    bind_forest(module);
    bind_importance(module);
    bind_out_of_bag(module);
    bind_leaf_rows(module);
    bind_boost(module);
    bind_adaboost(module);
}
