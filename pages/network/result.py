"""What the page of networks shows: the ensemble at one moment of its training, and the trajectory
up to it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.accountants import account
from dpcore.cache import cached
from dpcore.privacy import Adjacency, Composed, GaussianRelease, Guarantee
from dpcore.training import dp_ftrl, network_gradients, networks, sgd
from dpcore.training.sgd_recipe import Recipe
from lab.data import classification as data
from lab.experiment.settings import Spread, quantiles_of
from lab.statistics.claims import Case, compare
from lab.statistics.confusion import ByClass
from lab.statistics.decision_regions import Plane, agreement, drawn, traced, usual_plane
from pages.network.settings import ACCOUNTANT, NetworkParameters
from pages.network.tasks import FRAMES, QUARTERS, Trained, Training, clipped_share, inputs

# Points of a map in each direction; private rows, and networks, of the histogram of gradient norms.
GRID = 40
_ROWS, _NETWORKS = 300, 4
# Edges of the histogram's bars: fixed, so that bars of different moments can be compared.
EDGES = np.geomspace(1e-4, 1e2, 49)


@dataclass(frozen=True, kw_only=True, eq=False)
class NetworkResult:
    """What is known by now. A number that is still to be computed is NaN.

    runs: arm -> the groups of its ensemble that have begun, the first one first. spent: epsilon at
        each frame (FRAMES +
    1,). fine: whether it is counted by the accountant itself and not by its quick form (FRAMES +
    1,).
    """

    settings: NetworkParameters
    runs: Mapping[str, Sequence[Trained]]
    spent: np.ndarray
    fine: np.ndarray

    @property
    def model(self) -> Training:
        return self.settings.models["private"]

    @property
    def recipe(self) -> Recipe:
        return self.model.recipe

    @property
    def architecture(self) -> networks.Architecture:
        return self.recipe.architecture

    @property
    def reached(self) -> int:
        """Return the last frame that both arms have come to."""
        return min(len(runs[0].weights) for runs in self.runs.values()) - 1

    @property
    def frame(self) -> int:
        return min(self.settings.shown, self.reached)

    @property
    def step(self) -> int:
        """Return how many steps are taken by then."""
        return int(self.settings.marks[self.frame])

    @property
    def epochs(self) -> float:
        """Return how often a row has been in a lot by then, on average."""
        return self.step * self.recipe.sampling_rate

    def weights(self, arm: str, frame: int | None = None) -> np.ndarray:
        """Return the networks of an arm that have come to the drawn frame (R, P), there or at
        another ``frame``.
        """
        at = self.frame if frame is None else frame
        return np.concatenate(
            [run.weights[at] for run in self.runs[arm] if len(run.weights) > self.frame]
        )

    def moved(self, arm: str) -> np.ndarray:
        """Return how far training has moved the first layer's weights of each input by the drawn
        frame: L2 norms (R, d).
        """
        with np.errstate(over="ignore", invalid="ignore"):  # of networks that have diverged
            change = self.weights(arm) - self.weights(arm, 0)
            return np.linalg.norm(self.architecture.layers(change)[0][..., :-1], axis=1)

    @property
    def moved_by_noise(self) -> float:
        """Return how far noise alone would have moved those of one input, as a root mean square."""
        return self.settings.noise_left(self.step) * math.sqrt(self.architecture.shapes[0][0])

    def _whole(self, groups: Sequence[Trained]) -> np.ndarray | None:
        """Return the held-out accuracy (m, R) of some private networks; None until all of them are
        trained.
        """
        found = [one.accuracy for one in groups if one.frames[-1] == FRAMES]
        trained = sum(one.shape[1] for one in found)
        return np.concatenate(found, axis=1) if trained == self.settings.repeats else None

    @property
    def bounds(self) -> tuple[float, ...]:
        """Return the clip bounds at the drawn moment: one, or one per layer."""
        return self.model.bounds(self.frame)

    @property
    def diverged(self) -> int:
        """Return how many networks without privacy have no finite weights."""
        return int((~np.isfinite(self.weights("plain")).all(axis=1)).sum())

    @cached_property
    def split(self) -> data.Split:
        return self.model.split

    @property
    def plane(self) -> Plane:
        return _plane(self.split)

    def regions(self, arm: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return (what most of the ``drawn`` networks say, the share of them that say so), (GRID,
        GRID) each, and the boundaries of all of them. The logits of the whole grid are not kept,
        because they have megabytes.
        """
        points = inputs(self.plane.inputs(self.plane.grid(GRID)))
        with np.errstate(over="ignore", invalid="ignore"):
            z = self.architecture.logits(
                self.weights(arm)[drawn(self.accuracy[arm], len(self.classes))], points
            )
        winner, share = agreement(z)
        square = z.reshape(*z.shape[:2], GRID, GRID)
        return winner.reshape(GRID, GRID), share.reshape(GRID, GRID), traced(square, self.plane)

    @cached_property
    def accuracy(self) -> dict[str, np.ndarray]:
        """Return the share of right answers (R,) on held-out rows at the drawn frame, by arm."""
        return {arm: self.model.accuracy(self.weights(arm)) for arm in self.runs}

    @property
    def classes(self) -> tuple[str, ...]:
        return self.split.source.classes

    @cached_property
    def held_out(self) -> dict[str, ByClass]:
        """Return what the networks of each arm do on held-out rows at the drawn frame, class by
        class.
        """
        X = inputs(self.split.X_test)
        with np.errstate(over="ignore", invalid="ignore"):  # of networks that have diverged
            logits = {arm: self.architecture.logits(self.weights(arm), X) for arm in self.runs}
            return {arm: ByClass.of(z, self.split.y_test) for arm, z in logits.items()}

    @property
    def costs(self) -> Case:
        """Return what may be said of the private networks beside those without privacy, at the
        drawn frame.

        They are two groups, because there are fewer non-private ones and the noise of the private
        ones is theirs alone.
        """
        private, plain = self.accuracy["private"], self.accuracy["plain"]
        complete = len(private) == self.settings.repeats
        return compare(
            private, plain, constant=self.split.best_constant[1], complete=complete, paired=False
        )

    def summary(self, arm: str) -> Spread:
        """Return the held-out accuracy at the drawn frame over the repeats."""
        return Spread.of(self.accuracy[arm])

    @property
    def holds(self) -> bool:
        """Return whether the accountant's theorem is about this training."""
        return self.settings.variant == "correct"

    @property
    def guarantee(self) -> Guarantee:
        """Return what is spent at the drawn frame; only a claim where ``holds`` is false."""
        spent = float(np.nan_to_num(self.spent[self.frame] - self.settings.spent, nan=math.inf))
        by = ACCOUNTANT if self.settings.by_chance and self.fine[self.frame] else ""
        return self.settings.counted(spent, steps=self.step, by=by)

    @property
    def by_epochs(self) -> Guarantee:
        """Return what shuffled lots give without any amplification: each row is in one release an
        epoch, replace-one.

        Nobody knows in which, so that noise that changes counts as the least of it.
        """
        epochs = max(1, math.ceil(self.epochs))
        least = self.settings.sigma * min(1.0, self.settings.ramp)
        event = Composed(event=GaussianRelease(noise_multiplier=least / 2), count=epochs)
        return account(event, delta=self.settings.delta, adjacency=Adjacency.REPLACE_ONE)

    @cached_property
    def norms(self) -> np.ndarray:
        """Return the gradient norms (layers, R, n) of some private rows, or persons' averages,
        under some private networks at the drawn frame.
        """
        return network_gradients.gradient_norms(
            self.architecture, self.weights("private")[:_NETWORKS], *self._measured
        )

    @property
    def _measured(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        return self.model.learned(_ROWS)

    @property
    def clipped(self) -> np.ndarray:
        """Return the share of these gradients that is clipped in each layer, and at all (layers +
        1,).
        """
        return clipped_share(self.bounds, self.norms)

    @cached_property
    def histogram(self) -> pd.DataFrame:
        """Return the shares of gradient norms between neighbouring ``EDGES``: of each layer, and
        last of the whole gradient.
        """
        names = [*(f"layer {place}" for place in range(1, len(self.norms) + 1)), "whole gradient"]
        whole = np.sqrt(np.square(self.norms).sum(axis=0))
        inside = [np.clip(norms.ravel(), EDGES[0], EDGES[-1]) for norms in (*self.norms, whole)]
        bars = [np.histogram(norms, EDGES)[0] / norms.size for norms in inside]
        return pd.DataFrame(
            {"from": EDGES[:-1], "to": EDGES[1:], **dict(zip(names, bars, strict=True))}
        )

    @cached_property
    def signal(self) -> float:
        """Return the L2 norm of the mean clipped gradient at the drawn frame, the median of some
        networks.
        """
        start = self.weights("private")[:_NETWORKS]
        now = self.bounds if len(self.bounds) > 1 else self.bounds[0]
        one = replace(
            self.recipe,
            sampling_rate=1.0,
            steps=1,
            learning_rate=1.0,
            clip_norm=now,
            variant="correct",
        )
        X, y, people = self._measured
        draws = range(len(start))
        moved = sgd.train(
            one, X, y, people=people, start=start, noise_multiplier=0.0, seed=0, draws=draws
        )
        return float(np.median(np.linalg.norm(moved.weights - start, axis=1)))

    @property
    def noise(self) -> float:
        """Return the expected L2 norm of the noise on the mean gradient of the last step so far."""
        settings, recipe, step = self.settings, self.recipe, self.model.last_step(self.frame)
        sd = settings.noise_sd * float((recipe.noise_shares * recipe.clip_shares)[step])
        if recipe.mechanism == "toeplitz":  # so much of the noise of this step and earlier ones
            m = dp_ftrl.count_batches_per_pass(recipe.sampling_rate)
            sd *= float(np.linalg.norm(dp_ftrl.coefficients("toeplitz", step % m + 1, power=-1)))
        return sd * math.sqrt(self.architecture.parameters)

    @cached_property
    def trajectories(self) -> dict[str, pd.DataFrame]:
        """Return a row per measured frame of each arm: step, epochs, epsilon, and quantiles of
        accuracy and of the loss on private and on held-out rows (``tested``).
        """
        return {arm: self._trajectory(runs) for arm, runs in self.runs.items()}

    def _trajectory(self, runs: Sequence[Trained]) -> pd.DataFrame:
        frames = runs[0].frames
        steps = self.settings.marks[frames]
        found = {"frame": frames, "step": steps, "epochs": steps * self.recipe.sampling_rate}
        found |= {"epsilon": self.spent[frames]}
        for what in ("accuracy", "loss", "tested"):
            # The networks of later groups may not have come as far: quantiles are over those that
            # have
            there = [
                [getattr(run, what)[place] for run in runs if len(run.frames) > place]
                for place in range(len(frames))
            ]
            with np.errstate(
                invalid="ignore"
            ):  # losses of networks that have diverged may be infinite
                quantiles = np.stack([quantiles_of(np.concatenate(some)) for some in there], axis=1)
            found |= dict(zip(columns_of(what), quantiles, strict=True))
        return pd.DataFrame(found)

    def curves(self) -> pd.DataFrame:
        return (
            pd.concat(self.trajectories, names=["arm"])
            .reset_index(level="arm")
            .reset_index(drop=True)
        )

    @cached_property
    def second_half(self) -> tuple[Case, float] | None:
        """Return what the second half of the epochs does to the accuracy of the private networks:
        what may be said of it, and the difference of the medians as they are drawn; None until all
        are trained, and where so few steps are made that none ends near the middle.
        """
        x = self.trajectories["private"]["epochs"].to_numpy()
        accuracy = self._whole(self.runs["private"])
        if accuracy is None:
            return None
        away = np.abs(x - x[-1] / 2)
        if away.min() > 0.05 * x[-1]:
            return None
        case = compare(accuracy[-1], accuracy[away.argmin()], constant=self.split.best_constant[1])
        medians = np.median(accuracy, axis=1)
        return case, float(medians[-1] - np.interp(x[-1] / 2, x, medians))

    @cached_property
    def clipping(self) -> pd.DataFrame:
        """Return a row per measured frame: the epochs, and the share of clipped gradients in each
        layer, and at all.
        """
        run = self.runs["private"][0]
        *layers, whole = run.clipped.T
        shares = {f"layer {place}": share for place, share in enumerate(layers, 1)}
        epochs = self.settings.marks[run.frames] * self.recipe.sampling_rate
        return pd.DataFrame({"epochs": epochs, **shares, "any layer": whole})

    def table(self) -> pd.DataFrame:
        """Return the training at a quarter, half, three quarters and the end: what is spent, and
        right answers in %.
        """
        marks = [*QUARTERS]
        private, plain = (
            self.trajectories[arm].set_index("frame").reindex(marks) for arm in ("private", "plain")
        )
        steps = self.settings.marks[marks]
        return pd.DataFrame(
            {
                "frame": marks,
                "step": steps,
                "epochs": steps * self.recipe.sampling_rate,
                "epsilon": self.spent[marks],
                "private": 100 * private["accuracy median"].to_numpy(),
                "low": 100 * private["accuracy low"].to_numpy(),
                "high": 100 * private["accuracy high"].to_numpy(),
                "plain": 100 * plain["accuracy median"].to_numpy(),
            }
        )


def columns_of(what: str) -> list[str]:
    return [f"{what} {which}" for which in Spread._fields]


@cached
def _plane(split: data.Split) -> Plane:
    """Return one plane for all networks on these rows, so that the rows in it are drawn once."""
    return usual_plane(split.X_public, names=split.source.features, bounds=split.source.bounds)
