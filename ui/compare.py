"""A page's view of its settings beside the pinned ones: the ghost in the pictures, and what differs."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from dpcore import differences
from dpcore.experiment import Settings
from ui import comparison
from ui.compute import compute, repeats
from ui.ghosts import ghosted
from ui.page import Page, Rows, View
from ui.pins import Pin
from ui.vocabulary import KNOBS

# What of the table moves with a finger, by CSS selector; the rest of it are choices, and their names.
MOVING, SAID = ".lab-compare-moving", ".lab-compare-said"


@dataclass(frozen=True, kw_only=True)
class Both:
    """What a page shows of its settings, ``view``, and of them beside the pinned ones.

    done: the share of the work of both that is done. says: CSS selector of an element that moves -> its HTML.
    """

    result: Any
    view: View
    rows: Rows
    says: Mapping[str, str]
    done: float


def compare(page: Page, settings: Settings, pin: Pin | None, *, seconds: float) -> Both:
    """After so many seconds of work, or what must be."""
    result, done = compute(settings, seconds=seconds)
    here = page.at(settings)
    view = here.view(result)
    says, rows = here.says(view), view.rows
    if pin:
        other, ready = compute(pin.settings, seconds=seconds if done == 1 else 0)
        theirs = page.at(pin.settings).view(other)
        rows = ghosted(rows, theirs.rows)
        says = says | {
            MOVING: moving(settings, pin.settings, view, theirs),
            SAID: said(settings, pin.settings, done=done == ready == 1),
        }
        done = (done + ready) / 2
    return Both(result=result, view=view, rows=rows, says=says, done=done)


def moving(a: Settings, b: Settings, mine: View, theirs: View) -> str:
    """The rows of the table that move: knobs, and the numbers of the strip."""
    return comparison.rows(
        comparison.settings_rows(a, b, [name for name in names(a) if name in KNOBS], knob_words),
        comparison.number_rows(mine.tiles, theirs.tiles),
    )


def names(settings: Settings) -> list[str]:
    return [one.name for one in fields(settings)]


def knob_words(name: str, value: Any) -> tuple[str, str]:
    """(what a knob is called, its value)."""
    return KNOBS[name]["label"], f"{value:.6g}" if isinstance(value, float) else str(value)


def said(a: Settings, b: Settings, *, done: bool) -> str:
    """How sure the difference is, of what is trained so far; nothing where no repeats are drawn."""
    mine, theirs = (repeats(one, done=done) for one in (a, b))
    if mine is None or theirs is None:
        return "" if done or not a.COMMON else comparison.LATER
    if a.pairs_with(b):
        both = min(len(mine), len(theirs))
        found = differences.of_pairs(mine[:both], theirs[:both])
    else:
        found = differences.of_groups(mine, theirs)
    return comparison.sentence(found, a.MEASURES[a.compared])
