/// A tree that stands alone, by the fast grower of forests where that serves it: the tree of the
/// general grower, bit for bit, with the same numbers of nodes.
#pragma once

#include <optional>

#include "treewright/base/progress.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/grow/engines.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/tree/arrays.hpp"

namespace treewright::forest {

struct SingleTree {
    tree::TreeArrays arrays;
    std::size_t width = 0;                        ///< of a line of `value`
    grow::Engine engine = grow::Engine::general;  ///< that grew it
};

/// By the engine that grow::engine_of_tree names, or by another one that is given.
[[nodiscard]] SingleTree grow_single(const data::Dataset& data, const grow::GrowOptions& options,
                                     Progress& progress,
                                     std::optional<grow::Engine> engine = std::nullopt);

}  // namespace treewright::forest
