"""Choose the unit, delta and accountant"""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.learn import choices
from pages.learn.choices import Answers, Choice
from ui import page_links, panels
from ui.glossary import linked
from ui.page import Page
from ui.plot import theme
from ui.vocabulary import KNOBS

QUESTION = "Choose the unit, delta and accountant"
_LEAD = "Say what is to be released. The answer is a setting, the reasons for it, and what is promised then."
_ASKED = {
    "released": "What is released?",
    "drawn": "What does a training step look at?",
    "rows_each": "How many rows has one person, at most?",
    "people": "How many people are there?",
    "releases": "How often will it be released, on the same people?",
    "tries": "How many settings are tried on their rows first?",
    "epsilon": "How much may all of it cost (epsilon)?",
}
_PARTIES = {"people": "How many parties are there?"}
_OPTIONS = {
    "released": tuple(choices.RELEASED),
    "drawn": tuple(choices.DRAWN),
    "rows_each": choices.ROWS_EACH,
    "people": choices.PEOPLE,
    "releases": choices.RELEASES,
    "tries": choices.TRIES,
    "epsilon": choices.EPSILONS,
}
_NAMES = {**choices.RELEASED, **choices.DRAWN, 1.0: "1"}


def show(pages: Sequence[Page]) -> None:
    """The whole page: the questions at the left, the answer at the right."""
    titles = {page.name: page.title for page in pages}
    st.title(QUESTION)
    st.caption(_LEAD)
    left, right = st.columns([1, 1.6], gap="large")
    with left:
        answers = _answers()
    with right:
        _answer(choices.choose(answers), answers, titles)


def _answers() -> Answers:
    """What somebody says; only what matters for it is asked."""
    said = {"released": _ask("released", _ASKED)}
    asked = {name: label for name, label in _ASKED.items() if name != "released"}
    if said["released"] != "model":
        del asked["drawn"]
    if said["released"] == "votes":
        del asked["rows_each"]
        asked |= _PARTIES
    return Answers(**said, **{name: _ask(name, asked) for name in asked})


def _ask(name: str, labels: Mapping[str, str]) -> str | float:
    options = _OPTIONS[name]
    default = options.index(getattr(Answers(), name))
    return st.selectbox(labels[name], options, index=default, key=f"choosing.{name}", format_func=_called)


def _called(option: str | float) -> str:
    return _NAMES.get(option) or f"{option:,g}"


def _answer(choice: Choice, answers: Answers, titles: Mapping[str, str]) -> None:
    held = choice.guarantee
    with st.container(border=True, key="chosen"):
        delta = f"Take **delta {theme.delta(held.delta)}**" if held.delta else "**No delta** is needed"
        st.markdown(f"Protect **{choice.unit}**. {delta}. Count by **{choice.accountant}**.")
        together = "" if choice.times == 1 else f" for all {choice.times} together"
        st.html(
            f'<div class="lab-verdict">Then epsilon is <b>{panels.number(held.epsilon)}</b>{together}: '
            f"{_odds(choice)}.</div>"
        )
        st.caption(
            " · ".join(f"{KNOBS[name]['label']} {value}" for name, value in choice.settings.items() if name in KNOBS)
        )
        page_links.way(choice.page, f"Open these settings: {titles[choice.page]}", choice.settings)
    st.header("Why", anchor=False)
    st.markdown("\n".join(f"- {linked(reason)}" for reason in choice.reasons))
    if choice.page == "classifier":
        st.caption(f"The page shows it on made-up rows; what is promised is the same for {answers.people:,} people.")


def _odds(choice: Choice) -> str:
    held = choice.guarantee
    if held.unit != "party":
        return panels.odds(held)
    right = panels.at_most(held.attacker_accuracy)
    return (
        "an attacker guessing whether a party took part, or another in its place, is right "
        f"<b>at most {right} times in 100</b> (a coin: 50)"
    )
