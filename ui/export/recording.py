"""A page at its settings with one slider, in one file.

All values of the slider are computed when the page is recorded, and move where nothing runs. The
frames are those of the live channel. What does not differ between the values is written once
(``encode_stops``); the painter of the live charts paints them, without Plotly.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from html import escape
from typing import Any

import orjson
import streamlit as st

from lab.experiment import links
from lab.experiment.settings import Settings
from ui.export import single_file
from ui.live.frames import Frame, make_frame
from ui.live.messages import Request
from ui.page.page import Page
from ui.page.screen import make_screen
from ui.page.tabs import GUARANTEE_TAB, NO_TAB, WHY_TAB, Tab
from ui.page.view import FIRST, Rows
from ui.server import first_page
from ui.text.numbers import format_number
from ui.text.texts import SAYS
from ui.widgets import Chart, Slider, assets

# About so many values of a slider are recorded.
STOPS = 25
_RECORDED_TABS = (WHY_TAB.name, GUARANTEE_TAB.name)
_PROGRAM = "player/page.js"
# A part of a sentence, without markup; a point in a number does not end it.
_PART = r"(?:[^.<>]|\.(?=\d))*"
# Words that ask for what only the live page has.
_REQUEST = (
    r"(?<![^.>\s])(?:Choose “|Choose another|Raise|Try)\b|\b(?:[Cc]lick|[Hh]over|[Dd]rag|More"
    r" settings)\b"
)
_LIVE_SENTENCE = re.compile(rf"\s*{_PART}?(?:{_REQUEST}){_PART}\.")
# Seconds of work, so that all of it is done.
_NO_LIMIT = 1e9
# Steps of a slider may be these multiples of its own, times powers of ten.
_ROUND_MULTIPLES = (1, 2, 5)
_POWERS_OF_TEN = (1, 10, 100, 1000, 10_000)
# The last step of a slider may be shorter; by so little it is a rounding error.
_ROUNDING_ERROR = 1e-9
# Pixels of a rem.
_REM = 16
# Option of Streamlit's theme -> variable of the rules.
_COLOURS = {
    "primaryColor": "primary-color",
    "backgroundColor": "background-color",
    "secondaryBackgroundColor": "secondary-background-color",
    "textColor": "text-color",
    "borderColor": "border-color",
    "grayTextColor": "gray-text-color",
    "linkColor": "link-color",
}


def encode_stops(values: Sequence[Any]) -> Any:
    """Return the values of all stops as one, in which whatever is equal in all is written once.

    What differs is, in the innermost place, {"$": distinct values, "at": index of each stop's}.
    """
    first = values[0]
    if all(value == first for value in values):
        return first
    if all(isinstance(value, dict) and value.keys() == first.keys() for value in values):
        return {name: encode_stops([value[name] for value in values]) for name in first}
    if _are_lists_of_parts(values):
        return [encode_stops(parts) for parts in zip(*values, strict=True)]
    distinct_values: list[Any] = []
    index_of_key: dict[bytes, int] = {}
    indices = []
    for value in values:
        key = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        if key not in index_of_key:
            index_of_key[key] = len(distinct_values)
            distinct_values.append(value)
        indices.append(index_of_key[key])
    return {"$": distinct_values, "at": indices}


def _are_lists_of_parts(values: Sequence[Any]) -> bool:
    """Return whether all are lists of one length, of lists or dictionaries."""
    first = values[0]
    if not all(isinstance(value, list) and len(value) == len(first) for value in values):
        return False
    return isinstance(first[0], list | dict)


def decode_stop(value: Any, stop: int) -> Any:
    """Return the value of one stop out of ``encode_stops``."""
    if isinstance(value, list):
        return [decode_stop(part, stop) for part in value]
    if not isinstance(value, dict):
        return value
    if "$" in value:
        return value["$"][value["at"][stop]]
    return {name: decode_stop(part, stop) for name, part in value.items()}


def coarsen(slider: Slider) -> Slider:
    """Return a slider with about ``STOPS`` of its values."""
    if slider.scale == "log":
        decades = math.log10(slider.high / slider.low)
        return replace(slider, stops=min(slider.stops, max(1, round(STOPS / decades))))
    span = slider.high - slider.low
    for power in _POWERS_OF_TEN:
        for multiple in _ROUND_MULTIPLES:
            step = slider.step * (power * multiple)
            if span / step <= STOPS:
                return replace(slider, step=step)
    raise ValueError(f"{slider.name} has too many values to record")


def slider_values(slider: Slider) -> list[float]:
    """Return the values at which a slider can rest, as ``scale.js`` computes them."""
    is_log = slider.scale == "log"
    if is_log:
        steps = math.log10(slider.high / slider.low) * slider.stops
    else:
        steps = (slider.high - slider.low) / slider.step
    count = max(1, math.ceil(steps - _ROUNDING_ERROR))
    values = {slider.low, slider.high}
    for stop in range(count):
        if is_log:
            value = slider.low * 10 ** (stop / slider.stops)
        else:
            value = slider.low + stop * slider.step
        rounded = _round_value(value, slider)
        values.add(max(slider.low, min(slider.high, rounded)))
    return sorted(values)


def _round_value(value: float, slider: Slider) -> float:
    """Round a value as its slider shows it: on a log track to three digits."""
    if slider.whole:
        return round(value)
    if slider.scale == "log":
        return float(f"{value:.3g}")
    # Without the last digits, which hold rounding errors.
    return float(f"{value:.12g}")


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A page to record, with its first slider.

    Attributes:
        page: The page.
        settings: The settings at which it stands.
        settings_text: The settings in words, without the slider's.
        date: Date of the recording (ISO).
        link: Address of the live page; "" for none.
        above: What stands over the page (HTML).
        introduction: What stands over its question (HTML).
        below: What stands under it (HTML).
        head: More tags for the head of the file (HTML).
    """

    page: Page
    settings: Settings
    settings_text: str
    date: str
    link: str = ""
    above: str = ""
    introduction: str = ""
    below: str = ""
    head: str = ""

    @property
    def slider(self) -> Slider:
        layout = self.page.at(self.settings).slider_layout(self.settings)
        slider = layout.slider(layout.hero, self.settings.limits, group="hero", play=False)
        return coarsen(slider)

    @property
    def tabs(self) -> list[Tab]:
        return [
            tab for tab in self.page.at(self.settings).content.tabs if tab.name in _RECORDED_TABS
        ]

    @property
    def current_value(self) -> float:
        """Return the value of the slider at which the page stands."""
        return getattr(self.settings, self.slider.name)

    @property
    def values(self) -> list[float]:
        """Return the values to record: those of the slider, and the current one."""
        return sorted({*slider_values(self.slider), self.current_value})

    def frame(self, value: float) -> dict[str, Any] | None:
        """Return what the page shows at a value, with its tabs; None if the settings refuse it."""
        frames = []
        for tab in self.tabs or [NO_TAB]:
            frame = self.tab_frame(tab.name, value, _NO_LIMIT)
            if frame is None or frame.errors:
                return None
            frames.append(frame)
        merged = merge_frames(frames)
        for selector, html in merged["words"].items():
            merged["words"][selector] = without_live_requests(html)
        return merged

    def tab_frame(self, tab: str, value: float, seconds: float) -> Frame | None:
        """Return what the live page shows with this tab open."""
        link = links.all_texts(self.settings)
        moves = ((self.slider.name, value),)
        return make_frame(Request({"number": 0}, self.page, link, tab, moves), seconds)

    def record(self) -> dict[str, Any]:
        """Return all that the file plays: slider, values, current value, and encoded frames."""
        frames = {}
        for value in self.values:
            frame = self.frame(value)
            if frame:
                frames[value] = frame
        values = list(frames)
        return {
            "slider": asdict(self.slider),
            "values": values,
            "at": values.index(self.current_value),
            "frames": encode_stops(list(frames.values())),
        }

    def html(self) -> str:
        """Return the page in one file."""
        return self.document(self.record())

    def document(self, recorded: Mapping[str, Any]) -> str:
        """Return the page that plays what was ``recorded``."""
        first = decode_stop(recorded["frames"], recorded["at"])
        words = first["words"]
        charts = self._chart_rows(first)
        current = recorded["values"][recorded["at"]]
        settings_html = f'<span id="at">{self.slider.label} {format_number(current)}</span>'
        if self.settings_text:
            settings_html += f", {escape(self.settings_text)}"
        count = SAYS(
            "recording.one", slider=self.slider.label.lower(), stops=len(recorded["values"])
        )
        tabs = "".join(_tab_html(tab, words, charts) for tab in self.tabs)
        note = SAYS("recording.note", date=self.date)
        shown_first = {"charts": first["charts"], "rows": first["rows"]}
        body = (
            f"{self.introduction}<h1>{escape(self.page.info.question)}</h1>"
            f"<p class=settings>{settings_html}</p>"
            f'<div class="screen"><aside class="panel"><div class="rows hero" id="slider"></div>'
            f"<p class=quiet>{count}</p></aside>"
            f'<div class="shown"><div class="lab-numbers">{words.get(".lab-numbers", "")}</div>'
            f'<div class="lab-verdict">{words.get(".lab-verdict", "")}</div>'
            f"{charts[FIRST]}{_text_html('caption', words)}</div></div>"
            f"{tabs}{self.below}"
            f"<footer>{note} <span id=link>{escape(self.link)}</span></footer>"
            f"{single_file.data(shown_first, name='first')}"
            f"{single_file.program(_PROGRAM)}{single_file.data(recorded, name='recording')}"
        )
        return page_document(
            self.page.info.question, body, above=self.above, link=self.link, head=self.head
        )

    def _chart_rows(self, first: Mapping[str, Any]) -> dict[str, str]:
        """Return name of a board -> places for its charts (HTML), as large as on the page."""
        view = make_screen(self.page, self.settings, None, seconds=_NO_LIMIT).view
        return {board: chart_rows(view.boards[board]) for board in first["rows"]}


def page_document(title: str, body: str, *, above: str = "", link: str = "", head: str = "") -> str:
    """Return a page in the lab's look.

    Args:
        title: Its title, plain text.
        body: Its content (HTML).
        above: What stands over it (HTML); "" for the lab's name.
        link: Address of the live lab; "" for no link.
        head: More tags for its head (HTML).
    """
    live_link = ""
    if link:
        live_link = f'<a class="live" href="{escape(link)}">Open in the live lab</a>'
    header = above or "<b>ε</b> Epsilon Lab"
    return single_file.document(
        title,
        f'<header class="top">{header}{live_link}</header><main>{body}</main>',
        style=style(),
        head=head,
    )


def chart_data(chart: Chart) -> dict[str, Any]:
    """Return a chart as plain data: its figure and its alternative text."""
    return _decoded(chart.extras(), chart.parts())


def chart_rows(rows: Rows) -> str:
    """Return places for the charts of a board (HTML)."""
    html = ""
    for row in rows:
        places = "".join(chart_place(chart) for chart in row)
        html += f'<div class="row-of-charts">{places}</div>'
    return html


def chart_place(chart: Chart) -> str:
    """Return a place for a chart that ``player/chart.js`` paints (HTML).

    Without a script it shows the alternative text.
    """
    name = escape(chart.name, quote=True)
    alt = escape(chart.alt, quote=True)
    height = chart.height / _REM
    narrow_height = (chart.narrow or chart.height) / _REM
    size = f"--wide:{chart.wide:g};--height:{height:g}rem;--narrow:{narrow_height:g}rem"
    return (
        f'<figure data-chart="{name}" style="{size}"><figcaption></figcaption>'
        f'<div class="room"><canvas role="img" aria-label="{alt}">{alt}</canvas></div></figure>'
    )


def without_live_requests(html: str) -> str:
    """Remove the sentences that ask for what only the live page has."""
    return _LIVE_SENTENCE.sub("", html)


def merge_frames(frames: Sequence[Frame]) -> dict[str, Any]:
    """Return what several tabs show together, as plain data."""
    words: dict[str, str] = {}
    rows: dict[str, Any] = {}
    charts: dict[str, Any] = {}
    for frame in frames:
        words |= frame.texts
        rows |= frame.rows
        for name, (beside, parts) in frame.charts.items():
            charts[name] = _decoded(beside, parts)
    return {"words": words, "rows": rows, "charts": charts}


def _decoded(beside: Mapping[str, Any], parts: Mapping[str, bytes]) -> dict[str, Any]:
    """Return a chart out of the JSON parts of a frame."""
    layout = {}
    for name, part in parts.items():
        if name != "data":
            layout[name.removeprefix("layout.")] = orjson.loads(part)
    return {"alt": beside["alt"], "data": orjson.loads(parts["data"]), "layout": layout}


def _text_html(name: str, words: Mapping[str, str]) -> str:
    """Return the element of a text of the page; "" if there is none."""
    text = words.get(f".lab-words-{name}")
    if text is None:
        return ""
    return f'<div class="lab-words-{name}">{text}</div>'


def _tab_html(tab: Tab, words: Mapping[str, str], charts: Mapping[str, str]) -> str:
    content = "".join(_text_html(name, words) for name in tab.texts)
    content += charts.get(tab.name, "")
    attributes = 'class="tab"'
    if tab.name == WHY_TAB.name:
        attributes += " open"
    return f"<details {attributes}><summary><h2>{tab.title}</h2></summary>{content}</details>"


@cache
def style() -> str:
    """Return the rules of a recorded page: the lab's own, in the colours of its theme."""
    sheets = (
        assets.SLIDER_RULES,
        single_file.CHART_RULES,
        single_file.HERE / "player" / "page.css",
    )
    return first_page.style_sheet() + theme_rules(":root") + single_file.joined(sheets)


def theme_rules(selector: str) -> str:
    """Return the rules that give an element the colours of the lab's theme, light or dark."""
    font = st.get_option("theme.font")
    return (
        f"{selector}{{color-scheme:light;--st-font:{font};{_theme_colours('light')}}}"
        f"@media screen and (prefers-color-scheme:dark){{{selector}:not([data-paper])"
        f"{{color-scheme:dark;{_theme_colours('dark')}}}}}"
    )


def _theme_colours(mode: str) -> str:
    """Return the variables of the colours of Streamlit's theme, "light" or "dark"."""
    variables = ""
    for option, name in _COLOURS.items():
        variables += f"--st-{name}:{st.get_option(f'theme.{mode}.{option}')};"
    return variables
