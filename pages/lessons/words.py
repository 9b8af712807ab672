"""What a lesson says: its texts, with the numbers that were measured, and what a guess came to."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pages.lessons.lessons import LESSONS, Case, Choice, Lesson, Number
from ui.panels import number

PARTS = ("Known", "Seen", "Why", "Misconception", "Try")
STEPS = {"guess": "Guess", "reveal": "What did you see?", "why": "Why", "try": "Try it yourself"}
GRADELESS = "A wrong guess teaches more than none. Nothing is graded, and no name is asked for."
AGAIN = "A guess is kept in this tab only, until it is reloaded. Please guess again: then the outcome is shown."
INTRODUCTION = (
    "Guess first, then see, then say why: who has guessed remembers what came out. Each lesson takes some minutes, "
    "with models that are trained while you watch. Take them in any order; nothing is graded."
)


@cache
def texts(name: str) -> Mapping[str, str]:
    """The parts of a lesson's text by their headings."""
    whole = (Path(__file__).with_name("texts") / f"{name}.md").read_text("utf-8")
    found = re.split(r"^## (.+)$", whole, flags=re.MULTILINE)[1:]
    return {head: " ".join(text.split()) for head, text in zip(found[::2], found[1::2], strict=True)}


def known(lesson: Lesson, before: Case) -> str:
    """What is known before the guess, in markdown."""
    return texts(lesson.name)["Known"].format(**lesson.known(before))


def told(lesson: Lesson, part: str, before: Case, after: Case) -> str:
    """A later part of the text, in markdown."""
    return texts(lesson.name)[part].format(**lesson.found(before, after))


def heading(lesson: Lesson, guess: float, before: Case, after: Case) -> str:
    """What was said, and what came out."""
    match lesson.guess:
        case Number() as asked:
            unit = f"\u00a0{asked.unit}" if asked.unit else ""
            return f"You said {number(guess)}{unit}. {asked.says.format(middle(asked, after) + unit)}"
        case Choice() as asked:
            right, said = asked.right(before, after), int(guess)
            if right == said:
                return f"As you said: {_low(asked.options[said])}."
            return f"You said: {_low(asked.options[said])}. It is: {_low(asked.options[right])}."


def middle(asked: Number, after: Case) -> str:
    """The truth, as it is written."""
    value = centre(asked, after)
    return f"{value:.0f}" if asked.unit else number(value)


def named(asked: Number, after: Case) -> str:
    """The truth by its name in the chart."""
    return f"{asked.centre}: {middle(asked, after)}"


def centre(asked: Number, after: Case) -> float:
    """The middle of the runs."""
    runs = sorted(asked.truth(after))
    half = len(runs) // 2
    return float(runs[half] if len(runs) % 2 else (runs[half - 1] + runs[half]) / 2)


def _low(text: str) -> str:
    return text[0].lower() + text[1:]


def saw(lesson: Lesson, said: int, before: Case, after: Case) -> tuple[bool, str]:
    """(whether what was said is what there is to see, a sentence about it)."""
    right = lesson.observe.right(before, after)
    return said == right, "That is what the chart shows." if said == right else "Look again at the chart."


def dots(step: str) -> str:
    """How far a lesson has come, HTML."""
    place = list(STEPS).index(step)
    marks = "".join(
        f'<i class="{"now" if at == place else "done" if at < place else ""}"></i>' for at in range(len(STEPS))
    )
    return f'<span class="lab-steps" role="img" aria-label="Step {place + 1} of {len(STEPS)}">{marks}</span>'


def head(lesson: Lesson, step: str) -> str:
    """Which lesson it is, and how far it has come, HTML."""
    place = LESSONS.index(lesson) + 1
    about = f"Lesson {place} of {len(LESSONS)} · {lesson.minutes} minutes"
    return f'<div class="lab-lesson"><span>{about}</span>{dots(step)}</div>'
