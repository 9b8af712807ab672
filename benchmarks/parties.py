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
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from benchmarks import party_releases
from benchmarks.report import (
    Line,
    Outcome,
    Print,
    at_least,
    at_most,
    duration,
    median_text,
    number,
    row,
)
from dpcore.mechanisms import NormExponential
from lab.data.parties import parties
from lab.data.party_kinds import CHECK_ROWS
from lab.experiment.settings import Task
from pages.parties import votes
from pages.parties.fits import accuracy, fit_releases
from pages.parties.releases import unit_noise
from pages.parties.settings import PartiesSettings
from pages.parties.tasks import release_all, train_pooled
from pages.parties.votes import CollectVotes

ROOT = Path(__file__).parents[1]
PARTIES = 20_000
# Parties that the loop trains.
LOOP_PARTIES = 200
DATASETS = ("two", "six", "digits")
# The epsilon that the slider is moved to.
MOVED_EPSILON = 2.3
# Requirements: seconds, megabytes, and a ratio of seconds.
TASK_AT_MOST = 0.1
MEGABYTES_AT_MOST = 200
LOOP_AT_LEAST = 10.0
# Share of the labels of public rows in which the lab and the loop may differ.
DIFFERENCE_AT_MOST = 0.01
COLUMNS = ("20,000 parties", "first", "rest", "tasks", "longest", "move", "memory", "of that")
WIDTHS = (18, 9, 9, 7, 9, 9, 9, 9)


@dataclass(frozen=True, kw_only=True)
class PageCosts:
    """What the page of 20,000 parties takes in a process without a cache.

    Attributes:
        first: Seconds of the tasks of the first picture.
        rest: Seconds of all tasks.
        tasks: Number of tasks.
        longest: Seconds of the longest one.
        move: Seconds for another epsilon.
        memory: Megabytes of the process at its peak.
        added_memory: Megabytes above those after the imports.
    """

    first: float
    rest: float
    tasks: int
    longest: float
    move: float
    memory: float
    added_memory: float


def measure_page(dataset: str) -> PageCosts:
    """Run all tasks of the page in this process."""
    memory_before = _peak_megabytes()
    settings = PartiesSettings().change(dataset=dataset, parties=PARTIES)
    outcomes: dict[Task, object] = {}
    seconds_of_tasks = []
    first = 0.0
    with threadpool_limits(1):
        begin = time.process_time()
        for task in settings.experiment.tasks():
            begin_of_task = time.process_time()
            outcomes[task] = task.run()
            seconds_of_tasks.append(time.process_time() - begin_of_task)
            if first == 0 and _have_first_picture(outcomes):
                first = time.process_time() - begin
        settings.experiment.gather(outcomes)
        rest = time.process_time() - begin

        begin_of_move = time.process_time()
        for task in settings.change(epsilon=MOVED_EPSILON).experiment.tasks():
            if task.essential and task not in outcomes:
                task.run()
        move = time.process_time() - begin_of_move
    memory = _peak_megabytes()
    return PageCosts(
        first=first,
        rest=rest,
        tasks=len(seconds_of_tasks),
        longest=max(seconds_of_tasks),
        move=move,
        memory=memory,
        added_memory=memory - memory_before,
    )


def _have_first_picture(outcomes: Mapping[Task, object]) -> bool:
    """Return whether enough has been done for a picture."""
    kinds = {getattr(task, "work", type(task)) for task in outcomes}
    return kinds >= {CollectVotes, release_all, train_pooled}


def _peak_megabytes() -> float:
    """Return the most memory that this process has had.

    What it inherits from the one that started it does not count, where the system says so.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM"):
                _, kilobytes, _ = line.split()
                return int(kilobytes) / 1e3
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # In bytes on macOS, and in kilobytes elsewhere.
    if sys.platform == "darwin":
        return peak / 1e6
    return peak / 1e3


def measure_page_alone(dataset: str) -> PageCosts:
    """Run ``measure_page`` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.parties", dataset]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return PageCosts(**json.loads(process.stdout))


def ours(settings: PartiesSettings) -> np.ndarray:
    """Train the parties and make all releases, and return the votes (K, N) on public rows."""
    fit_releases.cache_clear()
    unit_noise.cache_clear()
    votes._newest.clear()
    for end in settings.pool.chunk_ends(settings.parties):
        totals = CollectVotes(pool=settings.pool, upto=end).run()
    (task,) = settings.experiment.shown_sample()
    task.run()
    return totals.votes[:, :-CHECK_ROWS]


class LoopResult(NamedTuple):
    """What the loop gives.

    Attributes:
        votes: Of the parties on the public rows, (K, N).
        party_seconds: Of the training of the parties.
        release_seconds: Of the releases.
    """

    votes: np.ndarray
    party_seconds: float
    release_seconds: float


def loop(settings: PartiesSettings) -> LoopResult:
    """Train one party after the other, and then make one release after the other."""
    ensemble = settings.ensemble
    public_rows = ensemble.rows["public"].X
    begin = time.process_time()
    counts = np.zeros((ensemble.classes, len(public_rows)))
    total_weights = np.zeros(ensemble.shape)
    all_X, all_y = parties(settings.data, 0, settings.parties)
    for X, y in zip(all_X, all_y, strict=True):
        labels, weights = _train_party(X, y, public_rows, settings)
        counts[labels, np.arange(len(public_rows))] += 1
        total_weights += weights
    end_of_parties = time.process_time()
    _release(settings, counts, total_weights / settings.parties)
    return LoopResult(
        votes=counts,
        party_seconds=end_of_parties - begin,
        release_seconds=time.process_time() - end_of_parties,
    )


def _train_party(
    X: np.ndarray, y: np.ndarray, public_rows: np.ndarray, settings: PartiesSettings
) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels (m,) that one party gives to the public rows, and its weights (1, d).

    A party with rows of one class gives that class.
    """
    if len(np.unique(y)) == 1:
        return np.full(len(public_rows), y[0]), np.zeros((1, X.shape[1]))
    strength = settings.regularisation * len(X)
    model = LogisticRegression(C=1 / strength, fit_intercept=False).fit(X, y)
    return model.predict(public_rows), model.coef_


def _release(settings: PartiesSettings, counts: np.ndarray, mean_weights: np.ndarray) -> None:
    """Release votes, soft labels, averaged weights and PATE, 20 times each.

    Args:
        settings: Of the page.
        counts: Votes (K, m).
        mean_weights: Of the parties, (1, d).
    """
    ensemble = settings.ensemble
    public_rows = ensemble.rows["public"].X
    test_rows = ensemble.rows["test"].X
    mechanisms = settings.mechanisms
    rng = np.random.default_rng(0)
    unit_noise = NormExponential(sensitivity=1.0, epsilon=settings.epsilon)
    weights_of_releases = {
        "vote": _fit_winners(public_rows, counts, settings),
        "soft": _fit_shares(public_rows, counts, settings),
        "average": mean_weights,
    }
    for name, weights in weights_of_releases.items():
        for _ in range(settings.repeats):
            noise = unit_noise.noise(weights.size, rng)[0].reshape(weights.shape)
            accuracy(ensemble, weights + mechanisms.sensitivity(name) * noise)

    queries = public_rows[: mechanisms.queries]
    query_counts = counts[:, : mechanisms.queries]
    noise_sd = mechanisms.pate_noise_sd(settings.epsilon)
    for _ in range(settings.repeats):
        noisy_counts = query_counts + noise_sd * rng.standard_normal(query_counts.shape)
        student = _fit_winners(queries, noisy_counts, settings)
        (test_rows @ student.T > 0).mean()


def _fit_winners(rows: np.ndarray, counts: np.ndarray, settings: PartiesSettings) -> np.ndarray:
    """Return weights (1, d) that are fitted to the class with most votes on each row."""
    winners = counts.argmax(axis=0)
    if len(np.unique(winners)) == 1:
        return np.zeros((1, rows.shape[1]))
    return _public_model(len(rows), settings).fit(rows, winners).coef_


def _fit_shares(rows: np.ndarray, counts: np.ndarray, settings: PartiesSettings) -> np.ndarray:
    """Return weights (1, d) that are fitted to both classes of each row, weighted by votes."""
    shares = counts / counts.sum(axis=0)
    X = np.concatenate([rows, rows])
    y = np.repeat([0, 1], len(rows))
    model = _public_model(len(rows), settings)
    return model.fit(X, y, sample_weight=np.concatenate(shares)).coef_


def _public_model(rows: int, settings: PartiesSettings) -> LogisticRegression:
    strength = settings.regularisation * rows
    return LogisticRegression(C=1 / strength, fit_intercept=False, tol=1e-9, max_iter=1000)


def disagreement(settings: PartiesSettings) -> float:
    """Return the share of the votes in which the lab and the loop differ."""
    # A vote that differs is missing in one count and is too many in another.
    differing = np.abs(ours(settings) - loop(settings).votes).sum() / 2
    return float(differing / (settings.parties * settings.public_rows))


def run(*, rounds: int, say: Print) -> Outcome:
    """Measure the page by kinds of data, then the releases next to the loop, then accuracies."""
    page_lines = _measure_pages(rounds=rounds, say=say)
    loop_lines = _compare_with_loop(rounds=rounds, say=say)
    trust_lines = party_releases.print_trust(say)
    case_lines = party_releases.print_cases(say)
    return Outcome(lines=[*loop_lines, *page_lines, *trust_lines, *case_lines])


def _measure_pages(*, rounds: int, say: Print) -> list[Line]:
    """Print a row for each kind of data, each measured in half of the rounds."""
    say(row(COLUMNS, WIDTHS))
    all_costs = []
    for dataset in DATASETS:
        costs = [measure_page_alone(dataset) for _ in range(max(1, rounds // 2))]
        all_costs += costs
        say(row([dataset, *_page_cells(costs)], WIDTHS))
    longest = [costs.longest for costs in all_costs]
    added_memory = [costs.added_memory for costs in all_costs]
    return [
        at_most("longest single task", TASK_AT_MOST, longest, unit=" s"),
        at_most("memory above the imports", MEGABYTES_AT_MOST, added_memory, unit=" MB"),
    ]


def _page_cells(costs: list[PageCosts]) -> list[str]:
    """Return the medians of the rounds."""

    def median(field: str) -> float:
        return float(np.median([getattr(costs_of_round, field) for costs_of_round in costs]))

    return [
        duration(median("first")),
        duration(median("rest")),
        f"{median('tasks'):.0f}",
        duration(median("longest")),
        duration(median("move")),
        f"{number(median('memory'))} MB",
        f"{number(median('added_memory'))} MB",
    ]


def _compare_with_loop(*, rounds: int, say: Print) -> list[Line]:
    """Print the seconds of all releases, and require the same votes as the loop."""
    many = PartiesSettings(parties=PARTIES)
    few = PartiesSettings(parties=LOOP_PARTIES)
    our_seconds = np.empty(rounds)
    loop_seconds = np.empty(rounds)
    with threadpool_limits(1):
        difference = disagreement(few)
        for turn in range(rounds):
            begin = time.process_time()
            ours(many)
            our_seconds[turn] = time.process_time() - begin
            result = loop(few)
            scaled_up = result.party_seconds * many.parties / few.parties
            loop_seconds[turn] = scaled_up + result.release_seconds
    say(
        f"  two classes, four releases 20 times: ours {median_text(our_seconds, duration)}, loop*"
        f" {median_text(loop_seconds, duration)}"
    )
    return [
        _sameness(difference),
        at_least(
            "quicker than the loop, 20,000 parties and four releases",
            LOOP_AT_LEAST,
            loop_seconds / our_seconds,
        ),
    ]


def _sameness(difference: float) -> Line:
    """Require the same votes as the loop."""
    return Line(
        asked=f"parties of the loop say the same but for {DIFFERENCE_AT_MOST:.0%} of the labels",
        measured=f"{difference:.2%} differ",
        met=difference <= DIFFERENCE_AT_MOST,
    )


if __name__ == "__main__":
    print(json.dumps(asdict(measure_page(sys.argv[1]))))
