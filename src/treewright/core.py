"""The names of the compiled core: every other module imports them from here."""

from treewright._core import (
    FEW_VALUES as FEW_VALUES,
)
from treewright._core import (
    MOST_CATEGORIES as MOST_CATEGORIES,
)
from treewright._core import (
    NEWEST_FORMAT as NEWEST_FORMAT,
)
from treewright._core import (
    AdaBoostRows as AdaBoostRows,
)
from treewright._core import (
    Booster as Booster,
)
from treewright._core import (
    BoostForest as BoostForest,
)
from treewright._core import (
    BoostGrowth as BoostGrowth,
)
from treewright._core import (
    CodedRows as CodedRows,
)
from treewright._core import (
    Columns as Columns,
)
from treewright._core import (
    DelimitedRows as DelimitedRows,
)
from treewright._core import (
    ErrorPruning as ErrorPruning,
)
from treewright._core import (
    ForestOptions as ForestOptions,
)
from treewright._core import (
    GrowOptions as GrowOptions,
)
from treewright._core import (
    JudgedBooster as JudgedBooster,
)
from treewright._core import (
    KnownTexts as KnownTexts,
)
from treewright._core import (
    LeafTargets as LeafTargets,
)
from treewright._core import (
    Merging as Merging,
)
from treewright._core import (
    PackedForest as PackedForest,
)
from treewright._core import (
    Plan as Plan,
)
from treewright._core import (
    Proximities as Proximities,
)
from treewright._core import (
    Regrowing as Regrowing,
)
from treewright._core import (
    RoundsAhead as RoundsAhead,
)
from treewright._core import (
    RoundSample as RoundSample,
)
from treewright._core import (
    Sampling as Sampling,
)
from treewright._core import (
    ShapTrees as ShapTrees,
)
from treewright._core import (
    Stumps as Stumps,
)
from treewright._core import (
    StumpVotes as StumpVotes,
)
from treewright._core import (
    Target as Target,
)
from treewright._core import (
    add_out_of_bag as add_out_of_bag,
)
from treewright._core import (
    add_up as add_up,
)
from treewright._core import (
    apply_all as apply_all,
)
from treewright._core import (
    bin_cuts as bin_cuts,
)
from treewright._core import (
    canonical_order as canonical_order,
)
from treewright._core import (
    checksum as checksum,
)
from treewright._core import (
    code_fixed_texts as code_fixed_texts,
)
from treewright._core import (
    code_objects as code_objects,
)
from treewright._core import (
    columns_of_tree as columns_of_tree,
)
from treewright._core import (
    content_hashes as content_hashes,
)
from treewright._core import (
    criteria as criteria,
)
from treewright._core import (
    cut_from_below as cut_from_below,
)
from treewright._core import (
    debiased_importances as debiased_importances,
)
from treewright._core import (
    depths as depths,
)
from treewright._core import (
    find_codes as find_codes,
)
from treewright._core import (
    find_fixed_texts as find_fixed_texts,
)
from treewright._core import (
    grow as grow,
)
from treewright._core import (
    grow_packed as grow_packed,
)
from treewright._core import (
    grow_trees as grow_trees,
)
from treewright._core import (
    has_sound_cuts as has_sound_cuts,
)
from treewright._core import (
    head_bytes as head_bytes,
)
from treewright._core import (
    impurities as impurities,
)
from treewright._core import (
    inspect as inspect,
)
from treewright._core import (
    losses as losses,
)
from treewright._core import (
    make_side_by_side as make_side_by_side,
)
from treewright._core import (
    missing_policies as missing_policies,
)
from treewright._core import (
    own_shares as own_shares,
)
from treewright._core import (
    permutation_importances as permutation_importances,
)
from treewright._core import (
    prune_by_error as prune_by_error,
)
from treewright._core import (
    questions_by_column as questions_by_column,
)
from treewright._core import (
    read_container as read_container,
)
from treewright._core import (
    read_head as read_head,
)
from treewright._core import (
    read_json as read_json,
)
from treewright._core import (
    rows_of_round as rows_of_round,
)
from treewright._core import (
    shuffled as shuffled,
)
from treewright._core import (
    sums_below as sums_below,
)
from treewright._core import (
    weakest_links as weakest_links,
)
from treewright._core import (
    weighted_medians as weighted_medians,
)
from treewright._core import (
    weights_of_tree as weights_of_tree,
)
