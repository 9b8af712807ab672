"""Which epsilon, how many people, which settings?"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from types import MappingProxyType
from typing import Any

import streamlit as st

from dpcore import check
from dpcore.check import RefusedError
from lab.links import VERSION_NAME, Word, changed, version_of, word
from lab.settings import Settings
from lab.sweep import beside
from pages.what_if import (
    figures,
    figures_knobs,
    figures_map,
    page_command,
    page_tables,
    words,
    words_answers,
    words_numbers,
    words_questions,
)
from pages.what_if.experiment import CURVE, REPEATS, STARTS, Topic, WhatIfSettings, asking
from pages.what_if.measured import usual_target
from pages.what_if.result import WhatIfResult
from ui import controls, labels, live, page_links
from ui.escaping import quoted
from ui.moves import Move
from ui.page import GUARANTEE_TAB, WHY_TAB, Asked, Knobs, Page, Slices, Tab, listed
from ui.vocabulary import KNOBS

REACHED_BY = {"median": "median run", "most": "90\u00a0% of runs"}
# What the address of another page says of a question about it, in one text.
ASKED, APART = ("knob", "measure", "target", "reached", "repeats", "seeds"), " "
_USUAL: Mapping[str, float] = MappingProxyType({})


def setup(pages: Sequence[Page], desk: controls.Desk) -> None:
    about = {page.name: page for page in pages}
    desk.choose("topic", "Page", {name: about[name].title for name in desk.settings.TOPICS})
    about[desk.settings.topic].setup(desk)


def more(pages: Sequence[Page], desk: controls.Desk) -> None:
    settings = desk.settings
    named = {name: words.label(name) for name in settings.knobs}
    measure(desk)
    desk.choose("knob", "Parameter to solve for", named)
    desk.choose("other", "Second axis of the map", named)
    topic = next(page for page in pages if page.name == desk.settings.topic).at(desk.settings.settings)
    if topic.more:
        topic.more(desk)
    page_links.door(settings.topic, "Open these settings on their page", settings.settings)


def aside(desk: controls.Desk) -> None:
    key = f"{desk.page}.question"
    asks = words_questions.questions(desk.settings)
    asked = controls.hold(key, desk.settings.asks if desk.settings.asks in asks else None)
    st.selectbox(
        "Question",
        [*asks],
        [*asks].index(asked) if asked else None,
        key=key,
        format_func=asks.__getitem__,
        on_change=lambda: desk.change(question=st.session_state[key]),
    )
    if desk.settings.asks == "versus":
        other(desk)
    if not desk.settings.exact:
        runs(desk)


def runs(desk: controls.Desk) -> None:
    desk.choose("reached", "Reached by", REACHED_BY, wide=True)
    desk.choose("repeats", "Runs", {count: str(count) for count in REPEATS}, wide=True)


def measure(desk: controls.Desk) -> None:
    desk.choose("measure", "Measure", {name: one.label for name, one in desk.settings.settings.measures.items()})


def other(desk: controls.Desk) -> None:
    """Show what is different in B: one choice or parameter of the page, and its value there."""
    settings = desk.settings
    base, key = settings.settings, f"{desk.page}.versus"
    choices = {name: [*options] for name, options in base.choices.items() if len(options) > 1}
    names = [*settings.knobs, *choices]
    now = next(iter(settings.different), "") if len(settings.different) == 1 else ""
    shown = controls.hold(key, now if now in names else None)

    def first() -> None:
        """Another one begins at a value that is not A's."""
        name = st.session_state[key]
        mine = getattr(base, name)
        values = [one for one in choices[name] if one != mine] if name in choices else beside(base, name)[::-1]
        desk.change(versus=f"{name} {values[0]}")

    at = names.index(shown) if shown else None
    st.selectbox("Setting that differs in B", names, at, key=key, format_func=called, on_change=first)
    if now not in names:
        return
    value = f"{key}.{now}"
    theirs = controls.hold(value, settings.different[now])

    def changed() -> None:
        desk.change(versus=f"{now} {st.session_state[value]}")

    if now in choices:
        at = choices[now].index(theirs)
        st.selectbox(f"{called(now)} in B", choices[now], at, key=value, format_func=_spoken, on_change=changed)
    else:
        low, high = base.limits[now]
        digits = None if isinstance(low, int) else "%.6g"
        st.number_input(f"{called(now)} in B", low, high, theirs, key=value, on_change=changed, format=digits)


def called(name: str) -> str:
    return words.label(name) if name in KNOBS else _spoken(name)


def _spoken(name: str) -> str:
    return name.replace("_", " ").capitalize()


def knobs(pages: Sequence[Page], settings: WhatIfSettings) -> Knobs:
    """The target; and those of the page that is asked about."""
    own = next(page for page in pages if page.name == settings.topic).knobs(settings.settings)
    changes = dict(own.changes) | {"target": words_questions.target_knob(settings)}
    rest = [name for name in _all(own) if name not in (own.hero, "repeats")]
    return Knobs(hero="target", main=(own.hero,), more=("seeds", "tries", *rest), changes=changes)


def _all(own: Knobs) -> list[str]:
    return [own.hero, *own.apart, *own.main, *own.more]


def pictures(result: WhatIfResult) -> list[list[live.Picture]]:
    """Draw where the target is reached, or what was tried; which knob matters; and two knobs at once."""
    first, draw = ("tries", figures.tries) if result.settings.asks == "best" else ("curve", figures.curve)
    drawn = {first: draw(result, words), "knobs": figures_knobs.knobs(result, words)}
    drawn["map"] = figures_map.both(result, words)
    wide = {first: 1.45, "knobs": 1.2, "map": 1.1}
    clicks = {"knobs": {"point": "bar"}, "map": figures_map.clicks(result)}
    return [live.row(words.SAYS.cases("about"), drawn, height=490, wide=wide, clicks=clicks)]


def asked(name: str, questions: Page) -> Asked | None:
    """Return what can be asked about the page of this name, in a tab of it."""
    if name not in STARTS:
        return None
    kind: type[Any] = questions.settings  # made by ``asking``

    def settings(own: Settings, ask: str, targets: Mapping[str, float] = _USUAL) -> WhatIfSettings:
        return read(own, ask, targets)[0]

    def read(own: Settings, ask: str, targets: Mapping[str, float] = _USUAL) -> tuple[WhatIfSettings, list[str]]:
        start: dict[str, Any] = {"topic": name, "base": word(own, apart=APART)}
        start["target"] = targets.get(STARTS[name].measure, usual_target(own, STARTS[name].target))
        texts = ask.split(APART) if ask else []
        said = [*zip_longest(texts[::2], texts[1::2], fillvalue="")]
        version, ignored = version_of(dict(said))
        question, refused = kind.of_version(version).change(question=CURVE, **start), []
        if len(said) > len(ASKED) + 1:
            return question, [f"The link's question was ignored. It must have at most {len(ASKED)} fields."]
        for field, value in said:
            try:
                if field in ignored:
                    raise ignored[field]
                if field != VERSION_NAME:
                    question = changed(question, check.choice(ASKED, field=field), value)
                if field == "measure":
                    question = question.change(target=targets.get(question.measure, question.target))
            except RefusedError as refusal:
                told = quoted(f"{field} {value}".strip())
                refused.append(f"In the link's question, {told} was ignored. {refusal.name} must be {refusal.allowed}.")
        return question, refused

    def asks(
        question: WhatIfSettings, targets: Mapping[str, float] = _USUAL, before: WhatIfSettings | None = None
    ) -> str:
        usual, same = settings(question.settings, "", targets), f"measure{APART}{question.measure}"
        told = [same] if question.measure != usual.measure else []
        usual = settings(question.settings, same, targets)
        moved = before is not None and before.measure != question.measure  # which asks for its own first target
        both = ((field, getattr(question, field)) for field in ASKED if not (moved and field == "target"))
        return APART.join(
            [*told, *(f"{field}{APART}{value}" for field, value in both if value != getattr(usual, field))]
        )

    ignored, compared = lambda own, ask: read(own, ask)[1], lambda answer: answer.known
    return Asked(questions, settings, asks, ignored, controls=inset, compared=compared)


def inset(desk: controls.Desk) -> None:
    settings = desk.settings
    desk.choose("knob", "Vary", {name: words.label(name) for name in settings.knobs})
    measure(desk)
    runs(desk)
    target = words_questions.target_knob(settings)
    desk.number("target", label=str(target["label"]), unit=str(target.get("unit", "")))
    if isinstance(settings.base, Word):  # about a file of one's own, which another page's address would only name
        st.caption(words.of_private_rows(settings))
    else:
        page_links.door("what-if", "Open in the What-if planner", settings.change(question="smallest"))


def topics(pages: Sequence[Page]) -> dict[str, Topic]:

    def named(page: Page) -> Callable[[Settings], list[str]]:
        return lambda settings: _all(page.at(settings).sliders(settings))

    return {page.name: Topic(page.settings, named(page)) for page in pages if page.name in STARTS}


def page(pages: Sequence[Page]) -> Page:
    return Page(
        name="what-if",
        title="What-if planner",
        icon=":material/help_center:",
        group="Plan",
        about="Which epsilon, how many people, which settings",
        question="Which epsilon, how many people, which settings?",
        label=labels.of("what-if"),
        settings=asking(topics(pages)),
        setup=partial(setup, pages),
        more=partial(more, pages),
        aside=aside,
        lead=words_questions.introduction,
        move=Move("target", words.SAYS["move"]),
        knobs=partial(knobs, pages),
        numbers=words_numbers.numbers,
        slices=Slices(first=0.3, resting=0.5),
        words={
            "verdict": words_answers.verdict,
            "caption": words_numbers.caption,
            "why": listed(words_numbers.why),
            "guarantee": page_tables.price,
            "search": page_tables.search,
            "table": page_tables.table,
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
