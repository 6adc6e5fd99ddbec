"""Charts of results: SVG without any other library, or the same on matplotlib axes."""

from treewright.chart.bars import BarRow, StackedBars
from treewright.chart.chart import Chart
from treewright.chart.dots import DotChart, DotRow
from treewright.chart.marks import Axis, Dots, Line, Mark, Rule, Strip
from treewright.chart.matrix import MatrixChart
from treewright.chart.picture import Numbers, Picture
from treewright.chart.ranks import RankChart

__all__ = [
    "Axis",
    "BarRow",
    "Chart",
    "DotChart",
    "DotRow",
    "Dots",
    "Line",
    "Mark",
    "MatrixChart",
    "Numbers",
    "Picture",
    "RankChart",
    "Rule",
    "StackedBars",
    "Strip",
]
