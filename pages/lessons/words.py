"""What a lesson says: its texts, with the numbers that were measured, and what a guess came to."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import median

from pages.lessons.lessons import LESSONS, Case, Choice, Lesson, Number
from ui import classroom, hundred
from ui.classroom import Room
from ui.panels import number

PARTS = ("Known", "Seen", "Why", "Misconception", "Try")
STEPS = {"guess": "Guess", "reveal": "What did you see?", "why": "Why", "try": "Try it yourself"}
GRADELESS = "A wrong guess teaches more than none. Nothing is graded, and no name is asked for."
AGAIN = "A guess is kept in this tab only, until it is reloaded. Please guess again: then the outcome is shown."
INTRODUCTION = (
    "Guess first, then see, then say why: who has guessed remembers what came out. Each lesson takes some minutes, "
    "with models that are trained while you watch. Take them in any order; nothing is graded."
)


OPEN = "Everybody guesses on a device of their own. When you close the question, all guesses stand beside the outcome."
GONE = (
    "There is no such room, or no more: it is closed an hour after its last visitor has left. The lesson goes on "
    "without it; who teaches can open another."
)
# Why a room was not opened, or a guess not taken: name of the refusal -> words, with its value.
REFUSED = {
    "rooms": f"No room can be opened now: all {classroom.MOST_ROOMS} rooms of this server are in use. A room is free "
    "an hour after its last visitor has left. Try again later; the lesson works without a room.",
    "own": f"One browser can have {classroom.MOST_OWN} rooms open, and yours has: {{}}. Join one of them with its "
    "code, and ask this there. A room is closed an hour after its last visitor has left.",
    "room": "The question was closed before your guess came: it is yours alone.",
    "guesses": f"Your guess was not counted: this room has {classroom.MOST_GUESSES:,} guesses and takes no more.",
    "nameless": "Your guess was not counted: your browser sends the lab no cookies, and of such browsers a room takes "
    f"{classroom.MOST_NAMELESS} guesses. Allow cookies, or open the lab in a tab of its own.",
}
USED = (
    "The key in this link was used before, or is wrong. You are here as one of the class; who teaches can make another "
    "link."
)
NAMELESS = "Your browser sends the lab no cookies: your guess counts for this tab, until it is reloaded."
NAMELESS_TEACHER = (
    "Your browser sends the lab no cookies: this room is yours until the page is reloaded. Allow cookies, or open the "
    "lab in a tab of its own, before you ask a class."
)
CARRY = "Who opens this link first can close the question and ask others. It works once. Do not show it to the class."
DECIDES = "The best attacker decides after each release, however little it shows."
CLOSED = "The class has answered. Guess for yourself: what all said is shown beside it."


@cache
def texts(name: str) -> Mapping[str, str]:
    """The parts of a lesson's text by their headings."""
    whole = (Path(__file__).with_name("texts") / f"{name}.md").read_text("utf-8")
    found = re.split(r"^## (.+)$", whole, flags=re.MULTILINE)[1:]
    return {
        head: " ".join(text.split()).replace(" %", "\u00a0%")
        for head, text in zip(found[::2], found[1::2], strict=True)
    }


def known(lesson: Lesson, before: Case) -> str:
    """What is known before the guess, in markdown."""
    return texts(lesson.name)["Known"].format(**lesson.known(before))


def told(lesson: Lesson, part: str, before: Case, after: Case) -> str:
    """A later part of the text, in markdown."""
    return texts(lesson.name)[part].format(**lesson.found(before, after))


def attacker(lesson: Lesson, after: Case) -> str:
    """The best attacker as two rows of people, HTML, in a lesson that is about them."""
    if lesson.attacker is None:
        return ""
    return f'<p class="lab-note">{DECIDES}</p>{hundred.drawn(lesson.attacker(after))}'


def heading(lesson: Lesson, guess: float | None, before: Case, after: Case) -> str:
    """What was said, and what came out."""
    match lesson.guess:
        case Number() as asked:
            unit = f"\u00a0{asked.unit}" if asked.unit else ""
            said = "" if guess is None else f"You said {number(guess)}{unit}. "
            return f"{said}{asked.says.format(middle(asked, after) + unit)}"
        case Choice() as asked:
            right = asked.right(before, after)
            if guess is None:
                return f"{asked.options[right]}."
            said = int(guess)
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
    return float(median(asked.truth(after)))


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


def waiting(lesson: Lesson, guess: float) -> str:
    """That a guess is in the room."""
    asked = lesson.guess
    said = number(guess) if isinstance(asked, Number) else f"“{asked.options[int(guess)]}”"
    unit = f"\u00a0{asked.unit}" if isinstance(asked, Number) and asked.unit else ""
    return f"**Your guess is in: {said}{unit}.** When the question is closed, the outcome is shown here."


def room(here: Room) -> str:
    """A room's code, large, and how many have guessed, HTML."""
    many = "guess" if here.guesses == 1 else "guesses"
    return (
        f'<div class="lab-room"><span>Room</span> <b>{here.code}</b></div>'
        f'<div class="lab-room-count"><b>{here.guesses:,}</b> {many} so far</div>'
    )


def of_all(lesson: Lesson, values: Sequence[float], before: Case, after: Case) -> str:
    """What a class said, and what came out."""
    if not len(values):
        return "Nobody has guessed."
    count = f"{len(values):,} {'guess' if len(values) == 1 else 'guesses'}"
    match lesson.guess:
        case Number() as asked:
            unit = f"\u00a0{asked.unit}" if asked.unit else ""
            half = number(median(values))
            return f"{count}, the middle one {half}{unit}; {asked.centre}: {middle(asked, after)}{unit}."
        case Choice() as asked:
            right = sum(value == asked.right(before, after) for value in values)
            return f"{right:,} of {count} say what came out: {_low(asked.options[asked.right(before, after)])}."
