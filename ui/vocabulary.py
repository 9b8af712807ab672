"""The vocabulary of knobs: what a field of a Settings is called on every page, and how its slider looks."""

from collections.abc import Mapping
from typing import Any


def _log(label: str, stops: int, says: str, **more: Any) -> dict[str, Any]:
    """A knob on a log scale, with so many stops in a decade."""
    return {"label": label, "scale": "log", "stops": stops, "help": says} | more


def _whole(label: str, says: str) -> dict[str, Any]:
    """A knob of whole numbers."""
    return {"label": label, "whole": True, "help": says}


def _fine(label: str, step: float, says: str, **more: Any) -> dict[str, Any]:
    """A knob with equal steps."""
    return {"label": label, "step": step, "help": says} | more


# Field of a Settings -> how its knob looks. Ranges come from the settings themselves.
KNOBS: Mapping[str, dict[str, Any]] = {
    "epsilon": _log(
        "Epsilon",
        40,
        "The privacy budget. Each person's row may change the odds of any outcome by a factor of at most "
        "e to the epsilon (up to delta).",
        low_note="more private",
        high_note="more accurate",
    ),
    "delta": _log(
        "Delta", 10, "The probability left out of the promise. Keep it far below one over the number of people."
    ),
    "clip_norm": _log(
        "Clip norm", 20, "C, the longest gradient that one person may contribute. The noise grows with it."
    ),
    "steps": _whole("Steps", "T. Each step reads the data once, so more steps need more noise in each."),
    "learning_rate": _log("Learning rate", 20, "How far a step goes."),
    "public_rows": _whole(
        "Public examples",
        "Rows that need no protection; the private descent starts from a model fitted to them. 0: no such start.",
    ),
    "shift": _fine(
        "Public shift",
        0.05,
        "How far the public rows are moved from where the private ones lie, in every feature, in their own "
        "standard deviations.",
        unit="sd",
    ),
    "public_steps": _whole("Public steps", "Steps on the public rows, without noise."),
    "repeats": _whole("Repeats", "How many models are trained at each setting, each with noise of its own."),
    "sensitivity": _log("Sensitivity", 20, "The most that one person can add to the number: 1 for a count."),
    "value": _whole("Total without you", "The true number without you. With you it is larger by the sensitivity."),
    "prior": _fine(
        "Your prior",
        0.01,
        "How likely you think it, before the number is published, that the person in question is in the data.",
    ),
    "release": _whole("Release number", "Steps through seeded releases, one at a time: the arrow keys go on and back."),
    "lead": _whole(
        "Lead of option A", "In the choice among options: by how many answers A is ahead of B, without you."
    ),
    "options": _whole("Options", "Among how many options the group chooses."),
    "sampling_rate": _log(
        "Sampling rate", 20, "q, the chance that a person's row is in the sample of a step. 1: all rows in every step."
    ),
    "noise_multiplier": _log(
        "Noise multiplier",
        40,
        "The noise's standard deviation over the clipping bound, in each step.",
        low_note="more accurate",
        high_note="more private",
    ),
    "target_epsilon": _log(
        "Target epsilon",
        20,
        "A budget to aim at: the table says how much noise it needs, and how many steps it allows.",
    ),
    "people": _whole("People together", "A family or a household: what is promised to all of its rows at once."),
    "settings_tried": _whole(
        "Settings tried", "How many such runs were made on the same data before one was chosen, or are made on average."
    ),
    "shown": _whole("Step shown", "Which moment of the training the pictures show. Play it, or drag it to and fro."),
    "sources": _whole("Public sources", "K, how many public data sets there are that resemble the private one."),
    "difference": _fine(
        "How different they are",
        0.1,
        "The L1 norm of the contrast (target's coefficients less the source's) of the farthest source; the "
        "others lie nearer. 0: all sources follow the target's own law.",
    ),
    "h": _log(
        "Threshold h",
        20,
        "A source is transferable if its contrast is at most this large. The private correction may go this "
        "far, and its noise grows with it.",
    ),
    "q": _fine(
        "Norm q",
        0.05,
        "How a contrast is measured: 1 adds up its entries, 0 counts them, between them few large ones count "
        "for less than many small ones.",
    ),
    "target_rows": _log("Private rows", 12, "n, the rows of the target, which are to be protected.", whole=True),
    "dimension": _whole("Coefficients", "d, how many numbers a row has."),
    "penalty": _fine(
        "Penalty lambda",
        0.005,
        "The weight of lambda ||w||_q beside the mean of squared residuals. It sees no private row and costs nothing.",
    ),
    "loop_penalty": _fine(
        "Published loop's lambda",
        0.02,
        "The penalty of the loop behind the published table. The slides do not name it; 0.1 makes their numbers again.",
    ),
    "migrated": _log("Migrated rows", 12, "Public rows, of all sources together.", whole=True),
    "detection_share": _fine(
        "Share for detection",
        0.02,
        "Where the transferable sources are not known: the part of the budget that finds them.",
    ),
    "rows": _log(
        "Rows",
        20,
        "How many people the model is fitted to. The more there are, the less one person's noise weighs.",
        whole=True,
    ),
    "features": _whole(
        "Features", "How many features are used, in the order of the data set. Each one more adds numbers to hide."
    ),
    "label_top": _fine(
        "Label bound",
        5,
        "Labels above it count as the bound itself. A lower bound leaves less to hide, and cuts off more.",
    ),
    "share": _fine(
        "Share for the quadratic",
        0.01,
        "How much of epsilon protects the products of features; the rest protects their products with the label.",
    ),
    "draw": _whole("Draw number", "Which run's noisy surface is drawn. The arrow keys go on and back."),
    "lot_size": _log(
        "Lot size",
        20,
        "L: how many rows a step looks at, on average. Each row is drawn with the chance L/n.",
        whole=True,
    ),
    "epochs": _whole("Epochs", "How often each row is looked at, on average, by the end of the training."),
    "layers": _whole("Hidden layers", "0: no hidden layer, only straight boundaries."),
    "width": _whole("Units in a layer", "More units bend the boundaries more; every weight gets noise."),
    "plain_rate": _log(
        "Rate without privacy",
        20,
        "The learning rate of the networks without privacy, whose gradients nothing shortens.",
    ),
    "decay": _log("Rate at the end", 20, "The learning rate of the last step, as a share of the first. 1: it stays."),
    "noise_ramp": _log(
        "Noise at the end",
        20,
        "The noise multiplier of the last step over that of the first. The steps with the least noise cost most. "
        "1: it stays.",
    ),
    "clip_ramp": _log(
        "Clip norm at the end",
        20,
        "The clip norm of the last step over that of the first; noise is scaled along, so privacy stays. 1: it stays.",
    ),
    "parties": _log("Parties", 12, "M. Each has rows of its own and trains a classifier of its own.", whole=True),
    "regularisation": _log(
        "Lambda",
        12,
        "The weight of the penalty (lambda/2)||w||^2. More of it shortens the weights and needs less noise.",
    ),
    "unlike": _fine(
        "How unlike parties are",
        0.05,
        "0: all parties draw rows from the same law. 1: each sees one class only, and measures a bit off.",
    ),
    "careless": _fine("Careless parties", 0.05, "The share of parties whose labels are drawn at random."),
    "queries": _log(
        "Questions to PATE",
        12,
        "How many public rows the parties label with noise, if there are that many. Each spends some of the budget.",
        whole=True,
    ),
    "label_share": _log(
        "Labelled share",
        20,
        "Which part of the target's rows has a label. All of its rows count for the weights of the sources.",
    ),
    "similarity": _fine(
        "How alike the sources are",
        0.05,
        "0: what makes a label has nothing in common among the sources. 1: it is the same in all.",
    ),
    "source_rows": _log(
        "Labelled rows of a source", 12, "n_l, for the hypotheses. Twice the rows, half the noise.", whole=True
    ),
    "unlabelled_rows": _log(
        "Other rows of a source", 12, "n_ul, without labels, for the importance weights.", whole=True
    ),
    "lambda_lr": _log(
        "Lambda, hypotheses", 10, "Regularisation of the hypotheses. More of it needs less noise, and learns less."
    ),
    "lambda_iw": _log(
        "Lambda, weights",
        10,
        "Regularisation of the importance weights. More of it needs less noise, and makes them blunter.",
    ),
    **{
        f"weight_{place}": _fine(
            f"Target from source {place}",
            0.05,
            "Which part of the target comes from this source. The others give or take in proportion.",
        )
        for place in range(1, 9)
    },
    "person": _whole(
        "Person, row number",
        "Which of the private rows is meant. The arrow keys go from person to person; a click on a point does it too.",
    ),
    "person_x": _fine(
        "Outlier, across",
        0.02,
        "Where on the map the outlier stands: -1 is the left edge, 1 the right one. A click beside all points "
        "puts the outlier there.",
    ),
    "person_y": _fine(
        "Outlier, up", 0.02, "Where on the map the outlier stands: -1 is the lower edge, 1 the upper one."
    ),
    "label": _whole("Class, by its number", "Of which class the outlier, or the record, is."),
    "members": _whole("Members", "How many people a model is trained on, out of twice as many."),
    "minority": _log("Share of the minority", 20, "How many of the private rows belong to the smaller group."),
    "canaries": _log(
        "Canaries",
        10,
        "How many records are planted in the one training, each with a coin of its own for its class.",
        whole=True,
    ),
    "guessed": _log(
        "Share guessed",
        10,
        "For how many canaries the attacker guesses the coin: those they are surest of, at both ends. Chosen "
        "before the coins are seen.",
    ),
    "target": _fine("Target", 0.5, "What the measure is to reach. The pictures show from where on it does."),
    "tries": _whole(
        "Settings to try",
        "How many settings a search draws from ranges that are declared before anything is looked at.",
    ),
    "seeds": _whole(
        "Splits of the data",
        "On how many seeds everything is measured, each with rows and noise of its own. With 1, all answers are about "
        "this one split.",
    ),
    "seed": _whole("Seed", "Decides the split and all of the noise: the same seed gives the same numbers."),
}
