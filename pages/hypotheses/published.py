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
    """A part of the paper: its name, what the text states, what was shown only, where it stands here, and settings."""

    name: str
    stated: str
    lost: str
    here: str
    settings: Mapping[str, Any]


PARTS = (
    Part(
        "Algorithms 1 and 2",
        "The six steps in words; noise on each answer, its scale inverse to epsilon and lambda; one epsilon for both "
        "parts (Theorem 2).",
        "Both boxes: the equations, and which divergence Step 4 minimises.",
        "Steps. The formulas follow the text and the works it builds on.",
        TOPICS,
    ),
    Part(
        "Table 1",
        "Five sources of 20 Newsgroups: each of 5 computer topics beside 2 others, paired at random.",
        "The list of topics.",
        "A pairing of our own; generated topics of the same layout.",
        TOPICS,
    ),
    Part(
        "Figure 2",
        "20 Newsgroups, 5,588 terms: error of the weights over epsilon. 1,000 rows without labels a source, 1,500 "
        "public ones, lambda 0.001, 20 repeats. It approaches zero.",
        "The epsilons, the curve, and which mixture.",
        "Steps, first picture.",
        TOPICS,
    ),
    Part(
        "Figure 3",
        "Amazon reviews, 2,969 features: the same, with 2,000 public rows.",
        "The epsilons, the curve, and which mixture.",
        "Steps, first picture.",
        REVIEWS,
    ),
    Part(
        "Figure 4",
        "20 Newsgroups, 60 % source 1 and 40 % source 4, 800 labelled rows a source, lambda 0.003, 320 test rows: six "
        "methods over the share of labels. Transfer and average lead from a middle epsilon; with less privacy transfer "
        "leads at every share, and without any it does as well as all labels.",
        "The epsilons, the shares and all curves.",
        "First picture; Ways, third picture.",
        TOPICS,
    ),
    Part(
        "Figure 5",
        "Amazon reviews, 25 % source 2 and 75 % source 4, 1,000 labelled rows a source, lambda 0.005, 600 test rows: "
        "the same six methods, the same order.",
        "The epsilons, the shares and all curves.",
        "First picture; Ways, third picture.",
        REVIEWS,
    ),
    Part(
        "Table 2",
        "Accuracy for several mixtures with labels on 5 % of the target; the best but for all labels is marked.",
        "Every number, the mixtures and the levels of privacy.",
        "Table, with mixtures and levels of our own.",
        TOPICS,
    ),
)
