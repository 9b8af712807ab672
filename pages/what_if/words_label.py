"""What the label of the questions says: settings are compared, and nothing is released."""

from typing import Any

from lab.label import Stated

FIXED = {
    "public": "what the page that is asked about takes as public",
    "trust": "whoever runs the search, who sees every run's accuracy",
    "released": "nothing: settings are compared",
    "analyst_only": "everything on this page: accuracies on held-out rows, and the answer itself",
    "source": "sample data of the lab",
    "training": "not released",
    "tuning": "not released: choosing settings by private rows costs, as the last big number says",
    "bounds": "public",
    "vocabulary": "none",
    "split": "public: by places and the seed, not by any cell",
    "test_score": "not released",
    "stop_rule": "none",
}


def label(_: Any) -> Stated:
    return Stated(nothing="nothing promised: a promise is that of the page asked about", said={**FIXED})
