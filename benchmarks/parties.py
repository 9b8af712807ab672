"""Measure *Learning across parties* with 20,000 parties, and time four releases next to a loop.

    make bench ARGS=parties

The first table has a row for each kind of data, and each runs in a process without a cache:

- *first*: seconds of the tasks of the first picture. *rest*: seconds of all tasks.
- *tasks*: number of tasks. *longest*: seconds of the longest one.
- *move*: seconds for another epsilon once all parties have been asked.
- *memory*: peak memory of the process. *of that*: the part above the memory after the
  imports.

The second part trains all parties, asks them about the public rows, and makes 20 releases each of
vote, soft labels, averaged weights and PATE at one epsilon:

- *ours*: the lab. *loop*: one `LogisticRegression` of scikit-learn for each party and each release,
  of which a few parties are timed and scaled up.

The last two tables, of accuracy, are those of ``benchmarks.party_releases``.

The columns are medians over the rounds, and ratios are taken within a round. The linear algebra has
one thread, as in the app. Both must first answer nearly the same about the public rows.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from benchmarks import party_releases
from benchmarks.report import Line, Outcome, Print, at_least, at_most, duration, number, row
from dpcore.mechanisms import NormExponential
from lab.data.parties import parties
from lab.data.party_kinds import CHECK_ROWS
from pages.parties import votes
from pages.parties.fits import accuracy, fit_releases
from pages.parties.releases import unit_noise
from pages.parties.settings import PartiesSettings
from pages.parties.tasks import release_all, train_pooled
from pages.parties.votes import CollectVotes

PARTIES, LOOPED = 20_000, 200
CROWDS = ("two", "six", "digits")
# What is asked: seconds of a single task, megabytes above the imports, and how much quicker than
# the loop.
TASK_AT_MOST, MEGABYTES_AT_MOST, LOOP_AT_LEAST = 0.1, 200, 10.0
# Of the labels that parties give to public rows, the share that ours and the loop may differ in.
DIFFERENT = 0.01
COLUMNS = ("20,000 parties", "first", "rest", "tasks", "longest", "move", "memory", "of that")
WIDTHS = (18, 9, 9, 7, 9, 9, 9, 9)


def crowd(dataset: str) -> dict:
    """All tasks of the page with 20,000 parties in this process: seconds, and megabytes at the
    peak.
    """
    before = _megabytes()
    settings = PartiesSettings().change(dataset=dataset, parties=PARTIES)
    with threadpool_limits(1):
        begin, seconds, outcomes, first = time.process_time(), [], {}, 0.0
        for task in settings.experiment.tasks():
            start = time.process_time()
            outcomes[task] = task.run()
            seconds.append(time.process_time() - start)
            first = first or (
                0.0 if not _whole(settings, outcomes) else time.process_time() - begin
            )
        settings.experiment.gather(outcomes)
        rest = time.process_time() - begin
        start, moved = time.process_time(), settings.change(epsilon=2.3)
        for task in moved.experiment.tasks():
            if task.essential and task not in outcomes:
                task.run()
        move = time.process_time() - start
    memory = _megabytes()
    found = {
        "first": first,
        "rest": rest,
        "tasks": len(seconds),
        "longest": max(seconds),
        "move": move,
    }
    return found | {"memory": memory, "more": memory - before}


def _whole(settings: PartiesSettings, outcomes: dict) -> bool:
    """Whether enough has been done for a picture."""
    kinds = {getattr(task, "work", type(task)) for task in outcomes}
    return kinds >= {CollectVotes, release_all, train_pooled}


def _megabytes() -> float:
    """The most memory that this process has had; what it inherits from the one that started it does
    not count.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return next(
            int(line.split()[1]) / 1e3
            for line in status.read_text().splitlines()
            if line.startswith("VmHWM")
        )
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1e6 if sys.platform == "darwin" else 1e3
    )


def alone(dataset: str) -> dict:
    """``crowd`` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.parties", dataset]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def ours(settings: PartiesSettings) -> np.ndarray:
    """Votes (K, N) for the public rows, after everything has been released."""
    for kept in (fit_releases, unit_noise):
        kept.cache_clear()
    votes._newest.clear()
    held = [CollectVotes(pool=settings.pool, upto=upto).run() for upto in _edges(settings)]
    (task,) = settings.experiment.shown_sample()
    task.run()
    return held[-1].votes[:, :-CHECK_ROWS]


def _edges(settings: PartiesSettings) -> tuple[int, ...]:
    return settings.pool.chunk_ends(settings.parties)


def loop(settings: PartiesSettings) -> tuple[np.ndarray, float, float]:
    """(votes (K, N), seconds for the parties, seconds for the releases), one model after
    the other.
    """
    model, own, rng = settings.mechanisms, settings.ensemble, np.random.default_rng(0)
    rows, test = own.rows["public"].X, own.rows["test"]
    begin, K = time.process_time(), own.classes
    counts, total = np.zeros((K, len(rows))), np.zeros(own.shape)
    for X, y in zip(*parties(settings.data, 0, settings.parties), strict=True):
        said, weights = _party(X, y, rows, settings)
        counts[said, np.arange(len(rows))] += 1
        total += weights
    asked = time.process_time()
    noise = NormExponential(sensitivity=1.0, epsilon=settings.epsilon)
    fitted = {
        "vote": _fitted(rows, counts, settings, soft=False),
        "soft": _fitted(rows, counts, settings, soft=True),
    }
    fitted["average"] = total / settings.parties
    for name, weights in fitted.items():
        for _ in range(settings.repeats):
            released = weights + model.sensitivity(name) * noise.noise(weights.size, rng)[
                0
            ].reshape(weights.shape)
            accuracy(own, released)
    for _ in range(settings.repeats):
        noisy = counts[:, : model.queries] + model.pate_noise_sd(
            settings.epsilon
        ) * rng.standard_normal((K, model.queries))
        student = _fitted(rows[: model.queries], noisy, settings, soft=False)
        (test.X @ student.T > 0).mean()
    return counts, asked - begin, time.process_time() - asked


def _party(
    X: np.ndarray, y: np.ndarray, rows: np.ndarray, settings: PartiesSettings
) -> tuple[np.ndarray, np.ndarray]:
    """What one party says about the rows, and its weights; one with rows of one class says that."""
    if len(np.unique(y)) == 1:
        return np.full(len(rows), y[0]), np.zeros((1, X.shape[1]))
    found = LogisticRegression(C=1 / (settings.regularisation * len(X)), fit_intercept=False).fit(
        X, y
    )
    return found.predict(rows), found.coef_


def _fitted(
    rows: np.ndarray, counts: np.ndarray, settings: PartiesSettings, *, soft: bool
) -> np.ndarray:
    """Weights (1, d) fitted to the winners, or to both classes with their shares as weights."""
    strength = settings.regularisation * len(rows)
    options = {"C": 1 / strength, "fit_intercept": False, "tol": 1e-9, "max_iter": 1000}
    if soft:
        shares = counts / counts.sum(axis=0)
        X, y = np.concatenate([rows, rows]), np.repeat([0, 1], len(rows))
        return LogisticRegression(**options).fit(X, y, sample_weight=np.concatenate(shares)).coef_
    winners = counts.argmax(axis=0)
    if len(np.unique(winners)) == 1:
        return np.zeros((1, rows.shape[1]))
    return LogisticRegression(**options).fit(rows, winners).coef_


def disagreement(settings: PartiesSettings) -> float:
    """The share of the votes in which ours and the loop differ."""
    return float(
        np.abs(ours(settings) - loop(settings)[0]).sum()
        / 2
        / (settings.parties * settings.public_rows)
    )


def run(*, rounds: int, say: Print) -> Outcome:
    """Crowds in processes of their own, then the releases beside the loop."""
    outcome, found = Outcome(), {}
    say(row(COLUMNS, WIDTHS))
    for dataset in CROWDS:
        several = [alone(dataset) for _ in range(max(1, rounds // 2))]
        found[dataset] = {name: [one[name] for one in several] for name in several[0]}
        best = {name: float(np.median(values)) for name, values in found[dataset].items()}
        times = [duration(best[name]) for name in ("first", "rest")]
        cells = [
            *times,
            f"{best['tasks']:.0f}",
            *(duration(best[name]) for name in ("longest", "move")),
        ]
        say(
            row(
                [dataset, *cells, f"{number(best['memory'])} MB", f"{number(best['more'])} MB"],
                WIDTHS,
            )
        )
    many, few = PartiesSettings(parties=PARTIES), PartiesSettings(parties=LOOPED)
    with threadpool_limits(1):
        outcome.lines.append(_sameness(disagreement(few)))
        taken = np.array([_timed(many, few) for _ in range(rounds)])
    mine, theirs = taken.T
    say(
        f"  two classes, four releases 20 times: ours {duration(np.median(mine))}, loop*"
        f" {duration(np.median(theirs))}"
    )
    outcome.lines += [
        at_least(
            "quicker than the loop, 20,000 parties and four releases", LOOP_AT_LEAST, theirs / mine
        )
    ]
    longest = [value for one in found.values() for value in one["longest"]]
    outcome.lines.append(at_most("longest single task", TASK_AT_MOST, longest, unit=" s"))
    more = [value for one in found.values() for value in one["more"]]
    outcome.lines.append(at_most("memory above the imports", MEGABYTES_AT_MOST, more, unit=" MB"))
    outcome.lines += party_releases.print_trust(say)
    outcome.lines += party_releases.print_cases(say)
    return outcome


def _timed(many: PartiesSettings, few: PartiesSettings) -> tuple[float, float]:
    """Seconds of ours, and of the loop scaled up to as many parties."""
    begin = time.process_time()
    ours(many)
    mine = time.process_time() - begin
    _, asking, releasing = loop(few)
    return mine, asking * many.parties / few.parties + releasing


def _sameness(apart: float) -> Line:
    return Line(
        asked=f"parties of the loop say the same but for {DIFFERENT:.0%} of the labels",
        measured=f"{apart:.2%} differ",
        met=apart <= DIFFERENT,
    )


if __name__ == "__main__":
    print(json.dumps(crowd(sys.argv[1])))
