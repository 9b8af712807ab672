"""The guarantee of the best of a random number of training runs."""

from dpcore.accountants import tuning
from dpcore.privacy import Adjacency, Composed, Guarantee


def best_of(run: Composed, law: str, tries: int, *, delta: float) -> Guarantee:
    """Return the guarantee of releasing only the best of a random number of runs.

    Args:
        run: the event of one run.
        law: the distribution of the number of runs, a key of ``LAWS``.
        tries: the mean number of runs.
    """
    return tuning.price(run, way=law, tries=tries, delta=delta, adjacency=Adjacency.ADD_REMOVE)
