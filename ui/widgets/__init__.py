"""Mount the lab's own Streamlit components."""

from ui.widgets.chart_board import Picture, board, row
from ui.widgets.connection import connection
from ui.widgets.slider_panel import Knob, Movement, movement, panel

__all__ = ["Knob", "Movement", "Picture", "board", "connection", "movement", "panel", "row"]
