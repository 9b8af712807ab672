"""Sentences and the table of the recorded audits."""

from collections.abc import Callable, Mapping
from typing import Any

from pages.attack.audits.table import CAUGHT, CONSISTENT, VOID, Audit, recorded
from pages.attack.texts import SAYS, tabled
from ui.text.numbers import delta
from ui.text.tiles import note, number


def summary() -> str:
    """Return how many broken mechanisms were caught, and how many correct ones were refuted
    (HTML).
    """
    audits = recorded()
    broken = [audit for audit in audits if audit.broken]
    correct = [audit for audit in audits if not audit.broken]
    text = SAYS(
        "audits.summary",
        caught=_caught(broken),
        broken=len(broken),
        refuted=_caught(correct),
        correct=len(correct),
        void=sum(audit.verdict == VOID for audit in broken),
        runs=sum(audit.runs for audit in audits),
        proved=SAYS["proved"],
    )
    return note(text)


def _caught(audits: list[Audit]) -> int:
    return sum(audit.verdict == CAUGHT for audit in audits)


def table() -> str:
    """Return all recorded audits as a table (HTML)."""
    rows = [_row(audit) for audit in recorded()]
    formats: Mapping[str, Callable[[Any], str]] = {
        "lower_bound": number,
        "runs": "{:,}".format,
    }
    columns = (
        "mechanism",
        "version",
        "verdict",
        "claimed",
        "lower_bound",
        "assumed",
        "runs",
        "neighbours",
    )
    confidence = f"{100 * recorded()[0].confidence:.2f}"
    return tabled("audits.table", rows, columns, formats=formats, confidence=confidence)


def _row(audit: Audit) -> dict[str, Any]:
    row = audit._asdict()
    row["claimed"] = number(audit.claimed)
    if audit.delta:
        row["claimed"] += f",&nbsp;{delta(audit.delta)}"
    if audit.verdict != CONSISTENT:
        row["verdict"] = f"<b>{audit.verdict}</b>"
    row["assumed"] = "Gaussian, proved" if audit.assumed else "nothing"
    row["neighbours"] = f"{audit.neighbours}, {audit.unit}"
    return row
