"""A teacher's own lesson, by link: ``only``, the knobs in view, ``ask``, a question, ``guess``, what is to be guessed.

A link is a page's own, with these words beside its settings. Before the guess the page shows nothing; after it, the
runs beside the guess, and the page as always. The guess is kept in the session, in no address.
"""

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from lab.links import brief, versioned
from lab.settings import Measure, Settings
from lab.sweep import shown
from ui import guess, live, page_links
from ui.controls import Desk
from ui.escaping import plain, quoted
from ui.page import Knobs, Page
from ui.plot import guesses
from ui.plot.theme import written
from ui.texts import SAYS
from ui.vocabulary import KNOBS

HEIGHT = 190
ONLY, ASK, GUESS = "only", "ask", "guess"


def heed(page: Page, desk: Desk) -> None:
    """Forget what of a lesson's link nobody can follow, with a notice (markdown) for each."""
    shown, private = desk.shown, desk.settings.private
    # which knobs there are with a file of one's own is known once it is here
    whole = _all(page.at(desk.settings).sliders(desk.settings)) if ONLY in shown and not private else []
    unknown = [name for name in _named(desk) if name not in whole]
    if unknown:
        _note(desk, f"In the link, `only` names no slider of this page ({', '.join(map(quoted, unknown))}).")
        shown[ONLY] = ",".join(name for name in _named(desk) if name not in unknown)
    if ONLY in shown and not _named(desk):
        del shown[ONLY]
    if GUESS in shown and (shown[GUESS] not in desk.settings.measures or private):
        _note(desk, f"In the link, `guess` names nothing that can be guessed here ({quoted(shown.pop(GUESS))}).")
    if ASK in shown and GUESS not in shown:
        _note(desk, "In the link, `ask` was ignored, because the link does not name what to guess.")
        del shown[ASK]


def _note(desk: Desk, notice: str) -> None:
    if notice not in desk.notices:
        desk.notices = [*desk.notices, notice]


def knobs(page: Page, desk: Desk) -> Knobs:
    """Return those of the page that a link leaves in view, in its order; all where it names none."""
    whole = page.sliders(desk.settings)
    only = [name for name in _named(desk) if name in _all(whole)]
    if not only:
        return whole
    rest = [name for name in only if name not in whole.apart]
    hero, *main = rest or only
    play = whole.play if rest and whole.play in only and whole.play not in main else None
    return whole._replace(hero=hero, main=main, more=(), play=play)


def offer_all(desk: Desk) -> None:
    """Show a button for the sliders that are hidden."""
    if ONLY in desk.shown:

        def show_all() -> None:
            desk.shown.pop(ONLY, None)

        st.button("Show all sliders", icon=":material/tune:", key=f"{desk.page}/all", on_click=show_all)


def _named(desk: Desk) -> list[str]:
    return [name for name in dict.fromkeys(desk.shown.get(ONLY, "").replace(" ", "").split(",")) if name]


def _all(whole: Knobs) -> list[str]:
    return [whole.hero, *whole.apart, *whole.main, *whole.more]


def pending(page: Page, desk: Desk) -> bool:
    """Return whether the link asks for a guess that nobody has made yet."""
    key = f"{page.name}.lesson"
    here = desk.shown.get(ASK, ""), desk.shown.get(GUESS)
    return GUESS in desk.shown and (
        st.session_state.get(f"{key}.asked") != here or st.session_state.get(f"{key}.said") is None
    )


def waits(page: Page, desk: Desk, told: Callable[[], str]) -> bool:
    """Ask for a guess before the page is shown, then show the runs; return whether it is still to be made.

    told: gives the settings in words.
    """
    name = desk.shown.get(GUESS)
    if name is None:
        return False
    measure, key = desk.settings.measures[name], f"{page.name}.lesson"
    asked = desk.shown.get(ASK, ""), name
    if st.session_state.get(f"{key}.asked") != asked:
        st.session_state.update({f"{key}.asked": asked, f"{key}.said": None, f"{key}.at": desk.settings})
    waiting = st.session_state[f"{key}.said"] is None
    with st.container(border=True, key="own-lesson"):
        st.header(question(asked[0], measure))
        if waiting:
            _ask(measure, desk, key, told())
        else:
            _show(measure, desk, key)
    return waiting


def question(asked: str, measure: Measure) -> str:
    """Return the question of a link, escaped, or one about its measure."""
    return plain(asked) or f"What will it be: {measure.label}?"


def _ask(measure: Measure, desk: Desk, key: str, told: str) -> None:
    span = range_of(measure)
    st.markdown(SAYS("lesson-link.locked", measure=measure.label))
    st.caption(", ".join([*chosen(desk.settings), told]))
    value = guess.number(key, span, None)
    if st.button("Lock in my guess", type="primary", disabled=value is None, key=f"{key}.lock"):
        st.session_state.update({f"{key}.said": value, f"{key}.at": desk.settings})
        st.rerun()


def chosen(settings: Settings) -> list[str]:
    """Return the choices that are not as by default: their lists are not in view."""
    usual = type(settings)()
    names = [name for name in settings.choices if getattr(settings, name) != getattr(usual, name)]
    title = getattr(getattr(settings, "source", None), "title", "")
    said = {name: f"{name} {getattr(settings, name)}".replace("_", " ") for name in names}
    return [f"Data {title}" if name == "dataset" and title else words for name, words in said.items()]


def range_of(measure: Measure) -> guess.Range:
    """Return what can be guessed of a measure."""
    low, high = measure.limits
    if measure.unit == "%":
        return guess.Range(100 * low, 100 * high, 1.0, "%")
    return guess.Range(low, min(high, 1e6), 0.1, measure.unit)


def _show(measure: Measure, desk: Desk, key: str) -> None:
    """Show the runs at the settings that were asked about, with the guess."""
    said, at = (st.session_state[f"{key}.{one}"] for one in ("said", "at"))
    scale = 100.0 if measure.unit == "%" else 1.0
    runs = (scale * shown(at, desk.shown[GUESS])).tolist()
    middle = float(np.median(runs))
    unit = f"\u00a0{measure.unit}" if measure.unit else ""
    found = {"guess": f"{written(said, digits=4)}{unit}", "median": f"{written(middle, digits=3)}{unit}"}
    st.markdown(SAYS("lesson-link.runs" if len(runs) > 1 else "lesson-link.value", **found))
    figure = guesses.line_of_runs(runs, said, name=measure.label.capitalize(), ends=ends(measure, [*runs, said]))
    alt = SAYS("lesson-link.alt", **found)
    live.board([[live.Picture(name="lesson", figure=figure, alt=alt, height=HEIGHT)]], key=f"{key}.runs", name="lesson")
    if at != desk.settings:
        st.caption(SAYS["lesson-link.elsewhere"])


def ends(measure: Measure, values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis that shows these values of a measure."""
    if measure.unit == "%":
        return 100 * measure.limits[0], 100 * measure.limits[1]
    low, high = min(values), max(values)
    room = 0.08 * (high - low) or 1.0
    return low - room, high + room


def make(page: Page, desk: Desk) -> None:
    """Show in the tab *Share* how a teacher makes a lesson of what is shown."""
    if not desk.settings.measures or desk.settings.private:
        return
    key = f"{page.name}.teacher"
    with st.expander("Make this a lesson", icon=":material/school:"):
        st.caption("Visitors of the link guess first, then see the runs and these sliders.")
        question = st.text_input("Question", key=f"{key}.ask", max_chars=200, placeholder="How often is it right?")
        measures = {name: one.label for name, one in desk.settings.measures.items()}
        measure = st.selectbox("To be guessed", list(measures), format_func=measures.__getitem__, key=f"{key}.guess")
        names = _all(page.at(desk.settings).sliders(desk.settings))
        labels = {name: KNOBS[name]["label"] for name in names}
        only = st.multiselect(
            "Sliders in view (none selected: all)", names, format_func=labels.__getitem__, key=f"{key}.only"
        )
        words = {ASK: question.strip(), GUESS: measure, ONLY: ",".join(only)}
        st.code(link(desk.settings, words), language=None, wrap_lines=True)
        asked = {"lesson": f"{page.name}?{_query(desk.settings, words)}"}
        page_links.way("lessons", "Ask a class", asked, icon=":material/groups:")


def link(settings: Settings, words: Mapping[str, str | None]) -> str:
    """Return the address of a lesson: the page, its settings and these words, as far as they say anything."""
    return f"{(st.context.url or '').split('?')[0]}?{_query(settings, words)}"


def _query(settings: Settings, words: Mapping[str, str | None]) -> str:
    return urlencode(versioned({**brief(settings), **{name: word for name, word in words.items() if word}}))
