"""What the transfer's privacy label says whatever its knobs, and what follows from them."""

from lab.label import Stated
from lab.own_settings import OWN
from pages.transfer.result import TransferResult

FIXED = {
    "public": "number of private rows, bounds on features and residuals, the ball; all rows of the sources",
    "trust": "the holder of the target's rows; nobody else sees them",
    "period": "this one release; publishing all four ways would add up",
    "released": "the coefficients with the sources, corrected",
    "analyst_only": "excess risks, contrasts, walks, and the coefficients without privacy",
    "mechanism": "Frank-Wolfe steps, each a noisy choice among corners",
    "assumptions": "one row a person",
    "training": "paid",
    "split": "public: by places and the seed, not by any cell",
    "bounds": "public",
    "vocabulary": "none",
    "test_score": "not released",
    "stop_rule": "none: the number of steps follows from public settings",
    "source": "made-up rows",
    "missing": "none: no value is missing",
}
_OWN = {
    "public": "all rows of the sources, which source a row is of; bounds and categories typed; number of private rows",
    "source": "a file of the analyst's own",
    "analyst_only": "errors, and the coefficients without privacy",
    "missing": "the middle of the bounds; a private row without an answer as it was declared",
}


def label(result: TransferResult) -> Stated:
    """Of the transfer alone."""
    settings = result.settings
    own = _OWN if settings.dataset == OWN else {}
    return Stated(promise=settings.promise, claimed=settings.epsilon, said=FIXED | own)
