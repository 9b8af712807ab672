"""Search default settings for a page and data set, on other seeds and splits than the page shows.

    python -m scripts.starts network digits --epsilon 1 --tries 60

Each try is a random configuration within the ``tuned`` ranges of the page. Its score is the median
of a few runs at each search seed. Printed are the best tries, and then the present default and the
best try at the seed of the page.
"""

import argparse
import sys
from typing import Any

import numpy as np

from lab.experiment.settings import Settings
from lab.sweeps.measurement import shown
from lab.sweeps.sweep import sample_settings
from pages.topics import PAGES

SEARCH_SEEDS = (101, 102, 103)
RUNS = 8
BEST = 5


def median(settings: Settings, measure: str) -> float:
    """Return the median of a measure over the runs of a page."""
    return float(np.median(shown(settings, measure)))


def score(settings: Any, measure: str) -> float:
    """Return the mean over the search seeds of the median."""
    medians = []
    for seed in SEARCH_SEEDS:
        medians.append(median(settings.change(seed=seed, repeats=RUNS), measure))
    return float(np.mean(medians))


def main() -> int:
    """Print the best configurations."""
    options = read_options()
    page = next(page for page in PAGES if page.name == options.page)
    start = page.settings().change(dataset=options.dataset)
    if options.epsilon is not None:
        start = start.change(epsilon=options.epsilon)
    measure = start.experiment.compared

    scored = []
    for settings in sample_settings(start, tries=options.tries, ranges=start.tuned):
        scored.append((score(settings, measure), settings))
    higher_is_better = start.experiment.measures[measure].better == "higher"
    scored.sort(key=lambda pair: pair[0], reverse=higher_is_better)

    print(
        f"{options.page}, {options.dataset}, epsilon {start.epsilon:g}: {measure} on seeds"
        f" {SEARCH_SEEDS}; today {score(start, measure):.3g}"
    )
    for value, settings in scored[:BEST]:
        tuned = {name: getattr(settings, name) for name in start.tuned}
        print(f"{value:.3g}", tuned)
    _, best = scored[0]
    print(
        f"page's own seed {start.seed}: today {median(start, measure):.3g}, best"
        f" {median(best, measure):.3g}"
    )
    return 0


def read_options() -> argparse.Namespace:
    """Read the options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("page")
    parser.add_argument("dataset")
    parser.add_argument("--epsilon", type=float)
    parser.add_argument("--tries", type=int, default=60)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
