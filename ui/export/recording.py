"""A page at its settings with one slider, in one file: every stop was computed here, and moves
where nothing runs.

The frames are those of the live channel. What does not differ between the stops is written once
(``folded``); the painter of the live charts paints them, without Plotly.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from html import escape
from typing import Any

import orjson
import streamlit as st

from lab.experiment.settings import Settings
from ui.export import single_file
from ui.live.frames import Frame, make_frame
from ui.live.messages import Request
from ui.page.page import FIRST, GUARANTEE_TAB, WHY_TAB, Page, Rows, Tab
from ui.page.screen import make_screen
from ui.server import static_files
from ui.session.slider_layout import slider as slider_of
from ui.text.numbers import format_number
from ui.text.texts import SAYS
from ui.widgets import Chart, Slider, assets

# Stops of a recorded slider, about as many.
STOPS = 25
# Names of the tabs that are recorded.
_TABS = (WHY_TAB.name, GUARANTEE_TAB.name)
_PROGRAM = "player/page.js"
# A sentence, without markup, about what can be done on the live page only.
_REST = r"(?:[^.<>]|\.(?=\d))*"
_ASKS = (
    r"(?<![^.>\s])(?:Choose “|Choose another|Raise|Try)\b|\b(?:[Cc]lick|[Hh]over|[Dd]rag|More"
    r" settings)\b"
)
_LIVE = re.compile(rf"\s*{_REST}?(?:{_ASKS}){_REST}\.")
_ALL = 1e9  # seconds of work: as many as it takes
_ROUND = (1, 2, 5)
# Of the theme, what the page needs: option -> variable of the rules.
_COLOURS = {
    "primaryColor": "primary-color",
    "backgroundColor": "background-color",
    "secondaryBackgroundColor": "secondary-background-color",
    "textColor": "text-color",
    "borderColor": "border-color",
    "grayTextColor": "gray-text-color",
    "linkColor": "link-color",
}


def folded(values: Sequence[Any]) -> Any:
    """Return values of as many stops as one: what is the same in all is written once, and what
    differs, in the innermost place, as {"$": distinct values, "at": which of them each stop has}.
    """
    first = values[0]
    if all(one == first for one in values):
        return first
    if all(isinstance(one, dict) and one.keys() == first.keys() for one in values):
        return {name: folded([one[name] for one in values]) for name in first}
    if all(isinstance(one, list) and len(one) == len(first) for one in values) and isinstance(
        first[0], list | dict
    ):
        return [folded(parts) for parts in zip(*values, strict=True)]
    distinct: dict[bytes, Any] = {}
    keys = [orjson.dumps(one, option=orjson.OPT_SORT_KEYS) for one in values]
    for key, one in zip(keys, values, strict=True):
        distinct.setdefault(key, one)
    places = {key: place for place, key in enumerate(distinct)}
    return {"$": list(distinct.values()), "at": [places[key] for key in keys]}


def unfolded(value: Any, stop: int) -> Any:
    """Return the value of one stop."""
    if isinstance(value, dict):
        if "$" in value:
            return value["$"][value["at"][stop]]
        return {name: unfolded(part, stop) for name, part in value.items()}
    return [unfolded(part, stop) for part in value] if isinstance(value, list) else value


def coarse(slider: Slider) -> Slider:
    """Return a slider with about ``STOPS`` of its stops."""
    if slider.scale == "log":
        return replace(
            slider,
            stops=min(slider.stops, max(1, round(STOPS / math.log10(slider.high / slider.low)))),
        )
    times = (tens * one for tens in (1, 10, 100, 1000, 10_000) for one in _ROUND)
    step = next(
        slider.step * one
        for one in times
        if (slider.high - slider.low) / (slider.step * one) <= STOPS
    )
    return replace(slider, step=step)


def stops(slider: Slider) -> list[float]:
    """Return the values at which a slider can rest, as ``scale.js`` has them."""
    log = slider.scale == "log"
    span = (
        math.log10(slider.high / slider.low) * slider.stops
        if log
        else (slider.high - slider.low) / slider.step
    )
    last = max(1, math.ceil(span - 1e-9))
    raw = [
        slider.low * 10 ** (stop / slider.stops) if log else slider.low + stop * slider.step
        for stop in range(last)
    ]
    neat = [
        round(one) if slider.whole else float(f"{one:.3g}" if log else f"{one:.12g}") for one in raw
    ]
    return sorted(
        {*(max(slider.low, min(slider.high, one)) for one in neat), slider.low, slider.high}
    )


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A page to record, with its first slider. settings: at which it stands; told: in words, all
    but the slider. link: of the live page, "" for none. date: ISO. above: HTML over it all.
    """

    page: Page
    settings: Settings
    told: str
    date: str
    link: str = ""
    above: str = ""
    below: str = ""

    @property
    def slider(self) -> Slider:
        sliders = self.page.at(self.settings).slider_layout(self.settings)
        how = {**sliders.changes.get(sliders.hero, {}), "group": "hero", "play": False}
        return coarse(slider_of(sliders.hero, self.settings.limits, **how))

    @property
    def tabs(self) -> list[Tab]:
        return [tab for tab in self.page.at(self.settings).tabs if tab.name in _TABS]

    @property
    def values(self) -> list[float]:
        """Return the values that are recorded: the stops, and the one at which the page stands."""
        return sorted({*stops(self.slider), getattr(self.settings, self.slider.name)})

    def frame(self, value: float, *, seconds: float = _ALL) -> dict[str, Any] | None:
        """Return what the page shows at one value, with both tabs; None where the settings refuse
        it.
        """
        frames = [self.shown(tab.name, value, seconds) for tab in self.tabs or [Tab("", "")]]
        if any(one is None or one.errors for one in frames):
            return None
        found = merged([one for one in frames if one])
        return found | {"words": {where: alone(html) for where, html in found["words"].items()}}

    def shown(self, tab: str, value: float, seconds: float) -> Frame | None:
        link = {name: str(one) for name, one in asdict(self.settings).items()}
        return make_frame(
            Request({"number": 0}, self.page, link, tab, ((self.slider.name, value),)), seconds
        )

    def taken(self) -> dict[str, Any]:
        """Return all that the file plays: the slider, its values, where it stands, and the frames,
        folded.
        """
        found: dict[float, Any] = {}
        for value in self.values:
            frame = self.frame(value)
            if frame:
                found[value] = frame
        values = [*found]
        at = values.index(getattr(self.settings, self.slider.name))
        return {
            "slider": asdict(self.slider),
            "values": values,
            "at": at,
            "frames": folded(list(found.values())),
        }

    def html(self) -> str:
        """Return the page in one file."""
        return self.file(self.taken())

    def file(self, taken: Mapping[str, Any]) -> str:
        """Return the page that plays what was ``taken``."""
        first = unfolded(taken["frames"], taken["at"])
        words, charts = first["words"], dict(self._charts(first))
        slider, now = self.slider, taken["values"][taken["at"]]
        at = f'<span id="at">{slider.label} {format_number(now)}</span>'
        if self.told:
            at += f", {escape(self.told)}"
        stops = len(taken["values"])
        count = SAYS("recording.one", slider=slider.label.lower(), stops=stops)
        body = (
            f"<h1>{escape(self.page.question)}</h1><p class=settings>{at}</p>"
            f'<div class="screen"><aside class="panel"><div class="rows hero" id="slider"></div>'
            f"<p class=quiet>{count}</p></aside>"
            f'<div class="shown"><div class="lab-numbers">{words.get(".lab-numbers", "")}</div>'
            f'<div class="lab-verdict">{words.get(".lab-verdict", "")}</div>'
            f"{charts[FIRST]}{_part('caption', words)}</div></div>"
            f"{''.join(_tab(tab, words, charts) for tab in self.tabs)}{self.below}"
            f"<footer>{SAYS('recording.note', date=self.date)} <span"
            f" id=link>{escape(self.link)}</span></footer>"
            f"{single_file.data({'charts': first['charts'], 'rows': first['rows']}, name='first')}"
            f"{single_file.program(_PROGRAM)}{single_file.data(taken, name='recording')}"
        )
        return framed(self.page.question, body, above=self.above, link=self.link)

    def _charts(self, first: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield (name of a board, places for its pictures), as large as on the page."""
        view = make_screen(self.page, self.settings, None, seconds=_ALL).view
        for board in first["rows"]:
            yield board, placed(view.boards[board])


def framed(title: str, body: str, *, above: str = "", link: str = "") -> str:
    """Return a page in the lab's look with this title, which is text, under what leads elsewhere:
    ``above``, HTML, and a link to the live lab.
    """
    live = f'<a class="live" href="{escape(link)}">Open in the live lab</a>' if link else ""
    top = f'<header class="top">{above or "<b>ε</b> Epsilon Lab"}{live}</header>'
    return single_file.document(title, f"{top}<main>{body}</main>", style=style())


def frame_of(picture: Chart) -> dict[str, Any]:
    """Return a picture as plain data: its figure, and the words in its place."""
    return _plain(picture.extras(), picture.parts())


def placed(rows: Rows) -> str:
    """Return places for the pictures of a board."""
    return "".join(f'<div class="row-of-charts">{"".join(map(place, row))}</div>' for row in rows)


def place(picture: Chart) -> str:
    """Return a place for a picture that ``player/chart.js`` paints.

    Without a script its words stand there.
    """
    name, alt = (escape(text, quote=True) for text in (picture.name, picture.alt))
    size = f"--wide:{picture.wide:g};--height:{picture.height / 16:g}rem;"
    size += f"--narrow:{(picture.narrow or picture.height) / 16:g}rem"
    return (
        f'<figure data-chart="{name}" style="{size}"><figcaption></figcaption>'
        f'<div class="room"><canvas role="img" aria-label="{alt}">{alt}</canvas></div></figure>'
    )


def alone(html: str) -> str:
    """Return words (HTML) without the sentences that ask for what only the live page has."""
    return _LIVE.sub("", html)


def merged(frames: Sequence[Frame]) -> dict[str, Any]:
    """Return what the tabs of one stop show together, as plain data."""
    words = {where: html for one in frames for where, html in one.texts.items()}
    rows = {board: names for one in frames for board, names in one.rows.items()}
    pictures = {name: picture for one in frames for name, picture in one.charts.items()}
    return {
        "words": words,
        "rows": rows,
        "charts": {name: _plain(*picture) for name, picture in pictures.items()},
    }


def _plain(beside: Mapping[str, Any], parts: Mapping[str, bytes]) -> dict[str, Any]:
    read = {name: orjson.loads(part) for name, part in parts.items()}
    layout = {name.removeprefix("layout."): part for name, part in read.items() if name != "data"}
    return {"alt": beside["alt"], "data": read["data"], "layout": layout}


def _part(name: str, words: Mapping[str, str]) -> str:
    said = words.get(f".lab-words-{name}")
    return "" if said is None else f'<div class="lab-words-{name}">{said}</div>'


def _tab(tab: Tab, words: Mapping[str, str], charts: Mapping[str, str]) -> str:
    inside = "".join(_part(name, words) for name in tab.words) + charts.get(tab.name, "")
    is_open = " open" * (tab.name == WHY_TAB.name)
    return (
        f'<details class="tab"{is_open}><summary><h2>{tab.title}</h2></summary>{inside}</details>'
    )


@cache
def style() -> str:
    """Return the rules of a recorded page: the lab's own, in the colours of its theme."""
    sheets = (
        assets.SLIDER_RULES,
        single_file.CHART_RULES,
        single_file.HERE / "player" / "page.css",
    )
    return (
        static_files.rules()
        + themes(":root")
        + "".join(sheet.read_text("utf-8") for sheet in sheets)
    )


def themes(of: str) -> str:
    """Return the rules that give an element, by its selector, the colours of the lab's theme, light
    or dark.
    """
    light, dark = (
        "".join(
            f"--st-{name}:{st.get_option(f'theme.{mode}.{option}')};"
            for option, name in _COLOURS.items()
        )
        for mode in ("light", "dark")
    )
    return (
        f"{of}{{color-scheme:light;--st-font:{st.get_option('theme.font')};{light}}}@media screen"
        f" and (prefers-color-scheme:dark){{{of}:not([data-paper]){{color-scheme:dark;{dark}}}}}"
    )
