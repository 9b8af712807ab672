"""What the page of questions says, held against runs made up at random: every verdict that there
is, of every topic.
"""

import os
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from itertools import chain
from types import SimpleNamespace

import numpy as np
from scipy import stats
from scipy.special import expit

from lab.experiment.links import compact
from lab.statistics.crossing import Solution
from pages.topics import PAGES
from pages.what_if import (
    formats,
    page_command,
    texts,
    texts_answer,
    texts_question,
    texts_tables,
    texts_tiles,
)
from pages.what_if.settings import QUESTIONS, WhatIfSettings
from tests import own_files
from tests.reached import unread
from tests.sentences import Rules, amount, broken_by, plain

PAGE = next(page for page in PAGES if page.name == "what-if")
LONGEST = 300


def made_up(topic: str, rng: np.random.Generator):
    """A result whose runs follow a curve drawn at random along the slider, all of it or as much as
    happens to be done.
    """
    settings = PAGE.settings().change(topic=topic)
    settings = settings.change(
        question=str(rng.choice([*QUESTIONS, "smallest"])), repeats=int(rng.choice([24, 100]))
    )
    settings = settings.change(
        measure=str(rng.choice([*settings.topic_settings.experiment.measures]))
    )
    slider = settings.slider if rng.random() < 0.5 else str(rng.choice(settings.sliders))
    settings = settings.change(slider=slider, reached=str(rng.choice(["median", "most"])))
    settings = settings.change(seeds=int(rng.choice([1, 1, 3])), tries=3)
    low, high = settings.asked_measure.limits
    low, high = (low, high) if high < np.inf else (0.5 * settings.goal, 2 * settings.goal)
    floor, top = np.sort(rng.uniform(low, high, 2))
    goal = rng.uniform(floor, top) if rng.random() < 0.6 else rng.uniform(low, high)
    settings = settings.change(target=float(settings.scale * goal))
    noise, slope = rng.choice([0.0, 0.0, 0.02, 0.2]) * (high - low), rng.choice([0.0, 1.0, 30.0])
    up = settings.asked_measure.better == "higher"
    values = np.array(sorted(settings.experiment.plan.curve))
    middle = rng.choice(values)

    def runs(there) -> np.ndarray:
        at = np.log(max(getattr(there, settings.x_field), 1e-12) / max(middle, 1e-12))
        share = expit(slope * at * (1 if up else -1))
        drawn = floor + (top - floor) * share + noise * rng.standard_normal(settings.repeats)
        return np.clip(drawn, low, high)

    tasks = settings.experiment.tasks()
    done = {*tasks[: int(rng.choice([0.0, 0.3, 1.0, 1.0, 1.0]) * len(tasks))]}
    return answered(settings, runs, done.__contains__)


def answered(settings, runs, only=lambda task: True):
    """The result where settings of the topic have these ``runs``; ``only``: of what is trained
    besides the first.
    """
    found = {}
    for task in settings.experiment.tasks():
        if not (task.essential or only(task)):
            continue
        if hasattr(task, "parts"):
            found[task] = np.array_split(runs(task.settings), task.parts)[task.part]
        elif hasattr(task, "candidates"):
            best = task.candidates[0]
            found[task] = runs(best.change(seed=best.seed + task.split))
    return settings.experiment.gather(found)


def said_of(result) -> str:
    """All that is said of a result, the verdict first."""
    verdict = plain(texts_answer.verdict(result))
    assert len(verdict) <= LONGEST, (len(verdict), verdict)
    numbers = [f"{one.label}: {one.value} {one.note}." for one in texts_tiles.numbers(result)]
    said = [make(result) for name, make in PAGE.texts.items() if name not in ("verdict", "table")]
    asked = texts_question.questions(result.settings).values()
    return f"{verdict.strip()} {plain(' '.join([*said, *numbers, *asked, texts_tables.table(result)]))}"


def sign(result) -> int:
    return 1 if result.settings.asked_measure.better == "higher" else -1


def ends(result) -> tuple[np.ndarray, np.ndarray]:
    """Limits of each median, the better end first: by the sign test; of several splits, Student's
    of their medians.
    """
    settings, runs = result.settings, sign(result) * result.curve.measured.runs
    if settings.seeds == 1 or not result.base.complete:
        under, over = exact(runs)
        return over, under
    medians = np.median(runs.reshape(len(runs), settings.seeds, -1), axis=2)
    half = stats.t.ppf(0.975, medians.shape[1] - 1) * stats.sem(medians, axis=1)
    half[np.ptp(medians, axis=1) == 0] = 0
    return medians.mean(axis=1) + half, medians.mean(axis=1) - half


def exact(runs: np.ndarray, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """The order statistics (...,) that bound the median of ``runs`` (..., R)."""
    outside = int(stats.binom.ppf((1 - confidence) / 2, runs.shape[-1], 0.5))
    runs = np.sort(runs, axis=-1)
    return (runs[..., outside - 1], runs[..., -outside]) if outside else (-np.inf, np.inf)


def trainings(result) -> int:
    """How many runs the answer is made of, by its question."""
    settings = result.settings
    runs = settings.repeats * settings.seeds
    if settings.answered_question == "best":
        return len(settings.candidates) * runs + 2 * 4 * settings.repeats
    return (len(result.plan.curve) + len(result.plan.estimates)) * runs


def places(result, value: str, rounding: str) -> list[int]:
    """Where along the curve the values are that are shown like this with two digits."""
    settings = result.settings
    rounded = [formats.two_digits(one, rounding) for one in result.curve.measured.values]
    shown = [formats.value_text(settings, settings.x_field, one) for one in rounded]
    return [index for index, one in enumerate(shown) if one == value]


def brackets(result, match) -> bool:
    """Whether the worse of two values is shown to miss the target, and the better one to
    reach it.
    """
    worse, better = places(result, match[1], ROUND_FLOOR), places(result, match[2], ROUND_CEILING)
    goal = sign(result) * result.settings.goal
    over, under = ends(result)
    return (over[worse] < goal).any() and (goal <= under[better] + 1e-12).any()


def two_digits_at_most(result, match) -> bool:
    """Whether a crossing and the ends of its interval, in the verdict or on a tile, have two
    digits at most.
    """
    numbers = [float(text.replace(",", "")) for text in match.groups() if text]
    return all(float(f"{one:.2g}") == one for one in numbers)


def hits(result, at: int, *, own: bool = False) -> np.ndarray:
    """Which runs of a value reach the target."""
    measured = result.curve.measured
    count = measured.runs.shape[1] // (result.settings.seeds if own and result.base.complete else 1)
    return sign(result) * measured.runs[at][:count] >= sign(result) * result.settings.goal


def did(result, match) -> bool:
    safe = result.curve.crossings["most"].safe
    got = hits(result, int(np.searchsorted(result.curve.measured.values, safe)), own=True)
    sure = stats.beta.ppf(0.05, got.sum(), len(got) - got.sum() + 1) >= 0.9
    return (int(match[1]), int(match[2])) == (got.sum(), len(got)) and sure


def again(result) -> tuple[bool, bool]:
    """Whether the chosen setting is shown to be better on the other splits than the base, and
    whether worse.
    """
    winner = result.search.winner
    gaps = sign(result) * (winner.retested - winner.base)
    half = (
        stats.t.ppf(0.975, gaps.size - 1) * stats.sem(gaps) if np.ptp(gaps) else 0.0
    )  # fewer than 6
    half *= np.sqrt(1 + gaps.size * result.settings.topic_settings.overlap)
    least = (
        0.01 * (1 if result.settings.asked_measure.unit == "%" else abs(np.median(winner.base)))
        - 1e-9
    )
    middle = float(np.median(gaps))
    return bool(gaps.mean() > half and middle >= least), bool(
        gaps.mean() < -half and middle <= -least
    )


def reached(result) -> list[bool]:
    """Whether each value of the curve is shown to reach the target as it is asked for."""
    places = range(len(result.curve.measured.values))
    if result.settings.reached == "median":
        return [ends(result)[1][at] >= sign(result) * result.settings.goal - 1e-12 for at in places]
    got = [hits(result, at, own=True) for at in places]
    return [
        bool(one.any()) and stats.beta.ppf(0.05, one.sum(), len(one) - one.sum() + 1) >= 0.9
        for one in got
    ]


def estimated(result, match) -> bool:
    """Whether the estimates reach the target from these people on, and not before; of more people
    than are measured.
    """
    values, reach = (
        result.curve.estimated.values,
        sign(result) * result.curve.estimated.runs >= sign(result) * result.settings.goal,
    )
    enough = reach.mean(axis=1) >= (0.5 if match[1] == "the median run" else 0.9)
    start = [*values].index(amount(match[2]))
    assert min(values) > max(result.curve.measured.values)
    return enough[start:].all() and not enough[max(0, start - 1) : start].any()


def highest(result, match) -> bool:
    """Whether no median of the whole curve is better, and so many runs there reach the target."""
    medians = sign(result) * result.curve.measured.medians
    at = int(np.argmax(medians))
    shown = formats.measure_text(result.settings, sign(result) * medians.max()).removesuffix(
        "\u00a0%"
    )
    reaching = hits(result, at)
    counted = (int(match[3]), int(match[4])) == (reaching.sum(), len(reaching))
    return result.curve.complete and int(match[1]) == len(medians) and match[2] == shown and counted


PEAK = (
    r"Of (\d+) values of .*?, the (?:highest|lowest) median .*? is (\S+?)(?: %)?, with .*? There,"
    r" (\d+) of (\d+) runs"
)
RULES: Rules = {
    r"By an estimate, (the median run|90 % of runs) would reach it with ([\d,]+) people": estimated,
    r"By an estimate, ([\d,]+) people would not be enough": lambda r, m: (
        amount(m[1]) == max(r.curve.estimated.values) and r.curve.enough_people is None
    ),
    r"with 95 % confidence, (\S+) to ([\d.,e-]*\d)\)": brackets,
    r"([\d.,e-]*\d)(?: \w+)? \(with 95 % confidence, (\S+) to ([\d.,e-]*\d)\)": two_digits_at_most,
    r"median run: (\S+) (\S+) to (\S*\d)\.": two_digits_at_most,
    r": (\S+) median run, (\S+) to (\S*\d)\.": two_digits_at_most,
    r"\((\d+) of (\d+) runs reached it[,)]": did,
    r"at all values of": lambda r, _: all(reached(r)) and r.curve.complete,
    r"at no value of": lambda r, _: not any(reached(r)) and r.curve.complete,
    r"reached by (\d+) of (\d+) runs": lambda r, m: (
        (int(m[1]), int(m[2]))
        == ((sign(r) * r.base.runs >= sign(r) * r.settings.goal).sum(), len(r.base.runs))
    ),
    PEAK: highest,
    r"its median is \S+(?: \S+)?, (better|worse) than the": lambda r, m: again(r)[
        0 if m[1] == "better" else 1
    ],
    r"No difference from the": lambda r, _: not any(again(r)),
    r"The best of (\d+) tries is": lambda r, m: (
        int(m[1]) == len(r.search.tries) == r.settings.tries
    ),
    r"This answer uses ([\d,]+) trainings \((\d+) settings?": lambda r, m: (
        amount(m[1]) == trainings(r) and int(m[2]) == len(r.used)
    ),
    r"they would cost up to epsilon (\S+) at delta": lambda r, m: np.isclose(
        amount(m[1]), r.used_up.epsilon, rtol=0.006
    ),
    r"No private row was read": lambda r, _: not r.settings.uses_uploaded_rows,
}


def test_every_sentence_says_what_the_runs_do_and_every_text_is_reached(monkeypatch):
    rng, found = np.random.default_rng(1), set()
    count = int(os.environ.get("SOAK", "60")) // len(PAGE.settings.TOPICS)
    at_random = (made_up(topic, rng) for topic in PAGE.settings.TOPICS for _ in range(count))
    for nth, result in enumerate(chain(solved(), searched(), at_random)):
        found |= broken_by(said_of(result), result, RULES)
        assert (nth % 3 and nth > 60) or PAGE.view(result).boards["board"]
    assert not set(RULES) - found, f"never said: {set(RULES) - found}"
    assert PAGE.lead(result.settings)
    page_command.show(SimpleNamespace(settings=PAGE.settings()), {})
    drawn = next(
        result for result in solved() if isinstance(result.curve.crossings["most"], Solution)
    )
    monkeypatch.setattr(WhatIfSettings, "uses_uploaded_rows", True)
    texts_tables.price(drawn)
    texts_answer.verdict(drawn)
    recall = answered(drawn.settings.change(measure="recall_1", repeats=100), rising(100))
    said = plain(texts_answer.verdict(recall))
    assert f"highest median recall of {recall.settings.source.classes[1]} is 90.0 %" in said
    assert "compares 48 settings" in texts.rows_text(drawn.settings)
    for kind, person in (("classifier", ""), ("classifier", "who"), ("regression", "")):
        roles = replace(own_files.ROLES[kind], person=person)
        base = own_files.settings(kind, roles, file=own_files.frame(people=300)).made_up
        question = PAGE.settings().change(topic=kind, base=compact(base, separator=" "))
        told = texts.rows_text(question)
        assert f"{base.rows:,} {'people' if person else 'rows'} to train on" in told
        assert f"{base.own.best:.3g}" in told or f"{100 * base.own.best:.0f} %" in plain(told)
        assert question.uses_uploaded_rows
        assert not question.reads_private_rows
    assert unread(formats.SAYS) == []


def share(hits: float, runs: int) -> np.ndarray:
    """Runs of which this share reaches 80 %."""
    return np.where(np.arange(runs) < round(hits * runs), 0.9, 0.7)


def rising(runs: int):
    return lambda there: share(min(1, max(0, 0.5 + np.log10(there.epsilon))), runs)


def within(name: str, low: float, high: float):
    """Of tasks whose settings lie within."""
    return lambda task: low <= getattr(getattr(task, "settings", None), name, np.inf) <= high


def only_along(base, name: str):
    """Of tasks whose settings differ from the base in nothing else."""
    return lambda task: (
        (of := getattr(task, "settings", None)) and of == base.change(**{name: getattr(of, name)})
    )


def solved():
    """Answers to which epsilon, or which clipping norm, reaches 80 %, that seldom come of random
    runs.
    """
    few = PAGE.settings().change(topic="classifier", target=80, repeats=24)
    many, clipping = few.change(repeats=100), few.change(slider="clip_norm")
    yield answered(few, lambda there: share(11 / 24 if there.epsilon < 0.5 else 1, 24))
    yield answered(few, lambda _: share(16 / 24, 24))
    yield answered(few, lambda _: share(13 / 24, 24))
    for changes in (
        {},
        {"reached": "most"},
        {"seeds": 3, "reached": "most"},
    ):  # a share is counted on one split only
        yield answered(many.change(**changes), rising(100))
    yield answered(clipping, lambda there: share(1 / (1 + there.clip_norm), 24))
    yield answered(clipping, lambda there: share(1 / (1 + there.clip_norm), 24), lambda _: False)
    for at in (1.5 * few.topic_settings.epsilon, 9 * few.topic_settings.epsilon):
        people = lambda there, at=at: np.full(24, 0.7 + 0.2 * (there.epsilon > at))  # noqa: E731
        yield answered(few.change(question="people"), people)
        yield answered(few.change(question="people", reached="most"), people)
    yield answered(few.change(version="published"), rising(24))
    texts = few.change(topic="hypotheses", repeats=24)
    yield answered(texts, lambda _: share(0.5, 24), lambda _: False)
    parties = few.change(topic="parties", repeats=24).change(slider="parties")
    for start, name in ((few, "epsilon"), (parties, "parties")):
        yield answered(
            start, lambda _: np.linspace(0.7, 0.9, 24), only_along(start.topic_settings, name)
        )


def tried(base, now: float, later: float):
    """Runs of tries that are so much better than the base on its own split, and on others."""
    own = base.topic_settings.seed

    def runs(there) -> np.ndarray:
        gap = (
            0
            if there == base.topic_settings.change(seed=there.seed)
            else later
            if there.seed > own
            else now
        )
        return np.full(24, 0.8 + gap)

    return runs


def searched():
    """Answers to which configuration is best, done or in part."""
    base = PAGE.settings().change(topic="classifier", target=80, repeats=24, tries=3)
    best, own = base.change(question="best"), base.topic_settings.seed
    for later in (0.1, -0.1, 0.0):
        yield answered(best, tried(base, 0.1, later))
    first_retest, _ = best.experiment.retests.pairs[0]
    part = lambda task: task == first_retest or within("seed", 0, own + 1)(task)  # noqa: E731
    for only in (part, within("seed", 0, own), lambda _: False):
        yield answered(best, tried(base, 0.1, 0.1), only)
