"""The orderings of two papers on generated data: medians of 20 repeats, and between what nine in
ten of them lie.

- *transfer* [wang2019]: right answers in 100 of hypothesis transfer and what it is compared with,
  over epsilon, with
  the page's own settings: 20 features, 5 sources of 800 + 1,000 rows, 75 labels, a target that is
  60 % of source 1 and 40 % of source 4.
- *parties* [hamm2016]: right answers in 100 of four releases, each private for a whole party, over
  1/epsilon, with the published constants and with exact ones, and of the vote over the number of
  parties. Four classes; the repeats draw the noise, and the world is the page's.

Nothing is timed. A line of the acceptance is met when the medians stand in the order that the paper
claims.
"""

import math
from functools import partial

import numpy as np

from benchmarks.report import Line, Outcome, Print, row
from pages.hypotheses.settings import HypothesesSettings
from pages.hypotheses.tasks import METHODS
from pages.parties.fits import fit_releases
from pages.parties.settings import PartiesSettings
from pages.parties.tasks import ReleaseAll

REPEATS = 20
BUDGETS = (0.1, 1.0, 3.0, 10.0, 100.0, math.inf)
PARTIES_AT = (0.1, 1.0, 3.0, 10.0, 100.0)
CROWDS = (20, 200, 2000, 20_000)
# Accuracy of the vote with noise: at most so far above guessing.
USELESS = 0.12
WIDTHS = (22, 17, 17, 17, 17, 17, 17)
_NAMES = {
    "transfer": "DPHTL",
    "average": "AVERAGE",
    "soft": "SOFT",
    "source": "SOURCE",
    "weak": "WEAK",
}

Found = dict[str, np.ndarray]


def transfer(epsilon: float, *, noise: str = "exponential") -> Found:
    """Method -> right answers (R,); and "error", the mean squared error of the hypothesis
    weights.
    """
    settings = HypothesesSettings(repeats=REPEATS).change(noise=noise)
    outcomes = [task.run() for task in settings.experiment.repeats_with(epsilon=epsilon).tasks]
    accuracy = np.concatenate([one.accuracy for one in outcomes]).T
    weights = np.concatenate([one.weights for one in outcomes])
    error = ((weights - np.array(settings.shares)) ** 2).mean(axis=1)
    return dict(zip(METHODS, accuracy, strict=True)) | {"error": error}


def releases(epsilon: float, **changes: object) -> Found:
    """Method -> right answers (R,) of what the parties release; and "alone", those of the parties
    one by one.
    """
    settings = PartiesSettings(repeats=REPEATS).change(**{"dataset": "four"} | changes)
    trial = ReleaseAll(
        mechanisms=settings.mechanisms, asked=settings.parties, epsilon=epsilon
    ).run()
    alone = fit_releases(settings.ensemble, settings.parties).accuracy
    return dict(zip(trial.methods, trial.accuracy, strict=True)) | {"alone": alone}


def spread(values: np.ndarray) -> str:
    """Median and nine in ten, in 100."""
    low, median, high = 100 * np.quantile(values, [0.05, 0.5, 0.95])
    return f"{median:.1f} ({low:.1f}-{high:.1f})"


def run(*, rounds: int, say: Print) -> Outcome:
    """All tables. The repeats decide, and there are no rounds."""
    del rounds
    return Outcome(lines=[*_transfer(say), *_parties(say), *_crowds(say)])


def _transfer(say: Print) -> list[Line]:
    heads = [_NAMES.get(name, name.upper()) for name in METHODS]
    lines = []
    for noise, budgets in (("exponential", BUDGETS), ("objective", (1.0, 3.0, 10.0))):
        say(f"  hypothesis transfer, noise: {noise}; right in 100, and the error of the weights")
        say(row(["epsilon", *heads], WIDTHS))
        found = {epsilon: transfer(epsilon, noise=noise) for epsilon in budgets}
        for epsilon, one in found.items():
            name = f"{epsilon:g} (error {np.median(one['error']):.4f})"
            say(row([name, *(spread(one[method]) for method in METHODS)], WIDTHS))
        if noise == "exponential":
            lines += _claims(found)
    return lines


def _claims(found: dict[float, Found]) -> list[Line]:
    middle = {
        epsilon: {name: 100 * np.median(values) for name, values in one.items()}
        for epsilon, one in found.items()
    }
    others = ("source", "average", "soft", "weak")
    lead = middle[10.0]["transfer"] - max(middle[10.0][name] for name in others)
    behind = [middle[epsilon]["transfer"] - middle[epsilon]["weak"] for epsilon in (0.1, 1.0)]
    left = middle[math.inf]["target"] - middle[math.inf]["transfer"]
    return [
        _line(
            "epsilon 10: DPHTL above SOURCE, AVERAGE, SOFT and WEAK",
            f"by {lead:.1f} in 100",
            lead > 0,
        ),
        _line(
            "epsilon 0.1 and 1: DPHTL below WEAK",
            "by {:.1f} and {:.1f} in 100".format(*behind),
            max(behind) < 0,
        ),
        _line("no noise: DPHTL within 3 in 100 of all labels", f"{left:.1f}", left < 3),
    ]


def _parties(say: Print) -> list[Line]:
    methods, lines = ("soft", "average", "vote", "pate", "alone"), []
    for constants in ("published", "sharp"):
        say(f"  1,000 parties, four classes, constants {constants}; right in 100 (guessing: 25)")
        say(row(["epsilon", *methods], WIDTHS[: 1 + len(methods)]))
        found = {epsilon: releases(epsilon, constants=constants) for epsilon in PARTIES_AT}
        for epsilon, one in found.items():
            say(
                row(
                    [f"{epsilon:g}", *(spread(one[name]) for name in methods)],
                    WIDTHS[: 1 + len(methods)],
                )
            )
        soft, average, vote = (
            100 * np.median(found[3.0][name]) for name in ("soft", "average", "vote")
        )
        what = f"epsilon 3, {constants}: soft labels above averages above the vote"
        lines.append(_line(what, f"{soft:.1f}, {average:.1f}, {vote:.1f}", soft > average > vote))
    return lines


def _crowds(say: Print) -> list[Line]:
    say(
        "  the vote over the number of parties, published constants; right in 100 (soft labels"
        " beside it)"
    )
    say(row(["epsilon", *(f"{count:,}" for count in CROWDS)], WIDTHS[: 1 + len(CROWDS)]))
    most = 0.0
    for epsilon in (1.0, 10.0):
        ask = partial(releases, epsilon, constants="published")
        found = [ask(parties=count) for count in CROWDS]
        for name in ("vote", "soft"):
            say(
                row(
                    [f"{epsilon:g}, {name}", *(spread(one[name]) for one in found)],
                    WIDTHS[: 1 + len(CROWDS)],
                )
            )
        most = max(most, *(float(np.median(one["vote"])) for one in found))
    what = (
        f"the vote with noise at most {100 * USELESS:.0f} in 100 above guessing, however many"
        " parties"
    )
    return [_line(what, f"at most {100 * (most - 0.25):.1f} above", most <= 0.25 + USELESS)]


def _line(asked: str, measured: str, met: bool) -> Line:
    return Line(asked=asked, measured=measured, met=bool(met))
