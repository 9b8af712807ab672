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

from benchmarks.contenders import moment
from benchmarks.report import Line, Outcome, Print, at_least, at_most, duration, number, row
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
LOOP_AT_LEAST, SLICE_AT_MOST = 10.0, 0.1
COLUMNS = ("", "ours", "slices", "longest", "loop*", "loop/ours", "redraw")
WIDTHS = (22, 9, 7, 9, 9, 10, 9)


class Work:
    """The settings of one data set as the page opens them, both data sets that are attacked, and
    the page's tasks at the set epsilon.
    """

    def __init__(self, dataset: str, **changes):
        self.settings = AttackSettings().change(dataset=dataset).change(**changes)
        tasks = self.settings.experiment.tasks()
        self.tasks = [task for task in tasks if task.work is not attack_at_epsilon]
        self.data_sets = self.settings.neighbours.data_sets()
        self.sd = noise_sd(self.settings, self.settings.epsilon)

    @property
    def trainings(self) -> int:
        """In both worlds together."""
        return 2 * self.settings.repeats

    def all_tasks(self) -> tuple[dict, list[float]]:
        """(what each task returned, seconds of each)."""
        outcomes, seconds = {}, []
        for task in self.tasks:
            begin = time.perf_counter()
            outcomes[task] = task.run()
            seconds.append(time.perf_counter() - begin)
        return outcomes, seconds


def loop(work: Work, training: int, *, noise: np.ndarray | None = None) -> np.ndarray:
    """Weights (k, p) of one training, as one would write it down; even ones are of the world with
    the person.

    noise (T, k, p): standard draws, else fresh ones.
    """
    settings, world = work.settings, work.data_sets[training % 2]
    target = _targets(world, settings.classes)
    w = np.zeros((target.shape[1], world.X.shape[1]))
    rng = np.random.default_rng(training)
    for step in range(settings.steps):
        z = world.X @ w.T
        p = 1 / (1 + np.exp(-z)) if z.shape[1] == 1 else _softmax(z)
        gradients = ((p - target)[:, :, None] * world.X[:, None, :]).reshape(len(target), -1)
        norms = np.linalg.norm(gradients, axis=1, keepdims=True)
        mean = (
            (gradients * np.minimum(1, settings.clip_norm / np.maximum(norms, 1e-30)))
            .mean(axis=0)
            .reshape(w.shape)
        )
        drawn = rng.standard_normal(w.shape) if noise is None else noise[step]
        w -= settings.learning_rate * (mean + work.sd * drawn)
    return w


def _targets(world: Rows, classes: int) -> np.ndarray:
    return (
        world.y[:, None]
        if losses.outputs(classes) == 1
        else (world.y[:, None] == np.arange(classes)) * 1.0
    )


def _softmax(z: np.ndarray) -> np.ndarray:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def disagreement(work: Work, trainings: int = 3) -> float:
    """The largest difference between weights of the loop and of the page's first trainings, with
    the same noise.
    """
    model = work.tasks[0].model
    ours = train_pairs(model, (work.settings.epsilon,), range(trainings))
    apart = 0.0
    for place, weights in enumerate(ours):
        # The stream of training r of the second world is that of r + 100,000.
        draws = np.arange(trainings) + 100_000 * place
        shape = {"steps": work.settings.steps, "shape": weights.shape[1:], "dtype": np.float32}
        noise = np.stack(list(normal_steps(work.settings.seed, "noise", draws, **shape)), axis=1)
        found = [loop(work, place, noise=drawn) for drawn in noise]
        apart = max(apart, float(np.abs(weights - found).max()))
    return apart


def redraw(work: Work, outcomes: dict) -> int:
    """All that a move of epsilon makes of trainings that are there; how many bytes go to the
    browser.
    """
    result = work.settings.experiment.gather(outcomes)
    figures = (charts.people(result), charts.scores(result), charts.accuracy(result))
    said = [texts.verdict(result), *texts.diagnostics(result), texts.guarantee(result)]
    pictures = [Chart(name=str(at), figure=figure, alt="") for at, figure in enumerate(figures)]
    return sum(len(orjson.dumps(picture.message())) for picture in pictures) + sum(map(len, said))


def times(work: Work, *, rounds: int) -> dict[str, np.ndarray]:
    """Seconds by round: "ours", "longest", "loop" (scaled up) and "redraw"."""
    taken = {name: np.empty(rounds) for name in ("ours", "longest", "loop", "redraw")}
    for turn in range(rounds):
        outcomes, seconds = work.all_tasks()
        taken["ours"][turn], taken["longest"][turn] = sum(seconds), max(seconds)
        each = moment(lambda one: lambda: loop(work, one), turn, models=work.trainings)
        taken["loop"][turn] = work.trainings * each
        taken["redraw"][turn] = moment(
            lambda _, done=outcomes: lambda: redraw(work, done), turn, models=1
        )
    return taken


def run(*, rounds: int, say: Print) -> Outcome:
    """Three data sets with two and three classes."""
    lines = []
    with threadpool_limits(1, user_api="blas"):
        for name in DATASETS:
            work = Work(name)
            if not lines:
                say(
                    f"  {work.trainings:,} trainings of {work.settings.steps} steps; * a few"
                    " trainings, scaled up"
                )
                say(row(COLUMNS, WIDTHS))
            apart, taken = disagreement(work), times(work, rounds=rounds)
            ratio = taken["loop"] / taken["ours"]
            shown = {key: duration(float(np.median(value))) for key, value in taken.items()}
            cells = [
                shown["ours"],
                len(work.tasks),
                shown["longest"],
                shown["loop"],
                f"{number(np.median(ratio))}x",
            ]
            say(row([f"{name}, n={work.settings.rows}", *cells, shown["redraw"]], WIDTHS))
            lines += [
                _sameness(name, apart),
                at_least(f"{name}: quicker than the loop", LOOP_AT_LEAST, ratio),
            ]
            if name == DATASETS[0]:
                lines.append(
                    at_most(f"{name}: longest slice", SLICE_AT_MOST, taken["longest"], unit=" s")
                )
    return Outcome(lines=lines)


def _sameness(name: str, apart: float) -> Line:
    return Line(
        asked=f"{name}: the same noise, the same weights within {TOLERANCE:g}",
        measured=f"{apart:.0e}",
        met=apart <= TOLERANCE,
    )
