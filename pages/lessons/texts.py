"""Texts of lessons with the measured numbers, and sentences about guesses."""

from collections.abc import Collection
from statistics import median

from pages.lessons.lesson import Case, Lesson
from pages.lessons.lessons import LESSONS, next_lesson
from ui.charts import attacker_icons
from ui.text.escaping import quoted
from ui.text.guess_range import GuessRange
from ui.text.texts import Texts
from ui.text.tiles import number

COVERED = "The chart is covered until you have guessed. {}"
_SAYS = Texts(__file__, "texts/page.md")
INTRODUCTION = _SAYS["introduction"]
JOIN = _SAYS["join"]
GRADELESS = _SAYS["ungraded"]
AGAIN = _SAYS["again"]
OPEN = _SAYS["open"]
GONE = _SAYS["gone"]
CLOSED = _SAYS["closed"]
NAMELESS = _SAYS["nameless"]
NAMELESS_TEACHER = _SAYS["nameless-teacher"]


def unknown(name: str) -> str:
    """State that there is no lesson of this name."""
    return _SAYS("unknown.lesson", name=quoted(name))


def no_step(step: str) -> str:
    """State that lessons have no step of this name."""
    return _SAYS("unknown.step", name=quoted(step))


def known_text(lesson: Lesson, before: Case) -> str:
    """Return the text before the guess."""
    return lesson.text("Known").format(**lesson.known_numbers(before))


def measured_text(lesson: Lesson, part: str, before: Case, after: Case) -> str:
    """Return a part of the text after the guess."""
    return lesson.text(part).format(**lesson.measured_numbers(before, after))


def attacker(lesson: Lesson, after: Case) -> str:
    """Return the best attacker as two rows of people (HTML), in a lesson that is about them."""
    guarantee = lesson.attacker(after)
    if guarantee is None:
        return ""
    return f'<p class="lab-note">{_SAYS["attacker"]}</p>{attacker_icons.icons(guarantee)}'


def heading(lesson: Lesson, guess: float | None, before: Case, after: Case) -> str:
    """Return the outcome with the guess, if there is one."""
    outcome_text = outcome(lesson, before, after)
    if guess is None:
        if lesson.number:
            return outcome_text
        return _SAYS("guessed.none", outcome=outcome_text)
    if lesson.number:
        case = "number"
    elif lesson.correct_option(before, after) == int(guess):
        case = "right"
    else:
        case = "wrong"
    return _SAYS(f"guessed.{case}", guess=guess_text(lesson, guess), outcome=outcome_text)


def outcome(lesson: Lesson, before: Case, after: Case) -> str:
    """Return a sentence about the measured number, or the correct option."""
    if lesson.number is None:
        return lesson.options("Guess")[lesson.correct_option(before, after)]
    return lesson.text("Outcome").format(median_text(lesson, after) + _unit(lesson.number))


def guess_text(lesson: Lesson, guess: float) -> str:
    """Format a guess: a number with its unit, or the option."""
    if lesson.number:
        return number(guess) + _unit(lesson.number)
    return lesson.options("Guess")[int(guess)]


def _unit(number_range: GuessRange) -> str:
    """Return the unit after a number, with a space."""
    if not number_range.unit:
        return ""
    return f"\u00a0{number_range.unit}"


def median_text(lesson: Lesson, after: Case) -> str:
    """Format what was measured, as precisely as one guesses."""
    value = median_truth(lesson, after)
    if lesson.number and lesson.number.unit and lesson.number.step == 1:
        return f"{value:.0f}"
    return number(value)


def outcome_label(lesson: Lesson, after: Case) -> str:
    """Return the name of the outcome in charts."""
    return f"{lesson.text('Label')}: {median_text(lesson, after)}"


def median_truth(lesson: Lesson, after: Case) -> float:
    """Return the median of what was measured."""
    return float(median(lesson.truth(after)))


def step_dots(lesson: Lesson, step: str) -> str:
    """Return a dot for each step of a lesson (HTML)."""
    current = lesson.STEPS.index(step)
    count = len(lesson.STEPS)
    dots = ""
    for index in range(count):
        state = ""
        if index == current:
            state = "now"
        elif index < current:
            state = "done"
        dots += f'<i class="{state}"></i>'
    label = f"Step {current + 1} of {count}"
    return f'<span class="lab-steps" role="img" aria-label="{label}">{dots}</span>'


def head(lesson: Lesson, step: str) -> str:
    """Return number, duration and steps of a lesson (HTML)."""
    return f'<div class="lab-lesson">{place(lesson)}{step_dots(lesson, step)}</div>'


def place(lesson: Lesson) -> str:
    """Return number and duration of a lesson (HTML)."""
    number = LESSONS.index(lesson) + 1
    return f"<span>Lesson {number} of {len(LESSONS)} · {lesson.minutes} minutes</span>"


def onward_label(lesson: Lesson) -> str:
    """Return the label of the way to the next lesson, or after the last one to all of them."""
    following = next_lesson(lesson)
    if following is None:
        return "All lessons"
    return f"Next: {following.text('Title')}"


def waiting(lesson: Lesson, guess: float) -> str:
    """State the guess of a visitor who waits for the teacher."""
    text = guess_text(lesson, guess)
    if not lesson.number:
        text = f"“{text}”"
    return _SAYS("waiting", guess=text)


def class_summary(lesson: Lesson, values: Collection[float], before: Case, after: Case) -> str:
    """Return the guesses of a class in a sentence, and the outcome."""
    if len(values) == 0:
        return _SAYS["class.none"]
    outcome_text = outcome(lesson, before, after)
    if lesson.number:
        median_guess = guess_text(lesson, median(values))
        return _SAYS("class.number", guesses=len(values), median=median_guess, outcome=outcome_text)
    correct_option = lesson.correct_option(before, after)
    correct = sum(value == correct_option for value in values)
    return _SAYS("class.choice", right=correct, guesses=len(values), outcome=outcome_text)
