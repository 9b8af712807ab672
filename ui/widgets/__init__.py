"""Mount the lab's own Streamlit components."""

from ui.widgets.chart_board import Chart, board, explained_chart, row
from ui.widgets.connection import connection
from ui.widgets.slider_panel import Movement, Slider, movement

__all__ = [
    "Chart",
    "Movement",
    "Slider",
    "board",
    "connection",
    "explained_chart",
    "movement",
    "row",
]
