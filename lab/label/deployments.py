"""Releases in use elsewhere: what each protects, who adds its noise, and its best attacker, from a
public registry.

The facts in ``sample_data/deployments.csv`` are those of OpenDP's deployments registry;
``sample_data/README.md`` says of which day, and under which licence.
"""

import csv
import math
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path

from dpcore.accountants import account
from dpcore.accountants.attacker import Attacker, best_attacker
from dpcore.privacy import Adjacency, ApproximateRelease, GaussianRelease, Guarantee, PureRelease

FILE = Path(__file__).parents[2] / "sample_data" / "deployments.csv"
PERSON, CENTRAL, LOCAL, SHUFFLE = "person", "Central", "Local", "Shuffle"
# Registered units that are all of one person's data, in one release or over all of them.
_PERSONS = frozenset({"User-level", "Person-level", "Person-level; housing-unit-level"})
# The delta at which the guarantee of a record with rho is stated; the attacker does not depend on
# it.
_DELTA = 1e-10


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """A record as it stands in the registry, in texts; a parameter that is not published is
    empty.
    """

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
        """Return the unit of privacy in words: a "person", or less than that, such as
        "user-day".
        """
        return PERSON if self.unit in _PERSONS else self.unit.removesuffix("-level").lower()

    @property
    def parameters(self) -> dict[str, float]:
        """Return the parameters of the variant: rho of zCDP, else epsilon and delta."""
        names = ("rho",) if self.rho else ("epsilon", "delta")
        return {name: float(text) for name in names if (text := getattr(self, name))}

    @property
    def guarantee(self) -> Guarantee:
        """Return the record's guarantee.

        Only epsilon and delta are known of a release that states them. A rho is read as that of
        Gaussian noise, whose multiplier is 1 / sqrt(2 rho) [bun2016, Proposition 1.6].
        """
        told, count = self.parameters, partial(account, adjacency=Adjacency.REPLACE_ONE)
        if "rho" in told:
            return count(
                GaussianRelease(noise_multiplier=1 / math.sqrt(2 * told["rho"])), delta=_DELTA
            )
        event = ApproximateRelease(**told) if "delta" in told else PureRelease(**told)
        return count(event, delta=told.get("delta", 0.0), accountant="naive")

    @cached_property
    def attacker(self) -> Attacker:
        """Return the best attacker that the record allows."""
        return best_attacker(self.guarantee)

    def like(self, unit: str, model: str = CENTRAL) -> bool:
        """Return whether the record protects this unit with this deployment model."""
        return (self.protects, self.model) == (unit, model)


def model_of(trust: str) -> str:
    """Return the deployment model of a label that says this of who is trusted."""
    return (
        LOCAL
        if trust.startswith("nobody: each")
        else SHUFFLE
        if trust.startswith("the shuffler")
        else CENTRAL
    )


@cache
def deployments() -> tuple[Deployment, ...]:
    """Return the records, those with the least accurate attacker first."""
    records = csv.DictReader(FILE.read_text("utf-8").splitlines())
    return tuple(sorted((Deployment(**row) for row in records), key=lambda one: one.attacker.right))
