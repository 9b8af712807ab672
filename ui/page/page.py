"""A page of the lab as one value, and what a result says and shows on it.

A room writes a ``Page``; ``ui.layout.topic_page`` is the one place that knows the order of things
on a screen. ``Page.view`` is the only way in which a result is drawn or put into words, whoever
asks.
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

from dpcore.cache import cached
from dpcore.check import RefusedError
from lab.experiment.settings import Settings
from lab.label.label import Stated
from ui.charts import attacker_icons
from ui.compute.runner import SLICE_SECONDS
from ui.page.guarantee_after_search import SearchedGuarantee, guarantee_after_search
from ui.page.suggestion import Suggestion
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text.tiles import Tile, bullets, note, tile_row
from ui.uploads import rows
from ui.widgets import Chart

Rows = Sequence[Sequence[Chart]]
# Of the board in the first screen; each of the others has the name of its tab.
FIRST = "board"
_USUAL: Mapping[str, float] = MappingProxyType({})
# Drawings of which the cache keeps the newest, so that a drag back over a slider draws no chart
# again; a slider has at most some hundred stops. An entry keeps the whole result.
_KEPT_DRAWINGS = 128


class Slices(NamedTuple):
    """How long a run may compute beyond what it must, in seconds: the first one, one that answers a
    movement, and one at rest.
    """

    first: float = SLICE_SECONDS
    moving: float = SLICE_SECONDS
    resting: float = SLICE_SECONDS


class Tab(NamedTuple):
    """What stands under the first screen, when its name is chosen: words by name, with pictures
    under them.

    name: in ``Page.tabs``; title: on the tab. drawn: the words hold a drawing (SVG). shows:
    whatever else, of a page state; it is given what a saved picture says of itself
    (``ui.widgets.board``).
    when: whether these settings have the tab.
    """

    name: str
    title: str
    words: Sequence[str] = ()
    pictures: Callable[[Any], Rows] | None = None
    drawn: bool = False
    shows: Callable[[PageState, Mapping[str, Any]], None] | None = None
    when: Callable[[Any], bool] = lambda _: True


WHY_TAB = Tab("why", "Explanation", ("why",))
GUARANTEE_TAB = Tab("guarantee", "Guarantee", ("guarantee",))
# Of pages that questions can be asked about.
ANSWER = "answer"
ASK_TAB = Tab("what-if", "What if")
# Of pages with classes: the table of results, and what accuracy alone does not say.
RESULTS_TAB = Tab("table", "Results", ("table", "classes"))
# Of every page, behind its own.
METHOD_TAB = Tab("method", "How it works")


class LazyValues(Mapping[str, Any]):
    """What each function makes of a result, by name, when it is asked for, and once."""

    def __init__(self, how: Mapping[str, Callable[[Any], Any]], result: Any):
        self._how, self._result = how, result
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._how[name](self._result)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._how

    def __iter__(self) -> Iterator[str]:
        return iter(self._how)

    def __len__(self) -> int:
        return len(self._how)


@dataclass(frozen=True, eq=False)
class View:
    """What a result says and shows: the big numbers, ``words``, HTML by name, and rows of pictures
    by board: those of the first screen, and those of each tab.
    """

    numbers: Sequence[Tile]
    words: Mapping[str, str]
    boards: Mapping[str, Rows]

    def pictures(self, *boards: str) -> dict[str, Chart]:
        """Return all on these boards, by name."""
        return {
            picture.name: picture
            for board in boards
            for row in self.boards[board]
            for picture in row
        }


def always(value: Any) -> Callable[[Any], Any]:
    """Return a function that gives ``value`` for whatever it is asked."""
    return lambda _: value


def listed(sentences: Callable[[Any], Iterable[str]]) -> Callable[[Any], str]:
    """Return what ``sentences`` says of a result, as a list."""
    return lambda result: bullets(sentences(result))


def noted(sentence: Callable[[Any], str]) -> Callable[[Any], str]:
    """Return what ``sentence`` says of a result, as a paragraph."""
    return lambda result: note(sentence(result))


class QuestionTab(NamedTuple):
    """The questions that can be asked about a page, in a tab of it.

    page: on which they all are, whose first picture and verdict the tab shows. settings: (settings
    of the page that is asked about, what else is asked, as an address holds it, measure -> the
    target to start with, where it is not the usual one) -> those of the question. asks: (question,
    those targets, the question before) -> what else is asked: no target where it is about another
    measure than before. ignored: a sentence (markdown) for each part
    of it that nobody can ask. controls: shows, of a page state of these, what can be asked in the
    tab.
    compares: the settings of the page whose results an answer is to compare; compared: those that
    it does, as far as it is known.
    """

    page: "Page"
    settings: Callable[[Any, str, Mapping[str, float]], Settings]
    asks: Callable[[Any, Mapping[str, float], Any], str]
    ignored: Callable[[Any, str], list[str]]
    controls: Callable[[PageState], None]
    compares: Callable[[Any], Collection[Settings]]
    compared: Callable[[Any], Collection[Settings]]

    def about(
        self, settings: Any, ask: str, targets: Mapping[str, float] = _USUAL
    ) -> Settings | None:
        """Return the question about these settings; None where nothing can be asked about them."""
        try:
            return self.settings(settings, ask, targets)
        except RefusedError:
            return None

    def view(self, result: Any) -> "View":
        """Return what the tab shows of an answer."""
        whole = self.page.view(result)
        boards = {ASK_TAB.name: lambda result: [[replace(whole.boards[FIRST][0][0], name=ANSWER)]]}
        return View((), {ANSWER: whole.words["verdict"]}, LazyValues(boards, result))


_SLICES, _SILENT, _USUAL_TARGETS = Slices(), always(Stated()), always(_USUAL)


@dataclass(frozen=True, kw_only=True, eq=False)
class Page:
    """One page of the lab.

    name: its address, and its folder in ``pages/``.
    title, icon, group, about: in the navigation and on the home page.
    question: the heading.
    settings: the type of its experiment.
    setup: shows the choices that make another experiment, in one row.
    more: shows the selectors in *More settings*, under the sliders there; None where there are only
        sliders.
    aside: shows choices that stand over the sliders; by default how many rows of a large file are
        trained on.
    lead: settings -> the plain words (markdown) that how it works begins with.
    sliders: settings -> its sliders; one that can take a single value is not shown (``sliders``).
    numbers: result -> the big numbers over the pictures.
    words: name -> what a result says (HTML). All pages have "verdict", one or two lines under the
        numbers; where there is a "caption", it is one line under the pictures.
    pictures: result -> the row of pictures in the first screen, at most three, which move with the
        sliders.
    tabs: what stands under them, of which one is open.
    frames: result -> name of a download -> its frame, or its columns by name, made when asked for.
    code: settings -> the same by an estimator of ``dpcore.estimators``, as a program, which cannot
    hold a visitor's own file; None where there is none.
    ready: whether all is there to compute from, asked by the page, which shows what is missing;
    ``holds``: whether it still is, asked at each movement; by default whether a visitor's own file
    is there, where the settings need one.
    variant: settings -> the page as it is with them, where their choice makes it another; None
        where not.
    asked: the questions that can be asked about it; asks: whether this variant has them. targets:
        result -> measure -> the target that they start with, where it is not the usual one.
    label: result -> what its privacy label says; without, nothing is stated.
    move: the one worth making on it, which a card asks for.
    """

    name: str
    title: str
    icon: str
    group: str
    about: str
    question: str
    settings: type[Settings]
    setup: Callable[[PageState], None]
    lead: Callable[[Any], str]
    sliders: Callable[[Any], SliderLayout]
    numbers: Callable[[Any], Sequence[Tile]]
    words: Mapping[str, Callable[[Any], str]]
    pictures: Callable[[Any], Rows]
    frames: Callable[[Any], Mapping[str, Callable[[], pd.DataFrame | Mapping[str, Any]]]]
    tabs: Sequence[Tab] = (WHY_TAB, GUARANTEE_TAB)
    code: Callable[[Any], str] | None = None
    ready: Callable[[PageState], bool] = rows.ready
    holds: Callable[[PageState], bool] = rows.holds
    aside: Callable[[PageState], None] = rows.part
    more: Callable[[PageState], None] | None = None
    slices: Slices = _SLICES
    variant: Callable[[Any], "Page | None"] | None = None
    asked: QuestionTab | None = None
    asks: bool = True
    targets: Callable[[Any], Mapping[str, float]] = _USUAL_TARGETS
    label: Callable[[Any], Stated] = _SILENT
    move: Suggestion | None = None

    def at(self, settings: Settings) -> "Page":
        """Return the page as it is with these settings, and with the tabs that they have."""
        page = (self.variant(settings) if self.variant else None) or self
        tabs = tuple(tab for tab in page.tabs if tab.when(settings))
        return _at(
            page, tabs, self.asked if page.asks else None, None if settings.private else page.code
        )

    def slider_layout(self, settings: Settings) -> SliderLayout:
        """Return the sliders of these settings, without those that can take one value only and need
        not be ``STATED``.
        """
        sliders, limits = self.sliders(settings), settings.limits

        def says_something(name: str) -> bool:
            low, high = limits[name]
            return low < high or name in settings.STATED

        main, more = (
            tuple(filter(says_something, names)) for names in (sliders.main, sliders.more)
        )
        return sliders._replace(main=main, more=more)

    def tab(self, name: str) -> Tab:
        """Return the tab of this name; the first one where there is none of it."""
        return next((tab for tab in self.all_tabs if tab.name == name), self.all_tabs[0])

    @property
    def all_tabs(self) -> Sequence[Tab]:
        """Return its own tabs, and those of every page that has any."""
        asked = (ASK_TAB,) if self.asked else ()
        return (*self.tabs[:2], *asked, *self.tabs[2:], METHOD_TAB) if self.tabs else (Tab("", ""),)

    def view(self, result: Any, *, tries: int = 0) -> View:
        """Return what this result says and shows; ``tries``: as in ``SearchedGuarantee``."""
        draw = {FIRST: self.pictures} | {
            tab.name: tab.pictures for tab in self.tabs if tab.pictures
        }
        boards = {name: partial(_drawn, how) for name, how in draw.items()}
        words = dict(self.words)
        if "guarantee" in words:
            words["guarantee"] = self._guarantee
        numbers = self.numbers(result)
        counted = (
            guarantee_after_search(self.label(result), result, tries=tries)
            if result.settings.private
            else None
        )
        if counted is not None:
            numbers = counted.tiles(numbers)
            words |= self._counted(counted, words)
        return View(numbers, LazyValues(words, result), LazyValues(boards, result))

    def _counted(
        self, counted: SearchedGuarantee, words: Mapping[str, Callable[[Any], str]]
    ) -> dict[str, Callable[[Any], str]]:
        """Return the words on a guarantee, as they are after a search on private rows."""
        changed: dict[str, Callable[[Any], str]] = {}
        for name, change in (("verdict", counted.verdict), ("guarantee", counted.guarantee)):
            if name in words:
                changed[name] = partial(_changed, change, words[name])
        return changed

    def _guarantee(self, result: Any) -> str:
        said = self.label(result)
        return attacker_icons.icons_of_label(said, result) + self.words["guarantee"](result)

    def boards(self, tab: str) -> tuple[str, ...]:
        """Return the boards in view while this tab is open."""
        return (FIRST, tab) if self.tab(tab).pictures else (FIRST,)

    def says(self, view: View, tab: str) -> dict[str, str]:
        """Return CSS selector of an element beside the pictures -> its HTML, while this tab is
        open.
        """
        first = {".lab-numbers": tile_row(view.numbers), ".lab-verdict": view.words["verdict"]}
        names = [*self.captions, *self.tab(tab).words]
        return first | {f".lab-words-{name}": view.words[name] for name in names}

    @property
    def captions(self) -> Sequence[str]:
        """Return names of the words under the first pictures."""
        return ("caption",) if "caption" in self.words else ()

    @property
    def method(self) -> str:
        """Return how it works, in markdown."""
        return (
            Path(inspect.getfile(self.settings)).with_name("method.md").read_text(encoding="utf-8")
        )


def _changed(change: Callable[[str], str], words: Callable[[Any], str], result: Any) -> str:
    return change(words(result))


@lru_cache(maxsize=256)
def _at(
    page: Page, tabs: tuple[Tab, ...], asked: QuestionTab | None, code: Callable[[Any], str] | None
) -> Page:
    return replace(page, tabs=tabs, asked=asked, code=code)


@cached(newest=_KEPT_DRAWINGS)
def _drawn(pictures: Callable[[Any], Rows], result: Any) -> Rows:
    return pictures(result)
