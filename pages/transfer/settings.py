"""Settings of the transfer page: their ranges, the data and models, and the guarantees."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from dpcore.privacy import Adjacency, Guarantee
from dpcore.training.polytopes import NORMS
from lab.data.transfer_worlds import NARROWEST, RADIUS
from lab.experiment.settings import Settings
from pages.transfer.model import Data, Model
from pages.transfer.plane import POLYTOPES

NOISES = {"gumbel": "Gumbel", "laplace": "Laplace", "printed": "Laplace, as published"}
SELECTIONS = {"known": "Sources known", "detected": "Sources detected privately"}
# Range of the number of coefficients.
_DIMENSIONS = (2, 500)
# Most private rows times coefficients, which decide how long a run takes.
_MOST_CELLS = 250_000


@dataclass(frozen=True, kw_only=True)
class TransferSettings(Settings):
    """Settings of private regression with public sources [zhang2022].

    Raises RefusedError, with the name of the field, if a value is not allowed.

    epsilon, delta: the guarantee. Epsilon is nominal for the printed noise.
    sources: number K of public sources.
    difference: L1 norm of the largest contrast between a source and the target.
    h: sources whose contrast has at most this norm are transferable, and the private correction of
        the sources goes as far.
    q: exponent of the norm of a contrast; 0 counts its entries.
    target_rows: number n of private rows.
    dimension: number d of coefficients.
    migrated: number of public rows of all sources together.
    detection_share: share of the budget for detecting the sources.
    penalty, penalty_q: lambda and q of the penalty lambda ||w||_q, which is added to the mean of
        squares. It is squared for q = 2.
    repeats: number R of models per candidate and case.
    seed: of all rows, and of the noise.
    selection: whether the transferable sources are "known", or "detected" privately.
    noise: "gumbel" for the exponential mechanism, "laplace", or "printed" for Laplace noise with
        the published scale.
    adjacency: "replace-one" or "add/remove".
    polytope: the polytope of the runs in the plane.
    """

    EXPERIMENT: ClassVar = "pages.transfer.experiment.TransferExperiment"
    CHOICES: ClassVar = {
        "selection": SELECTIONS,
        "noise": NOISES,
        "adjacency": list(Adjacency),
        "polytope": POLYTOPES,
        "penalty_q": NORMS,
    }
    LIMITS: ClassVar = {
        "epsilon": (0.05, 50.0),
        "delta": (1e-9, 1e-2),
        "sources": (1, 12),
        "difference": (0.0, 4.0),
        "h": (0.02, 20.0),
        "q": (0.0, 1.0),
        "target_rows": (100, 5000),
        "dimension": _DIMENSIONS,
        "migrated": (24, 15_000),
        "detection_share": (0.02, 0.9),
        "penalty": (0.0, 0.5),
        "repeats": (2, 40),
        "seed": (0, 9999),
    }
    TUNED: ClassVar = {"h": (0.05, 5.0), "detection_share": (0.05, 0.5)}
    PEOPLE: ClassVar = "target_rows"

    epsilon: float = 0.5
    delta: float = 1e-6
    sources: int = 6
    difference: float = 1.6
    h: float = 0.7
    q: float = 1.0
    target_rows: int = 1000
    dimension: int = 20
    migrated: int = 2500
    detection_share: float = 0.2
    penalty: float = 0.0
    repeats: int = 24
    seed: int = 3
    selection: str = "known"
    noise: str = "gumbel"
    adjacency: str = "replace-one"
    polytope: str = "diamond"
    penalty_q: str = "1"

    # Ranges

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``, and fewer coefficients if rows need the room."""
        if "target_rows" in changes and "dimension" not in changes:
            most = _most_coefficients(changes["target_rows"])
            changes["dimension"] = min(self.dimension, most)
        return replace(self, **changes)

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the range of each field. That of the dimension depends on the private rows."""
        limits = dict(self.LIMITS)
        fewest, _ = _DIMENSIONS
        limits["dimension"] = (fewest, _most_coefficients(self.target_rows))
        return limits

    @property
    def tuned(self) -> Mapping[str, tuple[float, float]]:
        """Return the tuning range of h and, if sources are detected, of ``detection_share``."""
        ranges = super().tuned
        if self.selection == "detected":
            return ranges
        return {"h": ranges["h"]}

    # The data, the models and their guarantees

    @property
    def radius(self) -> float:
        """Return the L1 radius of the correction, which reaches every transferable contrast.

        ||v||_1 <= ||v||_q for q in (0, 1]. For q = 0, it is that of h entries of the largest size.
        """
        radius = self.h
        if self.q == 0:
            radius = self.h * self.difference / NARROWEST
        least, _ = self.LIMITS["h"]
        return min(max(radius, least), RADIUS)

    @property
    def data(self) -> Data:
        return self.subset(Data, rows=self.target_rows)

    @cached_property
    def model(self) -> Model:
        """Return the model, which is the same at all epsilons."""
        detection_share = 0.0
        if self.selection == "detected":
            detection_share = self.detection_share
        return self.subset(Model, detection_share=detection_share)

    @property
    def guarantee(self) -> Guarantee | None:
        """Return the guarantee of the transfer."""
        return self.guarantee_of("transfer")

    def guarantee_of(self, name: str) -> Guarantee:
        """Return the guarantee of a candidate that Frank-Wolfe trains."""
        return self.model.guarantee(name, self.epsilon)


def _most_coefficients(rows: object) -> int:
    """Return the largest number of coefficients for a number of rows, which may be unchecked."""
    fewest, most = _DIMENSIONS
    if not isinstance(rows, int):
        return most
    return int(np.clip(_MOST_CELLS // max(rows, 1), fewest, most))
