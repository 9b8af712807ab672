"""A network trained by DP-SGD, watched from the first step to the last [abadi2016]."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise, takewhile, zip_longest
from typing import Any, ClassVar, Self

import numpy as np

from dpcore import check
from dpcore.accountants import BASES
from dpcore.accountants.prices import NoiseFor, Price, StepsWithin
from dpcore.cache import cached
from dpcore.data import toy as data
from dpcore.privacy import Adjacency, ApproximateRelease, Guarantee
from dpcore.schedules import SHAPES, Schedule
from dpcore.training import tree
from dpcore.training.networks import ACTIVATIONS, Architecture
from dpcore.training.sgd import VARIANTS, Recipe
from lab import chunking
from lab.files import file_handles
from lab.settings import Measure, Task
from lab.sources import OWN, RowsSettings
from pages.network.result import Lots, NetworkResult
from pages.network.work import FRAMES, QUARTERS, Ensemble, Job, Rows, Shown, Trained

DATA = ("moons", "circles", "spirals", "blobs", "digits", OWN)
CLIPPING = {"flat": "whole gradient", "layers": "layer"}
PLANS = {"epochs": "all epochs are done", "noise": "epsilon is spent"}
# What the curves of a training run over.
OVER = {"epochs": "epochs", "epsilon": "epsilon spent"}
# What a person may count by -> the form that is quick enough for searches, and while a slider moves.
ACCOUNTANTS = {"pld": "pld-coarse", "renyi": "renyi", "moments": "moments"}
ARMS = ("plain", "private")

# The networks of an ensemble are trained in groups: the first is there soon, the others follow.
_FIRST_GROUP, _GROUP, _PLAIN = 4, 6, 8
# Where there are more rows than knobs can move with: so many first, and the others one by one.
_FEWEST = 2
# Of a sample beyond them, so many at most.
_SAMPLED = 12
# Rows of a file over rows in a lot: so large may lots be at least, beside the highest number of all.
_LEAST_LOTS = 20
# Of the lot sizes that one chart compares.
_LOTS = 9
# The moments accountant's whole orders end at 32: no number of steps, however few, costs less than ln(1/delta)/32.
_MOMENTS_ORDERS = 32


@dataclass(frozen=True, kw_only=True)
class NetworkSettings(RowsSettings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    dataset: the rows that the networks learn: a data set, or "own".
    own: with dataset "own", a file of the visitor's own.
    variant: the training loop: the sound one, or one that departs from what the accountants count.
    epsilon: the budget of the whole training.
    rows: private rows n; None takes as many as the data set has, or 400 where it leaves them free; of a file at most
        20,000.
    layers: hidden layers.
    width: units in each.
    activation: of the hidden units.
    lot_size: L = q n, the expected size of a lot.
    clip_norm: C, the L2 bound on a row's gradient.
    mechanism: how lots and noise are made, a key of ``tree.MECHANISMS``; loops that are not sound draw by chance.
    clipping: "flat" bounds the whole gradient by C, "layers" each of m layers by C / sqrt(m), which has the same
        sensitivity.
    plan: "epochs" makes the noise for epsilon over ``epochs``; "noise" takes ``noise_multiplier`` and trains until
        epsilon is used up, at most for ``epochs``.
    noise_multiplier: sigma, noise sd over C in a step.
    epochs: steps times L over n.
    learning_rate: of the private networks, at the start.
    plain_rate: the same without privacy, where gradients are not clipped.
    decay: the rate at the end over the one at the start.
    shape: how rate, noise and clip norm get from the start to the end, a key of ``SHAPES``.
    noise_ramp: the noise multiplier of the last step over that of the first; with plan "noise", or where lots have a
        fixed order, it stays.
    clip_ramp: the same of the clip norm; where lots have a fixed order, it stays.
    delta: of the guarantee.
    accountant: a key of ``ACCOUNTANTS``, for lots by chance; without, the count is exact. The noise is made by its
        quick form, and at rest the epsilon is counted by the accountant itself.
    repeats: networks of the private ensemble; the one without privacy has 8 at most.
    seed: of data, starts, lots and noise.
    shown: frame of the training that is drawn.
    over: a key of ``OVER``, for the curves.
    """

    CHOICES: ClassVar = {
        "dataset": DATA,
        "variant": VARIANTS,
        "mechanism": tree.MECHANISMS,
        "activation": ACTIVATIONS,
        "clipping": CLIPPING,
        "plan": PLANS,
        "shape": SHAPES,
        "accountant": ACCOUNTANTS,
        "over": OVER,
    }
    LIMITS: ClassVar = {
        "epsilon": (0.1, 50.0),
        "rows": (200, 5000),
        "layers": (0, 3),
        "width": (2, 64),
        "lot_size": (20, 1000),
        "clip_norm": (0.01, 100.0),
        "noise_multiplier": (0.4, 50.0),
        "epochs": (1, 60),
        "learning_rate": (0.01, 100.0),
        "plain_rate": (0.01, 10.0),
        "decay": (0.01, 1.0),
        "noise_ramp": (0.2, 5.0),
        "clip_ramp": (0.2, 5.0),
        "delta": (1e-9, 1e-2),
        "repeats": (2, 48),
        "seed": (0, 9999),
        "shown": (0, FRAMES),
    }
    MEASURES: ClassVar = {
        "accuracy": Measure.accuracy("accuracy at the moment shown", np.asarray, rises=("epsilon", "delta", "rows"))
    }
    TUNED: ClassVar = {
        "clip_norm": (0.05, 5.0),
        "lot_size": (20, 400),
        "learning_rate": (0.5, 30.0),
        "epochs": (3, 60),
    }
    PEOPLE: ClassVar = "rows"
    LOOP: ClassVar = "variant"
    SIZED: ClassVar = False
    EARLIER: ClassVar = {1: {"accountant": "renyi"}}
    # Starts and noise have the network's shape, and lots that of the rows and of the rate
    COMMON: ClassVar = (
        "dataset",
        "own",
        "variant",
        "mechanism",
        "rows",
        "layers",
        "width",
        "lot_size",
        "repeats",
        "seed",
    )

    dataset: str = "moons"
    own: str = file_handles.NONE
    variant: str = "sound"
    mechanism: str = "sampled"
    epsilon: float = 0.5
    rows: int | None = None
    layers: int = 2
    width: int = 16
    activation: str = "tanh"
    lot_size: int = 100
    clip_norm: float = 0.5
    clipping: str = "flat"
    plan: str = "epochs"
    noise_multiplier: float = 10.0
    epochs: int = 15
    learning_rate: float = 8.0
    plain_rate: float = 1.0
    decay: float = 0.2
    shape: str = "geometric"
    noise_ramp: float = 1.0
    clip_ramp: float = 1.0
    delta: float = 1e-5
    accountant: str = "pld"
    repeats: int = 16
    seed: int = 1
    shown: int = FRAMES
    over: str = "epochs"

    def __post_init__(self) -> None:
        super().__post_init__()
        least = math.log(1 / self.delta) / _MOMENTS_ORDERS * 1.05
        if self.accountant == "moments" and self.left < least:
            least = f"at least {self.spent + least:.3g} with the moments accountant"
            raise check.RefusedError("epsilon", self.epsilon, least)
        if self.steps < 1:
            raise check.RefusedError(
                "epsilon", self.epsilon, "enough for one step: more noise or smaller lots allow it"
            )

    def of_rows(self, rows: int) -> Self:
        """Return the settings with lots that are the same part of all rows: as many steps, with the same noise in a
        larger sum."""
        return self.change(rows=rows, lot_size=max(self.LIMITS["lot_size"][0], int(self.rate * rows + 1e-9)))

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Field -> (lowest, highest) value, with what the data set and the rows leave of them."""
        (low, high), rows = self.LIMITS["lot_size"], self.rows
        if isinstance(rows, int):
            high = min(max(high, rows // _LEAST_LOTS) if self.private else high, max(rows, low))
        return super().limits | {"lot_size": (low, high)}

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return the measures with what they rise along. With noise of its own, a larger budget is a longer training,
        which may end anywhere; more rows make more lots of a pass, each with noise, where these have a fixed order."""
        if self.plan == "epochs" and self.by_chance:
            return self.MEASURES
        rises = ("epsilon", "delta") if self.plan == "epochs" else ()
        return {name: measure._replace(rises=rises) for name, measure in self.MEASURES.items()}

    @property
    def by_chance(self) -> bool:
        """Return whether lots are drawn by chance; else each row has its place in a fixed order."""
        return self.mechanism == "sampled" or self.variant != "sound"

    @property
    def lot(self) -> float:
        """The size L of a lot: expected, or in the mean of a pass, which has a whole number of lots."""
        return self._lot(self.lot_size)

    def _lot(self, size: int) -> float:
        return size if self.by_chance else self.rows / max(1, round(self.rows / size))

    @property
    def rate(self) -> float:
        """Chance q of a row to be in a lot; in a fixed order, 1 over how many lots there are."""
        return self.lot / self.rows

    def released(self, steps: int, rate: float | None = None) -> int:
        """Return what is counted of so many first steps: steps, or without chance the releases that one row is in."""
        if self.by_chance or not steps:
            return steps
        return tree.releases(self.mechanism, steps, lots=tree.lots_a_pass(rate or self.rate))

    @property
    def counted_by(self) -> str:
        """The accountant, in the form that is quick enough."""
        return ACCOUNTANTS[self.accountant] if self.by_chance else "gdp"

    @property
    def slow(self) -> bool:
        """Return whether the accountant has a quick form besides."""
        return self.by_chance and self.counted_by != self.accountant

    @property
    def counted_at(self) -> float:
        """The rate at which the accountant takes what is counted to be sampled."""
        return self.rate if self.by_chance else 1.0

    @property
    def _longest(self) -> int:
        return self._steps_at(self.rate)

    def _steps_at(self, rate: float) -> int:
        return max(1, round(self.epochs / rate))

    @property
    def _within(self) -> int:
        """Return how many steps the budget allows; in a fixed order, those of whole passes."""
        whole = 1 if self.by_chance else tree.lots_a_pass(self.rate)
        noise = self.noise_multiplier / math.sqrt(self.released(whole))
        budget = {"sampling_rate": self.counted_at, "epsilon": self.left, "delta": self.delta}
        return whole * int(_done(StepsWithin(accountant=self.counted_by, noise_multiplier=noise, **budget)))

    @cached_property
    def steps(self) -> int:
        """Return how many steps are taken."""
        if self.plan == "epochs":
            return self._longest
        return min(self._longest, self._within)

    @property
    def used_up(self) -> bool:
        """Return whether the budget ends the training, and not the number of epochs."""
        return self.plan == "epochs" or self.steps < self._longest

    @cached_property
    def sigma(self) -> float:
        """Noise multiplier of the whole release of the first step: noise sd over C."""
        return float(_done(self._noise_for(self.rate))) if self.plan == "epochs" else self.noise_multiplier

    @property
    def ramp(self) -> float:
        """The noise multiplier of the last step over that of the first."""
        return self.noise_ramp if self.plan == "epochs" and self.by_chance else 1.0

    def _noise_for(self, rate: float) -> NoiseFor:
        steps = self.released(self._steps_at(rate), rate)
        counted = {"sampling_rate": rate if self.by_chance else 1.0, "steps": steps}
        budget = counted | {"epsilon": self.left, "delta": self.delta}
        changes = {} if self.ramp == 1 else {"ramp_end": self.ramp, "ramp_shape": self.shape}
        return NoiseFor(accountant=self.counted_by, **budget, **changes)

    @cached_property
    def _architecture(self) -> Architecture:
        source = data.source(self.rows_of)
        hidden = (self.width,) * self.layers
        return Architecture(sizes=(len(source.features), *hidden, len(source.classes)), activation=self.activation)

    def _recipe(self, arm: str) -> Recipe:
        """Return how the networks of an arm are trained."""
        architecture, private = self._architecture, arm == "private"
        layers = len(architecture.shapes)
        bounds = (self.clip_norm / math.sqrt(layers),) * layers if self.clipping == "layers" else self.clip_norm
        in_order = self.mechanism if private else "ordered"
        return Recipe(
            architecture=architecture,
            sampling_rate=self.rate,
            steps=self.steps,
            learning_rate=self.learning_rate if private else self.plain_rate,
            clip_norm=bounds if private else None,
            decay=self.decay,
            variant=self.variant if private else "sound",
            shape=self.shape,
            noise_ramp=self.ramp if private else 1.0,
            clip_ramp=self.clip_ramp if private and self.by_chance else 1.0,
            mechanism="sampled" if self.by_chance else in_order,
        )

    @cached_property
    def jobs(self) -> dict[str, tuple[Job, ...]]:
        """The ensemble of each arm in groups."""
        return {arm: self._jobs(arm) for arm in ARMS}

    def _jobs(self, arm: str) -> tuple[Job, ...]:
        count = self.repeats if arm == "private" else min(self.repeats, _PLAIN)
        first, group = (_FEWEST, 1) if self.beyond else (min(_FIRST_GROUP, count), _GROUP)
        ends = [0, *range(first, count, group), count]
        rows, recipe = Rows(dataset=self.rows_of, private_rows=self.rows, seed=self.seed), self._recipe(arm)
        # Each of m bounds makes a release, which together have this multiplier over sqrt(m); no bound, no noise
        noise = self.sigma * math.sqrt(len(recipe.bounds))
        return tuple(
            Job(rows=rows, recipe=recipe, noise_multiplier=noise, first=first, last=last)
            for first, last in pairwise(ends)
        )

    @property
    def marks(self) -> np.ndarray:
        """The step of each frame."""
        return self.jobs["private"][0].marks

    @cached_property
    def _prices(self) -> tuple[Price, ...]:
        """Epsilon at every frame: at once, or where that is slow, in parts by the quick form, of which a first
        picture has those that it tells.
        """
        marks = self._counted_marks(range(FRAMES + 1))
        one = Price(
            accountant=self.counted_by,
            sampling_rate=self.counted_at,
            noise_multipliers=(self.sigma,),
            steps=marks,
            delta=self.delta,
            essential=True,
            ramp=None if self.ramp == 1 else Schedule(self.ramp, self.steps, self.shape),
        )
        if not self.slow:
            return (one,)
        width = 1 if one.ramp else 4
        # the end first: it is what was asked for
        parts = [marks[max(0, end - width) : end] for end in range(len(marks), 0, -width)]
        told = set(self._counted_marks({self.shown, min(self.shown, self._begun)}))
        return tuple(replace(one, steps=part, essential=not told.isdisjoint(part)) for part in parts)

    @property
    def _begun(self) -> int:
        """The frame that both arms have come to in a first picture."""
        return min(self.jobs[arm][0].stretches[0].reached for arm in ARMS)

    @cached_property
    def _prices_at_rest(self) -> tuple[Price, ...]:
        """Epsilon by the accountant itself, where it has a quick form besides, at the frames of which it is told."""
        if not self.slow:
            return ()
        quick, told = self._prices[0], self._counted_marks({self.shown, *QUARTERS})
        return tuple(
            replace(quick, accountant=self.accountant, steps=(mark,), essential=False) for mark in reversed(told)
        )

    def _counted_marks(self, frames: Iterable[int]) -> tuple[int, ...]:
        """Return what is counted by the time of each of these frames, but for nothing."""
        return tuple(sorted({self.released(int(self.marks[frame])) for frame in frames} - {0}))

    @cached_property
    def _noises(self) -> dict[float, NoiseFor]:
        """Lot size -> the noise that it needs, for the lots that are compared."""
        low, high = self.limits["lot_size"]
        sizes = np.unique(np.geomspace(low, high, _LOTS).round().astype(int)).tolist()
        return {size: self._noise_for(size / self.rows) for size in sorted(set(map(self._lot, sizes)))}

    @cached_property
    def mechanisms(self) -> dict[str, "NetworkSettings"]:
        """Mechanism -> these settings with it, at the same epsilon; none where the loop, or the noise, is another's."""
        if self.variant != "sound" or self.plan != "epochs":
            return {}
        return {one: self if one == self.mechanism else self.change(mechanism=one) for one in tree.MECHANISMS}

    @property
    def _others(self) -> dict[str, tuple[Job, ...]]:
        """Mechanism -> the private ensemble of each other one; none where lots are drawn by chance."""
        others = {} if self.by_chance else self.mechanisms
        return {name: one.jobs["private"] for name, one in others.items() if name != self.mechanism}

    def schedule(self) -> Iterable[Task]:
        """Both arms' first networks step by step side by side, then the others."""
        (plain, *more_plain), (private, *more_private) = ([job.stretches for job in self.jobs[arm]] for arm in ARMS)
        first = [one for pair in zip_longest(plain, private) for one in pair if one]
        others = (stretch for jobs in self._others.values() for job in jobs for stretch in job.stretches)
        later = chain(*more_private, *more_plain)
        prices = (*self._prices, *self._prices_at_rest)
        return (*first[:2], *prices, *first[2:], *later, *self._noises.values(), *others)

    def counted(self, epsilon: float, *, steps: int, by: str = "") -> Guarantee:
        """Return what the accountant ``by``, or the one that made the noise, says of so many steps, which cost
        ``epsilon`` beside what bounds have: a promise of the sound loop, of others a claim."""
        job = self.jobs["private"][0]
        assumes = () if self.by_chance else (tree.ASSUMES,)
        about = {"delta": self.delta, "adjacency": Adjacency.ADD_REMOVE, "unit": self.unit, "assumes": assumes}
        event = job.recipe.event(job.noise_multiplier, until=steps) if steps else ApproximateRelease(epsilon=0, delta=0)
        return self.whole(Guarantee(epsilon=epsilon, basis=BASES[by or self.counted_by], event=event, **about))

    @property
    def promise(self) -> Guarantee | None:
        sound = self.variant == "sound" and not self.void
        return self.counted(self.left, steps=self.steps) if sound else None

    def probe(self) -> Ensemble:
        return Ensemble(jobs=self.jobs["private"], frame=self.shown)

    def sample(self, count: int) -> tuple[Shown, ...]:
        jobs = self.jobs["private"]
        parts = chunking.sample([range(job.first, job.last) for job in jobs], count, each=jobs[0].cells, most=_SAMPLED)
        return tuple(
            Shown(job=replace(jobs[0], first=part.start, last=part.stop), frame=self.shown, given=given)
            for part, given in parts
        )

    def result(self, outcomes: Mapping[Any, Any]) -> NetworkResult:
        """Assemble what has been done; needs the essential tasks only."""
        sigma = np.array([outcomes.get(task, math.nan) for task in self._noises.values()], dtype=float)
        sizes = np.array([*self._noises], dtype=float)
        steps = np.array([self._steps_at(size / self.rows) for size in self._noises])
        quick, fine = (self._count(tasks, outcomes) for tasks in (self._prices, self._prices_at_rest))
        return NetworkResult(
            settings=self,
            job=self.jobs["private"][0],
            runs={arm: _runs(self.jobs[arm], outcomes) for arm in ARMS},
            spent=self.spent + np.fmin(quick, fine),  # both are upper bounds
            fine=np.isfinite(fine),
            noise_by_lot=Lots(sizes, sigma, sigma * self.clip_norm / sizes, steps),
            others={name: _runs(jobs, outcomes) for name, jobs in self._others.items()},
        )

    def _count(self, prices: Iterable[Price], outcomes: Mapping[Any, Any]) -> np.ndarray:
        """Epsilon of the training at each frame, as far as ``prices`` are known."""
        known = {0: 0.0}
        for task in prices:
            if task in outcomes:
                known |= dict(zip(task.steps, outcomes[task][0], strict=True))
        counted = map(self.released, self.marks.tolist())
        return np.array([known.get(one, math.nan) for one in counted], dtype=float)


def _runs(jobs: Iterable[Job], outcomes: Mapping[Any, Any]) -> list[Trained]:
    """The groups that have begun, each up to its first gap."""
    begun = ([*takewhile(outcomes.__contains__, job.stretches)] for job in jobs)
    return [Trained.of([outcomes[stretch] for stretch in done]) for done in begun if done]


@cached
def _done(task: Any) -> Any:
    """The answer of a small question that settings ask again and again."""
    return task.run()
