"""What this is, at once: a picture that moves, three moves to make on it, and where to go from
there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st

from ui.charts import theme
from ui.compute.runner import compute
from ui.page.page import Page, SliderLayout, always
from ui.page.suggestion import bold_html
from ui.session import page_state
from ui.text.numbers import format_number, percent
from ui.text.texts import Texts
from ui.widgets import Chart

HEIGHT = 540
QUESTION = "What does privacy cost a learning algorithm?"
ABOUT = "Explore differential privacy in machine learning in a browser"
_SAYS = Texts(__file__, "texts.md")
# Whom the lab is for -> the page that suits them best; the lesson that it opens, where it is that
# of lessons.
DOORS = {"teach": "lessons", "decide": "what-if", "build": "network", "own": "data"}
LESSON = {"lesson": "small_epsilon"}
# What the moves ask for: epsilon below the first, a loss of fewer points than the second, between
# two values that are at most so many times apart, and epsilon from the last on.
_PRIVATE, _LEAST, _APART, _LARGE = 0.1, 2, 1.5, 7.5


class Seen(NamedTuple):
    """What a visitor has seen at rest at one epsilon. loss: of accuracy, in points between what the
    tiles say; right,
    attacker: as their tiles say them, HTML.
    """

    loss: int
    right: str
    attacker: str


def _made_private(seen: Mapping[float, Seen]) -> dict[str, Any] | None:
    least = min(seen)
    return (
        {"epsilon": format_number(least), "right": seen[least].right} if least < _PRIVATE else None
    )


def _paid(seen: Mapping[float, Seen]) -> dict[str, Any] | None:
    """Return the two values of epsilon between which the loss falls below 2 points, if they are
    close.
    """
    good = min((epsilon for epsilon, one in seen.items() if one.loss < _LEAST), default=0.0)
    bad = max(
        (epsilon for epsilon, one in seen.items() if epsilon < good and one.loss >= _LEAST),
        default=0.0,
    )
    return (
        {"good": format_number(good), "bad": format_number(bad)}
        if bad and good <= _APART * bad
        else None
    )


def _asked(seen: Mapping[float, Seen]) -> dict[str, Any] | None:
    most = max(seen)
    return (
        {"epsilon": format_number(most), "attacker": seen[most].attacker}
        if most >= _LARGE
        else None
    )


# Move -> what has been found by it in what was seen; None until then.
MOVES: Mapping[str, Callable[[Mapping[float, Seen]], dict[str, Any] | None]] = {
    "private": _made_private,
    "pay": _paid,
    "attack": _asked,
}


def front(pages: Sequence[Page]) -> Page:
    """Return the classifier's page with one slider, its numbers and its first map."""
    whole = next(page for page in pages if page.name == "classifier")

    def numbers(result):
        right, reference, _, attacker = whole.numbers(result)
        return right, reference, attacker

    def ours(state: page_state.PageState) -> bool:
        """Return True: a file of one's own is asked for on the page itself."""
        if state.settings.private:
            state.replace_settings(whole.settings())
        return True

    def picture(result) -> Chart:
        drawn = whole.pictures(result)[0][1]
        title = theme.heading("Private models", percent(result.summary["scratch"].median))
        figure = {**drawn.figure, "layout": {**drawn.figure["layout"], "title": title}}
        return replace(drawn, figure=figure, height=HEIGHT, about="")

    return replace(
        whole,
        name="home",
        ready=ours,
        holds=ours,
        question=QUESTION,
        setup=always(None),
        more=None,
        sliders=always(SliderLayout(hero="epsilon")),
        numbers=numbers,
        words={**whole.words, "verdict": always(""), "caption": _legend},
        pictures=lambda result: [[picture(result)]],
        tabs=(),
        move=None,
    )


def _legend(result: Any) -> str:
    """Return what the lines of the map mean, HTML."""
    lines = _SAYS("legend.private", count=result.settings.repeats), _SAYS["legend.reference"]
    return f'<p class="lab-legend">{"".join(lines)}</p>'


def welcome() -> str:
    """Return what stands before the result, HTML."""
    return f'<h1>{QUESTION}</h1><p class="lab-lead">{bold_html(_SAYS["lead"])}</p>'


def show(
    home: Page, pages: Sequence[Page], doors: Mapping[str, st.Page], shown: Callable[..., None]
) -> None:
    """Show ``home`` as ``shown`` shows any page, three moves, doors by person, and all ``pages`` by
    group.

    doors: name of a page -> where it opens.
    """
    shown(home, welcome=welcome())
    _moves(home)
    for column, (person, page) in zip(
        st.columns(len(DOORS), gap="small"), DOORS.items(), strict=True
    ):
        with column.container(border=True, key=f"door-{person}"):
            query = LESSON if page == "lessons" else None
            st.page_link(
                doors[page], label=_SAYS[f"doors.{person}"], width="stretch", query_params=query
            )
    st.header("All pages")
    _all(pages, doors)
    for column, text in zip(st.columns(3, gap="large"), ("see", "trust", "take"), strict=True):
        column.markdown(_SAYS[f"about.{text}"])
    st.caption(_SAYS["note"])


def _moves(home: Page) -> None:
    """Show three moves to make on the picture; one is open, and each says what was found once it is
    made.

    What an open one speaks of is lit up by its key (``style.css``).
    """
    settings = st.session_state["home.state"].settings
    result, _ = compute(settings, seconds=0)
    right, _, attacker = home.numbers(result)
    others = settings.change(
        epsilon=type(settings)().epsilon
    )  # what a link may change besides, which is seen anew
    seen = st.session_state.setdefault("home.seen", {}).setdefault(others, {})
    loss = round(100 * result.reference.accuracy) - round(100 * result.summary["scratch"].median)
    seen[settings.epsilon] = Seen(loss, right.value, attacker.value)
    found = {name: how(seen) for name, how in MOVES.items()}
    missing = [name for name in MOVES if found[name] is None]
    chosen = st.session_state.get("home.move")
    opened = chosen if chosen in missing else next(iter(missing), "")
    for column, name in zip(st.columns(len(MOVES), gap="small"), MOVES, strict=True):
        key = f"move-{name}{'-open' * (name == opened)}"
        with column.container(border=True, height="stretch", gap=None, key=key):
            _move(name, found[name], opened=name == opened)


def _move(name: str, found: Mapping[str, Any] | None, *, opened: bool) -> None:
    def choose() -> None:
        st.session_state["home.move"] = name

    icon = ":material/radio_button_unchecked:" if found is None else ":material/check_circle:"
    st.button(
        _SAYS[f"moves.{name}"], key=f"home.{name}", icon=icon, type="tertiary", on_click=choose
    )
    if found is not None:
        st.markdown(_SAYS(f"moves.{name}_done", **found), unsafe_allow_html=True)
    elif opened:
        st.markdown(_SAYS[f"moves.{name}_ask"])


def _all(pages: Sequence[Page], doors: Mapping[str, st.Page]) -> None:
    groups = list(dict.fromkeys(page.group for page in pages))
    for column, group in zip(st.columns(len(groups), gap="large"), groups, strict=True):
        column.markdown(f"**{group}**")
        for page in (one for one in pages if one.group == group):
            item = column.container(key=f"page-{page.name}", gap=None)
            item.page_link(doors[page.name], icon=page.icon)
            item.caption(page.about)
