"""Texts of the recorded audits."""

from collections.abc import Callable, Mapping
from typing import Any

from pages.attack.audits.table import CAUGHT, CONSISTENT, VOID, Audit, recorded
from pages.attack.texts_shared import SAYS as SHARED
from ui.text import tables
from ui.text.numbers import delta
from ui.text.texts import Texts
from ui.text.tiles import note, number

SAYS = Texts(__file__)
_COLUMNS = (
    "mechanism",
    "version",
    "verdict",
    "pitfall",
    "claimed",
    "lower_bound",
    "replayed",
    "runs",
    "neighbours",
)


def summary() -> str:
    """Return how many broken mechanisms were caught, and how many correct ones refuted (HTML)."""
    audits = recorded()
    broken = [audit for audit in audits if audit.broken]
    correct = [audit for audit in audits if not audit.broken]
    text = SAYS(
        "summary",
        caught=_count(broken, CAUGHT),
        broken=len(broken),
        refuted=_count(correct, CAUGHT),
        correct=len(correct),
        void=_count(broken, VOID),
        runs=sum(audit.runs for audit in audits),
        replayed=sum(audit.found_by_replay for audit in broken),
        proved=SHARED["proved"],
    )
    return note(text)


def _count(audits: list[Audit], verdict: str) -> int:
    """Return the number of audits with a verdict."""
    return sum(audit.verdict == verdict for audit in audits)


def table() -> str:
    """Return all recorded audits as a table (HTML)."""
    audits = recorded()
    formats: Mapping[str, Callable[[Any], str]] = {"runs": "{:,}".format}
    return tables.table(
        [_row(audit) for audit in audits],
        title=SAYS["table.title"],
        caption=SAYS("table.caption", confidence=f"{100 * audits[0].confidence:.2f}"),
        heads=SAYS.heads("table", _COLUMNS),
        formats=formats,
    )


def _row(audit: Audit) -> dict[str, Any]:
    """Return the cells of an audit."""
    row = audit._asdict()
    row["claimed"] = number(audit.claimed)
    if audit.delta:
        row["claimed"] += f",&nbsp;{delta(audit.delta)}"
    if audit.verdict != CONSISTENT:
        row["verdict"] = f"<b>{audit.verdict}</b>"
    row["lower_bound"] = number(audit.lower_bound)
    if audit.assumed:
        row["lower_bound"] += " *"
    if audit.replayed:
        row["replayed"] = f"{number(float(audit.replayed))}&nbsp;&times;"
    row["neighbours"] = f"{audit.neighbours}, {audit.unit}"
    return row
