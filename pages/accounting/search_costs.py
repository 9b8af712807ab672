"""Tasks of the accounting page: the cost of a search that releases only its best run."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore.accountants import tuning
from dpcore.privacy import Adjacency, Composed, Guarantee

# Mean numbers of tries at which the curves of searches are computed.
TRIES = (1, 2, 3, 5, 8, 13, 20, 35, 60, 100)


def best_of(run: Composed, law: str, tries: int, *, delta: float) -> Guarantee:
    """Return the guarantee of releasing only the best of a random number of runs.

    Args:
        run: the event of one run.
        law: the distribution of the number of runs, a key of ``LAWS``.
        tries: the mean number of runs.
    """
    return tuning.price(run, way=law, tries=tries, delta=delta, adjacency=Adjacency.ADD_REMOVE)


@dataclass(frozen=True, kw_only=True)
class SearchCosts:
    """Epsilon (N,) of the best alone of a random number of runs, whose mean is each of ``TRIES``.

    run_event: the event of one run.
    law: the distribution of the number of runs.
    """

    run_event: Composed
    law: str
    delta: float
    essential: bool = False
    shape: ClassVar = (len(TRIES),)

    def run(self) -> np.ndarray:
        """Return the epsilon (N,) for each mean number of runs."""
        epsilons = []
        for tries in TRIES:
            guarantee = best_of(self.run_event, self.law, tries, delta=self.delta)
            epsilons.append(guarantee.epsilon)
        return np.array(epsilons)
