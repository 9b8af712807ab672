"""What a lesson says: its texts, with the numbers that were measured, and what a guess came to."""

from collections.abc import Collection
from statistics import median

from pages.lessons.lessons import LESSONS, Case, Lesson, Number
from ui.charts import attacker_icons
from ui.text.escaping import quoted
from ui.text.texts import Texts
from ui.text.tiles import number

COVERED = "The chart is covered until you have guessed. {}"
_SAYS = Texts(__file__, "texts/page.md")
INTRODUCTION, JOIN, GRADELESS, AGAIN = (
    _SAYS[name] for name in ("introduction", "join", "ungraded", "again")
)
OPEN, GONE, USED, CARRY, CLOSED = (
    _SAYS[name] for name in ("open", "gone", "used", "carry", "closed")
)
NAMELESS, NAMELESS_TEACHER = _SAYS["nameless"], _SAYS["nameless-teacher"]


def unknown(name: str) -> str:
    """Say that there is no lesson of this name."""
    return _SAYS("unknown.lesson", name=quoted(name))


def no_step(step: str) -> str:
    return _SAYS("unknown.step", name=quoted(step))


def known(lesson: Lesson, before: Case) -> str:
    return lesson.text("Known").format(**lesson.given(before))


def told(lesson: Lesson, part: str, before: Case, after: Case) -> str:
    return lesson.text(part).format(**lesson.found(before, after))


def attacker(lesson: Lesson, after: Case) -> str:
    """The best attacker as two rows of people, HTML, in a lesson that is about them."""
    guarantee = lesson.attacker(after)
    return (
        f'<p class="lab-note">{_SAYS["attacker"]}</p>{attacker_icons.icons(guarantee)}'
        if guarantee
        else ""
    )


def heading(lesson: Lesson, guess: float | None, before: Case, after: Case) -> str:
    out = outcome(lesson, before, after)
    if guess is None:
        return out if lesson.number else _SAYS("guessed.none", outcome=out)
    case = (
        "number"
        if lesson.number
        else "right"
        if lesson.right(before, after) == int(guess)
        else "wrong"
    )
    return _SAYS(f"guessed.{case}", guess=guessed(lesson, guess), outcome=out)


def outcome(lesson: Lesson, before: Case, after: Case) -> str:
    """Return what came out: a sentence about the number, or the right option."""
    if lesson.number is None:
        return lesson.options("Guess")[lesson.right(before, after)]
    return lesson.text("Outcome").format(middle(lesson, after) + _unit(lesson.number))


def guessed(lesson: Lesson, guess: float) -> str:
    """Return a guess as it is written: a number with its unit, or the option."""
    return (
        number(guess) + _unit(lesson.number)
        if lesson.number
        else lesson.options("Guess")[int(guess)]
    )


def _unit(asked: Number) -> str:
    return f"\u00a0{asked.unit}" if asked.unit else ""


def middle(lesson: Lesson, after: Case) -> str:
    value = centre(lesson, after)
    return (
        f"{value:.0f}"
        if lesson.number and lesson.number.unit and lesson.number.step == 1
        else number(value)
    )


def named(lesson: Lesson, after: Case) -> str:
    return f"{lesson.text('Label')}: {middle(lesson, after)}"


def centre(lesson: Lesson, after: Case) -> float:
    return float(median(lesson.truth(after)))


def dots(lesson: Lesson, step: str) -> str:
    """Return how far a lesson has come, HTML."""
    place, count = lesson.STEPS.index(step), len(lesson.STEPS)
    marks = "".join(
        f'<i class="{"now" if at == place else "done" if at < place else ""}"></i>'
        for at in range(count)
    )
    return (
        f'<span class="lab-steps" role="img" aria-label="Step {place + 1} of'
        f' {count}">{marks}</span>'
    )


def head(lesson: Lesson, step: str) -> str:
    place = (
        f"Lesson {LESSONS.index(lesson) + 1} of {len(LESSONS)}"
        if lesson in LESSONS
        else lesson.text("Title")
    )
    return (
        f'<div class="lab-lesson"><span>{place} · {lesson.minutes}'
        f" minutes</span>{dots(lesson, step)}</div>"
    )


def waiting(lesson: Lesson, guess: float) -> str:
    said = guessed(lesson, guess)
    return _SAYS("waiting", guess=said if lesson.number else f"“{said}”")


def of_all(lesson: Lesson, values: Collection[float], before: Case, after: Case) -> str:
    """Return what a class said, and what came out."""
    if not len(values):
        return _SAYS["class.none"]
    out = outcome(lesson, before, after)
    if lesson.number:
        return _SAYS(
            "class.number", guesses=len(values), median=guessed(lesson, median(values)), outcome=out
        )
    right = sum(value == lesson.right(before, after) for value in values)
    return _SAYS("class.choice", right=right, guesses=len(values), outcome=out)
