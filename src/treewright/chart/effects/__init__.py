"""Charts of what columns do to an answer: arrows, swarms of dots, and cells with shades."""

from treewright.chart.effects.arrows import Arrow, ArrowChart
from treewright.chart.effects.heat import HeatAxis, HeatChart
from treewright.chart.effects.swarm import SwarmChart, SwarmRow

__all__ = ["Arrow", "ArrowChart", "HeatAxis", "HeatChart", "SwarmChart", "SwarmRow"]
