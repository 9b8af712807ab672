"""What the label of the attacks says: nothing is released here, and nothing promised."""

from typing import Any

from lab.label import Stated

FIXED = {
    "public": "all rows but one, and all settings, as the attacker knows them",
    "trust": "nobody: this page plays the attacker",
    "released": "nothing: models are trained to be attacked",
    "analyst_only": "everything on this page",
    "source": "sample data of the lab",
    "training": "not released",
    "tuning": "not released",
    "bounds": "public",
    "vocabulary": "none",
    "split": "public: by places and the seed, not by any cell",
    "test_score": "not released",
    "stop_rule": "none",
    "audit": "what this page measures: a lower bound, and never a proof",
}


def label(result: Any) -> Stated:
    own = {"source": "a file of the analyst's own"} if result.settings.dataset == "own" else {}
    return Stated(nothing="nothing promised: this page attacks models, and releases none", said=FIXED | own)
