"""A lesson: settings of a page, a question, and the answer that the engine computes.

Nothing here holds an outcome. The correct option, and every number of a text, is computed from what
was measured. Tests check the claims that the texts make without numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl

import numpy as np

from dpcore.privacy import Guarantee
from lab.experiment import links
from lab.experiment.settings import Settings, Spread
from lab.sweeps.measurement import shown
from ui.text.guess_range import GuessRange
from ui.text.texts import flowing, sections


class Case:
    """Settings of a lesson's page, their result, and single runs of a measure."""

    def __init__(self, settings: Any, result: Any = None):
        self.settings = settings
        self._result = result

    @cached_property
    def result(self) -> Any:
        """Return the result of the page; it is computed if none was given."""
        if self._result is None:
            return self.settings.experiment.run()
        return self._result

    def percents(self, measure: str, **changes: Any) -> np.ndarray:
        """Return a measure of every run in percent, (R,), at these settings with changes."""
        return 100 * shown(self.settings.change(**changes), measure)


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A lesson with the fields of ``lessons.toml``; a subclass computes the numbers of its texts.

    Attributes:
        name: Its name in the address, and of the file of its texts.
        link: Page and settings of what is known.
        picture: Its chart, covered before the guess.
        only: Fields that are kept in the link to the page.
        minutes: How long it takes.
        number: What a guess may be; None for one of options.
        change: The settings that differ in what is asked, as a query.
        measure: The measure that is guessed, a share; "" where a subclass computes the number.
        known: The measure that is known, likewise.
        along: Field of the horizontal axis.
        point: Text of the known point; "" if it is not shown.
        board: The board of the chart.
        whole: Whether the whole page is shown.
        upwards: Ends of the vertical axis; None for those of the page.
    """

    STEPS: ClassVar[Sequence[str]] = ("guess", "reveal", "why", "try")

    name: str
    link: str
    picture: str
    only: Sequence[str]
    minutes: int
    number: GuessRange | None
    change: str = ""
    measure: str = ""
    known: str = ""
    along: str = "epsilon"
    point: str = ""
    board: str = "board"
    whole: bool = False
    upwards: Sequence[float] | None = None

    @property
    def page(self) -> str:
        """Return the name of the page."""
        page, _, _ = self.link.partition("?")
        return page

    @property
    def settings(self) -> dict[str, str]:
        """Return the settings of what is known, as in the link."""
        _, _, query = self.link.partition("?")
        return dict(parse_qsl(query))

    def text(self, part: str) -> str:
        """Return a part of the lesson's text."""
        return texts(self.name)[part]

    def options(self, part: str) -> Sequence[str]:
        """Return the options of a part of the text, such as "Guess"."""
        return tuple(line.removeprefix("- ") for line in self.text(part).splitlines())

    def cases(self, kind: type[Settings]) -> tuple[Settings, Settings]:
        """Return the settings, of the page's type, of what is known and of what is asked."""
        known = self.settings
        changes = dict(parse_qsl(self.change))
        return self._read(kind, known), self._read(kind, known | changes)

    def _read(self, kind: type[Settings], query: Mapping[str, str]) -> Settings:
        """Return the settings of a query; raise ValueError if it has a fault."""
        settings, refused = links.read(kind, query)
        if refused:
            raise ValueError(f"the lesson {self.name}: {refused}")
        return settings

    def position(self, settings: Any) -> float:
        """Return the position of the guess, or of what is known, on the horizontal axis."""
        return getattr(settings, self.along)

    def truth(self, case: Case) -> np.ndarray:
        """Return what is guessed of every run, (R,), in units of the chart."""
        return case.percents(self.measure)

    def start(self, case: Case) -> float:
        """Return what is known before the guess."""
        return float(np.median(case.percents(self.known)))

    def points(self, case: Case) -> list[tuple[float, float, str]]:
        """Return the points of the chart that are shown before the guess: x, y and text."""
        if not self.point:
            return []
        known = self.start(case)
        return [(self.position(case.settings), known, self.point.format(known))]

    def known_numbers(self, case: Case) -> dict[str, Any]:
        """Return the numbers of the text before the guess."""
        return {"known": self.start(case)}

    def measured_numbers(self, before: Case, after: Case) -> dict[str, Any]:
        """Return the numbers of the texts after the guess."""
        runs = self.truth(after)
        spread = Spread.of(runs)
        return {
            "known": self.start(before),
            "truth": float(np.median(runs)),
            "low": spread.low,
            "high": spread.high,
        }

    def correct_option(self, before: Case, after: Case) -> int:
        """Return the correct option of the guess, of a lesson with options."""
        raise NotImplementedError

    def attacker(self, after: Case) -> Guarantee | None:
        """Return the guarantee against the best attacker, in a lesson that is about them."""
        return None


@cache
def texts(name: str) -> Mapping[str, str]:
    """Return the parts of a lesson's text by their headings; a list has an option a line."""
    file = Path(__file__).with_name("texts") / f"{name}.md"
    parts = {}
    for heading, text in sections(file.read_text("utf-8")):
        if not text.startswith("- "):
            text = flowing(text)
        parts[heading] = text
    return parts
