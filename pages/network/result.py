"""What the page of networks shows: the ensemble at one moment of its training, and the trajectory up to it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpcore.accountants import account
from dpcore.cache import cached
from dpcore.confusion import ByClass, confusion
from dpcore.data import toy as data
from dpcore.privacy import Adjacency, Composed, GaussianRelease, Guarantee
from dpcore.training import networks, sgd, tree
from lab.boundaries import Plane, agreement, traced, usual_plane
from lab.claims import Case, compare
from lab.settings import Settings, Spread, quantiles_of
from pages.network.work import FRAMES, QUARTERS, Job, Trained, accuracy, clipped_share, inputs, mean_loss

# Points of a map in each direction; private rows, and networks, of the histogram of gradient norms.
GRID = 40
_ROWS, _NETWORKS = 300, 4
# Edges of the histogram's bars: fixed, so that bars of different moments can be compared.
EDGES = np.geomspace(1e-4, 1e2, 49)


class Trajectory(NamedTuple):
    """An arm's training, where it is measured: ``accuracy`` and ``loss`` are its ``QUANTILES`` (3, m)."""

    frames: np.ndarray
    steps: np.ndarray
    epochs: np.ndarray
    epsilon: np.ndarray
    accuracy: np.ndarray
    loss: np.ndarray


class Lots(NamedTuple):
    """For the same epochs and budget: lot sizes, the noise multiplier each needs, the noise sd on the mean gradient, of
    the first step."""

    size: np.ndarray
    noise_multiplier: np.ndarray
    noise_on_the_mean: np.ndarray
    steps: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class NetworkResult:
    """What is known by now. A number that is still to be computed is NaN.

    job: the first private networks, which tell how all of them are trained. runs: arm -> the groups of its ensemble
    that have begun, the first one first. spent: epsilon at each frame (FRAMES + 1,). fine: whether it is counted by the
    accountant itself and not by its quick form (FRAMES + 1,). noise_by_lot: what other lot sizes would need. others:
    mechanism -> the groups of private networks that are trained by it, to be compared.
    """

    settings: Settings
    job: Job
    runs: Mapping[str, Sequence[Trained]]
    spent: np.ndarray
    fine: np.ndarray
    noise_by_lot: Lots
    others: Mapping[str, Sequence[Trained]]

    @property
    def recipe(self) -> sgd.Recipe:
        """Return how the private networks are trained."""
        return self.job.recipe

    @property
    def architecture(self) -> networks.Architecture:
        return self.recipe.architecture

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
        """Return how many steps are taken by then."""
        return int(self.job.marks[self.frame])

    @property
    def epochs(self) -> float:
        """Return how often a row has been in a lot by then, on average."""
        return self.step * self.recipe.sampling_rate

    def weights(self, arm: str) -> np.ndarray:
        """The networks of an arm that have come to the drawn frame (R, P)."""
        return np.concatenate([run.weights[self.frame] for run in self.runs[arm] if len(run.weights) > self.frame])

    def moved(self, arm: str) -> np.ndarray:
        """Return how far training has moved the first layer's weights of each input by the drawn frame: L2 norms (R,
        d)."""
        runs = [run.weights for run in self.runs[arm] if len(run.weights) > self.frame]
        with np.errstate(over="ignore", invalid="ignore"):  # of networks that have diverged
            change = np.concatenate([weights[self.frame] - weights[0] for weights in runs])
            return np.linalg.norm(self.architecture.layers(change)[0][..., :-1], axis=1)

    @property
    def moved_by_noise(self) -> float:
        """Return how far noise alone would have moved those of one input, as a root mean square."""
        return float(left_in_weights(self.settings, self.step) * math.sqrt(self.architecture.shapes[0][0]))

    @property
    def at_the_end(self) -> dict[str, np.ndarray]:
        """Mechanism -> the accuracy (R,) on held-out rows of its private networks, once all of them are trained."""
        runs = {self.recipe.mechanism: self.runs["private"], **self.others}
        trained = {
            name: [one.accuracy[-1] for one in found if one.frames[-1] == FRAMES] for name, found in runs.items()
        }
        whole = {name: np.concatenate([*found, []]) for name, found in trained.items()}
        return {name: found for name, found in whole.items() if len(found) == self.settings.repeats}

    @property
    def correlation(self) -> Case:
        """Return what may be said of correlated noise beside independent noise, at the end; once both are trained."""
        both = self.at_the_end["tree"], self.at_the_end["ordered"]
        return compare(*both, constant=self.split.best_constant[1])

    @property
    def correlation_adds(self) -> float:
        """Return what correlated noise adds to accuracy at the end: the median of the pairs."""
        return float(np.median(self.at_the_end["tree"] - self.at_the_end["ordered"]))

    @cached_property
    def noise_left(self) -> pd.DataFrame:
        """A row a frame, and a column a mechanism: the sd that noise alone gives a weight, for the same epsilon."""
        settings = self.settings
        columns = {
            name: [left_in_weights(one, step) for step in one.marks.tolist()]
            for name, one in settings.mechanisms.items()
        }
        epochs = np.linspace(0, settings.steps * settings.rate, FRAMES + 1)
        return pd.DataFrame({"epochs": epochs, **columns})

    @property
    def _first_sd(self) -> float:
        """The noise's sd on a weight's mean gradient in the first step."""
        return self.settings.sigma * self.settings.clip_norm / self.settings.lot

    @property
    def _noise_shares(self) -> np.ndarray:
        """The same of each step, over that of the first (T,)."""
        return self.recipe.noise_shares * self.recipe.clip_shares

    @property
    def bounds(self) -> tuple[float, ...]:
        """The clip bounds at the drawn moment: one, or one a layer."""
        return self.job.bounds(self.frame)

    @property
    def diverged(self) -> int:
        """Return how many networks without privacy have no finite weights."""
        return int((~np.isfinite(self.weights("plain")).all(axis=1)).sum())

    @cached_property
    def split(self) -> data.Split:
        return self.job.rows.load()

    @property
    def plane(self) -> Plane:
        return _plane(self.split)

    @cached_property
    def _on_the_plane(self) -> dict[str, np.ndarray]:
        """Arm -> logits (R, K, GRID, GRID)."""
        points = inputs(self.plane.inputs(self.plane.grid(GRID)))
        with np.errstate(over="ignore", invalid="ignore"):
            logits = {arm: self.architecture.logits(self.weights(arm), points) for arm in self.runs}
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
        return {arm: accuracy(self.architecture, self.weights(arm), self.split) for arm in self.runs}

    @property
    def classes(self) -> tuple[str, ...]:
        return self.split.source.classes

    @cached_property
    def held_out(self) -> dict[str, ByClass]:
        """Return what the networks of each arm do on held-out rows at the drawn frame, class by class."""
        return {arm: self._on_held_out(self.weights(arm)) for arm in self.runs}

    def _on_held_out(self, weights: np.ndarray) -> ByClass:
        y = self.split.y_test
        with np.errstate(over="ignore", invalid="ignore"):  # of networks that have diverged
            z = self.architecture.logits(weights, inputs(self.split.X_test))
            loss = mean_loss(z, y)
        return ByClass(counts=confusion(z.argmax(axis=1), y, classes=self.split.n_classes), loss=loss)

    @property
    def costs(self) -> Case:
        """Return what may be said of the private networks beside those without privacy, at the drawn frame."""
        private, plain = (self.accuracy[arm] for arm in ("private", "plain"))
        complete = len(private) == self.settings.repeats
        return compare(private, plain, constant=self.split.best_constant[1], complete=complete)

    def summary(self, arm: str) -> Spread:
        """Held-out accuracy at the drawn frame over the repeats."""
        return Spread.of(self.accuracy[arm])

    @property
    def counted(self) -> bool:
        """Return whether epsilon is known at all frames."""
        return bool(np.isfinite(self.spent).all())

    @property
    def half_spent(self) -> int:
        """The step by which half of the training's epsilon is spent, where all of it is ``counted``."""
        of_training = self.spent - self.spent[0]
        return int(self.job.marks[np.flatnonzero(of_training >= of_training[-1] / 2)[0]])

    @property
    def holds(self) -> bool:
        """Return whether the accountant's theorem is about this training."""
        return self.settings.variant == "sound"

    @property
    def promised(self) -> bool:
        """Return whether it ``holds`` of the rows too: bounds that were read off them void it."""
        return self.holds and not self.settings.void

    @property
    def guarantee(self) -> Guarantee:
        """Return what is spent at the drawn frame; only a claim where ``holds`` is false."""
        spent = float(np.nan_to_num(self.spent[self.frame] - self.settings.spent, nan=math.inf))
        by = self.settings.accountant if self.fine[self.frame] and self.settings.slow else ""
        return self.settings.counted(spent, steps=self.step, by=by)

    @property
    def by_epochs(self) -> Guarantee:
        """Return what shuffled lots give without any amplification: each row is in one release an epoch, replace-one.

        Nobody knows in which, so that noise that changes counts as the least of it.
        """
        epochs = max(1, math.ceil(self.epochs))
        least = self.settings.sigma * min(1.0, self.settings.ramp)
        event = Composed(event=GaussianRelease(noise_multiplier=least / 2), count=epochs)
        return account(event, delta=self.settings.delta, adjacency=Adjacency.REPLACE_ONE)

    @cached_property
    def norms(self) -> np.ndarray:
        """Gradient norms (layers, R, n) of some private rows, or persons' averages, under some private networks at
        the drawn frame."""
        return networks.gradient_norms(self.architecture, self.weights("private")[:_NETWORKS], *self._measured)

    @property
    def _measured(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        return self.job.rows.learned(_ROWS)

    @property
    def clipped(self) -> np.ndarray:
        """Share of these gradients that is clipped in each layer, and at all (layers + 1,)."""
        return clipped_share(self.bounds, self.norms)

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
        start = self.weights("private")[:_NETWORKS]
        now = self.bounds if len(self.bounds) > 1 else self.bounds[0]
        one = replace(self.recipe, sampling_rate=1.0, steps=1, learning_rate=1.0, clip_norm=now, variant="sound")
        X, y, people = self._measured
        draws = range(len(start))
        moved = sgd.train(one, X, y, people=people, start=start, noise_multiplier=0.0, seed=0, draws=draws)
        return float(np.median(np.linalg.norm(moved.weights - start, axis=1)))

    @property
    def noise(self) -> float:
        """Expected L2 norm of the noise on the mean gradient of a step."""
        settings, sd = self.settings, self._first_sd * float(self._noise_shares[self.job.last_step(self.frame)])
        inside = math.sqrt(settings.lot_size) if settings.variant == "inside" else 1.0
        return inside * sd * math.sqrt(self.architecture.parameters * self._nodes)

    @property
    def _nodes(self) -> int:
        """Return how many nodes' noise comes or goes in the last step so far: with a tree more than one."""
        if self.recipe.mechanism != "tree":
            return 1
        place = self.job.last_step(self.frame) % tree.lots_a_pass(self.recipe.sampling_rate) + 1
        return (place & -place).bit_length()

    def lots_table(self) -> pd.DataFrame:
        """``noise_by_lot`` as a frame."""
        return pd.DataFrame(self.noise_by_lot._asdict())

    @property
    def only_at_first(self) -> bool:
        """Return whether later steps have another noise than the first."""
        return self.recipe.mechanism == "tree" or (self.recipe.noise_ramp, self.recipe.clip_ramp) != (1, 1)

    @property
    def larger_lots_help(self) -> bool:
        """Return whether, at the same budget, the largest lots have less noise on the mean than the smallest."""
        noise = self.noise_by_lot.noise_on_the_mean
        return bool(np.isfinite(noise).all() and noise[-1] < noise[0])

    @cached_property
    def trajectories(self) -> dict[str, Trajectory]:
        """Arm -> its trajectory, as far as it is trained."""
        return {arm: self._trajectory(arm) for arm in self.runs}

    @cached_property
    def second_half(self) -> tuple[Case, float] | None:
        """Return what the second half of the epochs, or of the epsilon spent, does to the accuracy of the private
        networks: what may be said of it, and the difference of the medians; None until all are trained and epsilon is
        known."""
        one = self.trajectories["private"]
        x = getattr(one, self.settings.over)
        runs = self.runs["private"]
        found = [run.accuracy for run in runs if run.frames[-1] == FRAMES]
        if not np.isfinite(x).all() or sum(each.shape[1] for each in found) < self.settings.repeats:
            return None
        accuracy = np.concatenate(found, axis=1)
        half = accuracy[int(np.abs(x - x[-1] / 2).argmin())]
        case = compare(accuracy[-1], half, constant=self.split.best_constant[1])
        return case, float(np.median(accuracy[-1]) - np.median(half))

    def _trajectory(self, arm: str) -> Trajectory:
        runs, frames = self.runs[arm], self.runs[arm][0].frames
        # The networks of later groups may not have come as far: quantiles are over those that have.
        ends = sorted({len(run.frames) for run in runs})

        def quantiles(what: str) -> np.ndarray:
            parts = []
            for first, last in pairwise([0, *ends]):
                there = [getattr(run, what)[first:last] for run in runs if len(run.frames) >= last]
                with np.errstate(invalid="ignore"):  # losses of networks that have diverged may be infinite
                    parts.append(quantiles_of(np.concatenate(there, axis=1), axis=1))
            return np.concatenate(parts, axis=1)

        steps = self.job.marks[frames]
        epochs, epsilon = steps * self.recipe.sampling_rate, self.spent[frames]
        return Trajectory(frames, steps, epochs, epsilon, quantiles("accuracy"), quantiles("loss"))

    def curves(self) -> pd.DataFrame:
        """A row a measured frame and arm: step, epochs, epsilon, and quantiles of accuracy and loss."""
        parts = []
        for arm, one in self.trajectories.items():
            head = {"arm": arm, "frame": one.frames, "step": one.steps, "epochs": one.epochs, "epsilon": one.epsilon}
            spread = {
                f"{what} {which}": row
                for what in ("accuracy", "loss")
                for which, row in zip(Spread._fields, getattr(one, what), strict=True)
            }
            parts.append(pd.DataFrame(head | spread))
        return pd.concat(parts, ignore_index=True)

    @property
    def clipped_over_epochs(self) -> tuple[np.ndarray, np.ndarray]:
        """(epochs (m,), share of clipped gradients (layers + 1, m): in each layer, and at all)."""
        run = self.runs["private"][0]
        return self.job.marks[run.frames] * self.recipe.sampling_rate, run.clipped.T

    def clipping_curve(self) -> pd.DataFrame:
        """``clipped_over_epochs`` as a frame."""
        epochs, shares = self.clipped_over_epochs
        layers = {f"layer {place}": share for place, share in enumerate(shares[:-1], 1)}
        return pd.DataFrame({"epochs": epochs, **layers, "any layer": shares[-1]})

    def table(self) -> pd.DataFrame:
        """The training at a quarter, half, three quarters and the end: what is spent, and right answers in %."""
        frame = self.curves()
        marks = [*QUARTERS]
        private, plain = (frame[frame["arm"] == arm].set_index("frame").reindex(marks) for arm in ("private", "plain"))
        steps = self.job.marks[marks]
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


def left_in_weights(settings: Settings, steps: int) -> float:
    """The sd that noise alone gives each weight by ``steps`` steps.

    Noise of sd sigma_s C_s / L in each step adds up to sqrt(sum (eta_s sigma_s C_s / L)^2); of a tree's nodes, only
    what has not gone out again counts.
    """
    recipe = settings.jobs["private"][0].recipe
    rates = (recipe.rates * recipe.noise_shares * recipe.clip_shares)[:steps]
    if recipe.mechanism == "tree":
        rates = tree.remaining(rates, lots=tree.lots_a_pass(recipe.sampling_rate))
    return settings.sigma * settings.clip_norm / settings.lot * float(np.linalg.norm(rates))


@cached
def _plane(split: data.Split) -> Plane:
    """Return one plane for all networks on these rows, so that the rows in it are drawn once."""
    return usual_plane(split.X_public, names=split.source.features, bounds=split.source.bounds)
