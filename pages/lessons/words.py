"""What a lesson says: its texts, with the numbers that were measured, and what a guess came to."""

from collections.abc import Sequence
from statistics import median

from dpcore.check import RefusedError
from pages.lessons.lessons import LESSONS, Case, Choice, Lesson, Number, texts
from ui import classroom, hundred
from ui.classroom import Room
from ui.panels import number
from ui.texts import Texts

PARTS = ("Known", "Seen", "Why", "Misconception", "Try")
STEPS = {"guess": "Guess", "reveal": "What did you see?", "why": "Why", "try": "Try it yourself"}
_SAYS = Texts(__file__, "texts/page.md")
INTRODUCTION, GRADELESS, AGAIN = (_SAYS[name] for name in ("introduction", "ungraded", "again"))
OPEN, GONE, USED, CARRY, CLOSED = (_SAYS[name] for name in ("open", "gone", "used", "carry", "closed"))
NAMELESS, NAMELESS_TEACHER = _SAYS["nameless"], _SAYS["nameless-teacher"]


def refused(refusal: RefusedError) -> str:
    """Return why a room was not opened, or a guess not taken."""
    limits = {"rooms": classroom.MOST_ROOMS, "own": classroom.MOST_OWN, "guesses": classroom.MOST_GUESSES}
    return _SAYS(f"refused.{refusal.name}", value=refusal.value, nameless=classroom.MOST_NAMELESS, **limits)


def known(lesson: Lesson, before: Case) -> str:
    """Return what is known before the guess, in markdown."""
    return texts(lesson.name)["Known"].format(**lesson.known(before))


def told(lesson: Lesson, part: str, before: Case, after: Case) -> str:
    """A later part of the text, in markdown."""
    return texts(lesson.name)[part].format(**lesson.found(before, after))


def attacker(lesson: Lesson, after: Case) -> str:
    """The best attacker as two rows of people, HTML, in a lesson that is about them."""
    if lesson.attacker is None:
        return ""
    note = _SAYS["attacker"]
    return f'<p class="lab-note">{note}</p>{hundred.drawn(lesson.attacker(after))}'


def heading(lesson: Lesson, guess: float | None, before: Case, after: Case) -> str:
    """Return what was said, and what came out."""
    match lesson.guess:
        case Number() as asked:
            out = outcome(asked, after)
            return out if guess is None else _SAYS("guessed.number", guess=number(guess) + _unit(asked), outcome=out)
        case Choice() as asked:
            right = asked.right(before, after)
            case = "none" if guess is None else "right" if right == int(guess) else "wrong"
            said = "" if guess is None else asked.options[int(guess)]
            return _SAYS(f"guessed.{case}", guess=said, outcome=asked.options[right])


def outcome(asked: Number, after: Case) -> str:
    """Return what came out, as a sentence."""
    return asked.says.format(middle(asked, after) + _unit(asked))


def _unit(asked: Number) -> str:
    return f"\u00a0{asked.unit}" if asked.unit else ""


def middle(asked: Number, after: Case) -> str:
    """The truth, as it is written."""
    value = centre(asked, after)
    return f"{value:.0f}" if asked.unit else number(value)


def named(asked: Number, after: Case) -> str:
    """The truth by its name in the chart."""
    return f"{asked.label}: {middle(asked, after)}"


def centre(asked: Number, after: Case) -> float:
    """The middle of the runs."""
    return float(median(asked.truth(after)))


def saw(lesson: Lesson, said: int, before: Case, after: Case) -> tuple[bool, str]:
    """(whether what was said is what there is to see, a sentence about it)."""
    right = lesson.observe.right(before, after)
    return said == right, _SAYS["seen.right" if said == right else "seen.wrong"]


def dots(step: str) -> str:
    """Return how far a lesson has come, HTML."""
    place = list(STEPS).index(step)
    marks = "".join(
        f'<i class="{"now" if at == place else "done" if at < place else ""}"></i>' for at in range(len(STEPS))
    )
    return f'<span class="lab-steps" role="img" aria-label="Step {place + 1} of {len(STEPS)}">{marks}</span>'


def head(lesson: Lesson, step: str) -> str:
    """Return which lesson it is, and how far it has come, HTML."""
    place = LESSONS.index(lesson) + 1
    about = f"Lesson {place} of {len(LESSONS)} · {lesson.minutes} minutes"
    return f'<div class="lab-lesson"><span>{about}</span>{dots(step)}</div>'


def waiting(lesson: Lesson, guess: float) -> str:
    """Return a sentence that a guess is in the room."""
    asked = lesson.guess
    said = number(guess) + _unit(asked) if isinstance(asked, Number) else f"“{asked.options[int(guess)]}”"
    return _SAYS("waiting", guess=said)


def room(here: Room) -> str:
    """A room's code, large, and how many have guessed, HTML."""
    many = "guess" if here.guesses == 1 else "guesses"
    return (
        f'<div class="lab-room"><span>Room</span> <b>{here.code}</b></div>'
        f'<div class="lab-room-count"><b>{here.guesses:,}</b> {many} so far</div>'
    )


def of_all(lesson: Lesson, values: Sequence[float], before: Case, after: Case) -> str:
    """Return what a class said, and what came out."""
    if not len(values):
        return _SAYS["class.none"]
    match lesson.guess:
        case Number() as asked:
            half = number(median(values)) + _unit(asked)
            return _SAYS("class.number", guesses=len(values), median=half, outcome=outcome(asked, after))
        case Choice() as asked:
            place = asked.right(before, after)
            right = sum(value == place for value in values)
            return _SAYS("class.choice", right=right, guesses=len(values), outcome=asked.options[place])
