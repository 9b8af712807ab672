"""The mu of Gaussian differential privacy beside epsilon: looked up, and computed only at rest.

A fit takes up to a second, so the first page and a moving slider show ``PENDING`` for a mu that is
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
_MAY_COMPUTE: ContextVar[bool] = ContextVar("may_compute", default=False)
_DELTAS = f"delta from {number(mu.LARGEST)} to {number(mu.SMALLEST)}"
_TOLERANCE = f"{100 * mu.TOLERANCE:g}\u00a0%"


def describe_mu(guarantee: Guarantee) -> str:
    """Return the mu of a guarantee, the reason why it has none, or ``PENDING`` (HTML)."""
    fitting = mu.Fitting(guarantee.event, guarantee.adjacency)
    if fitting.quick:
        fit = fitting.run()
    else:
        is_known, fit = CACHE.find(fitting)
        if not is_known:
            if not _MAY_COMPUTE.get():
                return PENDING
            fit = CACHE.answer(fitting, fitting.run)
    reason = fitting.why_none(fit)
    if reason == mu.UNFIT:
        return SAYS("mu.unfit", why=reason, deltas=_DELTAS, tolerance=_TOLERANCE)
    if reason or fit is None:
        return reason
    case = "within"
    if fit.exact:
        case = "exact"
    return SAYS(f"mu.{case}", mu=number(fit.shown), deltas=_DELTAS, tolerance=_TOLERANCE)


def is_pending(texts: Mapping[str, str], names: Iterable[str]) -> bool:
    """Return whether one of the named texts of a view waits for a mu."""
    return any(PENDING in texts[name] for name in names)


def compute(texts: Mapping[str, str], names: Iterable[str]) -> None:
    """Make the named texts of a new view, and compute each mu in them."""
    token = _MAY_COMPUTE.set(True)
    try:
        for name in names:
            texts[name]  # made when it is read
    finally:
        _MAY_COMPUTE.reset(token)
