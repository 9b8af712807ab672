"""The vocabulary of knobs: what a field of a Settings is called on every page, and how its slider looks."""

from collections.abc import Mapping
from typing import Any

# Field of a Settings -> how its knob looks. Ranges come from the settings themselves.
KNOBS: Mapping[str, dict[str, Any]] = {
    "epsilon": {
        "label": "Epsilon",
        "scale": "log",
        "stops": 40,
        "low_note": "more private",
        "high_note": "more accurate",
        "help": "The privacy budget. Each person's row may change the odds of any outcome by a factor of at most "
        "e to the epsilon (up to delta).",
    },
    "delta": {
        "label": "Delta",
        "scale": "log",
        "stops": 10,
        "help": "The probability left out of the promise. Keep it far below one over the number of people.",
    },
    "clip_norm": {
        "label": "Clip norm",
        "scale": "log",
        "stops": 20,
        "help": "C, the longest gradient that one person may contribute. The noise grows with it.",
    },
    "steps": {
        "label": "Steps",
        "whole": True,
        "help": "T. Each step reads the data once, so more steps need more noise in each.",
    },
    "learning_rate": {"label": "Learning rate", "scale": "log", "stops": 20, "help": "How far a step goes."},
    "public_rows": {
        "label": "Public examples",
        "whole": True,
        "help": "Rows that need no protection; the private descent starts from a model fitted to them. 0: no such "
        "start.",
    },
    "shift": {
        "label": "Public shift",
        "step": 0.05,
        "unit": "sd",
        "help": "How far the public rows are moved away from where the private ones lie: in every feature, in their "
        "own standard deviations.",
    },
    "public_steps": {
        "label": "Public steps",
        "whole": True,
        "help": "Steps on the public rows, without noise.",
    },
    "repeats": {
        "label": "Repeats",
        "whole": True,
        "help": "How many models are trained at each setting, each with noise of its own.",
    },
    "sensitivity": {
        "label": "Sensitivity",
        "scale": "log",
        "stops": 20,
        "help": "The most that one person can add to the number: 1 for a count.",
    },
    "value": {
        "label": "Total without you",
        "whole": True,
        "help": "The true number without you. With you it is larger by the sensitivity.",
    },
    "prior": {
        "label": "Your prior",
        "step": 0.01,
        "help": "How likely you think it, before the number is published, that the person in question is in the data.",
    },
    "release": {
        "label": "Release number",
        "whole": True,
        "help": "Steps through seeded releases, one at a time: the arrow keys go on and back.",
    },
    "lead": {
        "label": "Lead of the leader",
        "whole": True,
        "help": "For the choice among options: by how many answers the first option is ahead of the second.",
    },
    "options": {
        "label": "Options",
        "whole": True,
        "help": "How many options the choice is among.",
    },
    "sampling_rate": {
        "label": "Sampling rate",
        "scale": "log",
        "stops": 20,
        "help": "q, the chance that a person's row is in the sample of a step. 1: all rows in every step.",
    },
    "noise_multiplier": {
        "label": "Noise multiplier",
        "scale": "log",
        "stops": 40,
        "low_note": "more accurate",
        "high_note": "more private",
        "help": "The noise's standard deviation over the clipping bound, in each step.",
    },
    "target_epsilon": {
        "label": "Target epsilon",
        "scale": "log",
        "stops": 20,
        "help": "A budget to aim at: the table says how much noise it needs, and how many steps it allows.",
    },
    "people": {
        "label": "People together",
        "whole": True,
        "help": "A family, a household: the promise for all of its k rows at once.",
    },
    "settings_tried": {
        "label": "Settings tried",
        "whole": True,
        "help": "How many such runs were made on the same data before the best one was chosen.",
    },
    "shown": {
        "label": "Step shown",
        "whole": True,
        "help": "Which moment of the training the pictures show. Play, or drag it to and fro.",
    },
    "sources": {
        "label": "Public sources",
        "whole": True,
        "help": "K, how many public data sets there are that resemble the private one.",
    },
    "difference": {
        "label": "How different they are",
        "step": 0.1,
        "help": "The L1 norm of the contrast (target's coefficients less the source's) of the farthest source; the "
        "others lie nearer. 0: all sources follow the target's own law.",
    },
    "h": {
        "label": "Threshold h",
        "scale": "log",
        "stops": 20,
        "help": "A source is transferable if its contrast is at most this large. The private correction may go as far, "
        "and its noise grows with it.",
    },
    "q": {
        "label": "Norm q",
        "step": 0.05,
        "help": "How a contrast is measured: 1 adds up its entries, 0 counts them, between them few large ones count "
        "for less than many small ones.",
    },
    "target_rows": {
        "label": "Private rows",
        "scale": "log",
        "stops": 12,
        "whole": True,
        "help": "n, the rows of the target, which are to be protected.",
    },
    "dimension": {"label": "Coefficients", "whole": True, "help": "d, how many numbers a row has."},
    "migrated": {
        "label": "Migrated rows",
        "scale": "log",
        "stops": 12,
        "whole": True,
        "help": "Public rows, of all sources together.",
    },
    "detection_share": {
        "label": "Share for detection",
        "step": 0.02,
        "help": "Where the transferable sources are not known: the part of the budget that finds them.",
    },
    "rows": {
        "label": "Rows",
        "scale": "log",
        "stops": 20,
        "whole": True,
        "help": "How many people the model is fitted to. The noise stays as it is, so more people drown it.",
    },
    "features": {
        "label": "Features",
        "whole": True,
        "help": "How many features are used, in the order of the data set. Each one more makes more numbers to hide.",
    },
    "label_top": {
        "label": "Label bound",
        "step": 5,
        "help": "Labels above it count as at it. A lower bound leaves less to hide, and cuts off more.",
    },
    "share": {
        "label": "Share for the quadratic",
        "step": 0.01,
        "help": "How much of epsilon protects the products of features; the rest protects their products with the "
        "label.",
    },
    "draw": {
        "label": "Draw number",
        "whole": True,
        "help": "Which of the runs has its noisy surface drawn. The arrow keys go on and back.",
    },
    "lot_size": {
        "label": "Lot size",
        "scale": "log",
        "stops": 20,
        "whole": True,
        "help": "L: how many rows a step looks at, on average. Each row is drawn with the chance L/n.",
    },
    "epochs": {
        "label": "Epochs",
        "whole": True,
        "help": "How often a row is looked at, on average, until the training ends.",
    },
    "layers": {"label": "Hidden layers", "whole": True, "help": "0: no hidden layer, only straight boundaries."},
    "width": {"label": "Units in a layer", "whole": True, "help": "More units bend more; each weight gets noise."},
    "plain_rate": {
        "label": "Rate without privacy",
        "scale": "log",
        "stops": 20,
        "help": "The learning rate of the networks without privacy, whose gradients nothing shortens.",
    },
    "decay": {
        "label": "Rate at the end",
        "scale": "log",
        "stops": 20,
        "help": "By which factor the learning rate has fallen at the last step. 1: it stays.",
    },
    "parties": {
        "label": "Parties",
        "scale": "log",
        "stops": 12,
        "whole": True,
        "help": "M. Each has rows of its own and trains a classifier of its own.",
    },
    "regularisation": {
        "label": "Lambda",
        "scale": "log",
        "stops": 12,
        "help": "The weight of the penalty (lambda/2)||w||^2. More of it makes weights short, and needs less noise.",
    },
    "unlike": {
        "label": "How unlike parties are",
        "step": 0.05,
        "help": "0: all parties draw rows from the same law. 1: each sees one class only, and measures a bit off.",
    },
    "careless": {
        "label": "Careless parties",
        "step": 0.05,
        "help": "The share of parties whose labels are drawn at random.",
    },
    "queries": {
        "label": "Questions to PATE",
        "scale": "log",
        "stops": 12,
        "whole": True,
        "help": "How many public rows the parties label with noise, as far as there are as many. Each spends some of "
        "the budget.",
    },
    "label_share": {
        "label": "Share of labels",
        "scale": "log",
        "stops": 20,
        "help": "Which part of the target's rows has a label. All of its rows count for the weights of the sources.",
    },
    "similarity": {
        "label": "How alike the sources are",
        "step": 0.05,
        "help": "0: what makes a label has nothing in common among the sources. 1: it is the same in all.",
    },
    "source_rows": {
        "label": "Labelled rows of a source",
        "scale": "log",
        "stops": 12,
        "whole": True,
        "help": "n_l, for the hypotheses. Twice the rows, half the noise.",
    },
    "unlabelled_rows": {
        "label": "Other rows of a source",
        "scale": "log",
        "stops": 12,
        "whole": True,
        "help": "n_ul, without labels, for the importance weights.",
    },
    "lambda_lr": {
        "label": "Lambda, hypotheses",
        "scale": "log",
        "stops": 10,
        "help": "Regularisation of the hypotheses. More of it needs less noise, and learns less.",
    },
    "lambda_iw": {
        "label": "Lambda, weights",
        "scale": "log",
        "stops": 10,
        "help": "Regularisation of the importance weights. More of it needs less noise, and makes them blunter.",
    },
    **{
        f"weight_{place}": {
            "label": f"Target from source {place}",
            "step": 0.05,
            "help": "Which part of the target comes from this source. The others give or take in proportion.",
        }
        for place in range(1, 9)
    },
    "person": {
        "label": "Person, row number",
        "whole": True,
        "help": "Which of the private rows is meant. The arrow keys go from person to person; a click on a point does "
        "it too.",
    },
    "person_x": {
        "label": "Outlier, across",
        "step": 0.02,
        "help": "Where on the map the outlier stands: -1 is the left edge, 1 the right one. A click beside all points "
        "puts the outlier there.",
    },
    "person_y": {
        "label": "Outlier, up",
        "step": 0.02,
        "help": "Where on the map the outlier stands: -1 is the lower edge, 1 the upper one.",
    },
    "label": {"label": "Class, by its number", "whole": True, "help": "Of which class the outlier, or the record, is."},
    "members": {
        "label": "Members",
        "whole": True,
        "help": "How many people a model is trained on, out of twice as many.",
    },
    "minority": {
        "label": "Share of the minority",
        "scale": "log",
        "stops": 20,
        "help": "How many of the private rows belong to the smaller group.",
    },
    "canaries": {
        "label": "Canaries",
        "scale": "log",
        "stops": 10,
        "whole": True,
        "help": "How many records are planted in the one training, each with a coin of its own for its class.",
    },
    "guessed": {
        "label": "Share guessed",
        "scale": "log",
        "stops": 10,
        "help": "Of how many canaries the attacker guesses the coin: those of which he is surest, at both ends. Chosen "
        "before the coins are seen.",
    },
    "seed": {
        "label": "Seed",
        "whole": True,
        "help": "Decides the split and all of the noise. The same seed, the same numbers.",
    },
}
