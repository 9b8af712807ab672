"""The command that repeats a question's sweep with more runs, in a checkout of the lab."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dpcore import check
from lab.experiment import links
from lab.experiment.settings import Settings
from pages.what_if.formats import SAYS, is_whole
from pages.what_if.settings import CURVE, WhatIfSettings
from ui.session.page_state import PageState

# Runs at each value. They take minutes, and the page's own take seconds.
RUNS = 1_000
# Questions that a sweep along one parameter answers.
SWEPT = ("smallest", "people", CURVE)


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A sweep of a topic's settings.

    over: the values of each slider.
    measure: a key of ``settings.experiment.measures``.
    repeats: runs of each value on each of ``seeds`` splits.
    """

    page: str
    settings: Settings
    over: Mapping[str, tuple[Any, ...]]
    measure: str
    repeats: int
    seeds: int

    def __post_init__(self) -> None:
        check.choice(self.settings.experiment.measures, measure=self.measure)
        check.whole(1, 10_000, repeats=self.repeats)
        check.whole(1, 10_000, seeds=self.seeds)

    @property
    def command(self) -> str:
        """Return the command that trains the sweep in a checkout and writes one file."""
        link = f"{self.page}?{urlencode(links.versioned(links.minimal_texts(self.settings)))}"
        ranges = []
        for name, values in self.over.items():
            ranges.append(f"{name}={','.join(map(str, values))}")
        over = " ".join(ranges)
        runs = f"--measure {self.measure} --repeats {self.repeats} --seeds {self.seeds}"
        files = "--out runs --table runs.parquet"
        return f"make sweep ARGS=\"'{link}' --over {over} {runs} {files}\""


def sweep(question: WhatIfSettings) -> Sweep | None:
    """Return the sweep of a question, with ``RUNS`` runs at each value.

    Return None for a question about several parameters, and for an uploaded file, which no command
    can name.
    """
    if question.answered_question not in SWEPT or isinstance(question.base, links.CompactText):
        return None
    kind: type[int | float] = float
    if is_whole(question, question.x_field):
        kind = int
    values = [kind(value) for value in sorted(question.experiment.plan.curve)]
    return Sweep(
        page=question.topic,
        settings=question.topic_settings,
        over={question.x_field: tuple(values)},
        measure=question.measure,
        repeats=RUNS,
        seeds=question.seeds,
    )


def show(state: PageState, paper: Mapping[str, Any]) -> None:
    """Render the button that shows the command, if there is one. ``paper`` is not used."""
    question_sweep = sweep(state.settings)
    if question_sweep is None:
        return
    with st.popover("Copy the command", icon=":material/terminal:"):
        st.caption(SAYS("command", runs=RUNS))
        st.code(question_sweep.command, language="sh", wrap_lines=True)
