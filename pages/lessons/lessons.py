"""The lessons, a line each: a page's settings, a question, and how the engine answers it.

Nothing here holds an outcome. What was right, and every number of a text, is a function of what was measured; a
lesson's ``claim`` says what its text takes for granted.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dpcore.accountants import tuning
from dpcore.privacy import Adjacency
from lab import links
from lab.settings import Settings, Spread
from lab.sweep import shown


class Case:
    """Settings and what comes out: the page's ``result``, and single runs of a measure."""

    def __init__(self, settings: Settings, result: Any = None):
        self.settings = settings
        self._result = result

    @cached_property
    def result(self) -> Any:
        """What the page shows; computed where nobody has brought it."""
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

    truth: the runs (R,) in these units. place: where along the chart the guess stands. centre: what the truth is called
    in the chart; says: the sentence about it; tone: its colour, "private", "public" or "bound".
    """

    truth: Callable[[Case], np.ndarray]
    place: Callable[[Settings], float]
    low: float
    high: float
    step: float = 1.0
    unit: str = ""
    centre: str = "middle run"
    says: str = "The middle run is right {} of the time."
    tone: str = "private"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One of ``options``, of which the engine says which is right: its place among them."""

    options: tuple[str, ...]
    right: Callable[[Case, Case], int]


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One lesson.

    name: in the address, and of the file of its texts. page, settings: the page of the lab, and what is known there, as
    a link says it; change: what the outcome is asked for. board, picture: where its chart is; chart: what it is called
    here. only: the knobs that matter, to try it. known: what is known -> numbers of the first text; found: (what is
    known, the outcome) -> those of the others. points: what of the chart may be seen before the guess: (x, y, words).
    claim: whether what the texts take for granted holds. whole: whether the texts need all of the page's work. upwards:
    the ends of the axis upwards, where the page's own would tell.
    """

    name: str
    title: str
    page: str
    picture: str
    chart: str
    settings: Mapping[str, str]
    change: Mapping[str, str]
    only: tuple[str, ...]
    ask: str
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


def percent(runs: np.ndarray) -> str:
    """The middle run, of shares of 100."""
    return f"{np.median(runs):.0f}"


def _range(runs: np.ndarray) -> dict[str, str]:
    """The nine runs in ten."""
    spread = Spread.of(runs)
    return {"low": f"{spread.low:.0f}", "high": f"{spread.high:.0f}"}


def _digits(value: float) -> str:
    return f"{float(f'{value:.3g}'):,g}"


def _most(*values: float) -> int:
    return int(np.argmax(values))


# -- What epsilon means ------------------------------------------------------------------------------------------------


def _after(case: Case, prior: float = 0.5) -> float:
    """What a guess becomes at most, in percent."""
    return 100 * float(case.result.posterior_range(prior)[1])


def _gains(before: Case, after: Case) -> int:
    """Of readers who were unsure, nearly sure, and any: who learns most."""
    unsure, sure = _after(after) - 50, max(_after(after, one) - 100 * one for one in (0.02, 0.98))
    return 2 if abs(unsure - sure) < 1 else _most(unsure, sure)


# -- Clipping ----------------------------------------------------------------------------------------------------------

_BOUNDS = (0.1, 1.0, 10.0)


def _clipped(case: Case, bound: float) -> np.ndarray:
    """(R,): right answers of 100, of a page that is asked about."""
    base = case.settings.settings
    return 100 * shown(base.change(clip_norm=bound), case.settings.measure)


def _hump(before: Case, after: Case) -> int:
    """Which bound is best: the largest, the smallest, one between, or none."""
    small, middle, large = (_clipped(after, bound).mean() for bound in _BOUNDS)
    if np.ptp([small, middle, large]) < 1:
        return 3
    return (1, 2, 0)[_most(small, middle, large)]


def _scatter(before: Case, after: Case) -> int:
    """Where single runs differ most: at a small bound, at the best, at a large one."""
    return _most(*(np.ptp(np.quantile(_clipped(after, bound), (0.05, 0.95))) for bound in _BOUNDS))


# -- Composition -------------------------------------------------------------------------------------------------------


def _growth(before: Case, after: Case) -> int:
    """How four times the steps change epsilon: four times as much, about twice, not at all."""
    few = max(1, after.settings.steps // 4)
    times = after.runs("epsilon")[0] / after.runs("epsilon", steps=few)[0]
    return int(np.argmin(np.abs(np.log([4.0, 2.0, 1.0]) - np.log(times))))


# -- A public start ----------------------------------------------------------------------------------------------------


def _helped(case: Case, epsilon: float) -> float:
    """Points that the public start adds."""
    return float(np.mean(case.share("accuracy", epsilon=epsilon) - case.share("scratch", epsilon=epsilon)))


def _helps(before: Case, after: Case) -> int:
    """Where the start helps most: at a small epsilon, alike everywhere, at a large one."""
    small, large = _helped(after, after.settings.epsilon), _helped(after, 50.0)
    return 1 if abs(small - large) < 2 else 0 if small > large else 2


# -- Parties -----------------------------------------------------------------------------------------------------------


def _steadier(before: Case, after: Case) -> int:
    """Whether single runs lie closer together with more parties, as far apart, or further."""
    few, many = (np.ptp(np.quantile(case.share("soft"), (0.05, 0.95))) for case in (before, after))
    return 0 if many < 0.8 * few else 2 if many > 1.25 * few else 1


# -- As published, and the attacker ------------------------------------------------------------------------------------


def _against_claim(before: Case, after: Case) -> int:
    """How often the attacker is right, surely: a coin, as often as against the sound recipe, more, beyond the claim."""
    attack = after.result.attack
    if attack.low > after.result.promised:
        return 3
    if attack.low <= 0.5:
        return 0
    return 1 if attack.low <= before.result.attack.high else 2


def _spends(before: Case, after: Case) -> int:
    """What is shown to be spent: less than is claimed cannot be shown; so at most as claimed, or more."""
    return 1 if after.result.shown.epsilon > after.settings.epsilon else 0


def _below_bound(before: Case, after: Case) -> int:
    """Whether the attacker stays under what the noise allows, or comes to it, or goes beyond."""
    attack, most = after.result.attack, after.result.ceiling
    return 2 if attack.low > most else 0 if attack.high < most else 1


# -- Tuning ------------------------------------------------------------------------------------------------------------


def _best_alone(case: Case) -> float:
    """Epsilon of the best alone, where the number of tries is drawn by the logarithmic law."""
    run, tries = case.settings.whole, case.settings.settings_tried
    promise = {"delta": case.settings.delta, "adjacency": Adjacency.ADD_REMOVE}
    return tuning.price(run, way="logarithmic", tries=tries, **promise).epsilon


def _cheaper(before: Case, after: Case) -> int:
    """What the best alone costs, of a random number of tries: nothing more, less than all, or as much."""
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
        title="What epsilon means",
        page="mechanisms",
        picture="posterior",
        chart="A reader's guess",
        settings={"mechanism": "laplace", "epsilon": "0.1"},
        change={"epsilon": "1"},
        only=("epsilon", "prior"),
        ask="At epsilon 1, how sure can a reader become that you are in the data?",
        guess=Number(
            truth=lambda case: np.array([_after(case)]),
            place=lambda settings: 100 * settings.prior,
            low=50,
            high=100,
            unit="%",
            centre="at most",
            tone="bound",
            says="It can become {}.",
        ),
        observe=Choice(
            options=(
                "Who was unsure before can learn most",
                "Who was nearly sure before can learn most",
                "Everybody can learn as much",
            ),
            right=_gains,
        ),
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
    ),
    Lesson(
        name="clipping",
        title="How far to clip",
        page="what-if",
        picture="curve",
        chart="Accuracy over the clip norm",
        settings={
            "base": f"{_BREAST} clip_norm 1",
            "question": "curve",
            "knob": "clip_norm",
            "other": "epsilon",
            "target": "80",
        },
        change={},
        only=("clip_norm", "epsilon"),
        ask="The bound on each person's gradient grows a hundredfold. What happens to accuracy?",
        guess=Choice(
            options=(
                "The larger the bound, the better",
                "The smaller the bound, the better",
                "Best somewhere between",
                "No difference: epsilon is the same",
            ),
            right=_hump,
        ),
        observe=Choice(
            options=(
                "Single runs differ most where the bound is small",
                "Single runs differ most where accuracy is best",
                "Single runs differ most where the bound is large",
            ),
            right=_scatter,
        ),
        minutes=4,
        points=lambda case: [(0.1, float(_clipped(case, 0.1).mean()), f"at 0.1: {_clipped(case, 0.1).mean():.0f}")],
        known=lambda case: {"known": f"{_clipped(case, 0.1).mean():.0f}"},
        found=lambda before, after: {
            "small": f"{_clipped(after, 0.1).mean():.0f}",
            "middle": f"{_clipped(after, 1.0).mean():.0f}",
            "large": f"{_clipped(after, 10.0).mean():.0f}",
        },
        claim=lambda before, after: _hump(before, after) == 2 and _scatter(before, after) == 2,
        upwards=(0, 102),
    ),
    Lesson(
        name="composition",
        title="A thousand small steps",
        page="accounting",
        picture="steps",
        chart="Epsilon over steps",
        settings=_STEPS | {"steps": "1"},
        change={"steps": "1000"},
        only=("steps", "noise_multiplier", "delta"),
        ask="1,000 steps of epsilon 0.1 each: what is the total?",
        guess=Number(
            truth=lambda case: case.runs("epsilon"),
            place=lambda settings: settings.steps,
            low=0.1,
            high=1000,
            step=1,
            centre="GDP accountant",
            says="The GDP accountant gives {}, which is exact here.",
        ),
        observe=Choice(
            options=(
                "Four times the steps: four times epsilon",
                "Four times the steps: about twice epsilon",
                "Four times the steps: no more than before",
            ),
            right=_growth,
        ),
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
        title="A start from public examples",
        page="classifier",
        picture="accuracy",
        chart="Accuracy over epsilon",
        settings=_DIGITS | {"public_rows": "0"},
        change={"public_rows": "100"},
        only=("epsilon", "public_rows", "shift"),
        ask="With a start from 100 public digits, how often is the model right?",
        guess=Number(
            truth=lambda case: case.share("accuracy"),
            tone="public",
            place=lambda settings: settings.epsilon,
            low=0,
            high=100,
            unit="%",
        ),
        observe=Choice(
            options=(
                "It helps most where epsilon is small",
                "It helps as much at every epsilon",
                "It helps most where epsilon is large",
            ),
            right=_helps,
        ),
        minutes=4,
        points=lambda case: [
            (
                case.settings.epsilon,
                float(np.median(case.share("scratch"))),
                f"from zero: {percent(case.share('scratch'))}",
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
        title="Ten parties or a thousand",
        page="parties",
        picture="parties",
        chart="Accuracy over parties",
        settings=_PARTIES | {"parties": "10"},
        change={"parties": "1000"},
        only=("parties", "epsilon", "rows"),
        ask="A thousand parties in place of ten, same epsilon: how often is the model right?",
        guess=Number(
            truth=lambda case: case.share("soft"),
            place=lambda settings: settings.parties,
            low=0,
            high=100,
            unit="%",
        ),
        observe=Choice(
            options=(
                "With more parties, single runs lie closer together",
                "With more parties, single runs lie as far apart",
                "With more parties, single runs lie further apart",
            ),
            right=_steadier,
        ),
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
        title="An epsilon in a paper",
        page="attack",
        whole=True,
        picture="accuracy",
        chart="The attacker over epsilon",
        settings=_PUBLISHED | {"version": "sound"},
        change={"version": "published"},
        only=("epsilon", "clip_norm", "steps"),
        ask="A published recipe claims epsilon 1. How often is an attacker right against it?",
        guess=Choice(
            options=(
                "As often as a coin",
                "As often as against the sound recipe",
                "More often, and within what epsilon 1 allows",
                "More often than epsilon 1 allows",
            ),
            right=_against_claim,
        ),
        observe=Choice(
            options=("It spends epsilon 1 at most, as claimed", "It spends more than epsilon 1"),
            right=_spends,
        ),
        minutes=4,
        points=lambda case: [
            (
                case.settings.epsilon,
                100 * case.result.attack.accuracy,
                f"sound: {100 * case.result.attack.accuracy:.0f}",
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
        title="Were you in the data?",
        page="attack",
        whole=True,
        picture="accuracy",
        chart="The attacker over epsilon",
        settings={"version": "sound", "epsilon": "0.5"},
        change={"epsilon": "4"},
        only=("epsilon", "clip_norm", "steps"),
        ask="At epsilon 4, how often does an attacker tell that an outlier took part?",
        guess=Number(
            truth=lambda case: np.array([100 * case.result.attack.accuracy]),
            place=lambda settings: settings.epsilon,
            low=50,
            high=100,
            unit="times in 100",
            centre="measured",
            says="They were right {}.",
        ),
        observe=Choice(
            options=(
                "The attacker stays below what this noise allows",
                "The attacker does all that this noise allows",
                "The attacker does more than this noise allows",
            ),
            right=_below_bound,
        ),
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
        claim=lambda before, after: after.result.attack.low > 0.5 and _below_bound(before, after) < 2,
    ),
    Lesson(
        name="tuning",
        title="Ten tries, keep the best",
        page="accounting",
        board="searches",
        picture="searches",
        chart="Price of a search",
        settings={"settings_tried": "1"},
        change={"settings_tried": "10"},
        only=("settings_tried", "noise_multiplier", "steps"),
        ask="You train ten times and keep only the best. What does it cost in all?",
        guess=Number(
            truth=lambda case: case.runs("tuned"),
            place=lambda settings: 1 - 0.9**settings.settings_tried,
            low=0.6,
            high=30,
            step=0.1,
            centre="all tries",
            says="All ten tries cost {}.",
        ),
        observe=Choice(
            options=(
                "Drawing the number of tries by chance makes the best alone free",
                "Drawing the number of tries by chance makes the best alone cheaper than all",
                "Drawing the number of tries by chance changes nothing",
            ),
            right=_cheaper,
        ),
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
