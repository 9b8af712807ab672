"""Tasks of the accounting page: the cost of searches, and the epsilons that sweeps measure."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from dpcore.accountants import tuning
from dpcore.cache import CACHE
from dpcore.privacy import Adjacency, Composed, Guarantee
from lab.experiment.accounting_tasks import Price

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


@dataclass(frozen=True, kw_only=True)
class Costs:
    """The costs that sweeps measure. Each is computed when it is first read.

    run_price: the task of the cost of one run.
    search_price: the task of the cost of all runs together.
    """

    run_price: Price
    search_price: Price
    essential: bool = False

    def run(self) -> Self:
        """Return these costs, which are computed when they are read."""
        return self

    @property
    def epsilon(self) -> float:
        """Return the epsilon of the run."""
        return _epsilon(self.run_price)

    @property
    def tuned(self) -> float:
        """Return the epsilon of all runs together."""
        return _epsilon(self.search_price)


def _epsilon(price: Price) -> float:
    """Return the only epsilon that a task computes."""
    return float(np.ravel(CACHE.answer(price, price.run))[0])
