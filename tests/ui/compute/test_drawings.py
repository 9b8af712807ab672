"""The cache keeps the drawings of a whole drag."""

import numpy as np

from pages.topics import PAGES
from ui.page.screen import make_screen
from ui.page.view import FIRST


def test_a_drag_back_over_all_stops_of_a_slider_draws_no_chart_again():
    page = next(page for page in PAGES if page.name == "attack")
    stops = [page.settings(epsilon=epsilon) for epsilon in np.geomspace(0.1, 10, 81).round(4)]

    def drag() -> list:
        return [
            make_screen(page, settings, None, seconds=0, tab="").charts("")[FIRST]
            for settings in stops
        ]

    there = drag()
    back = drag()

    assert all(drawn is again for drawn, again in zip(there, back, strict=True))
