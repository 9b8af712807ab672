"""Which epsilon, how many people, which settings?"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import zip_longest
from types import MappingProxyType
from typing import Any

import streamlit as st

from dpcore import check
from dpcore.check import RefusedError
from lab.experiment.links import CompactText, changed, compact
from lab.experiment.settings import Settings
from pages.what_if import charts as figures
from pages.what_if import (
    charts_effects,
    charts_map,
    page_command,
    texts_answer,
    texts_question,
    texts_tables,
    texts_tiles,
)
from pages.what_if import texts as words
from pages.what_if.experiment import CURVE, REPEATS, STARTS, Topic, WhatIfSettings, asking
from pages.what_if.measurements import usual_target
from pages.what_if.result import WhatIfResult
from ui import widgets
from ui.page.page import (
    GUARANTEE_TAB,
    WHY_TAB,
    Page,
    QuestionTab,
    Slices,
    SliderLayout,
    Tab,
    listed,
)
from ui.page.suggestion import Suggestion
from ui.session import page_links, page_state
from ui.session.widget_state import set_widget
from ui.text import labels
from ui.text.escaping import quoted

REACHED_BY = {"median": "median run", "most": "90\u00a0% of runs"}
# Fields of the question in the address of a topic, in one text.
ASKED, SEPARATOR = ("slider", "measure", "target", "reached", "repeats", "seeds"), " "
_USUAL: Mapping[str, float] = MappingProxyType({})
_HEIGHT = 490


def setup(pages: Sequence[Page], state: page_state.PageState) -> None:
    """Render the choice of the topic, and the topic's own setup."""
    by_name = {page.name: page for page in pages}
    state.choose("topic", "Page", {name: by_name[name].title for name in state.settings.TOPICS})
    by_name[state.settings.topic].setup(state)


def more(pages: Sequence[Page], state: page_state.PageState) -> None:
    """Render the drawer *More settings*, with the topic's own."""
    settings = state.settings
    sliders = {name: words.label(name) for name in settings.sliders}
    choose_measure(state)
    state.choose("slider", "Parameter to solve for", sliders)
    state.choose("other", "Second axis of the map", sliders)
    topic = _page_of(pages, state.settings).at(state.settings.settings)
    if topic.more:
        topic.more(state)
    page_links.settings_link(settings.topic, "Open these settings on their page", settings.settings)


def _page_of(pages: Sequence[Page], settings: WhatIfSettings) -> Page:
    return next(page for page in pages if page.name == settings.topic)


def aside(state: page_state.PageState) -> None:
    """Render the question and the number of runs beside the sliders."""
    key = f"{state.page}.question"
    questions = texts_question.questions(state.settings)
    names = [*questions]
    asks = state.settings.asks
    held = set_widget(key, asks if asks in questions else None)
    st.selectbox(
        "Question",
        names,
        names.index(held) if held else None,
        key=key,
        format_func=questions.__getitem__,
        on_change=lambda: state.change("question", st.session_state[key]),
    )
    choose_runs(state)


def choose_runs(state: page_state.PageState) -> None:
    """Render which runs are to reach the target, and how many there are."""
    state.choose("reached", "Reached by", REACHED_BY, wide=True)
    state.choose("repeats", "Runs", {count: str(count) for count in REPEATS}, wide=True)


def choose_measure(state: page_state.PageState) -> None:
    """Render the choice of the measure."""
    measures = state.settings.settings.experiment.measures
    state.choose("measure", "Measure", {name: measure.label for name, measure in measures.items()})


def sliders(pages: Sequence[Page], settings: WhatIfSettings) -> SliderLayout:
    """Return the sliders: the target, and those of the topic."""
    own = _page_of(pages, settings).sliders(settings.settings)
    changes = dict(own.changes) | {"target": texts_question.target_slider(settings)}
    rest = [name for name in _names(own) if name not in (own.hero, "repeats")]
    return SliderLayout(
        hero="target", main=(own.hero,), more=("seeds", "tries", *rest), changes=changes
    )


def _names(sliders: SliderLayout) -> list[str]:
    return [sliders.hero, *sliders.only_play, *sliders.main, *sliders.more]


def pictures(result: WhatIfResult) -> list[list[widgets.Chart]]:
    """Draw the curve or the tries, the effects of parameters, and the map."""
    name, first = ("curve", figures.curve)
    if result.settings.asks == "best":
        name, first = ("tries", figures.tries)
    charts = {
        name: first(result, words),
        "knobs": charts_effects.sliders(result, words),
        "map": charts_map.both(result, words),
    }
    widths = {name: 1.45, "knobs": 1.2, "map": 1.1}
    clicks = {"knobs": {"point": "bar"}, "map": charts_map.clicks(result)}
    return [
        widgets.row(words.SAYS.cases("about"), charts, height=_HEIGHT, wide=widths, clicks=clicks)
    ]


class _TopicQuestion:
    """The question about one topic in the tab *What if* of its page.

    The address of the page holds what differs from the first question, as pairs of field and value.
    """

    def __init__(self, name: str, kind: Any):
        self.name = name
        self.kind = kind  # made by ``asking``
        self.start = STARTS[name]

    def settings(
        self, own: Settings, ask: str, targets: Mapping[str, float] = _USUAL
    ) -> WhatIfSettings:
        """Return the question that an address holds."""
        return self._read(own, ask, targets)[0]

    def ignored(self, own: Settings, ask: str) -> list[str]:
        """Return a notice (markdown) for each part of an address that has no meaning."""
        return self._read(own, ask, _USUAL)[1]

    def _read(
        self, own: Settings, ask: str, targets: Mapping[str, float]
    ) -> tuple[WhatIfSettings, list[str]]:
        texts = ask.split(SEPARATOR) if ask else []
        pairs = [*zip_longest(texts[::2], texts[1::2], fillvalue="")]
        question = self.kind().change(
            question=CURVE,
            topic=self.name,
            base=compact(own, separator=SEPARATOR),
            target=targets.get(self.start.measure, usual_target(own, self.start.target)),
        )
        if len(pairs) > len(ASKED):
            return question, [
                f"The link's question was ignored. It must have at most {len(ASKED)} fields."
            ]
        notices = []
        for field, value in pairs:
            try:
                question = changed(question, check.choice(ASKED, field=field), value)
                if field == "measure":
                    question = question.change(
                        target=targets.get(question.measure, question.target)
                    )
            except RefusedError as refusal:
                pair = quoted(f"{field} {value}".strip())
                allowed = f"{refusal.name} must be {refusal.allowed}"
                notices.append(f"In the link's question, {pair} was ignored. {allowed}.")
        return question, notices

    def written(
        self,
        question: WhatIfSettings,
        targets: Mapping[str, float] = _USUAL,
        before: WhatIfSettings | None = None,
    ) -> str:
        """Return what the address says of a question.

        A new measure asks for its own first target.
        """
        usual = self.settings(question.settings, "", targets)
        texts = []
        if question.measure != usual.measure:
            texts.append(f"measure{SEPARATOR}{question.measure}")
            usual = self.settings(question.settings, texts[0], targets)
        new_measure = before is not None and before.measure != question.measure
        for field in ASKED:
            if field == "target" and new_measure:
                continue
            value = getattr(question, field)
            if value != getattr(usual, field):
                texts.append(f"{field}{SEPARATOR}{value}")
        return SEPARATOR.join(texts)


def asked(name: str, questions: Page) -> QuestionTab | None:
    """Return the tab *What if* of the topic of this name; None where nothing can be asked
    about it.
    """
    if name not in STARTS:
        return None
    topic = _TopicQuestion(name, questions.settings)
    return QuestionTab(
        questions,
        topic.settings,
        topic.written,
        topic.ignored,
        controls=inset,
        compares=lambda question: question.compares,
        compared=lambda answer: answer.known,
    )


def inset(state: page_state.PageState) -> None:
    """Render the controls of the tab *What if*."""
    settings = state.settings
    state.choose("slider", "Vary", {name: words.label(name) for name in settings.sliders})
    choose_measure(state)
    choose_runs(state)
    target = texts_question.target_slider(settings)
    state.number("target", label=str(target["label"]), unit=str(target.get("unit", "")))
    if isinstance(settings.base, CompactText):  # a private file, which an address can only name
        st.caption(words.of_rows(settings))
    else:
        page_links.settings_link(
            "what-if", "Open in the What-if planner", settings.change(question="smallest")
        )


def topics(pages: Sequence[Page]) -> dict[str, Topic]:
    """Return the topics that questions can be about."""
    return {
        page.name: Topic(page.settings, partial(_sliders, page))
        for page in pages
        if page.name in STARTS
    }


def _sliders(page: Page, settings: Settings) -> list[str]:
    return _names(page.at(settings).slider_layout(settings))


def page(pages: Sequence[Page]) -> Page:
    """Return the page of the planner, with questions about these pages."""
    return Page(
        name="what-if",
        title="What-if planner",
        icon=":material/help_center:",
        group="Plan",
        about="Which epsilon, how many people, which settings",
        question="Which epsilon, how many people, which settings?",
        label=labels.label_of("what-if"),
        settings=asking(topics(pages)),
        setup=partial(setup, pages),
        more=partial(more, pages),
        aside=aside,
        lead=texts_question.introduction,
        move=Suggestion("target", words.SAYS["move"]),
        sliders=partial(sliders, pages),
        numbers=texts_tiles.numbers,
        slices=Slices(first=0.3, resting=0.5),
        words={
            "verdict": texts_answer.verdict,
            "caption": texts_tiles.caption,
            "why": listed(texts_tiles.why),
            "guarantee": texts_tables.price,
            "search": texts_tables.search,
            "table": texts_tables.table,
        },
        pictures=pictures,
        tabs=(
            WHY_TAB,
            Tab(GUARANTEE_TAB.name, "Cost of tuning", ("guarantee",)),
            Tab("search", "Best setting", ("search",)),
            Tab("table", "Results table", ("table",), shows=page_command.show),
        ),
        frames=lambda result: {
            "All runs": result.all_runs,
            "Table": result.table,
            "Parameters": result.bars,
            "Map": result.cells,
            "Tries": result.search,
        },
    )
