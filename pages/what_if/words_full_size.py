"""What a sweep at full size says: how large it is, how far it has come, and what it changed."""

import re

from pages.what_if import words_numbers
from pages.what_if.full_size import MOST, FullSize, FullSizeResult
from pages.what_if.result import WhatIfResult
from pages.what_if.words_parts import low
from ui import outcomes

ABOUT = (
    "The curve above again, with more runs at each value, or on more splits of the rows. It is trained on the server, "
    "and gives way to whatever anybody waits for. What makes another curve of it stops it, and so does leaving; what "
    "is trained is kept while there is room, and it can go on from there."
)
NO_SWEEP = {
    "best": "The best of several tries is no sweep along one parameter: ask which value reaches the target.",
    "versus": "Two settings are no sweep along one parameter: ask about one of them which value reaches the target.",
}
COMPUTED = "Everything here is computed without random runs, so more runs would change nothing."
AS_LARGE = f"The picture has as many runs as can be trained here, at most {MOST:,}; `make sweep` trains any number."
FAILED = "It could not be trained: the server's log says why."
COMMAND = (
    "In a checkout of the lab this trains the same, on all cores or on a cluster, and goes on where it ended. It "
    "writes the very file of the download here, to the last bit."
)
# Below this a width is said to be about the same.
_ALIKE = 1.15


def size(full: FullSize) -> str:
    """How many trainings that are, and of what."""
    question = full.question
    values, runs = f"{len(full.values)} values of {low(question.along)}", outcomes.count(question.repeats, "run")
    splits = _splits(question.seeds).removeprefix("each of ")
    return f"{values} on {splits}, {runs} of each: <b>{full.count:,} trainings</b>"


def plain_size(full: FullSize) -> str:
    """The same without marks."""
    return re.sub("<[^>]*>", "", size(full))


def _splits(count: int) -> str:
    return "one split of the rows" if count == 1 else f"each of {count} splits of the rows"


def lasts(seconds: float) -> str:
    """About how long."""
    unit, name = (1, "second") if seconds < 90 else (60, "minute") if seconds < 5400 else (3600, "hour")
    return outcomes.count(max(1, round(seconds / unit)), name)


def estimate(full: FullSize, state: str, trained: int, left: float | None) -> str:
    """Before it begins, or goes on: how many, and about how long."""
    there = f"; {trained:,} of them are trained" if trained else ""
    by = "By a first chunk" if state == "measured" else "At the speed so far"
    long = f". {by}, what is left takes about <b>{lasts(left)}</b>" if left is not None else ""
    return f"{size(full)}{there}{long}."


def progress(full: FullSize, state: str, trained: int, left: float | None, ahead: int) -> str:
    """While it is trained, or waits."""
    if state == "measuring":
        return "Training a first chunk, to say how long it takes."
    if ahead:
        runs = outcomes.count(ahead, "run")
        return f"Waiting: {runs} must end before this one begins. {trained:,} of {full.count:,} are trained."
    soon = f"; about {lasts(left)} left" if left is not None else ""
    return f"{trained:,} of {full.count:,} trained{soon}."


def changed(live: WhatIfResult, result: FullSizeResult, full: FullSize) -> str:
    """What the larger run says, beside what the picture said."""
    values = len(result.curve.values)
    if values < len(full.values):
        return f"So far {values} of {len(full.values)} values have any runs."
    whole = len(result.now) == full.question.repeats * full.question.seeds
    mine, theirs = (words_numbers.numbers(one)[0] for one in (result, live))
    splits = f" on {_splits(result.compared)}"
    said = f"{mine.label}: <b>{mine.value}</b> ({mine.note}) by {_runs(result)} of each value{splits}"
    said += "." if whole else " so far."
    if live.trained < 1:
        return f"{said} The picture above is still being trained."
    other = f" on {_splits(live.compared)}" if live.compared != result.compared else ""
    before = f"The picture above says {theirs.value} ({theirs.note}) by {_runs(live)}{other}"
    return f"{said} {before}{_width(live, result)}.{_left_out(live, result)}"


def _runs(result: WhatIfResult) -> str:
    return outcomes.count(len(result.now) // result.compared, "run")


def _interval(result: WhatIfResult) -> tuple[float, float] | None:
    """The ends of what is told with 95 % confidence, where it has two."""
    settings = result.settings
    if settings.asks == "accuracy":
        one = result.typical(result.now)
        return one.low, one.high
    found = result.crossed(settings.reached) if result.direction else None
    if found is None or settings.reached != "median" or None in (found.low, found.high):
        return None
    return found.low, found.high


def _width(live: WhatIfResult, result: FullSizeResult) -> str:
    """How much narrower the interval is."""
    both = [_interval(one) for one in (live, result)]
    if None in both:
        return ""
    before, now = (most - least for least, most in both)
    if not now or not before:
        return ""
    if before >= _ALIKE * now:
        return f": the interval is {before / now:.2g} times narrower now"
    if now >= _ALIKE * before:
        return f": the interval is {now / before:.2g} times wider now"
    return ": the interval is about as wide"


def _left_out(live: WhatIfResult, result: FullSizeResult) -> str:
    """What an interval of one split leaves out, where that of several is wider, or there is none."""
    before, now = (_interval(one) for one in (live, result))
    if live.compared > 1 or result.compared == 1 or before is None:
        return ""
    if now and now[1] - now[0] < _ALIKE * (before[1] - before[0]):
        return ""
    return " One split cannot show how far splits differ, which now counts."


def readme(full: FullSize, command: str) -> str:
    """What is in the folder, and how it is made again."""
    question = full.question
    told = [f"Epsilon Lab: a sweep at full size. {question.asked.label}: {plain_size(full)}."]
    if question.settings.void:
        told.append(f"VOID: {question.settings.void}; nothing is guaranteed, do not release")
    told.append("runs.parquet: a row a run. settings.json: what was the same in all of them.")
    if command:
        told.append(f"{COMMAND}\n\n    {command}")
    return "\n\n".join(told) + "\n"
