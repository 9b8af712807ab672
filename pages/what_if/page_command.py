"""The command that repeats a question's sweep with more runs, in a checkout of the lab."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from lab.links import Word
from pages.what_if.experiment import CURVE, WhatIfSettings
from pages.what_if.words import SAYS
from ui.controls import Desk
from ui.sweeps import Sweep

# Runs at each value, which take minutes where the page's own take seconds.
RUNS = 1_000
# Questions that a sweep along one parameter answers.
SWEPT = ("accuracy", "smallest", "people", CURVE)


def sweep(question: WhatIfSettings) -> Sweep | None:
    """Return the sweep of a question with ``RUNS`` runs at each value, or None.

    There is none for a question without random runs, about two settings or several parameters, or about an uploaded
    file, which no command can name.
    """
    if question.exact or question.asks not in SWEPT or isinstance(question.base, Word):
        return None
    kind = int if isinstance(question.settings.limits[question.along][0], int) else float
    return Sweep(
        page=question.topic,
        settings=question.settings,
        over={question.along: tuple(map(kind, sorted(question.around.curve)))},
        measure=question.measure,
        repeats=RUNS,
        seeds=question.seeds,
    )


def show(desk: Desk, paper: Mapping[str, Any]) -> None:
    """Offer the command, where the question has one."""
    if (found := sweep(desk.settings)) is None:
        return
    with st.popover("Copy the command", icon=":material/terminal:"):
        st.caption(SAYS("command", runs=RUNS))
        st.code(found.command, language="sh", wrap_lines=True)
