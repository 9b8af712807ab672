"""The lessons, a line each: a page's settings, a question, and how the engine answers it.

Nothing here holds an outcome. What was right, and every number of a text, is a function of what was measured; a
lesson's ``claim`` says what its text takes for granted.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dpcore.accountants import tuning
from dpcore.privacy import Adjacency, Guarantee
from lab import claims, links
from lab.settings import Settings, Spread
from lab.sweep import shown
from ui.texts import flowing, sections


class Case:
    """Settings and what comes out: the page's ``result``, and single runs of a measure."""

    def __init__(self, settings: Settings, result: Any = None):
        self.settings = settings
        self._result = result

    @cached_property
    def result(self) -> Any:
        """Return what the page shows; computed where nobody has brought it."""
        return self.settings.run() if self._result is None else self._result

    def runs(self, measure: str, **change: Any) -> np.ndarray:
        """(R,): a measure of every run, at these settings with a ``change``."""
        return shown(self.settings.change(**change) if change else self.settings, measure)

    def share(self, measure: str, **change: Any) -> np.ndarray:
        """(R,): the same in percent."""
        return 100 * self.runs(measure, **change)


@dataclass(frozen=True, kw_only=True)
class Number:
    """A guess on the axis upwards of the chart, in its units, from ``low`` to ``high``.

    label, says: what the truth is called in the chart, and a sentence about it. truth: the runs (R,) in these units.
    place: where along the chart the guess stands. tone: its colour, "private", "public" or "bound".
    """

    label: str
    says: str
    truth: Callable[[Case], np.ndarray]
    place: Callable[[Settings], float]
    low: float
    high: float
    step: float = 1.0
    unit: str = ""
    tone: str = "private"


@dataclass(frozen=True)
class Choice:
    """One of ``options``, of which the engine says which is right: its place among them."""

    options: tuple[str, ...]
    right: Callable[[Case, Case], int]


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One lesson.

    name: in the address, and of the file of its texts. page, settings: the page of the lab, and what is known there, as
    a link says it; change: what the outcome is asked for. board, picture: where its chart is. only: the knobs that
    matter, to try it. known: what is known -> numbers of the first text; found: (what is known, the outcome) -> those
    of the others. attacker: the outcome -> what is guaranteed against the best attacker, where the lesson is about
    them. points: what of the chart may be seen before the guess: (x, y, words).
    claim: whether what the texts take for granted holds. whole: whether the texts need all of the page's work. upwards:
    the ends of the axis upwards, where the page's own would tell.
    """

    name: str
    page: str
    picture: str
    settings: Mapping[str, str]
    change: Mapping[str, str]
    only: tuple[str, ...]
    guess: Number | Choice
    observe: Choice
    minutes: int
    known: Callable[[Case], Mapping[str, str]]
    found: Callable[[Case, Case], Mapping[str, str]]
    claim: Callable[[Case, Case], bool]
    board: str = "board"
    whole: bool = False
    points: Callable[[Case], list[tuple[float, float, str]]] = field(default=lambda _: [])
    upwards: tuple[float, float] | None = None
    attacker: Callable[[Case], Guarantee] | None = None

    @property
    def title(self) -> str:
        return texts(self.name)["Title"]

    @property
    def ask(self) -> str:
        return texts(self.name)["Question"]

    @property
    def chart(self) -> str:
        """Return what its chart is called here."""
        return texts(self.name)["Chart"]

    def cases(self, kind: type[Settings], *, seed: int | None = None) -> tuple[Settings, Settings]:
        """(what is known, what is asked for) as settings of its page."""
        more = {} if seed is None else {"seed": str(seed)}
        if "base" in self.settings and more:  # a question has the seed of the settings that it is about
            more = {"base": f"{self.settings['base']} seed {seed}"}
        both = [links.read(kind, self.settings | more), links.read(kind, {**self.settings, **self.change} | more)]
        for _, refused in both:
            if refused:
                raise ValueError(f"the lesson {self.name}: {refused}")
        return both[0][0], both[1][0]


@cache
def texts(name: str) -> Mapping[str, str]:
    """Return the parts of a lesson's text by their headings; of a list, an option a line."""
    whole = Path(__file__).with_name("texts") / f"{name}.md"
    parts = sections(whole.read_text("utf-8"))
    return {head: text if text.startswith("- ") else flowing(text) for head, text in parts}


def _choice(name: str, part: str, right: Callable[[Case, Case], int]) -> Choice:
    return Choice(tuple(line.removeprefix("- ") for line in texts(name)[part].splitlines()), right)


def _number(name: str, **how: Any) -> Number:
    return Number(label=texts(name)["Label"], says=texts(name)["Outcome"], **how)


def percent(runs: np.ndarray) -> str:
    """Return the median, of shares of 100."""
    return f"{np.median(runs):.0f}"


def _range(runs: np.ndarray) -> dict[str, str]:
    """Return the ends of 90 % of the runs."""
    spread = Spread.of(runs)
    return {"low": f"{spread.low:.0f}", "high": f"{spread.high:.0f}"}


def _digits(value: float) -> str:
    return f"{float(f'{value:.3g}'):,g}"


def _most(*values: float) -> int:
    return int(np.argmax(values))


# -- What epsilon means ------------------------------------------------------------------------------------------------


def _after(case: Case, prior: float = 0.5) -> float:
    """Return what a guess becomes at most, in percent."""
    return 100 * float(case.result.posterior_range(prior)[1])


def _gains(before: Case, after: Case) -> int:
    """Return the gains of readers who were unsure, nearly sure, and any: who learns most."""
    unsure, sure = _after(after) - 50, max(_after(after, one) - 100 * one for one in (0.02, 0.98))
    return 2 if abs(unsure - sure) < 1 else _most(unsure, sure)


# -- Clipping ----------------------------------------------------------------------------------------------------------

_BOUNDS = (0.1, 1.0, 10.0)


def _clipped(case: Case, bound: float) -> np.ndarray:
    """(R,): right answers of 100, of a page that is asked about."""
    base = case.settings.settings
    return 100 * shown(base.change(clip_norm=bound), case.settings.measure)


def _clipped_median(case: Case, bound: float) -> float:
    return float(np.median(_clipped(case, bound)))


def _hump(before: Case, after: Case) -> int:
    """Return which bound is shown to be best: the largest, the smallest, one between, or none."""
    runs = {str(bound): _clipped(after, bound) / 100 for bound in _BOUNDS}
    first, *others = claims.leaders(runs)
    return 3 if others else (1, 2, 0)[[*runs].index(first)]


def _scatter(before: Case, after: Case) -> int:
    """Return where single runs differ most: at a small bound, at the best, at a large one."""
    return _most(*(np.ptp(np.quantile(_clipped(after, bound), (0.05, 0.95))) for bound in _BOUNDS))


# -- Composition -------------------------------------------------------------------------------------------------------


def _growth(before: Case, after: Case) -> int:
    """Return how four times the steps change epsilon: four times as much, about twice, not at all."""
    few = max(1, after.settings.steps // 4)
    times = after.runs("epsilon")[0] / after.runs("epsilon", steps=few)[0]
    return int(np.argmin(np.abs(np.log([4.0, 2.0, 1.0]) - np.log(times))))


# -- A public start ----------------------------------------------------------------------------------------------------


def _gain(case: Case, epsilon: float) -> np.ndarray:
    """Points (R,) that the public start adds to each run."""
    return case.share("accuracy", epsilon=epsilon) - case.share("scratch", epsilon=epsilon)


def _helped(case: Case, epsilon: float) -> float:
    """Points that the public start adds: the median of the pairs."""
    return float(np.median(_gain(case, epsilon)))


def _helps(before: Case, after: Case) -> int:
    """Return where the start is shown to help most: at a small epsilon, at a large one, or alike."""
    small, large = (_gain(after, epsilon) / 100 for epsilon in (after.settings.epsilon, 50.0))
    case = claims.compare(small, large, least=0.02)
    return {claims.Case.AHEAD: 0, claims.Case.BEHIND: 2}.get(case, 1)


# -- Parties -----------------------------------------------------------------------------------------------------------


def _steadier(before: Case, after: Case) -> int:
    """Return whether single runs lie closer together with more parties, as far apart, or further."""
    few, many = (np.ptp(np.quantile(case.share("soft"), (0.05, 0.95))) for case in (before, after))
    return 0 if many < 0.8 * few else 2 if many > 1.25 * few else 1


# -- As published, and the attacker ------------------------------------------------------------------------------------


def _against_claim(before: Case, after: Case) -> int:
    """Return how often the attacker is right, surely: a coin, as often as against the sound recipe, more, beyond the
    claim."""
    attack = after.result.attack
    if attack.low > after.result.promised:
        return 3
    if attack.low <= 0.5:
        return 0
    return 1 if attack.low <= before.result.attack.high else 2


def _spends(before: Case, after: Case) -> int:
    """Return what is shown to be spent: less than is claimed cannot be shown; so at most as claimed, or more."""
    return 1 if after.result.shown.epsilon > after.settings.epsilon else 0


def _below_bound(before: Case, after: Case) -> int:
    """Return whether the attacker stays under what the noise allows, or comes to it, or goes beyond."""
    attack, most = after.result.attack, after.result.ceiling
    return 2 if attack.low > most else 0 if attack.high < most else 1


# -- Tuning ------------------------------------------------------------------------------------------------------------


def _best_alone(case: Case) -> float:
    """Epsilon of the best alone, where the number of tries is drawn by the logarithmic law."""
    run, tries = case.settings.whole, case.settings.settings_tried
    promise = {"delta": case.settings.delta, "adjacency": Adjacency.ADD_REMOVE}
    return tuning.price(run, way="logarithmic", tries=tries, **promise).epsilon


def _cheaper(before: Case, after: Case) -> int:
    """Return what the best alone costs, of a random number of tries: nothing more, less than all, or as much."""
    one, every = after.runs("epsilon")[0], after.runs("tuned")[0]
    best = _best_alone(after)
    return 0 if best < 1.01 * one else 1 if best < 0.99 * every else 2


_BREAST = "dataset breast_cancer epsilon 0.5 public_rows 0"
_DIGITS = {
    "dataset": "digits",
    "epsilon": "0.5",
    "shift": "0",
    "public_steps": "100",
    "steps": "10",
    "learning_rate": "1",
}
_STEPS = {"sampling_rate": "1", "noise_multiplier": "61", "delta": "1e-05"}
_PARTIES = {"epsilon": "1", "rows": "10"}
_PUBLISHED = {"epsilon": "1", "clip_norm": "0.05"}

LESSONS = (
    Lesson(
        name="epsilon",
        page="mechanisms",
        picture="posterior",
        settings={"mechanism": "laplace", "epsilon": "0.1"},
        change={"epsilon": "1"},
        only=("epsilon", "prior"),
        guess=_number(
            "epsilon",
            truth=lambda case: np.array([_after(case)]),
            place=lambda settings: 100 * settings.prior,
            low=50,
            high=100,
            unit="%",
            tone="bound",
        ),
        observe=_choice("epsilon", "Observe", _gains),
        minutes=3,
        known=lambda case: {"known": f"{_after(case):.1f}"},
        found=lambda before, after: {
            "truth": f"{_after(after):.0f}",
            "least": f"{100 - _after(after):.0f}",
            "factor": f"{np.exp(after.settings.epsilon):.2f}",
            "ten": f"{_after(Case(after.settings.change(epsilon=10.0))):.3f}",
        },
        claim=lambda before, after: (
            abs(_after(after) - 100 / (1 + np.exp(-1))) < 1e-6
            and _after(Case(after.settings.change(epsilon=10.0))) > 99.9
            and _gains(before, after) == 0
        ),
        attacker=lambda after: after.result.claim.guarantee,
    ),
    Lesson(
        name="clipping",
        page="what-if",
        picture="curve",
        settings={
            "base": f"{_BREAST} clip_norm 1",
            "question": "curve",
            "knob": "clip_norm",
            "other": "epsilon",
            "target": "80",
        },
        change={},
        only=("clip_norm", "epsilon"),
        guess=_choice("clipping", "Guess", _hump),
        observe=_choice("clipping", "Observe", _scatter),
        minutes=4,
        points=lambda case: [(0.1, _clipped_median(case, 0.1), f"at 0.1: {_clipped_median(case, 0.1):.0f}")],
        known=lambda case: {"known": f"{_clipped_median(case, 0.1):.0f}"},
        found=lambda before, after: {
            "small": f"{_clipped_median(after, 0.1):.0f}",
            "middle": f"{_clipped_median(after, 1.0):.0f}",
            "large": f"{_clipped_median(after, 10.0):.0f}",
        },
        claim=lambda before, after: _hump(before, after) == 2 and _scatter(before, after) == 2,
        upwards=(0, 102),
    ),
    Lesson(
        name="composition",
        page="accounting",
        picture="steps",
        settings=_STEPS | {"steps": "1"},
        change={"steps": "1000"},
        only=("steps", "noise_multiplier", "delta"),
        guess=_number(
            "composition",
            truth=lambda case: case.runs("epsilon"),
            place=lambda settings: settings.steps,
            low=0.1,
            high=1000,
            step=1,
        ),
        observe=_choice("composition", "Observe", _growth),
        minutes=4,
        known=lambda case: {},
        found=lambda before, after: {
            "truth": _digits(after.runs("epsilon")[0]),
            "step": _digits(after.result.one_step),
            "naive": _digits(after.result.epsilon("naive")),
            "strong": _digits(after.result.epsilon("strong")),
        },
        claim=lambda before, after: (
            after.runs("epsilon")[0] < after.result.epsilon("strong") < after.result.epsilon("naive")
            and round(after.result.one_step, 2) == 0.1
            and _growth(before, after) == 1
        ),
    ),
    Lesson(
        name="public_start",
        page="classifier",
        picture="accuracy",
        settings=_DIGITS | {"public_rows": "0"},
        change={"public_rows": "100"},
        only=("epsilon", "public_rows", "shift"),
        guess=_number(
            "public_start",
            truth=lambda case: case.share("accuracy"),
            tone="public",
            place=lambda settings: settings.epsilon,
            low=0,
            high=100,
            unit="%",
        ),
        observe=_choice("public_start", "Observe", _helps),
        minutes=4,
        points=lambda case: [
            (
                case.settings.epsilon,
                float(np.median(case.share("scratch"))),
                f"no pre-training: {percent(case.share('scratch'))}",
            )
        ],
        known=lambda case: {"known": percent(case.share("scratch")), "people": f"{case.settings.rows:,}"},
        found=lambda before, after: {
            "truth": percent(after.share("accuracy")),
            "scratch": percent(after.share("scratch")),
            "gain": f"{_helped(after, after.settings.epsilon):.0f}",
            "gain_large": f"{_helped(after, 50.0):.0f}",
            **_range(after.share("accuracy")),
        },
        claim=lambda before, after: _helped(after, after.settings.epsilon) > 15 and _helps(before, after) == 0,
    ),
    Lesson(
        name="parties",
        page="parties",
        picture="parties",
        settings=_PARTIES | {"parties": "10"},
        change={"parties": "1000"},
        only=("parties", "epsilon", "rows"),
        guess=_number(
            "parties",
            truth=lambda case: case.share("soft"),
            place=lambda settings: settings.parties,
            low=0,
            high=100,
            unit="%",
        ),
        observe=_choice("parties", "Observe", _steadier),
        minutes=4,
        points=lambda case: [
            (case.settings.parties, float(np.median(case.share("soft"))), f"with 10: {percent(case.share('soft'))}")
        ],
        known=lambda case: {"known": percent(case.share("soft")), "rows": f"{case.settings.rows}"},
        found=lambda before, after: {
            "truth": percent(after.share("soft")),
            "few": percent(before.share("soft")),
            **_range(after.share("soft")),
        },
        claim=lambda before, after: (
            np.median(after.share("soft")) > np.median(before.share("soft")) + 15 and _steadier(before, after) == 0
        ),
    ),
    Lesson(
        name="published",
        page="attack",
        whole=True,
        picture="accuracy",
        settings=_PUBLISHED | {"version": "sound"},
        change={"version": "published"},
        only=("epsilon", "clip_norm", "steps"),
        guess=_choice("published", "Guess", _against_claim),
        observe=_choice("published", "Observe", _spends),
        minutes=4,
        points=lambda case: [
            (
                case.settings.epsilon,
                100 * case.result.attack.accuracy,
                f"correct: {100 * case.result.attack.accuracy:.0f}",
            )
        ],
        known=lambda case: {
            "known": f"{100 * case.result.attack.accuracy:.0f}",
            "allowed": f"{100 * case.result.promised:.0f}",
        },
        found=lambda before, after: {
            "truth": f"{100 * after.result.attack.accuracy:.0f}",
            "low": f"{100 * after.result.attack.low:.0f}",
            "high": f"{100 * after.result.attack.high:.0f}",
            "allowed": f"{100 * after.result.promised:.0f}",
            "sound": f"{100 * before.result.attack.accuracy:.0f}",
            "shown": _digits(after.result.shown.epsilon),
        },
        claim=lambda before, after: _against_claim(before, after) == 3 and _spends(before, after) == 1,
    ),
    Lesson(
        name="attacker",
        page="attack",
        whole=True,
        picture="accuracy",
        settings={"version": "sound", "epsilon": "0.5"},
        change={"epsilon": "4"},
        only=("epsilon", "clip_norm", "steps"),
        guess=_number(
            "attacker",
            truth=lambda case: np.array([100 * case.result.attack.accuracy]),
            place=lambda settings: settings.epsilon,
            low=50,
            high=100,
            unit="times in 100",
        ),
        observe=_choice("attacker", "Observe", _below_bound),
        minutes=4,
        points=lambda case: [
            (
                case.settings.epsilon,
                100 * case.result.attack.accuracy,
                f"at 0.5: {100 * case.result.attack.accuracy:.0f}",
            )
        ],
        known=lambda case: {"known": f"{100 * case.result.attack.accuracy:.0f}"},
        found=lambda before, after: {
            "truth": f"{100 * after.result.attack.accuracy:.0f}",
            "low": f"{100 * after.result.attack.low:.0f}",
            "high": f"{100 * after.result.attack.high:.0f}",
            "noise": f"{100 * after.result.ceiling:.0f}",
            "allowed": f"{100 * after.result.promised:.0f}",
        },
        attacker=lambda after: after.result.guarantees.formula,
        claim=lambda before, after: after.result.attack.low > 0.5 and _below_bound(before, after) < 2,
    ),
    Lesson(
        name="tuning",
        page="accounting",
        board="searches",
        picture="searches",
        settings={"settings_tried": "1"},
        change={"settings_tried": "10"},
        only=("settings_tried", "noise_multiplier", "steps"),
        guess=_number(
            "tuning",
            truth=lambda case: case.runs("tuned"),
            place=lambda settings: 1 - 0.9**settings.settings_tried,
            low=0.6,
            high=30,
            step=0.1,
        ),
        observe=_choice("tuning", "Observe", _cheaper),
        minutes=4,
        points=lambda case: [(0.1, float(case.runs("epsilon")[0]), f"one run: {_digits(case.runs('epsilon')[0])}")],
        known=lambda case: {"known": _digits(case.runs("epsilon")[0])},
        found=lambda before, after: {
            "truth": _digits(after.runs("tuned")[0]),
            "one": _digits(before.runs("epsilon")[0]),
            "naive": _digits(10 * before.runs("epsilon")[0]),
            "best": _digits(_best_alone(after)),
        },
        claim=lambda before, after: (
            1.5 * before.runs("epsilon")[0] < after.runs("tuned")[0] < 9 * before.runs("epsilon")[0]
            and _cheaper(before, after) == 1
        ),
    ),
)
