"""Present a page (``?present=1``): one chart, three tiles, one slider and the verdict, all large.

It is the page itself with less on it, so it stays live. Page Down and Page Up go from stop to stop.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from lab.experiment.links import SEPARATOR, compact, minimal_texts, versioned
from lab.experiment.settings import Settings
from ui import widgets
from ui.page.page import Page
from ui.page.screen import Screen
from ui.page.view import FIRST
from ui.session.entries import apply_move, from_link
from ui.session.page_state import FIRST_CHART, PageState
from ui.session.panel import show_panel
from ui.session.slider_layout import slider as make_slider
from ui.text.numbers import format_number, number
from ui.text.texts import SAYS
from ui.widgets import Slider, assets

_PRESENT = "present"
_STEP = "step"
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


def initial_settings(state: PageState) -> Settings:
    """Return the settings with which the presentation began; the address holds them from then."""
    chart, has_settings, text = state.address.view[_PRESENT].partition(SEPARATOR)
    if not has_settings:
        state.address.view[_PRESENT] = f"{chart}{SEPARATOR}{compact(state.settings)}"
        return state.settings
    parts = text.split(SEPARATOR)
    params = dict(zip(parts[::2], parts[1::2], strict=False))
    settings, _ = from_link(type(state.settings), params)
    return settings


def stops(page: Page, state: PageState) -> dict[Settings, str]:
    """Return the stops in their order, settings -> name.

    They are a few values of the hero slider, among them the initial one. All other settings stay
    as they are, and may be of a file, which no address holds.
    """
    slider = hero_slider(page, state.settings)
    initial_value = getattr(initial_settings(state), slider.name)
    settings_names = {}
    for value in sorted({*ticks(slider), initial_value}):
        settings, refused = apply_move(state.settings, slider.name, value)
        if not refused:
            settings_names[settings] = f"{slider.label} {_value_text(value)}"
    return settings_names


def hero_slider(page: Page, settings: Any) -> Slider:
    """Return the one slider of a presented page."""
    layout = page.at(settings).slider_layout(settings)
    changes = layout.changes.get(layout.hero, {})
    return make_slider(layout.hero, settings.limits, **changes)


def ticks(slider: Slider) -> list[float]:
    """Return a few round values along a slider: powers of ten if it is logarithmic, else steps."""
    if slider.low == slider.high:
        return []
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


def _value_text(value: float) -> str:
    if abs(value) < _LARGE:
        return format_number(value)
    return number(value)


def stop_messages(stops: Mapping[Settings, str], *, hero: str) -> list[dict[str, Any]]:
    """Return the stops as the browser gets them.

    Each has its ``name``, its ``link``, and as ``moves`` the (field, value) pairs by which the
    channel gets there from every other stop. They are None where only the server can, because the
    hero slider changes other settings too.
    """
    by_channel = _hero_changes_nothing_else(list(stops), hero)
    messages = []
    for settings, name in stops.items():
        moves = None
        if by_channel:
            moves = [(hero, getattr(settings, hero))]
        link = urlencode(versioned(minimal_texts(settings)))
        messages.append({"name": name, "link": link, "moves": moves})
    return messages


def _hero_changes_nothing_else(stops: Sequence[Settings], hero: str) -> bool:
    """Return whether a movement of the hero slider leads from each of these to each other."""
    for start in stops:
        for stop in stops:
            settings, refused = apply_move(start, hero, getattr(stop, hero))
            if refused or settings != stop:
                return False
    return True


def current_stop(state: PageState, stops: Mapping[Settings, str]) -> int:
    """Return the index of the stop where the page is, or was before a slider was moved."""
    if state.settings in stops:
        state.address.view[_STEP] = str(list(stops).index(state.settings) + 1)
    step = state.address.view.get(_STEP, "")
    if not (step.isascii() and step.isdigit()) or int(step) == 0:
        return 0
    return min(int(step), len(stops)) - 1


def show_presenter(
    page: Page, state: PageState, stops: Mapping[Settings, str], result: Any
) -> None:
    """Show the buttons and keys of a presented screen, outside of all fragments.

    The browser asks for a stop without moves by its index, for another chart by its name, and to
    leave.

    page: The whole page.
    """
    present_page = page.at(state.settings)
    key = f"{page.name}.present"
    stop_settings = list(stops)
    chart_names = [chart.name for row in present_page.content.charts(result) for chart in row]
    chart_index = 0
    if state.presented_chart in chart_names:
        chart_index = chart_names.index(state.presented_chart)

    def sent(name: str) -> Any:
        message = st.session_state.get(key) or {}
        return message.get(name)

    def go_to_stop() -> None:
        index = sent("go")
        if type(index) is int and 0 <= index < len(stop_settings):
            state.replace_settings(stop_settings[index])

    def show_chart() -> None:
        chart_name = sent("picture")
        if chart_name in chart_names:
            _, separator, text = state.address.view[_PRESENT].partition(SEPARATOR)
            state.address.view[_PRESENT] = chart_name + separator + text

    def leave() -> None:
        state.address.view.pop(_PRESENT, None)
        state.address.view.pop(_STEP, None)

    data = {
        "stops": stop_messages(stops, hero=present_page.slider_layout(state.settings).hero),
        "at": current_stop(state, stops),
        "pictures": [*chart_names[chart_index + 1 :], *chart_names[:chart_index]],
    }
    callbacks = {
        "on_go_change": go_to_stop,
        "on_picture_change": show_chart,
        "on_leave_change": leave,
    }
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
                marks=tick_marks(page, state.settings),
                channel=channel,
                stage=True,
            )


def tick_marks(page: Page, settings: Settings) -> dict[str, list[tuple[float, str]]]:
    """Return marks for a few round values on the track of the hero slider."""
    slider = hero_slider(page, settings)
    return {slider.name: [(value, _value_text(value)) for value in ticks(slider)]}


def present_button(state: PageState) -> None:
    """Show the button that begins the presentation, with its keys as help."""

    def begin() -> None:
        state.address.view[_PRESENT] = FIRST_CHART

    st.button(
        "Present",
        key=f"{state.page}/begin",
        icon=":material/co_present:",
        on_click=begin,
        help=SAYS["present.keys"],
    )
