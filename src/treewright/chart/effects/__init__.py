"""Charts of columns and what they do to an answer: histograms, arrows, swarms of dots, cells."""

from treewright.chart.effects.arrows import Arrow, ArrowChart
from treewright.chart.effects.columns import ColumnsChart
from treewright.chart.effects.heat import HeatAxis, HeatChart
from treewright.chart.effects.swarm import SwarmChart, SwarmRow

__all__ = ["Arrow", "ArrowChart", "ColumnsChart", "HeatAxis", "HeatChart", "SwarmChart", "SwarmRow"]
