"""The cache keeps the drawings of a whole drag."""

import numpy as np

from pages.topics import PAGES
from ui.page.screen import make_screen
from ui.page.view import FIRST


def test_a_drag_back_over_all_stops_of_a_slider_draws_no_chart_again():
    (page,) = [page for page in PAGES if page.name == "attack"]
    stops = np.geomspace(0.1, 10, 81).round(4)

    def drag() -> list:
        """Return the first chart at each stop."""
        charts = []
        for epsilon in stops:
            settings = page.settings(epsilon=epsilon)
            screen = make_screen(page, settings, None, seconds=0, tab="")
            charts.append(screen.charts("")[FIRST])
        return charts

    charts = drag()
    charts_of_drag_back = drag()

    for chart, chart_again in zip(charts, charts_of_drag_back, strict=True):
        assert chart_again is chart
