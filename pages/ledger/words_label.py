"""What the label of the budget says: no data, and what a run like this would promise."""

from lab.label import Stated
from pages.ledger.experiment import LedgerResult

FIXED = {
    "public": "number of rows or a fixed denominator, sampling rate, noise and number of steps",
    "trust": "whoever would train; nobody else sees a row",
    "period": "one run",
    "released": "what each step says, with its noise",
    "analyst_only": "nothing: this page looks at no rows",
    "assumptions": "Poisson samples; contributions are clipped; one row a person",
    "source": "none: no data are looked at",
    "training": "paid",
    "bounds": "public: the clip norm",
    "vocabulary": "none",
    "split": "none",
    "test_score": "none",
    "stop_rule": "none: the number of steps is fixed beforehand",
    "missing": "none",
}


def label(result: LedgerResult) -> Stated:
    return Stated(promise=result.held, right=result.exact_accuracy, said={**FIXED})
