"""What a page shows of its settings, A, beside the pinned ones, B: ghosts in the pictures, and what differs."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from lab import differences
from lab.claims import LEAST
from lab.settings import Settings
from ui import comparison, mu
from ui.compute import compute, repeats
from ui.ghosts import ghosted
from ui.page import ANSWER, ASK_TAB, Page, Rows, View
from ui.pins import Pin

# The share of the work that is done where only a mu is missing.
_BUT_MU = 0.99
# What of the comparison moves with a finger.
MOVING, SAID = ".lab-compare-moving", ".lab-compare-said"


@dataclass(frozen=True, kw_only=True)
class Both:
    """``page`` as it is with A's ``result``, and its ``view``; ``pinned``: B's view, if it is one of the same page.

    done: the share of the work of both that is done. moving: CSS selector of what moves of the comparison -> its HTML.
    answer: what is said and shown of what is asked about A, if that is in view. compared: the settings it compares.
    """

    page: Page
    result: Any
    view: View
    pinned: View | None
    done: float
    moving: Mapping[str, str]
    answer: View | None = None
    compared: Collection[Settings] = ()

    def boards(self, tab: str) -> dict[str, Rows]:
        """Return those in view while this tab is open, with B's ghost."""
        asked = self.answer.boards if self.answer else {}
        return {name: self._rows(name) for name in self.page.boards(tab)} | dict(asked)

    def _rows(self, name: str) -> Rows:
        rows = self.view.boards[name]
        return ghosted(rows, self.pinned.boards[name]) if self.pinned else rows

    def says(self, tab: str) -> dict[str, str]:
        """Return CSS selector of an element that moves -> its HTML, while this tab is open."""
        asked = {f".lab-words-{ANSWER}": self.answer.words[ANSWER]} if self.answer else {}
        return self.page.says(self.view, tab) | dict(self.moving) | asked


def compare(
    page: Page,
    settings: Settings,
    pin: Pin | None,
    *,
    seconds: float,
    tab: str = "",
    ask: str = "",
    resting: bool = False,
) -> Both:
    """Compare after so many seconds of work, or what must be; what B needs comes after what A needs, and then what is
    asked about A (``Desk.ask``), if the ``tab`` that is open is that of the questions. Where that tab states a mu, it
    is counted last, and only if ``resting``: neither for a first picture nor while something moves."""
    both = _compared(page, settings, pin, seconds=seconds)
    names = both.page.tab(tab).words
    if both.done == 1 and mu.pending(both.view.words, names):
        if resting:
            both = replace(both, view=both.page.view(both.result))
            mu.count(both.view.words, names)
        else:
            both = replace(both, done=_BUT_MU)
    asked = both.page.asked
    if asked is None or tab != ASK_TAB.name:
        return both
    question = asked.about(settings, ask, both.page.targets(both.result))
    if question is None:
        return both
    answer, ready = compute(question, seconds=seconds if both.done == 1 else 0)
    compared = {*both.compared, *asked.compared(answer)}
    return replace(both, answer=asked.view(answer), compared=compared, done=(both.done + ready) / 2)


def _compared(page: Page, settings: Settings, pin: Pin | None, *, seconds: float) -> Both:
    result, done = compute(settings, seconds=seconds)
    here = page.at(settings)
    view = here.view(result)
    if pin is None:
        return Both(page=here, result=result, view=view, pinned=None, done=done, moving={})
    other, ready = compute(pin.settings, seconds=seconds if done == 1 else 0)
    there = page.at(pin.settings)
    pinned = there.view(other)
    words = partial(comparison.knob_words, changes=here.sliders(settings).changes)
    rows = comparison.settings_rows(settings, pin.settings, words)
    moving = {
        MOVING: comparison.rows([*rows, *comparison.number_rows(view.numbers, pinned.numbers)]),
        SAID: said(settings, pin.settings, done=done == ready == 1),
    }
    ghost, compared = pinned if there is here else None, {settings, pin.settings} if settings.private else ()
    done = (done + ready) / 2
    return Both(page=here, result=result, view=view, pinned=ghost, done=done, moving=moving, compared=compared)


def said(a: Settings, b: Settings, *, done: bool) -> str:
    """Return how sure the difference is, once all runs of both are trained; nothing where no repeats are drawn."""
    mine, theirs = (repeats(one, done=done) for one in (a, b))
    pair = (mine, a), (theirs, b)
    if not done and a.COMMON and any(known is None or len(known) < vars(one)["repeats"] for known, one in pair):
        return comparison.LATER
    if mine is None or theirs is None:
        return ""
    if a == b:
        found = differences.Difference(median=0.0, low=0.0, high=0.0, pairs=len(mine))  # however few runs there are
    else:
        found = (differences.of_pairs if a.pairs_with(b) else differences.of_groups)(mine, theirs)
    measure = a.MEASURES[a.compared]
    least = LEAST if measure.share else LEAST * abs(float(np.median(theirs)))
    return comparison.sentence(found, measure, least=least)
