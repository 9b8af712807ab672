"""Time the retraining attack of *Attacks and audits*: 2,000 + 2,000 classifiers on 400 rows.

    make bench ARGS=attack

The columns are medians over the rounds. The linear algebra has one thread, as in the app. Lab and
loop must first reach the same weights with the same noise.

- *ours*: seconds of all tasks of the page, with half of the classifiers trained on each of two
  neighbouring data sets.
- *slices*: number of these tasks. *longest*: seconds of the longest one.
- *loop*: seconds of a plain numpy loop that trains one classifier at a time and clips each row's
  gradient. A few trainings are timed and scaled up.
- *loop/ours*: ratio of the two, taken within a round.
- *redraw*: seconds to make everything that a new epsilon shows from finished trainings: scores,
  intervals, bounds, sentences, and three charts as bytes for the browser.
"""

import time

import numpy as np
import orjson
from threadpoolctl import threadpool_limits

from benchmarks.contenders import median_seconds
from benchmarks.report import (
    Line,
    Outcome,
    Print,
    at_least,
    at_most,
    duration,
    factor,
    median_text,
    row,
)
from dpcore.streams import normal_steps
from dpcore.training import losses
from lab.models.classifier_versions import noise_sd
from pages.attack import charts, texts
from pages.attack.neighbours import Rows
from pages.attack.settings import AttackSettings
from pages.attack.tasks import attack_at_epsilon, train_pairs
from ui.widgets import Chart

DATASETS = ("gaussians", "moons", "iris")
# How far apart weights may be: float32 beside double precision.
TOLERANCE = 1e-4
# The requirements: a ratio of seconds, and seconds.
LOOP_AT_LEAST = 10.0
SLICE_AT_MOST = 0.1
# The stream of training r of the second world is that of r + 100,000.
SECOND_WORLD = 100_000
# Keeps a ratio finite where a gradient is 0.
LEAST_NORM = 1e-30
COLUMNS = ("", "ours", "slices", "longest", "loop*", "loop/ours", "redraw")
WIDTHS = (22, 9, 7, 9, 9, 10, 9)


class Work:
    """The settings of one data set as the page opens them, its two worlds, and the page's tasks.

    The tasks are those at the set epsilon.
    """

    def __init__(self, dataset: str, **changes):
        self.settings = AttackSettings().change(dataset=dataset).change(**changes)
        tasks = self.settings.experiment.tasks()
        self.tasks = [task for task in tasks if task.work is not attack_at_epsilon]
        self.data_sets = self.settings.neighbours.data_sets()
        self.sd = noise_sd(self.settings, self.settings.epsilon)

    @property
    def trainings(self) -> int:
        """Return the number of classifiers in both worlds together."""
        return 2 * self.settings.repeats

    def all_tasks(self) -> tuple[dict, list[float]]:
        """Return what each task returned, and the seconds of each."""
        outcomes = {}
        seconds = []
        for task in self.tasks:
            begin = time.perf_counter()
            outcomes[task] = task.run()
            seconds.append(time.perf_counter() - begin)
        return outcomes, seconds


def loop(work: Work, training: int, *, noise: np.ndarray | None = None) -> np.ndarray:
    """Return the weights (k, p) of one training, as one would write it down.

    Args:
        work: The settings and worlds.
        training: Its number; even ones are of the world with the person.
        noise: Standard draws (T, k, p); fresh ones if None.
    """
    settings = work.settings
    world = work.data_sets[training % 2]
    target = _targets(world, settings.classes)
    w = np.zeros((target.shape[1], world.X.shape[1]))
    rng = np.random.default_rng(training)
    for step in range(settings.steps):
        residuals = _probabilities(world.X @ w.T) - target
        # One gradient a row, (n, k * p).
        gradients = residuals[:, :, None] * world.X[:, None, :]
        gradients = gradients.reshape(len(target), -1)
        norms = np.linalg.norm(gradients, axis=1, keepdims=True)
        shares = np.minimum(1, settings.clip_norm / np.maximum(norms, LEAST_NORM))
        mean = (gradients * shares).mean(axis=0).reshape(w.shape)
        if noise is None:
            draws = rng.standard_normal(w.shape)
        else:
            draws = noise[step]
        w -= settings.learning_rate * (mean + work.sd * draws)
    return w


def _targets(world: Rows, classes: int) -> np.ndarray:
    """Return the probabilities that would be right, (n, k); of two classes that of class 1."""
    labels = world.y[:, None]
    if losses.outputs(classes) == 1:
        return labels
    return (labels == np.arange(classes)) * 1.0


def _probabilities(z: np.ndarray) -> np.ndarray:
    """Return the probabilities of scores (n, k)."""
    if z.shape[1] == 1:
        return 1 / (1 + np.exp(-z))
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def disagreement(work: Work, trainings: int = 3) -> float:
    """Return the largest difference between weights of the loop and of the page's first trainings.

    Both have the same noise.
    """
    first_task, *_ = work.tasks
    weights_of_worlds = train_pairs(first_task.model, (work.settings.epsilon,), range(trainings))
    largest = 0.0
    for world, weights in enumerate(weights_of_worlds):
        noise = normal_steps(
            work.settings.seed,
            "noise",
            np.arange(trainings) + SECOND_WORLD * world,
            steps=work.settings.steps,
            shape=weights.shape[1:],
            dtype=np.float32,
        )
        # (T, trainings, k, p) to (trainings, T, k, p).
        noise_of_trainings = np.stack(list(noise), axis=1)
        of_loop = [loop(work, world, noise=draws) for draws in noise_of_trainings]
        largest = max(largest, float(np.abs(weights - of_loop).max()))
    return largest


def redraw(work: Work, outcomes: dict) -> int:
    """Make all that a move of epsilon shows of finished trainings.

    Returns the bytes of the charts and the letters of the sentences.
    """
    result = work.settings.experiment.gather(outcomes)
    figures = (charts.people(result), charts.scores(result), charts.accuracy(result))
    sentences = [texts.verdict(result), *texts.diagnostics(result), texts.guarantee(result)]
    size = sum(len(sentence) for sentence in sentences)
    for index, figure in enumerate(figures):
        chart = Chart(name=str(index), figure=figure, alt="")
        size += len(orjson.dumps(chart.message()))
    return size


def times(work: Work, *, rounds: int) -> dict[str, np.ndarray]:
    """Return seconds by round: "ours", "longest", "loop" (scaled up) and "redraw"."""
    seconds = {name: np.empty(rounds) for name in ("ours", "longest", "loop", "redraw")}
    for turn in range(rounds):
        outcomes, of_tasks = work.all_tasks()
        seconds["ours"][turn] = sum(of_tasks)
        seconds["longest"][turn] = max(of_tasks)
        of_training = median_seconds(
            lambda training: lambda: loop(work, training), turn, models=work.trainings
        )
        seconds["loop"][turn] = work.trainings * of_training
        seconds["redraw"][turn] = median_seconds(
            lambda _, outcomes=outcomes: lambda: redraw(work, outcomes), turn, models=1
        )
    return seconds


def run(*, rounds: int, say: Print) -> Outcome:
    """Measure three data sets with two and three classes."""
    lines = []
    works = {name: Work(name) for name in DATASETS}
    first_name, *_ = DATASETS
    first_work = works[first_name]
    say(
        f"  {first_work.trainings:,} trainings of {first_work.settings.steps} steps; * a few"
        " trainings, scaled up"
    )
    say(row(COLUMNS, WIDTHS))
    with threadpool_limits(1, user_api="blas"):
        for name, work in works.items():
            difference = disagreement(work)
            seconds = times(work, rounds=rounds)
            say(_table_row(name, work, seconds))
            ratio = seconds["loop"] / seconds["ours"]
            lines.append(_sameness(name, difference))
            lines.append(at_least(f"{name}: quicker than the loop", LOOP_AT_LEAST, ratio))
            if name == first_name:
                longest = seconds["longest"]
                lines.append(at_most(f"{name}: longest slice", SLICE_AT_MOST, longest, unit=" s"))
    return Outcome(lines=lines)


def _table_row(name: str, work: Work, seconds: dict[str, np.ndarray]) -> str:
    """Return the medians of one data set."""
    cells = [
        f"{name}, n={work.settings.rows}",
        median_text(seconds["ours"], duration),
        len(work.tasks),
        median_text(seconds["longest"], duration),
        median_text(seconds["loop"], duration),
        median_text(seconds["loop"] / seconds["ours"], factor),
        median_text(seconds["redraw"], duration),
    ]
    return row(cells, WIDTHS)


def _sameness(name: str, difference: float) -> Line:
    """Require the same weights as the loop, with the same noise."""
    return Line(
        asked=f"{name}: the same noise, the same weights within {TOLERANCE:g}",
        measured=f"{difference:.0e}",
        met=difference <= TOLERANCE,
    )
