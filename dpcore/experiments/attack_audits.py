"""The audit table: every mechanism of the lab, sound, as published and broken on purpose, attacked many times.

Each audit has a claim, the worst neighbours that are known for the mechanism, and the best known score. Its bound is
measured (``dpcore.audit``); it refutes the claim or it does not. That it does not is no proof of anything.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from dpcore import audit
from dpcore.experiments import attack_targets as targets
from dpcore.privacy import Adjacency, ApproximateRelease, Guarantee, LowerBound

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE
CONFIDENCE = 0.99


@dataclass(frozen=True, kw_only=True)
class Audit:
    """One row of the table.

    family: which part of the lab. what: the mechanism, or what is wrong with it. worlds: (runs, seed) -> scores with
    and without. sound: whether the claim is believed to hold. form: "gaussian" only for mechanisms whose noise is
    Gaussian, or for choices that are many and even. runs: in each world, on the page; at_once: in one slice of work.
    """

    family: str
    what: str
    sound: bool
    epsilon: float
    worlds: Callable[[int, int], tuple[np.ndarray, np.ndarray]]
    delta: float = 0.0
    adjacency: Adjacency = REPLACE
    form: audit.Form = "count"
    runs: int = 10_000
    at_once: int = 100_000

    @property
    def claim(self) -> Guarantee:
        return Guarantee(
            epsilon=self.epsilon,
            delta=self.delta,
            adjacency=self.adjacency,
            unit="record",
            basis="claimed",
            event=ApproximateRelease(epsilon=self.epsilon, delta=self.delta),
        )

    def bound(self, scores: tuple[np.ndarray, np.ndarray]) -> LowerBound:
        """The epsilon that scores with and without show."""
        return audit.epsilon_lower_bound(
            *scores, delta=self.delta, adjacency=self.adjacency, confidence=CONFIDENCE, form=self.form
        )

    def audited(self, *, runs: int, seed: int) -> LowerBound:
        """The epsilon that this many runs in each world show."""
        return self.bound(self.worlds(runs, seed))


def _classifier(what: str, *, sound: bool, runs: int = 2000, **how: Any) -> Audit:
    worlds = targets.classifier(epsilon=1.0, delta=1e-5, **how)
    return Audit(
        family="classifier",
        what=what,
        sound=sound,
        epsilon=1.0,
        delta=1e-5,
        worlds=worlds,
        form="gaussian",
        runs=runs,
        at_once=250,
    )


def _lots(what: str, *, sound: bool, variant: str, runs: int = 2000, **how: Any) -> Audit:
    worlds = targets.lots(variant, **how)
    return Audit(
        family="DP-SGD",
        what=what,
        sound=sound,
        epsilon=targets.LOTS_EPSILON,
        delta=targets.LOTS_DELTA,
        adjacency=ADD,
        worlds=worlds,
        runs=runs,
        at_once=200,
    )


def _walk(what: str, *, sound: bool, **how: Any) -> Audit:
    worlds = targets.walk(epsilon=4.0, delta=1e-5, **how)
    return Audit(
        family="Frank-Wolfe",
        what=what,
        sound=sound,
        epsilon=4.0,
        delta=1e-5,
        worlds=worlds,
        form="gaussian",
        runs=2500,
        at_once=1250,
    )


def _regression(what: str, *, sound: bool, worlds: Callable, epsilon: float, **more: Any) -> Audit:
    return Audit(family="regression", what=what, sound=sound, epsilon=epsilon, worlds=worlds, **more)


# Key -> audit, in the order of the table.
AUDITS: Mapping[str, Audit] = MappingProxyType(
    {
        "laplace": Audit(family="Laplace", what="sound", sound=True, epsilon=1.0, worlds=targets.laplace(1.0)),
        "laplace half": Audit(
            family="Laplace",
            what="half of the noise",
            sound=False,
            epsilon=1.0,
            worlds=targets.laplace(1.0, factor=0.5),
        ),
        "laplace l2": Audit(
            family="Laplace",
            what="16 numbers, noise for the L2 norm",
            sound=False,
            epsilon=2.0,
            worlds=targets.laplace(2.0, coordinates=16, factor=0.25),
        ),
        "gaussian": Audit(
            family="Gaussian",
            what="sound, exact calibration",
            sound=True,
            epsilon=1.0,
            delta=1e-5,
            form="gaussian",
            worlds=targets.gaussian(1.0, delta=1e-5),
        ),
        "gaussian classical": Audit(
            family="Gaussian",
            what="textbook formula at epsilon 15",
            sound=False,
            epsilon=15.0,
            delta=1e-5,
            form="gaussian",
            runs=40_000,
            worlds=targets.gaussian(15.0, delta=1e-5, calibration="classical"),
        ),
        "gaussian shared": Audit(
            family="Gaussian",
            what="one draw for two numbers",
            sound=False,
            epsilon=1.0,
            delta=1e-5,
            worlds=targets.one_draw(1.0, delta=1e-5),
            runs=2000,
        ),
        "direction": Audit(
            family="direction noise",
            what="sound",
            sound=True,
            epsilon=2.0,
            worlds=targets.direction(2.0),
        ),
        "direction half": Audit(
            family="direction noise",
            what="half of the noise",
            sound=False,
            epsilon=2.0,
            worlds=targets.direction(2.0, factor=0.5),
        ),
        "max": Audit(family="noisy max", what="sound", sound=True, epsilon=1.0, worlds=targets.winner(1.0)),
        "max half": Audit(
            family="noisy max",
            what="noise for sensitivity / epsilon",
            sound=False,
            epsilon=1.0,
            worlds=targets.winner(1.0, monotone=True),
        ),
        "classifier": _classifier("sound", sound=True),
        "classifier published": _classifier(
            "as published: the average clipped", sound=False, rule="average", published=True
        ),
        "classifier unclipped": _classifier("noise, but no clipping", sound=False, rule="none"),
        "classifier bare": _classifier("no noise at all", sound=False, rule="none", noise=0.0, runs=500),
        "classifier c/n": _classifier("one replaced, noise for one removed", sound=False, noise=0.5, runs=10_000),
        "lots": _lots("sound", sound=True, variant="sound"),
        "lots half": _lots("half of the noise", sound=False, variant="sound", factor=0.5),
        "lots realised": _lots("divided by the lot's own size", sound=False, variant="realised", others=250, runs=3000),
        "lots shuffled": _lots("shuffled lots, Poisson accounting", sound=False, variant="shuffled", runs=3000),
        "lots inside": _lots("noise inside of the sum, an empty lot", sound=False, variant="inside", others=1),
        "functional published": _regression(
            "functional, as published", sound=True, worlds=targets.functional_published(4.0), epsilon=4.0
        ),
        "functional": _regression("functional, sharp", sound=True, worlds=targets.functional(3.0), epsilon=3.0),
        "functional half": _regression(
            "functional, half of the noise", sound=False, worlds=targets.functional(3.0, factor=0.5), epsilon=3.0
        ),
        "gaussian statistics": _regression(
            "Gaussian statistics",
            sound=True,
            worlds=targets.statistics(2.0, delta=1e-5),
            epsilon=2.0,
            delta=1e-5,
            form="gaussian",
        ),
        "gaussian statistics half": _regression(
            "Gaussian statistics, half of the noise",
            sound=False,
            worlds=targets.statistics(2.0, delta=1e-5, factor=0.5),
            epsilon=2.0,
            delta=1e-5,
            form="gaussian",
        ),
        "output": _regression("noise on the answer", sound=True, worlds=targets.output(2.0), epsilon=2.0),
        "output half": _regression(
            "noise on the answer, half of it", sound=False, worlds=targets.output(2.0, factor=0.5), epsilon=2.0
        ),
        "walk": _walk("sound", sound=True),
        "walk half": _walk("half of the noise", sound=False, factor=0.5),
        "walk unclipped": _walk("residuals not clipped", sound=False, residual_bound=1e3),
    }
)
