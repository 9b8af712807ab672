"""What the regression's privacy label says whatever its knobs, and what follows from them."""

from lab.label import Stated
from pages.regression.experiment import OWN, RegressionResult

FIXED = {
    "public": "number of rows, bounds of features and label, and all settings",
    "trust": "whoever fits: one holder of all rows; nobody else sees them",
    "period": "this one release",
    "released": "the coefficients of one private model",
    "analyst_only": "points, lines, errors, the true surface and least squares",
    "assumptions": "at most the declared number of rows a person",
    "training": "paid",
    "split": "public: by places and the seed, not by any cell",
    "bounds": "public",
    "vocabulary": "none",
    "test_score": "not released",
    "stop_rule": "none",
    "missing": "none: no value is missing",
}
_OWN = {
    "public": "number of rows or people, bounds and categories that were typed, and all settings",
    "source": "a file of the analyst's own",
    "analyst_only": "lines, errors, the true surface and least squares",
    "missing": "the middle of the bounds; a row without an answer as it was declared",
}


def label(result: RegressionResult) -> Stated:
    settings = result.settings
    own = _OWN if settings.dataset == OWN else {"source": settings.source.title}
    return Stated(promise=settings.promise, claimed=settings.epsilon, said=FIXED | own)
