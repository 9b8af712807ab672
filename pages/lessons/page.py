"""Guess, see, and say why: the lessons.

A guess is kept in the session and in no address: a link that somebody sends on shows nobody an
outcome. Before it is locked in, nothing of the outcome is made into an element. The pages are
handed over by the frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from dpcore.check import RefusedError
from lab.experiment.links import minimal_texts, versioned
from lab.experiment.settings import Settings
from pages.lessons import page_charts as pictures
from pages.lessons import page_class as together
from pages.lessons import texts as say
from pages.lessons.lessons import LESSONS, Case, Lesson
from ui import widgets
from ui.classroom import guess, membership
from ui.compute import debounce
from ui.compute.runner import compute
from ui.layout import visible_sliders
from ui.page.page import Page
from ui.session import page_links, page_state
from ui.session.address import Address
from ui.session.panel import show_panel

NAMED = {lesson.name: lesson for lesson in LESSONS}
# Height of a chart over sliders, there on a phone, and on a phone where one guesses.
LOW, LOWER, NARROWER = 430, 320, 240
SECONDS = 0.5  # of work before the first picture
WHOLE = 60.0  # as many as it takes
AT = "lessons.at"  # where this session is: (lesson, step)
PRESENT = "present"  # what an address says where a hall looks on
TITLE, TRY = "Lessons", "Try it yourself"


@dataclass
class Kept:
    """The answers of this session to a lesson.

    guess: a number, or a place among the options. sent, shown: the question of a class that has the
        guess, and the last
    whose outcome was gone to. refused: why the class does not have the guess.
    """

    guess: float | None = None
    sent: tuple[str, int] | None = None
    shown: tuple[str, int] | None = None
    done: bool = False
    refused: str = ""


def kept(lesson: Lesson) -> Kept:
    return st.session_state.setdefault("lessons", {}).setdefault(lesson.name, Kept())


@debounce.page_run()
def show(pages: Sequence[Page]) -> None:
    """The lesson that the address names, at its step; without one, all of them."""
    if "lesson" not in st.query_params and (at := st.session_state.get(AT)):
        go(*at)  # back from another page, which takes the address along
    here = _seat()
    if here is not None:
        _heed(here)
    name, step, notice = st.query_params.get("lesson", ""), st.query_params.get("step", "guess"), ""
    lesson = NAMED.get(name)
    if name and lesson is None:
        st.warning(say.unknown(name), icon=":material/link_off:")
    if lesson is None:
        _all()
        return
    if step not in lesson.STEPS:
        notice, step = say.no_step(step), "guess"
    elif here is not None and here.open(lesson):
        step = "guess"
    elif (
        step != "guess"
        and kept(lesson).guess is None
        and not (here and here.teaches and here.asks(lesson))
    ):
        notice, step = say.AGAIN, "guess"
    if notice:
        st.info(notice, icon=":material/replay:")
    if together.key_was_used():
        st.info(say.USED, icon=":material/key_off:")
    page = next(page for page in pages if page.name == lesson.page)
    st.session_state[AT] = lesson, step
    _trail(lesson, here)
    if step == "guess":
        _guess(lesson, page, here)
    else:
        _outcome(lesson, page, step, here)
    if here is not None and not here.teaches:
        membership.follow(here)


def _seat() -> membership.Seat | None:
    """Return the place in the room that the address names; say so where its file cannot be used."""
    try:
        return together.seat()
    except RefusedError as refusal:
        st.error(membership.refused(refusal), icon=":material/group_off:")
        return None


def _heed(here: membership.Seat) -> None:
    """Go where the class is, once for each question, and to its outcome, once it is closed."""
    if here.room is None:
        st.info(say.GONE, icon=":material/group_off:")
        together.leave()
        return
    at = f"lessons.class.{here.code}"
    lesson = NAMED.get(here.room.question)
    if lesson is None:  # a lesson of another version of the lab
        return
    mine, named = kept(lesson), st.query_params.get("lesson", "")
    if not here.teaches and st.session_state.get(at) != here.room.round:
        st.session_state[at], mine.refused = here.room.round, ""
        if named != lesson.name:
            go(lesson)
    answered = here.teaches or mine.sent == here.now
    if (
        here.room.closed
        and mine.shown != here.now
        and answered
        and st.query_params.get("lesson") == lesson.name
    ):
        mine.shown = here.now
        go(lesson, "reveal")


def _all() -> None:
    st.title(TITLE)
    st.markdown(say.INTRODUCTION)
    together.join()
    with st.container(key="lessons"):
        for place, lesson in enumerate(LESSONS, 1):
            with st.container(border=True, height="stretch", key=f"lesson-card-{lesson.name}"):
                title = f"{place}. {lesson.text('Title')}"
                st.button(
                    title,
                    key=f"lesson.{lesson.name}.open",
                    type="tertiary",
                    on_click=go,
                    args=(lesson,),
                )
                st.markdown(lesson.text("Question"))
                done = " · :material/check: done" if kept(lesson).done else ""
                st.caption(f"{lesson.minutes} minutes{done}")


def go(lesson: Lesson | None, step: str = "guess") -> None:
    st.session_state[AT] = (lesson, step) if lesson else None
    stay = {
        name: st.query_params[name] for name in (together.ROOM, PRESENT) if name in st.query_params
    }
    st.query_params.from_dict(({"lesson": lesson.name, "step": step} if lesson else {}) | stay)


def _presented() -> bool:
    return st.query_params.get(PRESENT, "0") not in ("", "0")


def _present() -> None:
    if _presented():
        del st.query_params[PRESENT]
    else:
        st.query_params[PRESENT] = "1"


def _trail(lesson: Lesson, here: membership.Seat | None) -> None:
    with st.container(key="lesson-trail", horizontal=True, vertical_alignment="center"):
        st.button(
            "All lessons", icon=":material/arrow_back:", type="tertiary", on_click=go, args=(None,)
        )
        st.html(
            f'<span class="lab-trail{" presented" * _presented()}">{lesson.text("Title")}</span>',
            width="stretch",
        )
        refusal = together.offer(lesson, here)
        if here is None or here.teaches:  # a pupil has nobody to present to
            label = "Leave" if _presented() else "Present"
            st.button(
                label,
                icon=":material/co_present:",
                type="tertiary",
                on_click=_present,
                key="lesson.present",
            )
    if refusal:
        st.error(refusal)


def _places():
    """(for the words, for the chart, for what one answers): beside each other, on a phone one below
    the other.
    """
    whole = st.container(key="lesson")
    return [whole.container(key=f"lesson-{name}") for name in ("words", "chart", "answer")]


def _picture(lesson: Lesson, page: Page, result) -> widgets.Chart:
    found = pictures.picture(lesson, page, result)
    return replace(found, height=0) if _presented() else found


def _known(lesson: Lesson, page: Page) -> tuple[Case, Settings]:
    """(what is known before the guess, settings of what is asked for)."""
    first, second = lesson.cases(page.settings)
    if not lesson.picture:
        return Case(first), second
    result, _ = compute(first, seconds=WHOLE if lesson.whole else 0)
    return Case(first, result), second


@st.fragment
@debounce.page_run()
def _guess(lesson: Lesson, page: Page, here: membership.Seat | None) -> None:
    """The first step: what is known, the covered chart, and the guess."""
    before, asked = _known(lesson, page)
    key, one, ask = f"lesson.{lesson.name}", lesson.number, lesson.text("Question")
    picture = _picture(lesson, page, before.result) if lesson.picture else None
    axes = picture.figure["layout"] if picture else {}
    text, chart, answer = _places()
    with text:
        st.html(say.head(lesson, "guess"))
        st.title(ask)
        st.markdown(say.known(lesson, before))
    place, taught = None, here if here is not None and here.teaches and here.open(lesson) else None
    if one and taught is None and picture:
        guess.dragged(key, axes["yaxis"], guess.Range(one.low, one.high, one.step, one.unit))
        place = lesson.place(asked), guess.draft(key, kept(lesson).guess)
    with chart:
        if picture:
            covered = replace(pictures.covered(lesson, picture, before, place), narrow=NARROWER)
            guess.board(replace(covered, clicks=guess.clicks(axes, *place) if place else None), key)
    with answer:
        if taught is not None:
            together.teach(lesson, taught)
        else:
            _answer(lesson, here)


def _answer(lesson: Lesson, here: membership.Seat | None) -> None:
    """Ask for the guess; lock it in, or send it to the class."""
    key, mine = f"lesson.{lesson.name}", kept(lesson)
    if here is not None and here.asks(lesson) and not here.open(lesson):
        st.caption(say.CLOSED)
    field = f"{key}.field" if lesson.number else f"{key}.choice"
    if one := lesson.number:
        if lesson.picture:
            st.markdown("Press the chart at your guess, or type it.")
        value = guess.number(key, guess.Range(one.low, one.high, one.step, one.unit), mine.guess)
    else:
        st.markdown("**My guess**")
        options = lesson.options("Guess")
        said = None if mine.guess is None else int(mine.guess)
        guess.choice(key, lesson.text("Question"), options, said=said)
        value = st.session_state[field]
    classed = here if here is not None and here.open(lesson) else None
    label, args = "Send my guess" if classed else "Lock in my guess", (lesson, classed, field)
    st.button(
        label, type="primary", disabled=value is None, key=f"{key}.lock", on_click=_lock, args=args
    )
    if st.session_state[AT] != (lesson, "guess"):
        st.rerun()
    if classed and mine.guess is not None and mine.sent == classed.now:
        st.success(say.waiting(lesson, mine.guess), icon=":material/how_to_vote:")
    _refused(lesson)
    if classed and membership.me() < 0:
        st.caption(say.NAMELESS)
    st.caption(say.GRADELESS)


def _lock(lesson: Lesson, classed: membership.Seat | None, field: str) -> None:
    """Lock in what is in the field, or send it: a callback, because a run that the room's next look
    interrupts loses the press.
    """
    mine, value = kept(lesson), st.session_state[field]
    if value is None:
        return
    mine.guess = value
    refusal = together.send(classed, lesson, value) if classed else None
    mine.refused = membership.refused(refusal) if refusal else ""
    if classed and refusal is None:
        mine.sent = classed.now
    else:
        go(lesson, "reveal")


def _refused(lesson: Lesson) -> None:
    if kept(lesson).refused:
        st.warning(kept(lesson).refused, icon=":material/error:")


def _outcome(lesson: Lesson, page: Page, step: str, here: membership.Seat | None) -> None:
    """After the guess: the page's own chart with the guess beside the truth, and what to make of
    it.
    """
    before, asked = _known(lesson, page)
    result, done = compute(asked, seconds=WHOLE if lesson.whole else SECONDS)
    after = Case(asked, result)
    text, chart, answer = _places()
    with text:
        st.html(say.head(lesson, step))
        _words(lesson, step, before, after)
    with chart:
        if step == "try":
            _live(lesson, page, asked)
        else:
            st.fragment(_chart, run_every=None if done == 1 else 0.2)(lesson, page, done < 1)
    with answer:
        if step == "reveal":
            _refused(lesson)
        if step == "reveal" and here is not None and here.asks(lesson):
            axis = (
                _picture(lesson, page, result).figure["layout"]["yaxis"] if lesson.picture else {}
            )
            together.guesses_of_all(lesson, here, axis, kept(lesson).guess, (before, after))
        match step:
            case "reveal":
                _ways(lesson, back="guess", on="why", label="Why?")
            case "why":
                _ways(lesson, back="reveal", on="try", label=TRY)
            case "try":
                _try(lesson, page, after)


@debounce.page_run()
def _chart(lesson: Lesson, page: Page, late: bool) -> None:
    """The chart, which gets finer while models are still trained; ``late``: it is asked for until
    they are.
    """
    before, asked = _known(lesson, page)
    result, done = compute(asked, seconds=0.5 * SECONDS)
    after, mine = Case(asked, result), kept(lesson).guess
    picture = pictures.revealed(lesson, _picture(lesson, page, result), mine, before, after)
    widgets.board([[picture]], key=f"lesson.{lesson.name}.reveal", name="lesson")
    if done < 1:
        st.progress(done, text="Still training. The chart will become finer.")
    elif late:
        st.rerun()  # nothing has to be asked for again


@st.fragment
@debounce.page_run()
def _live(lesson: Lesson, page: Page, asked: Settings) -> None:
    """The page's chart and verdict, and under them the sliders that matter, which move both."""
    key, only = f"lesson.{lesson.name}.try", {visible_sliders.ONLY: ",".join(lesson.only)}
    state = st.session_state.setdefault(
        f"{key}.state", page_state.PageState(page=key, settings=asked, address=Address(view=only))
    )
    page_state.apply_panel_event(state)
    here = page.at(state.settings)
    result, done = compute(state.settings, seconds=here.slices.moving if state.moving else SECONDS)
    picture = replace(_picture(lesson, page, result), height=LOW, narrow=LOWER)
    widgets.board([[picture]], key=f"{key}.board", name="lesson")
    st.html(f'<div class="lab-verdict">{here.view(result).texts["verdict"]}</div>')
    # Nothing stands around these, so that there is nothing to bring up to date.
    state.rendered = (state.settings, done == 1)
    state.address.link = state.address_params
    show_panel(state, visible_sliders.visible_layout(here, state), done=done)


def _words(lesson: Lesson, step: str, before: Case, after: Case) -> None:
    tell = partial(say.told, lesson, before=before, after=after)
    match step:
        case "reveal":
            st.title(say.heading(lesson, kept(lesson).guess, before, after))
            st.markdown(tell("Seen"))
        case "why":
            st.title("Why")
            st.markdown(tell("Why"))
            if drawn := say.attacker(lesson, after):
                st.html(drawn)
            st.markdown(f"**Not so:** {tell('Misconception')}")
        case "try":
            st.title(TRY)
            st.markdown(tell("Try"))


def _try(lesson: Lesson, page: Page, after: Case) -> None:
    """A way to the page itself, at these settings, which leads back; and the next lesson."""
    kept(lesson).done = True
    back = {"lesson": lesson.name, "step": "try"}
    query = versioned({**minimal_texts(after.settings), "only": ",".join(lesson.only), **back})
    label, icon = f"Open the page: {page.title}", ":material/open_in_full:"
    st.page_link(page_links.page_for(lesson.page), label=label, icon=icon, query_params=query)
    place = LESSONS.index(lesson) + 1 if lesson in LESSONS else len(LESSONS)
    following = LESSONS[place] if place < len(LESSONS) else None
    label = f"Next: {following.text('Title')}" if following else "All lessons"
    with st.container(horizontal=True, key="lesson-ways"):
        st.button(
            "Back",
            key=f"lesson.{lesson.name}.try.back",
            on_click=go,
            args=(lesson, lesson.STEPS[-2]),
        )
        st.button(
            label,
            key=f"lesson.{lesson.name}.try.on",
            type="primary",
            on_click=go,
            args=(following,),
        )


def _ways(lesson: Lesson, *, back: str, on: str, label: str) -> None:
    """Back and on.

    Each step has buttons of its own: one that is pressed while the next step comes is not
    another's.
    """
    key = f"lesson.{lesson.name}.{on}"
    with st.container(horizontal=True, key="lesson-ways"):
        st.button("Back", key=f"{key}.back", on_click=go, args=(lesson, back))
        st.button(label, key=f"{key}.on", type="primary", on_click=go, args=(lesson, on))
