"""A page of the lab as one value, and what a result says and shows on it.

A room writes a ``Page``; ``ui.show`` is the one place that knows the order of things on a screen. ``Page.view`` is the
only way in which a result is drawn or put into words, whoever asks.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

from dpcore.experiment import Settings
from dpcore.kept import kept
from ui.compute import SLICE_SECONDS
from ui.controls import Desk
from ui.live import Picture
from ui.panels import WHY, bullets, note

Rows = Sequence[Sequence[Picture]]


class Knobs(NamedTuple):
    """The fields that have a knob: the ``hero``, the ``main`` ones, ``more`` that are folded away, and one that can
    ``play`` by itself. ``changes``: how a knob differs from ``ui.vocabulary.KNOBS`` on this page.
    """

    hero: str
    main: Sequence[str] = ()
    more: Sequence[str] = ()
    play: str | None = None
    changes: Mapping[str, Mapping[str, Any]] = MappingProxyType({})


class Slices(NamedTuple):
    """How long a run may compute beyond what it must, in seconds: the first one, one that answers a movement, and one
    at rest.
    """

    first: float = SLICE_SECONDS
    moving: float = SLICE_SECONDS
    resting: float = SLICE_SECONDS


class Section(NamedTuple):
    """A part of the page that follows at rest: words by name, and a picture by name beside them. ``drawn``: the words
    hold a drawing (SVG).
    """

    word: str
    heading: str = ""
    picture: str = ""
    drawn: bool = False


class Made(Mapping[str, Any]):
    """What each function makes of a result, by name, when it is asked for, and once."""

    def __init__(self, how: Mapping[str, Callable[[Any], Any]], result: Any):
        self._how, self._result, self._made = how, result, {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._how[name](self._result)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._how)

    def __len__(self) -> int:
        return len(self._how)


@dataclass(frozen=True, eq=False)
class View:
    """What a result says and shows: ``words``, HTML by name, and pictures by name.

    rows: the pictures that move with a knob, as they stand; ``still``: those that follow at rest, by name.
    """

    words: Mapping[str, str]
    rows: Rows
    still: Mapping[str, Picture]

    @property
    def pictures(self) -> dict[str, Picture]:
        """All that move, by name."""
        return {picture.name: picture for row in self.rows for picture in row}


def always(value: Any) -> Callable[[Any], Any]:
    """A function that gives ``value`` for whatever it is asked."""
    return lambda _: value


def listed(sentences: Callable[[Any], Iterable[str]]) -> Callable[[Any], str]:
    """What ``sentences`` says of a result, as a list."""
    return lambda result: bullets(sentences(result))


def noted(sentence: Callable[[Any], str]) -> Callable[[Any], str]:
    """What ``sentence`` says of a result, as a paragraph."""
    return lambda result: note(sentence(result))


_YES, _NO, _USUAL = always(True), always(False), Slices()


@dataclass(frozen=True, kw_only=True, eq=False)
class Page:
    """One page of the lab.

    name: its address, and its folder in ``pages/``.
    title, icon, group: in the navigation and on the home page.
    question: the heading.
    settings: the type of its experiment.
    setup: shows the choices that make another experiment.
    lead: settings -> a sentence under the heading (markdown).
    legend: result -> (name, colour, dash) of what all pictures share, in Plotly's terms.
    knobs: settings -> its knobs.
    words: name -> what a result says (HTML). All pages have "verdict".
    pictures: result -> rows of pictures, which move with the knobs.
    above, below: names of words over and under the pictures, which move with them; cards: name of words -> title.
    sections: what stands under all that moves, and follows at rest; still: its pictures, by name.
    frames: result -> name of a download -> its frame, or its columns by name, made when asked for.
    code: settings -> the same by an estimator of ``dpcore.estimators``, as a program; None where there is none.
    ready: whether all is there to compute from, asked by the page, which shows what is missing; ``holds``: whether it
    still is, asked at each movement.
    private: settings -> whether they need something of the visitor's own session, such as a file.
    variant: settings -> the page as it is with them, where their choice makes it another.
    """

    name: str
    title: str
    icon: str
    group: str
    question: str
    settings: type[Settings]
    setup: Callable[[Desk], None]
    lead: Callable[[Any], str]
    legend: Callable[[Any], Sequence[tuple[str, str, str]]]
    knobs: Callable[[Any], Knobs]
    words: Mapping[str, Callable[[Any], str]]
    pictures: Callable[[Any], Rows]
    frames: Callable[[Any], Mapping[str, Callable[[], pd.DataFrame | Mapping[str, Any]]]]
    above: Sequence[str] = ()
    below: Sequence[str] = ()
    cards: Mapping[str, str] = field(default_factory=lambda: {"why": WHY, "guarantee": "The guarantee"})
    sections: Sequence[Section] = ()
    still: Mapping[str, Callable[[Any], Picture]] = field(default_factory=dict)
    code: Callable[[Any], str] | None = None
    ready: Callable[[Desk], bool] = _YES
    holds: Callable[[Desk], bool] = _YES
    private: Callable[[Any], bool] = _NO
    slices: Slices = _USUAL
    variant: Callable[[Any], "Page"] | None = None

    def at(self, settings: Settings) -> "Page":
        """The page as it is with these settings."""
        return self.variant(settings) if self.variant else self

    def view(self, result: Any) -> View:
        """What this result says and shows."""
        return View(Made(self.words, result), _drawn(self.pictures, result), Made(self.still, result))

    def says(self, view: View) -> dict[str, str]:
        """CSS selector of an element beside the pictures that move -> its HTML."""
        named = {f".lab-words-{name}": view.words[name] for name in (*self.above, *self.below)}
        cards = "".join(
            f'<section class="lab-card"><h2>{title}</h2>{view.words[name]}</section>'
            for name, title in self.cards.items()
        )
        return {".lab-verdict": view.words["verdict"]} | named | {".lab-cards": cards}

    @property
    def module(self) -> str:
        """Where its settings are, which a script imports."""
        return self.settings.__module__

    @property
    def method(self) -> str:
        """How it works, in markdown."""
        return Path(inspect.getfile(self.settings)).with_name("method.md").read_text(encoding="utf-8")


@kept
def _drawn(pictures: Callable[[Any], Rows], result: Any) -> Rows:
    return pictures(result)
