"""Settings of the published experiments [wang2019], with all words.

Sizes, regularisation and mixtures are those of the paper's text. The fields are in the order of a
link, which applies them one after the other.
"""

TOPICS = {"data": "topics", "projection": "none", "lambda_lr": 0.003, "mixture": "0.6-0-0-0.4-0"}
REVIEWS = {
    "data": "reviews",
    "projection": "none",
    "source_rows": 1000,
    "public_rows": 2000,
    "lambda_lr": 0.005,
    "mixture": "0-0.25-0-0.75",
}
