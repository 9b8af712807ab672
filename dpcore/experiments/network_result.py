"""What the page of networks shows: the ensemble at one moment of its training, and the way there."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from dpcore import data, networks, sgd
from dpcore.accountants import BASES, account
from dpcore.experiments.classifier import Spread
from dpcore.experiments.network_training import FRAMES, Run, StretchOutcome, entrance, joined, right, shortened
from dpcore.privacy import Adjacency, Composed, GaussianRelease, Guarantee
from dpcore.regions import Plane, agreement, feature_plane, principal_plane, traced

if TYPE_CHECKING:
    from dpcore.experiments.network import NetworkSettings

# Points of a map in each direction; private rows, and networks, of the histogram of gradient norms.
GRID = 40
_ROWS, _NETWORKS = 300, 4
# Edges of the histogram's bars: fixed, so that bars of different moments can be compared.
EDGES = np.geomspace(1e-4, 1e2, 49)


class Way(NamedTuple):
    """An arm's way, where it is measured: ``accuracy`` and ``loss`` are the 5 %, 50 % and 95 % quantiles (3, m)."""

    frames: np.ndarray
    steps: np.ndarray
    epochs: np.ndarray
    epsilon: np.ndarray
    accuracy: np.ndarray
    loss: np.ndarray


class Lots(NamedTuple):
    """For the same epochs and budget: lot sizes, the noise multiplier each needs, the noise sd on the mean gradient."""

    size: np.ndarray
    noise_multiplier: np.ndarray
    noise_on_the_mean: np.ndarray
    steps: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class NetworkResult:
    """The settings, and the outcomes of the tasks that are done. A number that is still to be computed is NaN."""

    settings: "NetworkSettings"
    outcomes: Mapping[Any, Any]

    @cached_property
    def runs(self) -> dict[str, list[Run]]:
        """Arm -> the groups of its ensemble that have begun, the first one first."""
        found = {}
        for arm in ("plain", "private"):
            groups = [self._stretches(job) for job in self.settings.jobs[arm]]
            found[arm] = [joined(done) for done in groups if done]
        return found

    def _stretches(self, job) -> list[StretchOutcome]:
        """The stretches of a job that are done, up to the first gap."""
        done = []
        for stretch in job.stretches(essential=job.first == 0):
            if stretch not in self.outcomes:
                break
            done.append(self.outcomes[stretch])
        return done

    @property
    def reached(self) -> int:
        """The last frame that both arms have come to."""
        return min(len(runs[0].weights) for runs in self.runs.values()) - 1

    @property
    def frame(self) -> int:
        """The frame that is drawn."""
        return min(self.settings.shown, self.reached)

    @property
    def step(self) -> int:
        """How many steps are taken by then."""
        return int(self.settings.marks[self.frame])

    @property
    def epochs(self) -> float:
        """How often a row has been in a lot by then, on average."""
        return self.step * self.settings.rate

    def weights(self, arm: str) -> np.ndarray:
        """The networks of an arm that have come to the drawn frame (R, P)."""
        return np.concatenate([run.weights[self.frame] for run in self.runs[arm] if len(run.weights) > self.frame])

    @cached_property
    def split(self) -> data.Split:
        return self.settings.where.load()

    @cached_property
    def plane(self) -> Plane:
        source = self.split.source
        if len(source.features) == 2:
            return feature_plane(self.split.X_public, 0, 1, names=source.features, bounds=source.bounds)
        return principal_plane(self.split.X_public)

    @cached_property
    def _on_the_plane(self) -> dict[str, np.ndarray]:
        """Arm -> logits (R, K, GRID, GRID)."""
        points = entrance(self.plane.inputs(self.plane.grid(GRID)))
        with np.errstate(over="ignore", invalid="ignore"):
            logits = {arm: self.settings.architecture.logits(self.weights(arm), points) for arm in self.runs}
        return {arm: z.reshape(*z.shape[:2], GRID, GRID) for arm, z in logits.items()}

    def regions(self, arm: str) -> tuple[np.ndarray, np.ndarray]:
        """(what most networks say, the share of them that say so), (GRID, GRID) each."""
        z = self._on_the_plane[arm]
        winner, share = agreement(z.reshape(*z.shape[:2], -1))
        return winner.reshape(GRID, GRID), share.reshape(GRID, GRID)

    def boundaries(self, arm: str) -> np.ndarray:
        """Boundary segments (m, 2, 2) of all networks."""
        return traced(self._on_the_plane[arm], self.plane)

    @cached_property
    def accuracy(self) -> dict[str, np.ndarray]:
        """Arm -> share of right answers on held-out rows at the drawn frame (R,)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return {arm: right(self.settings.architecture, self.weights(arm), self.split) for arm in self.runs}

    def summary(self, arm: str) -> Spread:
        """Held-out accuracy at the drawn frame over the repeats."""
        return Spread(*map(float, np.quantile(self.accuracy[arm], [0.05, 0.5, 0.95])))

    @cached_property
    def spent(self) -> np.ndarray:
        """Epsilon at each frame (FRAMES + 1,)."""
        known = {0: 0.0}
        for task in self.settings.work["spent"]:
            if task in self.outcomes:
                known |= dict(zip(task.steps, self.outcomes[task][0], strict=True))
        return np.array([known.get(step, math.nan) for step in self.settings.marks.tolist()], dtype=float)

    @property
    def holds(self) -> bool:
        """Whether the accountant's theorem is about this training."""
        return self.settings.variant == "sound"

    @property
    def guarantee(self) -> Guarantee:
        """What is spent at the drawn frame; only a claim where ``holds`` is false."""
        settings, event = self.settings, self.settings.recipes["private"].event(self.settings.layer_sigma)
        accountant = {"pld": "pld-coarse"}.get(settings.accountant, settings.accountant)
        return Guarantee(
            epsilon=float(np.nan_to_num(self.spent[self.frame], nan=math.inf)),
            delta=settings.delta,
            adjacency=Adjacency.ADD_REMOVE,
            unit="record",
            basis=BASES[accountant],
            event=replace(event, count=max(self.step, 1)),
        )

    @property
    def by_epochs(self) -> Guarantee:
        """What shuffled lots give without any amplification: each row is in one release an epoch, replace-one."""
        epochs = max(1, math.ceil(self.epochs))
        event = Composed(event=GaussianRelease(noise_multiplier=self.settings.sigma / 2), count=epochs)
        return account(event, delta=self.settings.delta, adjacency=Adjacency.REPLACE_ONE)

    @cached_property
    def norms(self) -> np.ndarray:
        """Gradient norms (layers, R, n) of some private rows under some private networks at the drawn frame."""
        X, y = entrance(self.split.X_private[:_ROWS]), self.split.y_private[:_ROWS]
        return networks.gradient_norms(self.settings.architecture, self.weights("private")[:_NETWORKS], X, y)

    @property
    def clipped(self) -> np.ndarray:
        """Share of these gradients that is shortened in each layer, and at all (layers + 1,)."""
        return shortened(self.settings.recipes["private"], self.norms)

    @property
    def whole_norms(self) -> np.ndarray:
        """The same of the whole gradient (R, n)."""
        return np.sqrt(np.square(self.norms).sum(axis=0))

    @property
    def usual_norm(self) -> float:
        """The median of the whole gradient's norms."""
        return float(np.median(self.whole_norms))

    @cached_property
    def bars(self) -> np.ndarray:
        """Share of gradient norms between neighbouring ``EDGES``: of each layer, and last of the whole gradient."""
        inside = [np.clip(norms.ravel(), EDGES[0], EDGES[-1]) for norms in (*self.norms, self.whole_norms)]
        return np.stack([np.histogram(norms, EDGES)[0] / norms.size for norms in inside])

    def histogram(self) -> pd.DataFrame:
        """``bars`` as a frame."""
        names = [*(f"layer {place}" for place in range(1, len(self.bars))), "whole gradient"]
        return pd.DataFrame({"from": EDGES[:-1], "to": EDGES[1:], **dict(zip(names, self.bars, strict=True))})

    @cached_property
    def signal(self) -> float:
        """L2 norm of the mean clipped gradient at the drawn frame, the median of some networks."""
        recipe = self.settings.recipes["private"]
        start = self.weights("private")[:_NETWORKS]
        X, y = entrance(self.split.X_private[:_ROWS]), self.split.y_private[:_ROWS]
        one = replace(recipe, sampling_rate=1.0, steps=1, learning_rate=1.0, variant="sound")
        moved = sgd.train(one, X, y, start=start, noise_multiplier=0.0, seed=0, draws=range(len(start)))
        return float(np.median(np.linalg.norm(moved.weights - start, axis=1)))

    @property
    def noise(self) -> float:
        """Expected L2 norm of the noise on the mean gradient of a step."""
        settings = self.settings
        sd = settings.sigma * settings.clip_norm / settings.lot_size
        inside = math.sqrt(settings.lot_size) if settings.variant == "inside" else 1.0
        return inside * sd * math.sqrt(settings.architecture.parameters)

    @cached_property
    def noise_by_lot(self) -> Lots:
        """What other lot sizes would need."""
        settings = self.settings
        tasks = settings.work["noise by lot"]
        sigma = np.array([self.outcomes.get(task, math.nan) for task in tasks], dtype=float)
        sizes = np.array(settings.lots, dtype=float)
        return Lots(sizes, sigma, sigma * settings.clip_norm / sizes, np.array([task.steps for task in tasks]))

    def lots_table(self) -> pd.DataFrame:
        """``noise_by_lot`` as a frame."""
        return pd.DataFrame(self.noise_by_lot._asdict())

    @cached_property
    def ways(self) -> dict[str, Way]:
        """Arm -> its way through the training, as far as it is trained."""
        return {arm: self._way(arm) for arm in self.runs}

    def _way(self, arm: str) -> Way:
        runs, frames = self.runs[arm], self.runs[arm][0].frames
        # The networks of later groups may not have come as far: quantiles are over those that have.
        ends = sorted({len(run.frames) for run in runs})

        def quantiles(what: str) -> np.ndarray:
            parts = []
            for first, last in pairwise([0, *ends]):
                there = [getattr(run, what)[first:last] for run in runs if len(run.frames) >= last]
                parts.append(np.quantile(np.concatenate(there, axis=1), [0.05, 0.5, 0.95], axis=1))
            return np.concatenate(parts, axis=1)

        steps = self.settings.marks[frames]
        epochs, epsilon = steps * self.settings.rate, self.spent[frames]
        return Way(frames, steps, epochs, epsilon, quantiles("accuracy"), quantiles("loss"))

    def curves(self) -> pd.DataFrame:
        """A row a measured frame and arm: step, epochs, epsilon, and quantiles of accuracy and loss."""
        parts = []
        for arm, way in self.ways.items():
            head = {"arm": arm, "frame": way.frames, "step": way.steps, "epochs": way.epochs, "epsilon": way.epsilon}
            spread = {
                f"{what} {which}": row
                for what in ("accuracy", "loss")
                for which, row in zip(Spread._fields, getattr(way, what), strict=True)
            }
            parts.append(pd.DataFrame(head | spread))
        return pd.concat(parts, ignore_index=True)

    @property
    def clipped_on_the_way(self) -> tuple[np.ndarray, np.ndarray]:
        """(epochs (m,), share of shortened gradients (layers + 1, m): in each layer, and at all)."""
        run = self.runs["private"][0]
        return self.settings.marks[run.frames] * self.settings.rate, run.clipped.T

    def clipping_curve(self) -> pd.DataFrame:
        """``clipped_on_the_way`` as a frame."""
        epochs, shares = self.clipped_on_the_way
        layers = {f"layer {place}": share for place, share in enumerate(shares[:-1], 1)}
        return pd.DataFrame({"epochs": epochs, **layers, "any layer": shares[-1]})

    def table(self) -> pd.DataFrame:
        """The training at a quarter, half, three quarters and the end: what is spent, and right answers in %."""
        frame = self.curves()
        marks = [FRAMES * part // 4 for part in (1, 2, 3, 4)]
        private, plain = (frame[frame["arm"] == arm].set_index("frame").reindex(marks) for arm in ("private", "plain"))
        steps = self.settings.marks[marks]
        return pd.DataFrame(
            {
                "frame": marks,
                "step": steps,
                "epochs": steps * self.settings.rate,
                "epsilon": self.spent[marks],
                "private": 100 * private["accuracy median"].to_numpy(),
                "low": 100 * private["accuracy low"].to_numpy(),
                "high": 100 * private["accuracy high"].to_numpy(),
                "plain": 100 * plain["accuracy median"].to_numpy(),
            }
        )
