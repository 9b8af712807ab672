"""Choose the unit, delta and accountant"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from pages.learn import choices
from pages.learn.choices import Answers, Choice
from ui import page_links, panels
from ui.glossary import linked
from ui.page import Page
from ui.plot import theme
from ui.texts import Texts
from ui.vocabulary import KNOBS

QUESTION = "Choose the unit, delta and accountant"
_TEXTS = Texts(__file__)


def show(pages: Sequence[Page]) -> None:
    titles = {page.name: page.title for page in pages}
    st.title(QUESTION)
    st.caption(_TEXTS["choosing"])
    left, right = st.columns([1, 1.6], gap="large")
    with left:
        answers = _answers()
    with right:
        _answer(choices.choose(answers), answers, titles)


def _answers() -> Answers:
    """Return what somebody says; only what matters for it is asked."""
    released = _ask("released", "released")
    skipped = {"model": {"released"}, "number": {"released", "drawn"}, "votes": {"released", "drawn", "rows_each"}}
    asked = {name: name for name in choices.OPTIONS if name not in skipped[released]}
    if released == "votes":
        asked["people"] = "parties"
    said = {name: _ask(name, label) for name, label in asked.items()}
    low, high = choices.EPSILON
    epsilon = st.number_input(_TEXTS["asked.epsilon"], low, high, Answers().epsilon, 0.5, key="choosing.epsilon")
    return Answers(released=released, epsilon=epsilon, **said)


def _ask(name: str, label: str) -> Any:
    options = choices.OPTIONS[name]
    default = options.index(getattr(Answers(), name))
    called = partial(_called, name)
    return st.selectbox(_TEXTS[f"asked.{label}"], options, index=default, key=f"choosing.{name}", format_func=called)


def _called(name: str, option: str | float) -> str:
    return _TEXTS[f"{name}.{option}"] if isinstance(option, str) else f"{option:,g}"


def _written(value: str) -> str:
    return f"{int(value):,}" if value.isdecimal() else value


def _answer(choice: Choice, answers: Answers, titles: Mapping[str, str]) -> None:
    held = choice.guarantee
    with st.container(border=True, key="chosen"):
        case = "chosen.delta" if held.delta else "chosen.pure"
        delta = theme.delta(held.delta)
        st.markdown(_TEXTS(case, unit=choice.unit, delta=delta, accountant=choice.accountant))
        case = "verdict.one" if choice.times == 1 else "verdict.together"
        epsilon = panels.number(held.epsilon)
        said = _TEXTS(case, epsilon=epsilon, times=choice.times, attacker=panels.odds(choice.guarantee))
        st.html(f'<div class="lab-verdict">{said}</div>')
        shown = {name: value for name, value in choice.settings.items() if name in KNOBS}
        st.caption(" · ".join(f"{KNOBS[name]['label']} {_written(value)}" for name, value in shown.items()))
        page_links.way(choice.page, _TEXTS("open", page=titles[choice.page]), choice.settings)
    page_links.way("deployments", "Releases in use", {}, icon=":material/public:")
    st.header("Why", anchor=False)
    st.markdown("\n".join(f"- {linked(reason)}" for reason in choice.reasons))
    if choice.page == "classifier":
        st.caption(_TEXTS("made-up", people=answers.people))
