"""Mount the lab's own Streamlit components."""

from ui.widgets.chart_board import Chart, board, row
from ui.widgets.connection import connection
from ui.widgets.slider_panel import Movement, Slider, movement, panel

__all__ = ["Chart", "Movement", "Slider", "board", "connection", "movement", "panel", "row"]
