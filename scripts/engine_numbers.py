"""Write numbers of the engine and of each topic's runs, to compare two versions of the code.

    python -m scripts.engine_numbers write before.json
    python -m scripts.engine_numbers write after.json
    python -m scripts.engine_numbers compare before.json after.json

The file holds the epsilons of random events by every accountant, the estimators fitted to random
rows, and the first sampled runs of every page at its default settings. Numbers are in hexadecimal,
so that a comparison covers the last bit.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dpcore import accountants
from dpcore.estimators.linear import DPLinearRegression
from dpcore.estimators.logistic import DPLogisticRegression
from dpcore.estimators.network import DPNetworkClassifier
from dpcore.estimators.sparse import DPFrankWolfeRegressor
from dpcore.privacy import (
    Adjacency,
    ApproximateRelease,
    Composed,
    Event,
    GaussianRelease,
    LaplaceRelease,
    PoissonSampled,
    PureRelease,
    UnsupportedEventError,
)
from lab.sweeps.measurement import measured
from pages.topics import PAGES

EVENTS = 40
COUNTS = (1, 10, 500)
DELTA = 1e-5
ROWS = 300
RUNS = 4


def random_event(rng: np.random.Generator) -> Event:
    """Return a release of a random kind, composed with itself a few times."""
    noise_multiplier = float(10 ** rng.uniform(-0.3, 1.5))
    epsilon = float(10 ** rng.uniform(-2, 0.5))
    releases = [
        GaussianRelease(noise_multiplier=noise_multiplier),
        LaplaceRelease(noise_multiplier=noise_multiplier),
        PureRelease(epsilon=epsilon),
        ApproximateRelease(epsilon=epsilon, delta=1e-9),
        PoissonSampled(
            rate=float(rng.uniform(0.001, 0.5)),
            event=GaussianRelease(noise_multiplier=noise_multiplier),
        ),
    ]
    release = releases[rng.integers(len(releases))]
    return Composed(event=release, count=int(rng.integers(1, 20)))


def accounted() -> Iterator[tuple[str, np.ndarray]]:
    """Yield the epsilons of random events, by accountant and adjacency."""
    rng = np.random.default_rng(1)
    for index in range(EVENTS):
        event = random_event(rng)
        for adjacency in Adjacency:
            for name in accountants.ACCOUNTANTS:
                try:
                    epsilons = accountants.curve(
                        event, COUNTS, delta=DELTA, adjacency=adjacency, accountant=name
                    )
                except UnsupportedEventError:
                    continue
                yield f"accountant {name}, {adjacency}, event {index}", epsilons


def fitted() -> Iterator[tuple[str, np.ndarray]]:
    """Yield the coefficients of each estimator, fitted to random rows."""
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, (ROWS, 3))
    score = X @ [1.0, -0.5, 0.25] + rng.normal(scale=0.2, size=ROWS)
    classes = (score > 0).astype(int)
    numbers = np.clip(score, -1, 1)
    for epsilon in (0.5, 5.0):
        for kind in (DPLogisticRegression, DPNetworkClassifier):
            model = kind(epsilon=epsilon, classes=[0, 1], random_state=3).fit(X, classes)
            yield f"{kind.__name__}, epsilon {epsilon}", model.predict_proba(X)
        for kind in (DPLinearRegression, DPFrankWolfeRegressor):
            model = kind(epsilon=epsilon, random_state=3).fit(X, numbers)
            yield f"{kind.__name__}, epsilon {epsilon}", model.predict(X)


def sampled() -> Iterator[tuple[str, np.ndarray]]:
    """Yield every measure of the first runs of each page, at its default settings."""
    for page in PAGES:
        settings = page.settings()
        for measure in settings.experiment.measures:
            runs = measured(settings, measure=measure, repeats=RUNS)
            yield f"{page.name}, {measure}", runs


def exact(numbers: np.ndarray) -> list[str]:
    """Return numbers in hexadecimal."""
    return [float(number).hex() for number in np.ravel(numbers)]


def write(file: Path) -> None:
    """Write all numbers by name, and say how many there are."""
    written = {}
    for name, numbers in (*accounted(), *fitted(), *sampled()):
        written[name] = exact(numbers)
    file.write_text(json.dumps(written, indent=1), "utf-8")
    count = sum(len(numbers) for numbers in written.values())
    print(f"{len(written):,} names, {count:,} numbers")


def compare(before: Path, after: Path) -> int:
    """Print the names whose numbers differ. Return 1 if any do, else 0."""
    old = json.loads(before.read_text("utf-8"))
    new = json.loads(after.read_text("utf-8"))
    differing = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    for name in differing:
        print(name)
    print(f"{len(differing):,} of {len(old):,} names differ")
    return int(bool(differing))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("write").add_argument("file", type=Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.command == "write":
        write(given.file)
        return 0
    return compare(given.before, given.after)


if __name__ == "__main__":
    sys.exit(main())
