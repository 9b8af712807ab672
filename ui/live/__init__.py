"""The live widgets: a panel of sliders that speak while they move, and a chart that redraws in place."""

from ui.live.chart import Moment, Picture, board, chart
from ui.live.knobs import Knob, Movement, movement, panel

__all__ = ["Knob", "Moment", "Movement", "Picture", "board", "chart", "movement", "panel"]
