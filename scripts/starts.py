"""Search default settings for a page and data set, on other seeds and splits than the page shows.

    python -m scripts.starts network digits --epsilon 1 --tries 60

Each try is a random configuration within the ``tuned`` ranges of the page. Its score is the median
of a few runs at each search seed. Printed are the best tries, and then the present default and the
best try at the seed of the page.
"""

import argparse
import sys

import numpy as np

from lab.experiment.settings import Settings
from lab.sweeps.measurement import shown
from lab.sweeps.sweep import sample_settings
from pages.topics import PAGES

SEEDS, RUNS = (101, 102, 103), 8


def median(settings: Settings, measure: str) -> float:
    """The median of a measure over the runs of a page."""
    return float(np.median(shown(settings, measure)))


def main() -> int:
    """Print the best configurations."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("page")
    parser.add_argument("dataset")
    parser.add_argument("--epsilon", type=float)
    parser.add_argument("--tries", type=int, default=60)
    given = parser.parse_args()
    page = next(page for page in PAGES if page.name == given.page)
    start = page.settings().change(dataset=given.dataset)
    start = start.change(epsilon=given.epsilon) if given.epsilon else start
    measure, scores = start.experiment.compared, []
    for one in sample_settings(start, tries=given.tries, ranges=start.tuned):
        each = [median(one.change(seed=seed, repeats=RUNS), measure) for seed in SEEDS]
        scores.append((float(np.mean(each)), one))
    better = start.experiment.measures[measure].better == "higher"
    scores.sort(key=lambda one: one[0], reverse=better)
    usual = np.mean([median(start.change(seed=seed, repeats=RUNS), measure) for seed in SEEDS])
    print(
        f"{given.page}, {given.dataset}, epsilon {start.epsilon:g}: {measure} on seeds {SEEDS};"
        f" today {usual:.3g}"
    )
    for score, one in scores[:5]:
        print(f"{score:.3g}", {name: getattr(one, name) for name in start.tuned})
    best = scores[0][1]
    print(
        f"page's own seed {start.seed}: today {median(start, measure):.3g}, best"
        f" {median(best, measure):.3g}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
