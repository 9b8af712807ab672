"""The tab that runs a question's sweep at full size."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import streamlit as st

from lab.links import Word
from pages.what_if import figures, full_size
from pages.what_if import words_full_size as say
from pages.what_if import words_parts as parts
from pages.what_if.experiment import WhatIfSettings
from pages.what_if.full_size import FullSize, Numbers
from ui import controls, debounce, live, outcomes, takeaway
from ui.compute import compute
from ui.full_size import LINE, Run, Seat
from ui.sweeps import Sweep

NAME, HEIGHT = "full-size", 380
# The size that is offered first, where it is one.
_USUAL = 1_000
# Seconds between two looks at a run.
_LOOK = 1.0
_START = "play_arrow"
_BUSY = ("measuring", "waiting", "training")


@st.cache_resource(scope="session", show_spinner=False, on_release=Seat.end)
def _seat() -> Seat:
    """This page's place: a run ends with the page that wants it."""
    return Seat()


def show(desk: controls.Desk, paper: Mapping[str, Any]) -> None:
    """The size, what it takes, and what came of it."""
    question, seat = desk.settings, _seat()
    sizes = full_size.sizes(question) if full_size.sweeps(question) else []
    st.caption(say.ABOUT)
    if not sizes:
        seat.leave()
        st.caption(say.COMPUTED if question.exact else say.NO_SWEEP.get(question.asks, say.AS_LARGE))
        return
    with st.container(key=NAME, horizontal=True, vertical_alignment="center"):
        full = FullSize(full_size.larger(question, *_chosen(desk.page, sizes)))
        _act(desk.page, full)
        run = seat.at(full.key)
        _buttons(desk.page, full, run)
    busy = _state(run) in _BUSY
    paper = {"stem": f"{paper['stem']}_{NAME}", "lines": [*paper["lines"], say.plain_size(full)]}
    st.fragment(_follow, run_every=_LOOK if busy else None)(question, full, run, _state(run), paper)
    if not isinstance(question.base, Word):
        with st.expander("The same without a page"):
            st.caption(say.COMMAND)
            st.code(_sweep(full).command, language="sh", wrap_lines=True)


def _chosen(page: str, sizes: list[tuple[int, int]]) -> tuple[int, int]:
    """(runs, splits) that are chosen: of the splits, those that there may be with so many runs."""
    counts = sorted({runs for runs, _ in sizes})
    count = _segments("Runs", f"{page}.{NAME}.runs", counts, _USUAL)
    splits = [many for runs, many in sizes if runs == count]
    return count, _segments("Splits", f"{page}.{NAME}.splits", splits, splits[0])


def _segments(label: str, key: str, options: list[int], usual: int) -> int:
    """A choice among a few numbers, which is kept while there is it."""
    chosen = st.session_state.get(key)
    controls.hold(key, chosen if chosen in options else usual if usual in options else options[0])
    return st.segmented_control(label, options, key=key, format_func="{:,}".format, required=True)


def _state(run: Run | None) -> str:
    """Of the run, for this visitor: one that goes on for others only is stopped here."""
    if run is None:
        return "new"
    return "stopped" if run.busy and _seat() not in run.wanted else run.state


def _act(page: str, full: FullSize) -> None:
    """Do what was pressed, with the size that is chosen now: both may come at once."""
    seat, pressed = _seat(), st.session_state.pop(f"{page}.{NAME}.pressed", "")
    run = seat.at(full.key)
    if pressed == _START and run:
        run.start(seat)
    elif pressed:
        seat.take(full.key, partial(_made, full)).measure_first(seat)


def _buttons(page: str, full: FullSize, run: Run | None) -> None:
    """What can be done now."""
    state = _state(run)

    def button(label: str, icon: str, kind: str = "secondary") -> None:
        st.button(label, icon=f":material/{icon}:", key=f"{page}.{NAME}.{icon}", on_click=press, args=[icon], type=kind)

    def press(icon: str) -> None:
        st.session_state[f"{page}.{NAME}.pressed"] = icon

    if state in ("new", "failed"):
        button("Run this at full size", "speed")
    elif state in ("measured", "stopped"):
        button("Start" if state == "measured" else "Go on", _START, "primary")
    elif state in _BUSY:
        st.button("Stop", icon=":material/stop:", key=f"{page}.{NAME}.stop", on_click=_seat().leave)
    else:
        _download(full, run)


def _made(full: FullSize) -> Run:
    question = full.question
    private = isinstance(question.base, Word)
    return Run(full.cells(), measure=question.measure, repeats=question.repeats, private=private)


@debounce.working()
def _follow(question: WhatIfSettings, full: FullSize, run: Run | None, state: str, paper: Mapping[str, Any]) -> None:
    """How far it has come, and what it says so far. ``state``: what the buttons are for."""
    if (_state(run) in _BUSY) != (state in _BUSY) or (state not in _BUSY and _state(run) != state):
        st.rerun()
    if run is not None and state in _BUSY:
        ahead = LINE.ahead(run)
        st.progress(run.trained / run.count, text=say.progress(full, run.state, run.trained, run.left, ahead))
    elif state != "done":
        known = (run.trained, run.left) if run else (0, None)
        _paragraph(say.FAILED if state == "failed" else say.estimate(full, state, *known))
    result = full.result(run.numbers, run.last) if run else None
    if result is None:
        return
    picture, _ = compute(question, seconds=0)
    _paragraph(" ".join(filter(None, [say.changed(picture, result, full), outcomes.void(question.settings)])))
    figure = figures.curve(result, parts)
    drawn = live.Picture(name=NAME, figure=figure, about=parts.SAYS["about.curve"], height=HEIGHT)
    live.board([[drawn]], key=f"{question.topic}.{NAME}", name=NAME, paper=paper)


def _paragraph(html: str) -> None:
    st.html(f'<div class="lab-{NAME}">{html}</div>')


def _sweep(full: FullSize) -> Sweep:
    """What `make sweep` would be asked for."""
    question = full.question
    size = {"repeats": question.repeats, "seeds": question.seeds}
    over = {question.along: tuple(sorted(full.values))}
    return Sweep(page=question.topic, settings=question.settings, over=over, measure=question.measure, **size)


def packed(full: FullSize, numbers: Numbers) -> bytes:
    """The runs as `make sweep` writes them, the settings, and what makes the same, as a zip."""
    sweep, private = _sweep(full), isinstance(full.question.base, Word)
    said = {"page": sweep.page} | asdict(sweep.settings)
    files = {
        "runs.parquet": sweep.file(sweep.frame(full.rows(numbers))),
        "settings.json": json.dumps(said, indent=2) + "\n",
        "README.txt": say.readme(full, "" if private else sweep.command),
    }
    return takeaway.packed(files)


def _download(full: FullSize, run: Run) -> None:
    question = full.question
    name = takeaway.stem(question.topic, {"sweep": question.along, "runs": question.repeats, "splits": question.seeds})
    how = {"mime": "application/zip", "icon": ":material/download:", "on_click": "ignore"}
    st.download_button(
        "All runs (Parquet, zip)", data=lambda: packed(full, run.numbers), file_name=f"{name}.zip", **how
    )
