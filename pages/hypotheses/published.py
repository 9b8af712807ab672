"""The paper's experiments [wang2019]: what its text states, what stands only in pictures that we
could not read.
"""

# As the text gives them; epsilons are ours. In a link's order: what comes first decides what may
# follow.
TOPICS = {"data": "topics", "projection": "none", "lambda_lr": 0.003, "mixture": "0.6-0-0-0.4-0"}
REVIEWS = {
    "data": "reviews",
    "projection": "none",
    "source_rows": 1000,
    "public_rows": 2000,
    "lambda_lr": 0.005,
    "mixture": "0-0.25-0-0.75",
}
# A part of the paper by the name of its texts -> the settings that show it here.
PARTS = {
    "algorithms": TOPICS,
    "table_1": TOPICS,
    "figure_2": TOPICS,
    "figure_3": REVIEWS,
    "figure_4": TOPICS,
    "figure_5": REVIEWS,
    "table_2": TOPICS,
}
