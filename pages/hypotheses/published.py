"""The published experiments [wang2019], as settings that show them here.

Sizes, regularisation and mixtures are those of the paper's text. Its epsilons are only in pictures,
which could not be read.
"""

# The fields are in the order of a link, which applies them one after the other.
TOPICS = {"data": "topics", "projection": "none", "lambda_lr": 0.003, "mixture": "0.6-0-0-0.4-0"}
REVIEWS = {
    "data": "reviews",
    "projection": "none",
    "source_rows": 1000,
    "public_rows": 2000,
    "lambda_lr": 0.005,
    "mixture": "0-0.25-0-0.75",
}
# Settings by the name that a part of the paper has in ``texts.md``.
PARTS = {
    "algorithms": TOPICS,
    "table_1": TOPICS,
    "figure_2": TOPICS,
    "figure_3": REVIEWS,
    "figure_4": TOPICS,
    "figure_5": REVIEWS,
    "table_2": TOPICS,
}
