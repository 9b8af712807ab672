"""What the network page computes: both arms' training, and the epsilon spent by each frame."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any, ClassVar

import numpy as np

from dpcore.schedules import Schedule
from lab.experiment import chunking
from lab.experiment.accounting_tasks import Price
from lab.experiment.experiment import Experiment
from lab.experiment.parts import Part, Runs
from lab.experiment.settings import Measure, Task
from pages.network import tasks
from pages.network.result import NetworkResult
from pages.network.settings import ARMS, NetworkSettings
from pages.network.tasks import Segment, Segments, Trained
from pages.network.training import FRAMES, Training

# Largest number of non-private networks.
_MOST_PLAIN = 8
# Of a sample beyond the page's own networks, at most so many are trained together.
_MOST_SAMPLED_TOGETHER = 12
# Numbers of steps that one task counts in some 30 ms. Noise that changes takes longer to count.
_STEPS_PER_PRICE = 4
_STEPS_PER_PRICE_OF_RAMP = 1


@dataclass(frozen=True)
class TrainingGroups:
    """The part of an arm: ``count`` networks, trained in groups and segment by segment.

    The page waits for the first segment of the first group.
    """

    training: Training
    count: int

    @cached_property
    def groups(self) -> tuple[Segments, ...]:
        """Return the segments of each group."""
        groups = [
            tasks.segments(self.training, group) for group in self.training.groups(self.count)
        ]
        first_segment, *other_segments = groups[0]
        groups[0] = (replace(first_segment, essential=True), *other_segments)
        return tuple(groups)

    @property
    def tasks(self) -> tuple[Segment, ...]:
        return (*self.groups[0], *self.later_tasks)

    @property
    def later_tasks(self) -> list[Segment]:
        """Return the tasks of all groups but the first."""
        return [segment for group in self.groups[1:] for segment in group]

    @property
    def first_end(self) -> int:
        """Return the frame at which the first segment ends."""
        return tasks.end_frame(self.groups[0][0])

    def gather(self, outcomes: Mapping[Any, Any]) -> list[Trained]:
        """Return the groups that have begun, each up to its first segment that is not done."""
        begun = []
        for group in self.groups:
            done = []
            for segment in group:
                if segment not in outcomes:
                    break
                done.append(outcomes[segment])
            if done:
                begun.append(Trained.concatenate(done))
        return begun


@dataclass(frozen=True)
class EpsilonAccounting:
    """The part of the epsilon spent by each frame.

    The page waits for the frame that is shown first.

    first_end: the frame that both arms reach with their first task.
    """

    settings: NetworkSettings
    first_end: int

    @cached_property
    def tasks(self) -> tuple[Price, ...]:
        """Return the tasks that count all frames, the end of the training first."""
        if not self.settings.is_sampled:
            return (self._fixed_order_task,)
        all_steps = self._steps(range(FRAMES + 1))
        first_frame = min(self.settings.shown, self.first_end)
        first_shown = set(self._steps([self.settings.shown, first_frame]))
        steps_per_task = _STEPS_PER_PRICE
        if self.settings.applied_noise_ramp != 1:
            steps_per_task = _STEPS_PER_PRICE_OF_RAMP
        prices = []
        for end in range(len(all_steps), 0, -steps_per_task):
            steps = all_steps[max(0, end - steps_per_task) : end]
            is_shown_first = not first_shown.isdisjoint(steps)
            prices.append(self._price(steps, essential=is_shown_first))
        return tuple(prices)

    def gather(self, outcomes: Mapping[Any, Any]) -> np.ndarray:
        """Return the epsilon spent by each frame, with the payments for bounds, (FRAMES + 1,).

        It is NaN where no task has counted it.
        """
        epsilon_of_step = {0: 0.0}
        for price in self.tasks:
            if price not in outcomes:
                continue
            steps = price.steps
            if not self.settings.is_sampled:
                steps = self._steps(range(FRAMES + 1))
            for step, epsilon in zip(steps, outcomes[price].ravel(), strict=True):
                epsilon_of_step[step] = epsilon
        epsilons = []
        for step in self.settings.step_of_frame.tolist():
            epsilons.append(epsilon_of_step.get(step, math.nan))
        return self.settings.spent_epsilon + np.array(epsilons, dtype=float)

    @property
    def _fixed_order_task(self) -> Price:
        """Return the task that counts all frames. All steps up to a frame are one release."""
        noise_multipliers = []
        for step in self._steps(range(FRAMES + 1)):
            sensitivity = self.settings.sensitivity(step)
            noise_multipliers.append(self.settings.noise_multiplier / sensitivity)
        return Price(
            accountant=self.settings.accountant,
            sampling_rate=self.settings.accounted_sampling_rate,
            noise_multipliers=tuple(noise_multipliers),
            steps=(1,),
            delta=self.settings.delta,
            essential=True,
        )

    def _price(self, steps: tuple[int, ...], *, essential: bool) -> Price:
        """Return the task that counts these numbers of steps with sampled batches."""
        settings = self.settings
        ramp = None
        if settings.applied_noise_ramp != 1:
            # It runs over the whole training, whatever number of steps is counted.
            ramp = Schedule(settings.applied_noise_ramp, settings.steps, settings.shape)
        return Price(
            accountant=settings.accountant,
            sampling_rate=settings.accounted_sampling_rate,
            noise_multipliers=(settings.noise_multiplier,),
            steps=steps,
            delta=settings.delta,
            essential=essential,
            ramp=ramp,
        )

    def _steps(self, frames: Iterable[int]) -> tuple[int, ...]:
        """Return the numbers of steps taken by these frames, each once, in order and without 0."""
        step_of_frame = self.settings.step_of_frame
        steps = {int(step_of_frame[frame]) for frame in frames}
        return tuple(sorted(steps - {0}))


class NetworkExperiment(Experiment[NetworkSettings, NetworkResult]):
    """Networks trained by DP-SGD, shown from the first step to the last [abadi2016]."""

    MEASURES: ClassVar = {
        "accuracy": Measure.accuracy(
            "accuracy at the moment shown",
            np.asarray,
            rises=("epsilon", "delta", "rows"),
        )
    }
    # Starts and noise have the shape of the network. Batches depend on the rows and the rate.
    PAIRED_BY = (
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

    def parts(self) -> dict[str, Part]:
        """Return both arms' training, and the epsilon spent by each frame."""
        return {"plain": self._plain, "private": self._private, "spent": self._spent}

    def order(self, parts: Iterable[Part]) -> Iterable[Task]:
        """Return the first groups of both arms segment by segment, then the others.

        The tasks of epsilon follow the first segment of each arm.
        """
        first_tasks: list[Segment] = []
        for pair in zip_longest(self._plain.groups[0], self._private.groups[0]):
            first_tasks += [segment for segment in pair if segment is not None]
        return [
            *first_tasks[:2],
            *self._spent.tasks,
            *first_tasks[2:],
            *self._private.later_tasks,
            *self._plain.later_tasks,
        ]

    def result(self, values: Mapping[str, Any]) -> NetworkResult:
        groups = {arm: values[arm] for arm in ARMS}
        return NetworkResult(settings=self.settings, groups=groups, spent=values["spent"])

    @cached_property
    def _plain(self) -> TrainingGroups:
        count = min(self.settings.repeats, _MOST_PLAIN)
        return TrainingGroups(self.settings.trainings["plain"], count)

    @cached_property
    def _private(self) -> TrainingGroups:
        return TrainingGroups(self.settings.trainings["private"], self.settings.repeats)

    @cached_property
    def _spent(self) -> EpsilonAccounting:
        first_end = min(self._plain.first_end, self._private.first_end)
        return EpsilonAccounting(self.settings, first_end)

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return the measures.

        In a fixed order, more rows make more batches in a pass, each with its own noise. So more
        rows may lower accuracy.
        """
        if self.settings.is_sampled:
            return self.MEASURES
        accuracy = self.MEASURES["accuracy"]._replace(rises=("epsilon", "delta"))
        return {"accuracy": accuracy}

    def shown_sample(self) -> tuple[Runs[Training, np.ndarray]]:
        """Return the task of the accuracy of all private networks at the frame that is shown."""
        task = Runs(
            work=tasks.score_networks,
            model=self.settings.trainings["private"],
            at=(self.settings.shown,),
            count=self.settings.repeats,
        )
        return (task,)

    def sample(self, count: int) -> tuple[Runs[Training, np.ndarray], ...]:
        """Return tasks of the accuracy of the first ``count`` private networks at the shown frame.

        Networks are trained in the groups of the page and then in further ones, each of them whole,
        and the task of a group returns as many accuracies as are still wanted of it.
        """
        training = self.settings.trainings["private"]
        groups = chunking.sample(
            training.groups(self.settings.repeats),
            count,
            each=training.cells,
            most=_MOST_SAMPLED_TOGETHER,
        )
        sampled = []
        for group, wanted_count in groups:
            task = Runs(
                work=tasks.score_sample,
                model=training,
                at=(self.settings.shown,),
                first=group.start,
                count=len(group),
                given=wanted_count,
            )
            sampled.append(task)
        return tuple(sampled)
