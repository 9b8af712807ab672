"""Define a page of the lab as one value.

Every topic writes a ``Page``. Only ``ui.layout`` knows the order of things on a screen, and
``Page.view`` is the only way in which a result becomes texts and charts, whoever asks.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from ui.page.suggestion import Suggestion
from ui.page.tabs import ANSWER, ASK_TAB, GUARANTEE_TAB, METHOD_TAB, NO_TAB, WHY_TAB, Tab
from ui.page.view import FIRST, LazyValues, Rows, View
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text.tiles import Tile, bullets, tile_row

_NO_TARGETS: Mapping[str, float] = MappingProxyType({})
# Drawings of which the cache keeps the newest, so that a drag back over a slider draws no chart
# again; a slider has at most some hundred stops. An entry keeps the whole result.
_KEPT_DRAWINGS = 128
# Pages at certain settings that are kept, so that they are the same objects from run to run.
_KEPT_PAGES = 256
# Tabs of a page before that of questions.
_TABS_BEFORE_QUESTIONS = 2


def always(value: Any) -> Callable[[Any], Any]:
    """Return a function that returns ``value`` for any argument."""
    return lambda _: value


def listed(sentences: Callable[[Any], Iterable[str]]) -> Callable[[Any], str]:
    """Return a function that makes a list (HTML) of the sentences on a result."""
    return lambda result: bullets(sentences(result))


_NO_FIRST_TARGETS = always(_NO_TARGETS)
_NOTHING_STATED = always(Stated())


class PageInfo(NamedTuple):
    """The entry of a page in the navigation and on the home page.

    Attributes:
        name: Its address, and the folder of a topic in ``pages/``.
        title: Its title in the navigation.
        icon: Its icon there.
        group: The group of pages that it stands in.
        question: The heading over the page.
        about: A phrase on what it is about.
    """

    name: str
    title: str
    icon: str
    group: str
    question: str
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Controls:
    """All that changes the settings of a page.

    Attributes:
        choices: Shows the choices that make another experiment, in one row over the result.
        sliders: Returns the sliders of settings.
        aside: Shows choices over the sliders.
        more_choices: Shows the selectors in *More settings*, under the sliders there.
        suggestion: The one movement worth making, which a card asks for.
    """

    choices: Callable[[PageState], None]
    sliders: Callable[[Any], SliderLayout]
    aside: Callable[[PageState], None] | None = None
    more_choices: Callable[[PageState], None] | None = None
    suggestion: Suggestion | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Content:
    """All that a page shows of a result.

    Attributes:
        tiles: Returns the tiles over the charts.
        texts: Name -> function of a result that returns HTML. All pages have "verdict", one or two
            lines under the tiles; "caption" is one line under the charts; "card", unless it is
            "", is shown in place of tiles and verdict.
        charts: Returns the row of charts in the first screen, at most three, which move with the
            sliders.
        tabs: The tabs under them.
        actions: Shows widgets that belong to the card, from the page's state and a result.
        lead: Returns the text (markdown) of settings with which *How it works* begins.
        first_targets: Returns measure -> the target with which questions about a result start,
            where it is not the usual one.
    """

    tiles: Callable[[Any], Sequence[Tile]]
    texts: Mapping[str, Callable[[Any], str]]
    charts: Callable[[Any], Rows]
    tabs: Sequence[Tab] = (WHY_TAB, GUARANTEE_TAB)
    actions: Callable[[PageState, Any], None] | None = None
    lead: Callable[[Any], str]
    first_targets: Callable[[Any], Mapping[str, float]] = _NO_FIRST_TARGETS


@dataclass(frozen=True, kw_only=True, eq=False)
class Exports:
    """All that a visitor can take away of a result.

    Attributes:
        downloads: Returns name -> function that makes a frame, or its columns by name.
        label: Returns what the privacy label of a result states; by default nothing.
        code: Returns a program for settings that does the same by an estimator of
            ``dpcore.estimators``. It cannot hold a visitor's own file.
    """

    downloads: Callable[[Any], Mapping[str, Callable[[], pd.DataFrame | Mapping[str, Any]]]]
    label: Callable[[Any], Stated] = _NOTHING_STATED
    code: Callable[[Any], str] | None = None


class Slices(NamedTuple):
    """CPU seconds that a run may compute beyond its essential work.

    Attributes:
        first: In the first run.
        moving: In a run that answers a movement.
        resting: In a run at rest.
    """

    first: float = SLICE_SECONDS
    moving: float = SLICE_SECONDS
    resting: float = SLICE_SECONDS


_USUAL_SLICES = Slices()


class QuestionTab(NamedTuple):
    """The questions about a page, in a tab of it.

    Attributes:
        page: The page of questions, whose first chart and verdict the tab shows.
        settings: Makes the settings of a question from those of the page that it is about, the
            question's text as an address holds it, and measure -> the target to start with, where
            that is not the usual one.
        asks: Returns the text of a question, given its settings, those targets, and the settings
            of the question before. It has no target if the question changes to another measure.
        ignored: Returns a notice (markdown) for each part of a text that nobody can ask.
        controls: Shows the controls of the question, given the state of its settings.
    """

    page: "Page"
    settings: Callable[[Any, str, Mapping[str, float]], Settings]
    asks: Callable[[Any, Mapping[str, float], Any], str]
    ignored: Callable[[Any, str], list[str]]
    controls: Callable[[PageState], None]

    def about(
        self, settings: Any, ask: str, targets: Mapping[str, float] = _NO_TARGETS
    ) -> Settings | None:
        """Return the question about these settings, or None if nothing can be asked about them."""
        try:
            return self.settings(settings, ask, targets)
        except RefusedError:
            return None

    def view(self, result: Any) -> View:
        """Return what the tab shows of an answer."""
        view = self.page.view(result)

        def first_chart(_: Any) -> Rows:
            chart = view.boards[FIRST][0][0]
            return [[replace(chart, name=ANSWER)]]

        boards = LazyValues({ASK_TAB.name: first_chart}, result)
        answer = view.texts["card"] or view.texts["verdict"]
        return View((), {ANSWER: answer + view.texts["warning"]}, boards)


@dataclass(frozen=True, kw_only=True, eq=False)
class Page:
    """One page of the lab.

    Attributes:
        info: Its entry in the navigation.
        settings: The class of its settings.
        controls: All that changes the settings.
        content: All that it shows of a result.
        exports: All that a visitor can take away.
        slices: The time for work in a run.
        variant: Returns the page for settings whose choice makes it another one, or None.
        question_tab: The questions that can be asked about it.
    """

    info: PageInfo
    settings: type[Settings]
    controls: Controls
    content: Content
    exports: Exports
    slices: Slices = _USUAL_SLICES
    variant: Callable[[Any], "Page | None"] | None = None
    question_tab: QuestionTab | None = None

    @property
    def name(self) -> str:
        return self.info.name

    def at(self, settings: Settings) -> "Page":
        """Return the page for these settings, with the tabs and the program that they have."""
        page = self
        if self.variant is not None:
            page = self.variant(settings) or self
        tabs = tuple(tab for tab in page.content.tabs if tab.when(settings))
        code = page.exports.code
        if settings.uses_file:
            code = None
        return _page_with(page, tabs, code, self.question_tab)

    def slider_layout(self, settings: Settings) -> SliderLayout:
        """Return the sliders of these settings.

        Those that can take one value only are left out, unless they are ``STATED``.
        """
        layout = self.controls.sliders(settings)

        def is_shown(name: str) -> bool:
            low, high = settings.limits[name]
            return low < high or name in settings.STATED

        main = tuple(name for name in layout.main if is_shown(name))
        more = tuple(name for name in layout.more if is_shown(name))
        return layout._replace(main=main, more=more)

    def tab(self, name: str) -> Tab:
        """Return the tab of this name, or the first one."""
        for tab in self.all_tabs:
            if tab.name == name:
                return tab
        return self.all_tabs[0]

    @property
    def all_tabs(self) -> Sequence[Tab]:
        """Return the page's own tabs, and those of every page that has any."""
        if not self.content.tabs:
            return (NO_TAB,)
        tabs = list(self.content.tabs)
        if self.question_tab is not None:
            tabs.insert(_TABS_BEFORE_QUESTIONS, ASK_TAB)
        return (*tabs, METHOD_TAB)

    def view(self, result: Any) -> View:
        """Return what the page shows of a result."""
        board_functions = {FIRST: partial(_cached_charts, self.content.charts)}
        for tab in self.content.tabs:
            if tab.charts is not None:
                board_functions[tab.name] = partial(_cached_charts, tab.charts)
        text_functions = dict(self.content.texts)
        if "guarantee" in text_functions:
            text_functions["guarantee"] = self._guarantee
        texts = LazyValues(text_functions, result)
        boards = LazyValues(board_functions, result)
        return View(self.content.tiles(result), texts, boards)

    def _guarantee(self, result: Any) -> str:
        icons = attacker_icons.icons_of_label(self.exports.label(result), result.settings)
        return icons + self.content.texts["guarantee"](result)

    def boards(self, tab: str) -> tuple[str, ...]:
        """Return the boards in sight while this tab is open."""
        if self.tab(tab).charts is None:
            return (FIRST,)
        return (FIRST, tab)

    def tab_texts(self, view: View, tab: str) -> dict[str, str]:
        """Return CSS selector -> HTML of the texts in sight while this tab is open."""
        numbers = ""
        if "card" in view.texts:
            numbers = view.texts["card"]
        if not numbers:
            numbers = tile_row(view.tiles)
        texts = {".lab-numbers": numbers, ".lab-verdict": view.texts["verdict"]}
        for name in (*self.captions, *self.tab(tab).texts):
            texts[f".lab-words-{name}"] = view.texts[name]
        return texts

    @property
    def captions(self) -> Sequence[str]:
        """Return the names of the texts under the first charts."""
        if "caption" in self.content.texts:
            return ("caption",)
        return ()

    @property
    def method(self) -> str:
        """Return the text (markdown) of *How it works*."""
        file = Path(inspect.getfile(self.settings)).with_name("method.md")
        return file.read_text(encoding="utf-8")


@lru_cache(maxsize=_KEPT_PAGES)
def _page_with(
    page: Page,
    tabs: tuple[Tab, ...],
    code: Callable[[Any], str] | None,
    question_tab: QuestionTab | None,
) -> Page:
    return replace(
        page,
        content=replace(page.content, tabs=tabs),
        exports=replace(page.exports, code=code),
        question_tab=question_tab,
    )


@cached(newest=_KEPT_DRAWINGS)
def _cached_charts(charts: Callable[[Any], Rows], result: Any) -> Rows:
    return charts(result)
