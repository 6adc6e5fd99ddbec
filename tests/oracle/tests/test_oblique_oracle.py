"""The lines of the oracle, counted by hand."""

from oracle.oblique import best_line_score, partitions


def both_ways(points: list[tuple[int, int]]) -> set[frozenset[int]]:
    """The sets of points that some line cuts off, and their complements."""
    found = set()
    for below, above in partitions(points):
        found |= {frozenset(below), frozenset(above)}
    return found


def test_a_line_cuts_off_any_part_of_a_triangle() -> None:
    assert len(both_ways([(0, 0), (3, 1), (1, 4)])) == 6


def test_no_line_parts_the_diagonals_of_a_square() -> None:
    square = [(0, 0), (1, 0), (0, 1), (1, 1)]
    cut_off = both_ways(square)
    assert len(cut_off) == 12  # of the 14 parts, all but the two diagonals
    assert frozenset([0, 3]) not in cut_off
    assert frozenset([1, 2]) not in cut_off


def test_points_on_one_line_are_parted_in_order() -> None:
    cut_off = both_ways([(0, 0), (2, 2), (1, 1), (3, 3)])
    assert cut_off == {frozenset(each) for each in ([0], [1, 2, 3], [0, 2], [1, 3], [0, 1, 2], [3])}


def test_equal_points_stay_together() -> None:
    assert all(len(each) != 1 for each in both_ways([(0, 0), (0, 0), (1, 2), (1, 2)]))


def test_n_points_in_general_position_are_parted_in_as_many_ways_as_known() -> None:
    # Cover 1965: n points in the plane have n^2 - n + 2 dichotomies by lines, the empty one and
    # its complement included.
    points = [(i, i * i) for i in range(7)]
    assert len(both_ways(points)) == 7 * 7 - 7


def test_exclusive_or_is_worth_a_third_to_a_line() -> None:
    square = [(0, 0), (1, 0), (0, 1), (1, 1)]
    # One corner cut off: 1/2 - 3/4 * (1 - 1/9 - 4/9) = 1/6 of Gini's index.
    score = best_line_score(square, "abba", criterion="gini")
    assert score is not None
    assert abs(score - 1 / 6) < 1e-12
    assert best_line_score(square, "abba", criterion="gini", min_samples_leaf=2) == 0.0
    assert best_line_score([(1, 1)] * 3, "aba", criterion="gini") is None
