"""The painter on a page of its own, without a server: the pages' figures, pictures of them, and how these differ."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from PIL import Image
from playwright.sync_api import Page, Route

from lab.settings import Settings
from pages.table import PAGES
from ui import controls, pins
from ui.compare import compare
from ui.live import Knob, serving

ROOT = Path(__file__).parents[2]
HOME = "http://painter.test"
FILES = {
    "/": b"<!doctype html><meta charset=utf-8><title>Painter</title><body style=margin:0>",
    "/plotly.js": serving.PLOTLY,
    "/bench.js": ROOT / "tests/browser/apps/painter_bench.js",
}
KINDS = {".js": "text/javascript"}
FONT = "system-ui, 'Noto Sans', 'Liberation Sans', Arial, sans-serif"
LOOKS = {
    "light": {"text-color": "#1B1E2B", "border-color": "#D5D8E4", "border-color-light": "#E8EAF0"},
    "dark": {"text-color": "#E6E8F0", "border-color": "#353A4B", "border-color-light": "#242837"},
}
GROUNDS = {"light": "#FFFFFF", "dark": "#12141C"}
WIDTH = 460
LEAST = 12  # of 255
# A page, or a part of one, and the link that opens it. Of long work a part is enough: each kind of mark is there.
OPENED = {page.name: {} for page in PAGES if page.name != "attack"} | {
    f"attack {part}": {"part": part} for part in ("worlds", "membership", "pays", "inversion", "once", "audit")
}
OPENED["classifier pinned"] = {"epsilon": "0.3", "pin": "~~clip_norm~0.1"}
Figures = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Moves:
    """What a page shows: ``before`` at first, and ``after`` each of its knobs has been moved, the hero's first."""

    heights: Mapping[str, int]
    before: Figures
    after: Mapping[str, Figures]


@cache
def moves(opened: str, knobs: int | None = 1) -> Moves:
    """The figures of a page, or of a part of one, and those after each of so many knobs has been moved; None: all."""
    topic, link = opened.partition(" ")[0], dict(OPENED[opened])
    page = next(page for page in PAGES if page.name == topic)
    pin = pins.read(page.settings, (link.pop("pin"),))[0].ghost if "pin" in link else None
    settings, notices = controls.from_link(page.settings, link)
    assert not notices

    def pictures(settings: Settings) -> dict[str, dict]:
        both = compare(page, settings, pin, seconds=1.0 if opened == "attack audit" else math.inf)
        every = (picture for board in both.boards("").values() for row in board for picture in row)
        return {picture.name: json.loads(orjson.dumps(picture.message())) for picture in every}

    def figures(settings: Settings) -> Figures:
        return {name: picture["figure"] for name, picture in pictures(settings).items()}

    shown = page.at(settings).knobs(settings)
    moving = [name for name in shown.shown if len(set(settings.limits[name])) == 2]
    after = {}
    for name in moving[:knobs]:
        there = _stop(controls.knob(name, settings.limits, **shown.changes.get(name, {})), getattr(settings, name))
        after[name] = figures(controls.moved(settings, name, there)[0])
    heights = {name: picture["height"] for name, picture in pictures(settings).items()}
    return Moves(heights=heights, before=figures(settings), after=after)


def _stop(knob: Knob, value: float) -> float:
    """Another value of a knob, a sixth of its track away."""
    low, high, log = knob.low, knob.high, knob.scale == "log"
    share = math.log(value / low) / math.log(high / low) if log else (value - low) / (high - low)
    share += 1 / 6 if share < 0.6 else -1 / 6
    moved = low * (high / low) ** share if log else low + (high - low) * share
    return round(moved) if knob.whole else float(f"{moved:.3g}")


# A place outside of all axes.
FAR = 1e300


def legend(figure: Mapping[str, Any]) -> list[tuple]:
    """What a legend names, but for the values that it tells."""
    told = [one for one in figure["data"] if one.get("showlegend", True)] if figure["layout"].get("showlegend") else []
    return [(one.get("name", "").partition("  <b>")[0], str(one.get("line"))) for one in told]


def without(figure: Mapping[str, Any], place: int) -> dict[str, Any]:
    """The figure with one trace of which nothing is in view: its legend, and with it the room for the axes, stays."""
    trace = figure["data"][place]
    names = {axis: trace[axis] for axis in "xy" if isinstance(trace[axis], list) and isinstance(trace[axis][0], str)}
    nothing = [math.nan] * max(map(len, names.values())) if names else [FAR]
    empty = {name: part for name, part in trace.items() if name not in ("text", "error_y")}
    empty |= {"x": nothing, "y": nothing} | names
    return {**figure, "data": [empty if at == place else trace for at, trace in enumerate(figure["data"])]}


class Bench:
    """The page, and pictures of the charts on it. A picture: (height, width, 3), numbers from 0 to 255."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.route(f"{HOME}/**", _answer)
        page.goto(HOME)
        page.add_script_tag(url="/plotly.js")
        page.add_script_tag(url="/bench.js", type="module")
        page.wait_for_function("() => window.bench")
        self.look("light")

    def look(self, name: str) -> None:
        """Light or dark, as Streamlit says it: by variables of the page's style."""
        look = {**LOOKS[name], "background-color": GROUNDS[name], "font": FONT}
        self.page.evaluate(
            """look => {
              for (const name in look) document.documentElement.style.setProperty(`--st-${name}`, look[name])
              document.body.style.background = look["background-color"]
            }""",
            look,
        )
        self.ground = np.array([int(GROUNDS[name][at : at + 2], 16) for at in (1, 3, 5)], dtype=np.int16)

    def place(self, heights: Mapping[str, int], *, view: tuple[int, int] | None = None) -> None:
        """Empty cells for these charts in a window of this size, or in one that shows all of them and nothing else.

        What is out of view is not painted, and a picture of what is empty takes as long as one of charts.
        """
        width, height = view or (3 * WIDTH, 900)
        self.page.set_viewport_size({"width": width, "height": height})
        self.boxes = self.page.evaluate(
            "([charts, width]) => bench.place(charts, width)", [list(heights.items()), WIDTH]
        )
        if view is None:
            height = math.ceil(max(box["bottom"] for box in self.boxes.values()))
            self.page.set_viewport_size({"width": width, "height": height})

    def draw(self, figures: Figures, *, afresh: bool = False) -> dict[str, np.ndarray]:
        """Pictures by name after Plotly has drawn these figures; ``afresh``: as if it had drawn nothing before."""
        self.page.evaluate("all => bench.draw(...all)", [dict(figures), afresh])
        return self.pictures()

    def paint(self, figures: Figures) -> dict[str, np.ndarray]:
        """Pictures by name of those that could be painted, of what Plotly has drawn if they could not."""
        self.painted = self.page.evaluate("figures => bench.paint(figures)", dict(figures))
        return self.pictures()

    def pictures(self) -> dict[str, np.ndarray]:
        whole = np.asarray(Image.open(io.BytesIO(self.page.screenshot(full_page=True))).convert("RGB"), dtype=np.int16)
        scale = whole.shape[1] / self.page.evaluate("innerWidth")
        cuts = {
            name: [round(box[side] * scale) for side in ("top", "bottom", "left", "right")]
            for name, box in self.boxes.items()
        }
        return {name: whole[top:bottom, left:right] for name, (top, bottom, left, right) in cuts.items()}


def _answer(route: Route) -> None:
    path = route.request.url.removeprefix(HOME).partition("?")[0]
    found = FILES.get(path, ROOT / "ui/live" / path.removeprefix("/"))
    if path == "/favicon.ico":
        found = b""
    body = found if isinstance(found, bytes) else found.read_bytes()
    route.fulfill(body=body, content_type="text/html" if isinstance(found, bytes) else KINDS[found.suffix])


def difference(painted: np.ndarray, drawn: np.ndarray, bare: np.ndarray) -> float:
    """Of the pixels that a chart, or a part of it, inks in either picture, the share that differs.

    ``bare`` is the picture without it, or the colour of the ground: inked is what is further than LEAST from it. Two
    pixels are alike if within a pixel's distance the other picture has a colour that is nearer than 8 and a quarter of
    the ink. Distances of colours are those of the channel that differs most. 0 where nothing is inked.
    """
    ink = np.maximum(_far(painted, bare), _far(drawn, bare))
    return _share(painted, drawn, ink)


def inked(drawn: np.ndarray, bare: np.ndarray) -> int:
    """How many pixels of a part of a chart are to be seen."""
    return int((_far(drawn, bare) > LEAST).sum())


def part_difference(painted: np.ndarray, drawn: np.ndarray, bare: np.ndarray) -> float:
    """`difference` where Plotly inks this part of a chart."""
    return _share(painted, drawn, _far(drawn, bare))


def _share(painted: np.ndarray, drawn: np.ndarray, ink: np.ndarray) -> float:
    """Of the inked pixels, those that differ."""
    places = np.nonzero(ink > LEAST)
    far = np.maximum(_nearest(painted, drawn, places), _nearest(drawn, painted, places))
    return float((far > 8 + ink[places] / 4).mean()) if len(far) else 0.0


def _far(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.abs(one - other).max(axis=-1)


def _nearest(one: np.ndarray, other: np.ndarray, places: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """How far the colours at these places are from the nearest within a pixel of its place in the other picture."""
    padded = np.pad(other, ((1, 1), (1, 1), (0, 0)), mode="edge")
    near = [padded[places[0] + down, places[1] + right] for down in range(3) for right in range(3)]
    return np.min([_far(one[places], colour) for colour in near], axis=0)
