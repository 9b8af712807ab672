"""Tasks of the networks: train a group from one frame to a later one, and score networks.

Shapes: R networks with P weights each, m frames, n rows.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from dpcore.cache import cached
from lab.experiment.parts import Runs, slices
from pages.network.training import FRAMES, Training, may_diverge, mean_loss, scale_inputs

# Every so many frames networks are measured. Each of ``QUARTERS`` is such a frame.
MEASURED_EVERY = 5
# The frames of the table: a quarter, half, three quarters and the end of the training.
QUARTERS = tuple(FRAMES * quarter // 4 for quarter in (1, 2, 3, 4))
# Rows from which losses are estimated.
_MEASURED_ROWS = 200


class Trained(NamedTuple):
    """A group of networks over some frames of its training.

    weights: at each frame (m, R, P).
    frames: the frames (m',) at which networks are measured.
    accuracy: on held-out rows (m', R).
    loss: mean loss on some private rows, (m', R), in nats.
    """

    weights: np.ndarray
    frames: np.ndarray
    accuracy: np.ndarray
    loss: np.ndarray

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return consecutive parts of a training as one."""
        return cls(
            weights=np.concatenate([part.weights for part in parts]),
            frames=np.concatenate([part.frames for part in parts]),
            accuracy=np.concatenate([part.accuracy for part in parts]),
            loss=np.concatenate([part.loss for part in parts]),
        )


# The task of training a group from one frame to a later one, and the tasks of a whole training.
Segment = Runs[Training, Trained]
Segments = tuple[Segment, ...]


def segments(training: Training, group: range) -> Segments:
    """Return the tasks of the whole training of a group, in their order."""
    width = training.frames_per_segment(len(group))
    return slices(train_segment, training, range(0, FRAMES, width), [group])


def end_frame(segment: Segment) -> int:
    """Return the frame at which a segment ends."""
    width = segment.model.frames_per_segment(segment.count)
    return min(segment.at[0] + width, FRAMES)


@cached
def train_segment(training: Training, at: tuple[int], repeats: range) -> Trained:
    """Train a group from the frame ``at`` on. The first segment has frame 0 too.

    A segment continues where the one before it ended, which is looked up, or trained again.
    """
    (begin,) = at
    width = training.frames_per_segment(len(repeats))
    end = min(begin + width, FRAMES)
    if begin == 0:
        first_frame = 0
        start = training.start(repeats)
    else:
        first_frame = begin + 1
        start = train_segment(training, (begin - width,), repeats).weights[-1]

    step_of_frame = training.step_of_frame
    begin_step = int(step_of_frame[begin])
    # Frames share a step if there are fewer steps than frames.
    steps = np.unique(step_of_frame[begin + 1 : end + 1])
    trained = training.train(
        repeats,
        start,
        first=begin_step,
        last=int(step_of_frame[end]),
        record=steps.tolist(),
    )
    weights = np.concatenate([start[None], trained.history])
    recorded_steps = np.append(begin_step, steps)
    index_of_frame = np.searchsorted(recorded_steps, step_of_frame[first_frame : end + 1])
    with may_diverge():
        return _measure(training, weights[index_of_frame], first_frame=first_frame)


def _measure(training: Training, weights: np.ndarray, *, first_frame: int) -> Trained:
    """Measure networks (m, R, P) at some of the frames from ``first_frame`` on."""
    frames = np.arange(first_frame, first_frame + len(weights))
    frames = frames[frames % MEASURED_EVERY == 0]
    architecture = training.recipe.architecture
    split = training.split
    X_private = scale_inputs(split.X_private[:_MEASURED_ROWS])
    y_private = split.y_private[:_MEASURED_ROWS]
    accuracy = []
    loss = []
    for frame in frames:
        networks = weights[frame - first_frame]
        accuracy.append(training.accuracy(networks))
        loss.append(mean_loss(architecture.logits(networks, X_private), y_private))
    # There may be no such frame, so the shapes are given.
    shape = (len(frames), weights.shape[1])
    return Trained(
        weights=weights,
        frames=frames,
        accuracy=np.array(accuracy).reshape(shape),
        loss=np.array(loss).reshape(shape),
    )


def score_networks(training: Training, at: tuple[int], repeats: range) -> np.ndarray:
    """Return the held-out accuracy (R,) at a frame of all networks, trained group by group."""
    (frame,) = at
    weights = [weights_at(training, frame, group) for group in training.groups(len(repeats))]
    return training.accuracy(np.concatenate(weights))


def weights_at(training: Training, frame: int, group: range) -> np.ndarray:
    """Return the weights (R, P) of a group at a frame."""
    segment = next(task for task in segments(training, group) if end_frame(task) >= frame)
    # Counted from the end of the segment, because the first segment has one frame more.
    return segment.run().weights[frame - end_frame(segment) - 1]


def score_sample(training: Training, at: tuple[int], repeats: range, *, given: int) -> np.ndarray:
    """Return the accuracy of the first ``given`` networks of a group, as ``score_networks`` does.

    They are trained up to the frame only, and no other frame is kept. They are trained segment by
    segment as on the page, because the split of work among cores follows from its size.
    """
    (frame,) = at
    step_of_frame = training.step_of_frame
    last_step = int(step_of_frame[frame])
    weights = training.start(repeats)
    for segment in segments(training, repeats):
        begin = int(step_of_frame[segment.at[0]])
        end = int(step_of_frame[end_frame(segment)])
        if begin >= last_step:
            break
        trained = training.train(
            repeats, weights, first=begin, last=end, record=(min(last_step, end),)
        )
        weights = trained.history[0]
    return training.accuracy(weights)[:given]
