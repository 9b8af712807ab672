"""Deployments of differential privacy in use elsewhere, with the best attacker of each.

The facts in ``sample_data/deployments.csv`` are those of OpenDP's deployments registry;
``sample_data/README.md`` says of which day, and under which licence.
"""

import csv
import math
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from dpcore.accountants import account
from dpcore.accountants.attacker import Attacker, best_attacker
from dpcore.privacy import Adjacency, ApproximateRelease, GaussianRelease, Guarantee, PureRelease

FILE = Path(__file__).parents[2] / "sample_data" / "deployments.csv"
PERSON = "person"
CENTRAL = "Central"
LOCAL = "Local"
SHUFFLE = "Shuffle"
# Registered units that are all of one person's data, in one release or over all of them.
_PERSONS = frozenset({"User-level", "Person-level", "Person-level; housing-unit-level"})
# The delta at which the guarantee of a record with rho is stated; the attacker does not depend on
# it.
_DELTA = 1e-10


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """A record of the registry, in texts; a parameter that is not published is empty."""

    record: str
    name: str
    curators: str
    published: str
    variant: str
    unit: str
    model: str
    product: str
    release: str
    epsilon: str
    delta: str
    rho: str
    state: str
    source: str

    @property
    def protects(self) -> str:
        """Return the unit of privacy in words, "person" or less than that, such as "user-day"."""
        if self.unit in _PERSONS:
            return PERSON
        return self.unit.removesuffix("-level").lower()

    @property
    def parameters(self) -> dict[str, float]:
        """Return the published parameters, rho of zCDP, or else epsilon and delta."""
        if self.rho:
            return {"rho": float(self.rho)}
        parameters = {}
        if self.epsilon:
            parameters["epsilon"] = float(self.epsilon)
        if self.delta:
            parameters["delta"] = float(self.delta)
        return parameters

    @property
    def guarantee(self) -> Guarantee:
        """Return the record's guarantee.

        Only epsilon and delta are known of a release that states them. A rho is read as that of
        Gaussian noise, whose multiplier is 1 / sqrt(2 rho) [bun2016, Proposition 1.6].
        """
        adjacency = Adjacency.REPLACE_ONE
        parameters = self.parameters
        if "rho" in parameters:
            noise_multiplier = 1 / math.sqrt(2 * parameters["rho"])
            gaussian = GaussianRelease(noise_multiplier=noise_multiplier)
            return account(gaussian, delta=_DELTA, adjacency=adjacency)
        event: ApproximateRelease | PureRelease
        if "delta" in parameters:
            event = ApproximateRelease(**parameters)
        else:
            event = PureRelease(**parameters)
        delta = parameters.get("delta", 0.0)
        return account(event, delta=delta, adjacency=adjacency, accountant="basic")

    @cached_property
    def attacker(self) -> Attacker:
        """Return the best attacker that the record allows."""
        return best_attacker(self.guarantee)

    def like(self, unit: str, model: str = CENTRAL) -> bool:
        """Return whether the record protects this unit with this deployment model."""
        return (self.protects, self.model) == (unit, model)


def model_of(trust: str) -> str:
    """Return the deployment model of a label with this text on who is trusted."""
    if trust.startswith("nobody: each"):
        return LOCAL
    if trust.startswith("the shuffler"):
        return SHUFFLE
    return CENTRAL


@cache
def deployments() -> tuple[Deployment, ...]:
    """Return the records, those with the least accurate attacker first."""
    rows = csv.DictReader(FILE.read_text("utf-8").splitlines())
    records = [Deployment(**row) for row in rows]
    return tuple(sorted(records, key=lambda record: record.attacker.right))
