"""Measure how accurate the releases of many parties are, with fresh seeds.

    make bench ARGS=parties                    # after the timings
    python -m benchmarks.party_releases        # alone

The numbers are test accuracies in %, medians over eight seeds of the median over 20 repeats, at
epsilon 1 and the defaults of the page otherwise.

- *trusted*: a row for an aggregator, a shuffler or nobody that is trusted. The columns are the
  releases.
- *few parties*: a row for changes of the defaults. The columns are averaged weights with the
  constants and lambda as printed in the paper (*printed*) and with bounded weights (*bounded*),
  *PATE*, and federated averaging of ten rounds and of one (*10 rounds*, *1 round*).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.report import Line, Print, row
from pages.parties.settings import PartiesSettings

SEEDS = range(1000, 1008)
TRUST_MODELS = ("central", "shuffle", "local")
METHODS = ("average", "soft", "federated")
# Changes of the default settings.
CASES: Sequence[Mapping[str, Any]] = (
    {"parties": 10},
    {"parties": 30},
    {"parties": 30, "unlike": 0.8},
    {"dataset": "four", "parties": 30},
    {"dataset": "four", "parties": 100},
    {"dataset": "six", "parties": 100},
    {"dataset": "digits", "parties": 100},
)
AS_PRINTED = {"constants": "sharp", "regularisation": 1e-3}
_TRUST_WIDTHS = (12, 12, 12, 12)
_CASE_WIDTHS = (34, 12, 12, 12, 14, 14)


def median_accuracy(method: str, **changes: Any) -> float:
    """Return the median accuracy of a method over seeds and repeats, in %."""
    medians = []
    for seed in SEEDS:
        settings = PartiesSettings(epsilon=1.0).change(**changes).change(seed=seed)
        if method == "federated":
            released = settings.federation.train(settings.epsilon, range(settings.repeats))
        else:
            (task,) = settings.change(method=method).experiment.shown_sample()
            released = task.run()
        medians.append(np.median(released.accuracy_of(method)))
    return 100 * float(np.median(medians))


def print_trust(say: Print) -> list[Line]:
    """Print each release by who is trusted, and return whether more trust is never worse."""
    say(row(("trusted", *METHODS), _TRUST_WIDTHS))
    accuracies = {}
    for trust_model in TRUST_MODELS:
        cells = [trust_model]
        for method in METHODS:
            accuracy = median_accuracy(method, trust_model=trust_model)
            accuracies[trust_model, method] = accuracy
            cells.append(f"{accuracy:.1f}")
        say(row(cells, _TRUST_WIDTHS))
    lines = []
    for method in ("average", "federated"):
        values = [accuracies[trust_model, method] for trust_model in TRUST_MODELS]
        line = Line(
            asked=f"{method}: an aggregator at or above a shuffler at or above nobody",
            measured=", ".join(f"{value:.1f}" for value in values),
            met=values == sorted(values, reverse=True),
        )
        lines.append(line)
    return lines


def print_cases(say: Print) -> list[Line]:
    """Print releases of few parties, and return whether federated averaging is ahead on classes."""
    say(row(("few parties", "printed", "bounded", "PATE", "10 rounds", "1 round"), _CASE_WIDTHS))
    ahead = True
    for changes in CASES:
        accuracies = [
            median_accuracy("average", **changes, **AS_PRINTED),
            median_accuracy("average", **changes),
            median_accuracy("pate", **changes),
            median_accuracy("federated", **changes),
            median_accuracy("federated", **changes, rounds=1),
        ]
        name = ", ".join(f"{field} {value}" for field, value in changes.items())
        say(row([name, *(f"{accuracy:.1f}" for accuracy in accuracies)], _CASE_WIDTHS))
        *others, federated, _ = accuracies
        if changes.get("dataset") == "four":
            ahead = ahead and federated > max(others)
    measured = "not ahead"
    if ahead:
        measured = "ahead"
    line = Line(
        asked="federated averaging ahead on four classes, 30 and 100 parties",
        measured=measured,
        met=ahead,
    )
    return [line]


if __name__ == "__main__":
    for line in [*print_trust(print), *print_cases(print)]:
        print(line)
