"""Models of the transfer page: their data, how they spend a budget, and what they guarantee."""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from dpcore.accountants import account, zcdp
from dpcore.parties import source_detection
from dpcore.parties.source_detection import RESIDUAL_BOUND
from dpcore.privacy import Adjacency, Composed, Event, Guarantee, public_count
from dpcore.privacy import Sequence as Events
from dpcore.training import frank_wolfe as fw
from dpcore.training.polytopes import L1Ball, Penalties, Polytope, penalties
from lab.data import transfer_worlds
from lab.data.transfer_worlds import RADIUS

# The models that are compared, each within the same epsilon: "target" uses the private rows alone,
# "source" the transferable public sources alone, "pooled" all rows together, and "transfer"
# corrects the model of the sources on the private rows.
CANDIDATES = ("target", "source", "pooled", "transfer")
# Where the curve is computed.
EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 12.0, 25.0, 50.0)
# The part of a noise stream that each release draws from. The runs in the plane take two. A
# transfer without a source, "alone", has the noise of the target.
STREAM_PARTS = {
    "target": 0,
    "alone": 0,
    "pooled": 1,
    "transfer": 2,
    "detection": 3,
    "plane": 4,
    "descent": 6,
}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a run of Frank-Wolfe spends its budget.

    steps: number of selections.
    epsilon: of each selection.
    scale: of the noise on each score.
    noise: its distribution.
    """

    steps: int
    epsilon: float
    scale: float
    noise: fw.Noise

    @property
    def event(self) -> Composed:
        return fw.event(self.epsilon, steps=self.steps, noise=self.noise)


@dataclass(frozen=True, kw_only=True)
class Data:
    """The simulated data.

    seed: of all rows, and of the noise.
    rows: number n of private rows.
    dimension: number d of coefficients.
    sources: number K of public sources.
    difference: L1 norm of the largest contrast.
    """

    seed: int
    rows: int
    dimension: int
    sources: int
    difference: float

    @property
    def problem(self) -> transfer_worlds.Problem:
        """Return the private rows, the sources and the truth."""
        return transfer_worlds.problem(
            seed=self.seed,
            rows=self.rows,
            dimension=self.dimension,
            sources=self.sources,
            difference=self.difference,
        )


@dataclass(frozen=True, kw_only=True)
class Model:
    """All that decides the candidates, but for epsilon and the repeats.

    delta, adjacency: of the guarantees.
    noise: "gumbel", "laplace" or "printed", as in ``TransferSettings``.
    h, q: the sources with ||contrast||_q <= h are transferable.
    radius: L1 radius of the ball around the sources.
    migrated: number of public rows of all sources together.
    detection_share: share of the budget for detecting the sources; 0 if they are known.
    penalty, penalty_q: lambda and q of the penalty lambda ||w||_q, where w is counted from the
        centre of the ball.
    """

    data: Data
    delta: float
    adjacency: str
    noise: str
    h: float
    q: float
    radius: float
    migrated: int
    detection_share: float
    penalty: float
    penalty_q: str

    @property
    def rows_of_sources(self) -> tuple[int, ...]:
        """Return the number of public rows of each source."""
        sources = self.data.sources
        return (self.migrated // sources,) * sources

    @property
    def penalties(self) -> Penalties:
        return penalties(self.penalty, q=self.penalty_q)

    def ball(self, radius: float) -> L1Ball:
        """Return the L1 ball of this radius, with the L1 penalty if there is one."""
        return L1Ball(dimension=self.data.dimension, radius=radius, penalty=self.penalties.ball)

    # Training

    def run_frank_wolfe(
        self, X: np.ndarray, y: np.ndarray, polytope: Polytope, **options: Any
    ) -> fw.Trajectory:
        """Train models on rows X (n, d), y (n,).

        options: those of ``fw.noisy_frank_wolfe``, such as its plan and its draws.
        """
        return fw.noisy_frank_wolfe(
            X,
            y,
            polytope=polytope,
            ridge=self.penalties.ridge,
            residual_bound=RESIDUAL_BOUND,
            seed=self.data.seed,
            **options,
        )

    # Budget

    def rho(self, epsilon: float) -> float:
        """Return the zCDP budget of a whole model."""
        return zcdp.rho_of(epsilon, delta=self.delta)

    def detection_rho(self, epsilon: float) -> float:
        """Return the zCDP budget of the detection of sources."""
        return self.detection_share * self.rho(epsilon)

    def plans(self, epsilon: float) -> dict[str, Plan]:
        """Plan the runs of the candidates, and of a transfer "alone", which has no source."""
        private_rows = self.data.rows
        all_rows = private_rows + sum(self.rows_of_sources)
        vertices = 2 * self.data.dimension
        if self.penalties.ball > 0:  # the centre is a vertex too
            vertices += 1
        plan = partial(self.plan, epsilon, vertices=vertices)
        after_detection = 1 - self.detection_share
        return {
            "target": plan(radius=RADIUS, rows=private_rows),
            "pooled": plan(radius=RADIUS, rows=all_rows),
            "transfer": plan(radius=self.radius, rows=private_rows, share=after_detection),
            "alone": plan(radius=RADIUS, rows=private_rows, share=after_detection),
        }

    def plan(
        self, epsilon: float, *, radius: float, rows: int, vertices: int, share: float = 1.0
    ) -> Plan:
        """Plan a run, whose number of steps follows from public numbers.

        epsilon: of a whole model. It is nominal for the printed noise.
        radius: largest L1 norm of a vertex.
        rows: number of rows that scores are the mean of.
        vertices: number of vertices.
        share: share of the budget of a whole model.
        """
        rho = share * self.rho(epsilon)
        adjacency = Adjacency(self.adjacency)
        noise: fw.Noise = "laplace"
        if self.noise == "gumbel":
            noise = "gumbel"
        steps = fw.steps_for(
            rows=rows,
            rho=rho,
            radius=radius,
            residual_bound=RESIDUAL_BOUND,
            vertices=vertices,
        )
        if self.noise == "printed":
            selection_epsilon = printed_epsilon(
                epsilon * math.sqrt(share),
                delta=self.delta,
                steps=steps,
                adjacency=adjacency,
            )
        else:
            selection_epsilon = fw.selection_epsilon(rho, steps=steps, noise=noise)
        sensitivity = fw.score_sensitivity(
            radius, residual_bound=RESIDUAL_BOUND, rows=rows, adjacency=adjacency
        )
        scale = fw.noise_scale(selection_epsilon, sensitivity=sensitivity)
        return Plan(steps=steps, epsilon=selection_epsilon, scale=scale, noise=noise)

    # Guarantees

    def guarantee(self, name: str, epsilon: float) -> Guarantee:
        """Return the guarantee of a candidate that Frank-Wolfe trains.

        Guarantee: that of ``fw.noisy_frank_wolfe`` with its plan and, for "transfer", that of the
            detection before it, by zCDP.
        """
        event: Event = self.plans(epsilon)[name].event
        detection_rho = self.detection_rho(epsilon)
        if name == "transfer" and detection_rho > 0:
            event = Events(events=(source_detection.event(detection_rho), event))
        return self.account(event)

    def detection_guarantee(self, epsilon: float) -> Guarantee | None:
        """Return the guarantee of the detection of sources alone, or None if they are known."""
        rho = self.detection_rho(epsilon)
        if rho == 0:
            return None
        return self.account(source_detection.event(rho))

    def account(self, event: Event, *, accountant: str = "zcdp") -> Guarantee:
        """Return the guarantee of an event."""
        guarantee = account(
            event,
            delta=self.delta,
            adjacency=Adjacency(self.adjacency),
            accountant=accountant,
        )
        # Sensitivities and numbers of steps follow from the number of rows.
        assumption = public_count(guarantee.adjacency, unit=guarantee.unit)
        return replace(guarantee, assumes=assumption)


def printed_epsilon(epsilon: float, *, delta: float, steps: int, adjacency: Adjacency) -> float:
    """Return the epsilon of one selection with the published scale of Laplace noise.

    That scale is R max_s ||s||_1 sqrt(8 T ln(1/delta)) / (n epsilon) [talwar2015; zhang2022]. A
    selection costs 2 sensitivity / scale, in which the norm and R / n cancel out. The guarantee for
    which the scale is made covers composition only, and add/remove adjacency.

    epsilon, delta: nominal, of the whole run.
    steps: number T of selections.
    """
    scale = math.sqrt(8 * steps * math.log(1 / delta)) / epsilon
    return 2 * adjacency.contributions / scale
