"""From a few answers to settings: which unit, which delta, which accountant, and what is promised then."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from dpcore import check
from dpcore.accountants import BASES, account, calibrate, gdp, tuning
from dpcore.accountants.prices import Price, step
from dpcore.cache import CACHE
from dpcore.privacy import (
    Adjacency,
    Composed,
    Event,
    GaussianRelease,
    Guarantee,
    LaplaceRelease,
    PureRelease,
    for_group,
)
from ui.texts import Texts

_TEXTS = Texts(__file__)
# Question -> what may be answered.
OPTIONS: Mapping[str, tuple[str | float, ...]] = {
    "released": ("model", "number", "votes"),
    "drawn": ("poisson", "all", "shuffled"),
    "rows_each": (1, 3, 10),
    "people": (300, 10_000, 1_000_000),
    "releases": (1, 4, 12),
    "tries": (1, 3, 10),
}
EPSILON = (0.5, 8.0)  # the lowest and the highest total budget for which there is a way with every other answer
# As many rows, and parties, as their pages can show.
_MODEL_ROWS, _PARTIES = 5000, 20_000
# A usual start: steps on all rows; epochs of samples, of about so many rows, and of at least this share of all.
_STEPS, _EPOCHS, _LOT, _LEAST_RATE = 50, 10, 100, 0.01
_NOISES = (0.3, 100.0)  # where the slider of *Privacy accounting* ends


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What a practitioner says of a release. Raises RefusedError for what is not in ``OPTIONS`` or ``EPSILON``.

    drawn: what a training step looks at. rows_each: how many rows a person has at most. people: how many there are; of
    parties, how many parties. releases: how often there will be one, on the same people. tries: how many settings are
    tried on their rows before the first. epsilon: for all of it.
    """

    released: str = "model"
    drawn: str = "poisson"
    rows_each: int = 1
    people: int = 10_000
    releases: int = 1
    tries: int = 1
    epsilon: float = 1.0

    def __post_init__(self) -> None:
        for name, options in OPTIONS.items():
            check.choice(options, **{name: getattr(self, name)})
        check.between(*EPSILON, epsilon=self.epsilon)

    @property
    def uses(self) -> int:
        """Return how often the rows are used, where every try counts in full: the last try is the first release."""
        return self.releases + self.tries - 1

    @property
    def delta(self) -> float:
        """The largest power of ten that is at most a tenth of one over the number of people."""
        return float(self.delta_written)

    @property
    def delta_written(self) -> str:
        return f"1e-{len(str(10 * self.people - 1))}"


class Choice(NamedTuple):
    """What follows from the answers.

    page, settings: where the lab shows it. guarantee: of all uses of the rows together. unit, accountant: in words.
    reasons: markdown. times: how often that what the page shows is done.
    """

    page: str
    settings: Mapping[str, str]
    guarantee: Guarantee
    unit: str
    accountant: str
    reasons: tuple[str, ...]
    times: int = 1


class _Run(NamedTuple):
    """So many steps at a sampling rate; of how many tries, in the mean, the best alone is released."""

    rate: float
    steps: int
    best_of: int = 1

    def event(self, noise_multiplier: float) -> Event:
        one = Composed(event=step(self.rate, noise_multiplier), count=self.steps)
        return tuning.released(one, way="logarithmic", tries=self.best_of) if self.best_of > 1 else one

    @property
    def accountant(self) -> str:
        return "renyi" if self.best_of > 1 else "gdp" if self.rate == 1 else "pld"


def choose(answers: Answers) -> Choice:
    return {"number": _number, "votes": _votes, "model": _model}[answers.released](answers)


def _number(answers: Answers) -> Choice:
    """Laplace noise while that is the lesser, else Gaussian noise, composed exactly."""
    run, times = _Run(rate=1.0, steps=answers.uses), answers.uses
    pure, normal = math.sqrt(2) * times / answers.epsilon, noise_for(run, answers.epsilon, answers.delta)
    reasons = [_of_rows(answers, "sums"), *_of_uses(answers)]
    if normal < pure:
        reasons.append(_TEXTS("why.gaussian", times=times, normal=f"{normal:.3g}", pure=f"{pure:.3g}"))
        return _on_accounting(answers, run, (*reasons, _of_delta(answers)))
    reasons.append(_TEXTS("why.laplace", normal=f"{normal:.3g}", pure=f"{pure:.3g}"))
    each = _down(answers.epsilon / times)
    settings = {"mechanism": "laplace", "epsilon": f"{each:g}", "sensitivity": str(answers.rows_each)}
    one = LaplaceRelease(noise_multiplier=1 / each)
    held = _pure(one, each, times, adjacency=Adjacency.ADD_REMOVE, unit="record")
    return Choice("mechanisms", settings, held, _unit(answers), _adds(times), tuple(reasons), times)


def _votes(answers: Answers) -> Choice:
    """Soft labels: their noise falls with the number of parties."""
    times = answers.uses
    each = _down(answers.epsilon / times)
    settings = {"method": "soft", "parties": str(min(answers.people, _PARTIES)), "epsilon": f"{each:g}"}
    reasons = (*(_TEXTS[f"why.{one}"] for one in ("party", "share", "queries")), *_of_uses(answers))
    held = _pure(PureRelease(epsilon=each), each, times, adjacency=Adjacency.REPLACE_ONE, unit="party")
    return Choice("parties", settings, held, _TEXTS["unit.party"], _adds(times), reasons, times)


def _model(answers: Answers) -> Choice:
    """Return the settings of the classifier's page where all rows are used in each step of one training; else those of
    *Privacy accounting*."""
    best_of = answers.tries if answers.releases == 1 else 1
    uses = 1 if best_of > 1 else answers.uses
    rate = float(f"{min(1.0, max(_LEAST_RATE, _LOT / answers.people)):.4g}")
    sampled = answers.drawn == "poisson"
    run = _Run(rate if sampled else 1.0, uses * (math.ceil(_EPOCHS / rate) if sampled else 1), best_of)
    reasons = (_of_rows(answers, "gradients"), _of_steps(answers, run), *_of_uses(answers), _of_delta(answers))
    if answers.drawn == "all" and answers.uses == 1 and answers.rows_each == 1:
        return _on_classifier(answers, reasons)
    return _on_accounting(answers, run, reasons)


def _on_classifier(answers: Answers, reasons: tuple[str, ...]) -> Choice:
    settings = {
        "rows": str(min(answers.people, _MODEL_ROWS)),
        "epsilon": f"{answers.epsilon:g}",
        "delta": answers.delta_written,
        "steps": str(_STEPS),
        "adjacency": str(Adjacency.ADD_REMOVE),
    }
    noise = math.sqrt(_STEPS) / gdp.mu_of(answers.epsilon, delta=answers.delta)
    event = Composed(event=GaussianRelease(noise_multiplier=noise), count=_STEPS)
    held = account(event, delta=answers.delta, adjacency=Adjacency.ADD_REMOVE)
    return Choice("classifier", settings, held, _unit(answers), BASES["gdp"], reasons)


def _on_accounting(answers: Answers, run: _Run, reasons: tuple[str, ...]) -> Choice:
    noise = noise_for(run, answers.epsilon, answers.delta)
    settings = {
        "sampling_rate": f"{run.rate:g}",
        "noise_multiplier": f"{noise:g}",
        "steps": str(run.steps),
        "delta": answers.delta_written,
        "target_epsilon": f"{answers.epsilon:g}",
        "people": str(answers.rows_each),
        "settings_tried": str(run.best_of),
    }
    held = _held(run, noise, answers.delta)
    if answers.rows_each > 1:
        together = for_group(held, people=answers.rows_each)
        reasons = (*reasons, _TEXTS("why.one_by_one", epsilon=f"{together.epsilon:.3g}"))
    return Choice("accounting", settings, held, _unit(answers), BASES[run.accountant], reasons)


def _held(run: _Run, noise: float, delta: float) -> Guarantee:
    """Return what the run keeps with this noise, computed as *Privacy accounting* does, so that it finds it there."""
    one, adjacency = run._replace(best_of=1).event(noise), Adjacency.ADD_REMOVE
    if run.best_of > 1:
        return tuning.price(one, way="logarithmic", tries=run.best_of, delta=delta, adjacency=adjacency)
    task = Price(
        accountant=run.accountant, sampling_rate=run.rate, noise_multipliers=(noise,), steps=(run.steps,), delta=delta
    )
    epsilon = float(CACHE.answer(task, task.run)[0, 0])
    basis = BASES[run.accountant]
    return Guarantee(epsilon=epsilon, delta=delta, adjacency=adjacency, unit="record", basis=basis, event=one)


@cache
def noise_for(run: _Run, epsilon: float, delta: float) -> float:
    """The noise multiplier, of four digits, with which the run keeps epsilon: as little as that takes."""
    accountant = "pld-coarse" if run.accountant == "pld" else run.accountant  # a tenth of the time, within 1 %
    found = calibrate(
        run.event,
        epsilon=epsilon,
        delta=delta,
        adjacency=Adjacency.ADD_REMOVE,
        accountant=accountant,
        bracket=_NOISES,
        tolerance=1e-4,
    )
    digits = 3 - math.floor(math.log10(found))
    return round(math.ceil(found * 10**digits) / 10**digits, digits)


def _down(value: float) -> float:
    """A positive number with three digits, never rounded up."""
    digits = 2 - math.floor(math.log10(value))
    return round(math.floor(value * 10**digits + 1e-9) / 10**digits, digits)


def _pure(one: Event, each: float, times: int, *, adjacency: Adjacency, unit: str) -> Guarantee:
    """Return the settings of so many releases, of which ``one`` costs epsilon ``each``."""
    event = Composed(event=one, count=times)
    return Guarantee(epsilon=times * each, delta=0.0, adjacency=adjacency, unit=unit, basis=BASES["naive"], event=event)


def _adds(times: int) -> str:
    return BASES["naive"] if times > 1 else _TEXTS["accountant"]


def _unit(answers: Answers) -> str:
    return _TEXTS["unit.row" if answers.rows_each == 1 else "unit.person"]


def _of_rows(answers: Answers, bounded: str) -> str:
    """Return why the unit is a person; ``bounded`` names what is bounded per person where they have several rows."""
    return _TEXTS("why.one_row" if answers.rows_each == 1 else f"why.{bounded}", rows=answers.rows_each)


def _of_uses(answers: Answers) -> list[str]:
    best = answers.tries > 1 and answers.releases == 1 and answers.released == "model"
    cases = (("best", best), ("tries", answers.tries > 1 and not best), ("releases", answers.releases > 1))
    return [_TEXTS(f"why.{case}", tries=answers.tries, releases=answers.releases) for case, so in cases if so]


def _of_steps(answers: Answers, run: _Run) -> str:
    if answers.drawn == "poisson" and run.rate < 1:
        return _TEXTS("why.sampled", rate=f"{run.rate:g}")
    case, count = ("shuffled", _EPOCHS) if answers.drawn == "shuffled" else ("full", _STEPS)
    return _TEXTS(f"why.{case}", count=count, times=f"{math.sqrt(count):.3g}")


def _of_delta(answers: Answers) -> str:
    return _TEXTS("why.delta", delta=answers.delta_written, people=answers.people)
