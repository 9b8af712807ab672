"""The mu of Gaussian differential privacy beside epsilon: looked up, and counted only at rest.

A count takes up to a second, so a first picture and a moving slider show ``PENDING`` where it is
not known yet.
"""

from collections.abc import Iterable, Mapping
from contextvars import ContextVar

from dpcore.accountants import mu
from dpcore.cache import CACHE
from dpcore.privacy import Guarantee
from ui.text.numbers import number
from ui.text.texts import SAYS

PENDING = '<span class="lab-pending">…</span>'
_COUNTS: ContextVar[bool] = ContextVar("counts", default=False)
_DELTAS = f"delta from {number(mu.LARGEST)} to {number(mu.SMALLEST)}"

_TOLERANCE = f"{100 * mu.TOLERANCE:g}\u00a0%"


def describe_mu(held: Guarantee) -> str:
    """Return what is said of a guarantee's mu (HTML)."""
    work = mu.Fitting(held.event, held.adjacency)
    known, found = (True, work.run()) if work.quick else CACHE.find(work)
    if not known and not _COUNTS.get():
        return PENDING
    found = found if known else CACHE.answer(work, work.run)
    why = work.why_none(found)
    if why == mu.UNFIT:
        return SAYS("mu.unfit", why=why, deltas=_DELTAS, tolerance=_TOLERANCE)
    if why or found is None:
        return why
    case = "exact" if found.exact else "within"
    return SAYS(f"mu.{case}", mu=number(found.shown), deltas=_DELTAS, tolerance=_TOLERANCE)


def is_pending(words: Mapping[str, str], names: Iterable[str]) -> bool:
    """Return whether one of these words of a view waits for a count."""
    return any(PENDING in words[name] for name in names)


def compute(words: Mapping[str, str], names: Iterable[str]) -> None:
    """Make these words of a new view, with all of their counts."""
    before = _COUNTS.set(True)
    try:
        for name in names:
            words[name]
    finally:
        _COUNTS.reset(before)
