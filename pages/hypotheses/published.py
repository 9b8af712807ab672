"""The paper's experiments [wang2019]: what its text states, what stands only in pictures that we could not read."""

from collections.abc import Mapping
from typing import Any, NamedTuple

# As the text gives them; epsilons are ours. In a link's order: what comes first decides what may follow.
TOPICS = {"data": "topics", "projection": "none", "lambda_lr": 0.003, "mixture": "0.6-0-0-0.4-0"}
REVIEWS = {
    "data": "reviews",
    "projection": "none",
    "source_rows": 1000,
    "public_rows": 2000,
    "lambda_lr": 0.005,
    "mixture": "0-0.25-0-0.75",
}


class Part(NamedTuple):
    """A part of the paper by the name of its texts, and the settings that show it here."""

    name: str
    settings: Mapping[str, Any]


PARTS = (
    Part("algorithms", TOPICS),
    Part("table_1", TOPICS),
    Part("figure_2", TOPICS),
    Part("figure_3", REVIEWS),
    Part("figure_4", TOPICS),
    Part("figure_5", REVIEWS),
    Part("table_2", TOPICS),
)
