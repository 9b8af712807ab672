"""A lesson made by link: a page's settings and what is to be guessed of them, in the words of ``ui.teacher``."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import parse_qsl

from dpcore.check import RefusedError
from lab import links
from lab.settings import Measure, Settings, Spread
from pages.lessons.lessons import Case, Lesson, Number, texts
from ui import teacher
from ui.classroom import LONGEST
from ui.controls import Desk
from ui.page import Page
from ui.panels import number
from ui.share import told


@dataclass(frozen=True, kw_only=True)
class Linked(Lesson):
    """A lesson whose name is its link. Nothing is drawn before the guess, and the settings are those asked about.

    asked: the settings. words: the same for a reader. question: escaped.
    """

    asked: Settings
    words: str
    question: str
    STEPS: ClassVar = ("guess", "reveal", "try")

    @property
    def of(self) -> Measure:
        return self.asked.measures[self.measure]

    def text(self, part: str) -> str:
        """Return the question, or a part of ``linked.md``: after the guess, in its words for runs that are all alike
        where they are."""
        whole, exact = texts("linked"), f"{part}, exact"
        alike = exact in whole and len(set(self.truth(Case(self.asked)).tolist())) == 1
        return self.question if part == "Question" else whole[exact if alike else part]

    def cases(self, kind: type[Settings], *, seed: int | None = None) -> tuple[Settings, Settings]:
        return self.asked, self.asked

    def given(self, case: Case) -> dict[str, Any]:
        return {"measure": self.of.label, "settings": self.words}

    def found(self, before: Case, after: Case) -> dict[str, Any]:
        spread = Spread.of(self.truth(after))
        low, high = (number(value).replace("-", "−") for value in (spread.low, spread.high))
        return {"low": low, "high": f"{high}\u00a0{self.of.unit}".strip()}

    def ends(self, values: Collection[float], after: Case) -> tuple[float, float]:
        return teacher.ends(self.of, [*values, *self.truth(after)])


def of_link(link: str, pages: Sequence[Page]) -> Linked:
    """Return the lesson of a ``link``, a page's address with ``ask``, ``guess`` and ``only``. Raises RefusedError."""
    if len(link) > LONGEST:
        raise RefusedError("lesson", f"{link[:20]}…", f"a link of at most {LONGEST:,} characters")
    place, _, query = link.partition("?")
    name, words = links.page_now(place.rpartition("/")[2]), dict(parse_qsl(query))
    page = next((page for page in pages if page.name == name), None)
    if page is None:
        raise RefusedError("lesson", name, "the link of a page")
    settings, refused = links.read(page.settings, links.from_address(words))
    for refusal in refused.values():
        raise refusal
    guess, measures = words.get(teacher.GUESS, ""), {} if settings.private else settings.measures
    if guess not in measures:
        known = f"one of {', '.join(measures)}" if measures else "about another page, or about built-in data"
        raise RefusedError(teacher.GUESS, guess, known)
    said = *teacher.chosen(settings), told(page, Desk(page=page.name, settings=settings))
    sliders = page.at(settings).sliders(settings)
    only = [one for one in words.get(teacher.ONLY, "").split(",") if one in (*sliders.shown, *sliders.more)]
    return Linked(
        name=link,
        link=f"{page.name}?{query}",
        picture="",
        only=only or [sliders.hero, *sliders.main],
        minutes=2,
        number=Number(**teacher.range_of(measures[guess])._asdict()),
        measure=guess,
        asked=settings,
        words=", ".join(filter(None, said)) or "the defaults",
        question=teacher.question(words.get(teacher.ASK, ""), measures[guess]),
    )
