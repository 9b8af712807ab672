"""What [hamm2016] state of a release, with the published constants, beside what is measured of
today's run.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dpcore.parties import aggregation
from pages.parties import published_bounds, tasks
from pages.parties.result import PartiesResult

# Half of what a bound may fail in, for the noise and for the rows.
FAILURE = 0.05


class Statement(NamedTuple):
    """A bound with the published constants, and the largest measured of what it bounds: NaN where
    nothing is.

    useless: from what value on the bound says less than is known without it.
    """

    name: str
    release: str
    bound: float
    measured: float = math.nan
    useless: float = math.inf

    @property
    def holds(self) -> bool | None:
        """Return whether the bound holds; None where nothing is measured."""
        return (
            None
            if math.isnan(self.measured) or math.isnan(self.bound)
            else self.measured <= self.bound * (1 + 1e-9)
        )

    @property
    def vacuous(self) -> bool:
        return self.bound >= self.useless


def theorems(result: PartiesResult) -> Iterator[Statement]:
    """Yield sensitivities, the length of the noise, excess risks, and what a public row that may
    change costs.
    """
    moved = (
        result.moved()
        .set_index("release")[["largest of the parties tried", "all rows tied"]]
        .max(axis=1)
    )
    # Minimisers are no longer than B, so no two lie further apart than 2 B
    apart = 2 * aggregation.norm_bound(result.ensemble.classes, result.ensemble.regularisation)
    for release in ("vote", "soft", "average"):
        if release in result.methods:
            bound = result.sensitivity(release, published=True)
            yield Statement(
                "sensitivity", release, bound, float(moved.get(release, math.nan)), apart
            )
    for release in ("vote", "soft"):
        noise = result.now.models(release) - result.fits.weights[release]
        longest = published_bounds.longest_noise(
            result.sensitivity(release),
            dimensions=result.dimensions,
            epsilon=result.settings.epsilon,
            failure=FAILURE / result.settings.repeats,  # of all repeats together
        )
        lengths = np.linalg.norm(noise.reshape(len(noise), -1), axis=1)
        yield Statement("noise", release, longest, float(lengths.max()))
    for release in ("vote", "soft"):
        # Weights of 0 know nothing, need no party, and have this loss
        useless, two = math.log(result.ensemble.classes), result.ensemble.classes == 2
        bound = sum(result.theorem(release).values()) if two else math.nan
        excess = tasks.excess(result.ensemble, result.now.models(release), result.asked, release)
        yield Statement("risk", release, bound, float(np.quantile(excess, 1 - FAILURE)), useless)
    for release in ("vote", "soft"):
        sizes = {
            "parties": result.ensemble.parties,
            "public_rows": result.ensemble.crowd.public_rows,
        }
        yield Statement("public row", release, published_bounds.auxiliary_factor(release, **sizes))
