"""The live widgets: a panel of sliders that speak while they move, and a chart that redraws in
place.
"""

from ui.live.chart import Picture, board, row
from ui.live.connection import connection
from ui.live.knobs import Knob, Movement, movement, panel

__all__ = ["Knob", "Movement", "Picture", "board", "connection", "movement", "panel", "row"]
