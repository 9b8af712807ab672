"""The vocabulary of sliders: what a field of a Settings is called on every page, and how its slider looks."""

from collections.abc import Mapping
from typing import Any


def _log(label: str, stops: int, says: str, **more: Any) -> dict[str, Any]:
    """A knob on a log scale, with so many stops in a decade."""
    return {"label": label, "scale": "log", "stops": stops, "help": says} | more


def _whole(label: str, says: str, **more: Any) -> dict[str, Any]:
    """A knob of whole numbers."""
    return {"label": label, "whole": True, "help": says} | more


def _fine(label: str, step: float, says: str, **more: Any) -> dict[str, Any]:
    """A knob with equal steps."""
    return {"label": label, "step": step, "help": says} | more


# Field of a Settings -> how its slider looks. Ranges come from the settings themselves.
KNOBS: Mapping[str, dict[str, Any]] = {
    "epsilon": _log(
        "Epsilon",
        40,
        "The privacy budget. One person's row changes the probability of any outcome by a factor of at most e to the "
        "epsilon, apart from delta. A larger epsilon means less noise and weaker privacy.",
        symbol="ε",
        low_note="more private",
        high_note="more accurate",
    ),
    "delta": _log(
        "Delta",
        10,
        "The probability that the guarantee leaves out. Keep it far below one over the number of people. A larger "
        "delta needs slightly less noise.",
        symbol="δ",
    ),
    "clip_norm": _log(
        "Clipping norm",
        20,
        "The longest gradient that one person may contribute. Longer ones are clipped. A larger norm clips fewer "
        "gradients, but the noise is proportional to it.",
        symbol="C",
    ),
    "steps": _whole(
        "Steps", "The number of gradient steps, T. Each step reads the data, so more steps need more noise in each."
    ),
    "learning_rate": _log("Learning rate", 20, "The length of a step. A larger rate learns and diverges sooner."),
    "public_rows": _whole(
        "Public examples",
        "Rows that need no protection. Private training starts from a model pre-trained on them. At 0 there is no "
        "pre-training.",
    ),
    "shift": _fine(
        "Distribution shift",
        0.05,
        "How far the public rows are moved away from the private ones, in each feature, in standard deviations. More "
        "shift makes pre-training less useful.",
        unit="sd",
    ),
    "public_steps": _whole(
        "Public steps", "The number of pre-training steps on public rows. They add no noise and cost no privacy."
    ),
    "repeats": _whole(
        "Repeats",
        "The number of models trained at each setting, each with fresh noise. More repeats give steadier figures.",
    ),
    "sensitivity": _log(
        "Sensitivity",
        20,
        "The most that one person can add to the number, 1 for a count. The noise is proportional to it.",
    ),
    "value": _whole(
        "Count without you", "The exact number without your row. With it the number is larger by the sensitivity."
    ),
    "prior": _fine(
        "Your prior",
        0.01,
        "The probability, before the release, that the person in question is in the data. A higher prior raises the "
        "posterior too.",
    ),
    "release": _whole("Sample #", "Which of the seeded releases is drawn. The arrow keys go forward and back."),
    "lead": _whole(
        "Lead of option A",
        "The number of votes by which A leads B without yours. A larger lead survives more noise.",
    ),
    "options": _whole(
        "Options", "The number of options in the vote. More options give more chances for a wrong winner."
    ),
    "sampling_rate": _log(
        "Sampling rate",
        20,
        "The probability that a row is in the batch of a step. At 1 every step uses all rows. A higher rate costs more "
        "privacy per step.",
        symbol="q",
    ),
    "noise_multiplier": _log(
        "Noise multiplier",
        40,
        "The standard deviation of the noise in each step, divided by the clipping norm. More noise costs less "
        "privacy.",
        low_note="more accurate",
        high_note="more private",
    ),
    "target_epsilon": _log(
        "Target epsilon",
        20,
        "The budget to aim at. The table shows the noise it needs and the steps it allows. A larger target needs less "
        "noise.",
    ),
    "people": _whole(
        "Group size",
        "The number of people (rows) in a group such as a household. Group privacy protects all of them at once, and "
        "a larger group has a larger epsilon.",
    ),
    "settings_tried": _whole(
        "Configurations tried",
        "The number of such runs on the same data, or its mean, before one is chosen. More runs cost more privacy.",
    ),
    "shown": _whole("Step shown", "Which step of the training the pictures show. Play it, or drag it to and fro."),
    "sources": _whole(
        "Public sources", "The number of public data sets that resemble the private one. More sources add more rows."
    ),
    "difference": _fine(
        "Source-target difference",
        0.1,
        "The L1 norm of the contrast (the target's coefficients minus the source's) for the farthest source. The "
        "others are nearer. At 0 all sources follow the target's distribution, and more difference makes them less "
        "useful.",
        symbol="L1",
    ),
    "h": _log(
        "Threshold h",
        20,
        "The largest contrast of a transferable source. The private correction may go this far, and its noise grows "
        "with it.",
    ),
    "q": _fine(
        "Norm q",
        0.05,
        "The norm that measures a contrast. 1 adds up its entries and 0 counts them. In between, a few large entries "
        "count less than many small ones.",
    ),
    "target_rows": _log(
        "Private rows",
        12,
        "The rows of the target, which are protected. More rows need less noise.",
        whole=True,
        symbol="n",
    ),
    "dimension": _whole(
        "Coefficients", "The number of features in a row. The noise and the error grow with it.", symbol="d"
    ),
    "penalty": _fine(
        "Penalty weight",
        0.005,
        "The weight of lambda ||w||_q next to the mean of squared residuals. It reads no private row and costs no "
        "privacy. A larger weight shrinks the coefficients.",
        symbol="λ",
    ),
    "loop_penalty": _fine(
        "Published penalty weight",
        0.02,
        "The penalty in the loop behind the published table. The slides do not state it. 0.1 reproduces their numbers.",
        symbol="λ",
    ),
    "migrated": _log(
        "Public rows transferred",
        12,
        "The number of public rows, over all sources. More rows reduce the noise but not the bias.",
        whole=True,
    ),
    "detection_share": _fine(
        "Budget share for detection",
        0.02,
        "The share of epsilon that finds the transferable sources where they are not known. The rest trains the model.",
    ),
    "rows": _log(
        "Rows",
        20,
        "The number of people in the training data. The more people, the smaller the noise per person.",
        whole=True,
    ),
    "features": _whole(
        "Features", "The number of features, in the order of the data set. Each additional feature needs more noise."
    ),
    "label_top": _fine(
        "Label clipping bound",
        5,
        "Labels above it count as the bound itself. A higher bound cuts off fewer labels and needs more noise.",
    ),
    "share": _fine(
        "Budget share for the quadratic",
        0.01,
        "The share of epsilon that protects the products of features. The rest protects their products with the label.",
    ),
    "draw": _whole("Run #", "Which run's noisy surface is drawn. The arrow keys go forward and back."),
    "lot_size": _log(
        "Expected batch size",
        20,
        "The mean number of rows in a step (a lot). Each row is drawn with probability L/n. Larger batches cost more "
        "privacy per step and average out more noise.",
        whole=True,
        symbol="L",
    ),
    "epochs": _whole(
        "Epochs", "The mean number of times that training reads a row. More epochs need more noise in each step."
    ),
    "layers": _whole("Hidden layers", "The number of hidden layers. At 0 the decision boundaries are straight."),
    "width": _whole(
        "Units per layer",
        "The number of units in a hidden layer. More units bend the boundaries more, and every weight gets noise.",
    ),
    "plain_rate": _log(
        "Non-private learning rate",
        20,
        "The learning rate of the non-private networks, whose gradients are not clipped. A larger rate learns and "
        "diverges sooner.",
    ),
    "decay": _log(
        "Final learning rate ratio",
        20,
        "The learning rate of the last step divided by that of the first. At 1 it stays the same.",
    ),
    "noise_ramp": _log(
        "Final noise ratio",
        20,
        "The noise multiplier of the last step divided by that of the first. At 1 it stays the same. The steps with "
        "the least noise cost most.",
    ),
    "clip_ramp": _log(
        "Final clipping norm ratio",
        20,
        "The clipping norm of the last step divided by that of the first. At 1 it stays the same. The noise is scaled "
        "with it, so privacy does not change.",
    ),
    "parties": _log(
        "Parties",
        12,
        "The number of parties. Each has its own rows and trains its own classifier. More parties need less noise.",
        whole=True,
        symbol="M",
    ),
    "regularisation": _log(
        "L2 regularisation",
        12,
        "The weight of the penalty (lambda/2)||w||^2. A larger penalty shortens the weights and needs less noise.",
        symbol="λ",
    ),
    "unlike": _fine(
        "Heterogeneity",
        0.05,
        "How much the parties' distributions differ. At 0 all parties draw rows from the same one (IID). At 1 each "
        "party sees one class only and measures with a bias.",
    ),
    "careless": _fine(
        "Parties with random labels",
        0.05,
        "The fraction of parties whose labels are drawn at random. The more there are, the worse the joint model.",
    ),
    "queries": _log(
        "PATE queries",
        12,
        "The number of public rows that the parties label with noise, as far as there are any. Each query costs "
        "privacy.",
        whole=True,
    ),
    "label_share": _log(
        "Labelled fraction",
        20,
        "The fraction of the target's rows with a label. All of its rows count for the weights of the sources. With "
        "more labels there is less to gain from sources.",
    ),
    "similarity": _fine(
        "Source similarity",
        0.05,
        "How similar the sources' labelling rules are. At 0 they have nothing in common, at 1 they are the same.",
    ),
    "source_rows": _log(
        "Labelled rows per source",
        12,
        "The rows from which a source learns its hypothesis. Twice the rows need half the noise.",
        whole=True,
    ),
    "unlabelled_rows": _log(
        "Unlabelled rows per source",
        12,
        "The rows from which a source learns its importance weights. More rows need less noise.",
        whole=True,
    ),
    "lambda_lr": _log(
        "L2 regularisation, hypotheses",
        10,
        "The penalty on the hypotheses' weights. A larger penalty needs less noise and learns less.",
        symbol="λ",
    ),
    "lambda_iw": _log(
        "L2 regularisation, weights",
        10,
        "The penalty on the importance weights. A larger penalty needs less noise and separates the sources less.",
        symbol="λ",
    ),
    **{
        f"weight_{place}": _fine(
            f"Mixture weight of source {place}",
            0.05,
            "The fraction of the target that comes from this source. The other weights change in proportion.",
        )
        for place in range(1, 9)
    },
    "person": _whole(
        "Person (row)",
        "The private row that is attacked. The arrow keys go from person to person, and a click on a point selects "
        "one.",
    ),
    "person_x": _fine(
        "Outlier x",
        0.02,
        "The horizontal position of the outlier on the map, from -1 (left edge) to 1. A click away from all points "
        "moves it there.",
    ),
    "person_y": _fine("Outlier y", 0.02, "The vertical position of the outlier on the map, from -1 (lower edge) to 1."),
    "label": _whole("Class number", "The class of the outlier, or of the record."),
    "members": _whole(
        "Training set size",
        "The number of people in a model's training data, out of twice as many. Smaller sets are memorised more.",
    ),
    "minority": _log(
        "Minority fraction",
        20,
        "The fraction of the private rows that belongs to the smaller group. A smaller group usually loses more "
        "accuracy.",
    ),
    "canaries": _log(
        "Canaries",
        10,
        "The number of records planted in the one training run, each with a random class. More canaries give a tighter "
        "lower bound.",
        whole=True,
    ),
    "guessed": _log(
        "Fraction guessed",
        10,
        "The fraction of canaries whose class the attacker guesses, those of which the attacker is surest. It is "
        "chosen before the classes are seen.",
    ),
    "target": _fine("Target", 0.5, "The value that the measure is to reach. The pictures show where it does."),
    "tries": _whole(
        "Configurations to try",
        "The number of configurations that a search draws from ranges declared in advance. More tries find a better "
        "one and cost more privacy.",
    ),
    "seeds": _whole(
        "Splits of the data",
        "The number of seeds on which everything is measured, each with its own rows and noise. With 1, all answers "
        "are about this one split.",
    ),
    "seed": _whole("Seed", "Decides the split and the noise. The same seed gives the same numbers."),
}


def in_sentence(name: str) -> str:
    """Return the label of a setting as it stands within a sentence, with its abbreviations as they are.

    >>> in_sentence("clip_norm"), in_sentence("regularisation"), in_sentence("queries")
    ('clipping norm', 'L2 regularisation', 'PATE queries')
    """
    first, _, rest = KNOBS[name]["label"].partition(" ")
    return f"{first.lower() if first[1:].islower() or len(first) == 1 else first} {rest}".strip()
