"""The two neighbouring data sets of the attack on one person."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpcore.cache import cached
from dpcore.privacy import Adjacency
from dpcore.training import losses
from lab.data import classification as data
from lab.statistics.decision_regions import Plane, usual_plane


class Rows(NamedTuple):
    """Inputs with the constant (n, p), and classes (n,)."""

    X: np.ndarray
    y: np.ndarray


class Person(NamedTuple):
    """Features (d,) and class of the target person."""

    features: np.ndarray
    label: int


@cached
def map_plane(dataset: str, seed: int) -> Plane:
    """Return the plane of the map: two features, or two principal directions of public rows."""
    split = data.load(dataset, seed=seed)
    return usual_plane(split.X_public, names=split.source.features, bounds=split.source.bounds)


def features_at(plane: Plane, x: float, y: float) -> np.ndarray:
    """Return the features (d,) at a place of the map, cut to their public bounds.

    x, y: from -1 to 1, which are the edges of the map.
    """
    (a_low, a_high), (b_low, b_high) = plane.extent
    a = a_low + (x + 1) / 2 * (a_high - a_low)
    b = b_low + (y + 1) / 2 * (b_high - b_low)
    return np.clip(plane.inputs(np.array([a, b])), -1, 1)


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """Two data sets that differ in the row ``person``.

    The second one has it with the next class under replace-one adjacency. Under add/remove it has
    nobody in this place.

    who: "row" if the first one has that private row, "outlier" if it has another in its place.
    person_x, person_y, label: the outlier's place on the map, and its class.
    """

    dataset: str
    seed: int
    who: str
    person: int
    person_x: float
    person_y: float
    label: int
    adjacency: str

    @property
    def target(self) -> Person:
        """Return the target person."""
        if self.who == "outlier":
            plane = map_plane(self.dataset, self.seed)
            return Person(features_at(plane, self.person_x, self.person_y), self.label)
        split = data.load(self.dataset, seed=self.seed)
        return Person(split.X_private[self.person], int(split.y_private[self.person]))

    @cached
    def data_sets(self) -> tuple[Rows, Rows]:
        """Return the private rows with the target person, and without."""
        split = data.load(self.dataset, seed=self.seed)
        target = self.target
        X = losses.with_constant(split.X_private)
        y = np.array(split.y_private)
        X[self.person, :-1] = target.features
        y[self.person] = target.label
        other_X = X.copy()
        other_y = y.copy()
        if self.adjacency == Adjacency.ADD_REMOVE:
            # A row of zeros has the gradient 0, and the mean is still over all rows.
            other_X[self.person] = 0
        else:
            other_y[self.person] = (target.label + 1) % split.n_classes
        return Rows(X, y), Rows(other_X, other_y)
