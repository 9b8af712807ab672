"""What the privacy label of borrowed models says whatever its knobs, and what follows from them."""

from dpcore.data.domains import KINDS
from lab.label import Stated
from pages.hypotheses.result import HypothesesResult

FIXED = {
    "unit": "one row of one source",
    "public": "number of rows of each part, penalties, all public rows, and all settings",
    "trust": "each source, with its own rows; none sees another's",
    "period": "this one release of every source",
    "released": "each source's hypothesis and importance weights",
    "analyst_only": "the target's rows and its own model, true shares, accuracies",
    "mechanism": "noise on or in the minimiser",
    "assumptions": "a person has one row, in one part of one source; rows are at most 1 long; minima are exact",
    "training": "paid",
    "split": "public: parts are divided without looking at the rows",
    "bounds": "public: rows are cut to length 1",
    "vocabulary": "public: from public texts only",
    "test_score": "not released",
    "stop_rule": "none: fits stop at a fixed tolerance",
    "missing": "none: no value is missing",
}


def label(result: HypothesesResult) -> Stated:
    settings = result.settings
    own = {"source": "a file of the analyst's own"} if settings.data == "own" else {"source": KINDS[settings.data]}
    made = {"vocabulary": "none"} if settings.data == "domains" else {}
    return Stated(promise=settings.promise, claimed=settings.epsilon, said=FIXED | own | made)
