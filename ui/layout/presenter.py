"""Present a page (``?present=1``): one chart, three tiles, one slider and the verdict, all large.

It is the page itself with less on it, so it stays live. Page Down and Page Up move the slider from
stop to stop, which are a few round values.
"""

import math
from collections.abc import Mapping
from typing import Any

import streamlit as st

from lab.experiment.settings import Settings
from ui import widgets
from ui.page.page import Page
from ui.page.screen import Screen
from ui.page.view import FIRST
from ui.session.address import PRESENT
from ui.session.page_state import PageState
from ui.session.panel import show_panel
from ui.text.numbers import format_number, number
from ui.text.texts import SAYS
from ui.widgets import Slider, assets

# The value of ``present`` in an address that names no chart.
FIRST_CHART = "1"
# Stops along a logarithmic slider, and intervals along a linear one.
_MOST_STOPS = 6
_INTERVALS = 5
# Factors between round values of a decade.
_ROUND_FACTORS = (1, 2, 5, 10)
# Relative tolerance for round values at the ends of a slider.
_END_TOLERANCE = 0.001
_STEP_TOLERANCE = 0.01
_GRID_TOLERANCE = 1e-9
# Decades of all logarithmic sliders.
_DECADES = range(-12, 13)
# Larger values are written with words, such as "2 million".
_LARGE = 1e5


def hero_slider(page: Page, settings: Any) -> Slider:
    """Return the one slider of a presented page."""
    layout = page.at(settings).slider_layout(settings)
    return layout.slider(layout.hero, settings.limits)


def stops(slider: Slider) -> list[float]:
    """Return a few round values along a slider: powers of ten if it is logarithmic, else steps."""
    if slider.low == slider.high:
        return [slider.low]
    if slider.scale == "log":
        values = _powers_of_ten(slider)
    else:
        values = _even_steps(slider)
    if slider.whole:
        return [int(value) for value in values]
    return values


def _powers_of_ten(slider: Slider) -> list[float]:
    low = slider.low * (1 - _END_TOLERANCE)
    high = slider.high * (1 + _END_TOLERANCE)
    powers = [10.0**power for power in _DECADES]
    inside = [power for power in powers if low <= power <= high]
    if not inside:
        return [slider.low, slider.high]
    stride = math.ceil(len(inside) / _MOST_STOPS)
    return inside[::stride]


def _even_steps(slider: Slider) -> list[float]:
    smallest_step = max((slider.high - slider.low) / _INTERVALS, slider.step)
    decade = 10.0 ** math.floor(math.log10(smallest_step))
    step = decade
    for factor in _ROUND_FACTORS:
        step = decade * factor
        if step >= smallest_step * (1 - _STEP_TOLERANCE):
            break
    first = math.ceil(slider.low / step - _GRID_TOLERANCE)
    last = math.floor(slider.high / step + _GRID_TOLERANCE)
    # Without the last digits, which hold rounding errors.
    return [float(f"{index * step:.12g}") for index in range(first, last + 1)]


def current_stop(slider: Slider, value: float) -> int:
    """Return the index of the last stop up to a value of the slider, or 0."""
    stops_up_to_value = [stop for stop in stops(slider) if stop <= value]
    return max(0, len(stops_up_to_value) - 1)


def show_presenter(page: Page, state: PageState, result: Any) -> None:
    """Show the buttons and keys of a presented screen, outside of all fragments.

    The browser moves the slider by itself. It asks for another chart by its name, and to leave.

    page: The whole page.
    """
    present_page = page.at(state.settings)
    key = f"{page.name}.present"
    chart_names = [chart.name for row in present_page.content.charts(result) for chart in row]
    chart_index = 0
    if state.presented_chart in chart_names:
        chart_index = chart_names.index(state.presented_chart)

    def show_chart() -> None:
        message = st.session_state.get(key) or {}
        if message.get("picture") in chart_names:
            state.address.view[PRESENT] = message["picture"]

    def leave() -> None:
        state.address.view.pop(PRESENT, None)

    slider = hero_slider(page, state.settings)
    data = {
        "slider": slider.name,
        "stops": stops(slider),
        "at": current_stop(slider, getattr(state.settings, slider.name)),
        "pictures": [*chart_names[chart_index + 1 :], *chart_names[:chart_index]],
    }
    callbacks = {"on_picture_change": show_chart, "on_leave_change": leave}
    with st.container(key="presenter"):
        assets.mount("present", callbacks, css="page/presenter.css", key=key, data=data)


def show_stage(
    page: Page, screen: Screen, state: PageState, channel: Mapping[str, Any] | None
) -> None:
    """Show the verdict, the tiles, the chart and the slider of a presented page.

    channel: What a request on the channel is about, if the page has one.
    """
    texts = screen.texts("")
    with st.container(key="stage"):
        for name in ("verdict", "numbers"):
            st.html(f'<div class="lab-{name}">{texts[f".lab-{name}"]}</div>')
        with st.container(key="stage-picture"):
            widgets.board(
                screen.charts("")[FIRST],
                key=f"{page.name}.{FIRST}",
                ack=state.click_ack,
                name=FIRST,
                of=channel,
            )
        with st.container(key="stage-slider"):
            show_panel(
                state,
                screen.page.slider_layout(state.settings),
                done=screen.done,
                marks=stop_marks(page, state.settings),
                channel=channel,
                stage=True,
            )


def stop_marks(page: Page, settings: Settings) -> dict[str, list[tuple[float, str]]]:
    """Return marks for the stops on the track of the slider."""
    slider = hero_slider(page, settings)
    return {slider.name: [(value, _value_text(value)) for value in stops(slider)]}


def _value_text(value: float) -> str:
    if abs(value) < _LARGE:
        return format_number(value)
    return number(value)


def present_button(state: PageState) -> None:
    """Show the button that begins the presentation, with its keys as help."""

    def begin() -> None:
        state.address.view[PRESENT] = FIRST_CHART

    st.button(
        "Present",
        key=f"{state.page}/begin",
        icon=":material/co_present:",
        on_click=begin,
        help=SAYS["present.keys"],
    )
