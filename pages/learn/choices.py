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
from dpcore.privacy import Adjacency, Composed, Event, GaussianRelease, Guarantee, PureRelease, for_group

RELEASED = {
    "model": "a model, trained on all people's rows",
    "number": "a number: a count, a sum, a mean",
    "votes": "one model out of many parties' models",
}
DRAWN = {
    "poisson": "a random sample, each row drawn by itself",
    "all": "all rows",
    "shuffled": "a batch of the shuffled rows",
}
# What the other answers may be.
ROWS_EACH, PEOPLE, RELEASES, TRIES = (1, 3, 10), (300, 10_000, 1_000_000), (1, 4, 12), (1, 3, 10)
EPSILONS = (0.5, 1.0, 3.0, 8.0)
# As many rows, and parties, as their pages can show.
_MODEL_ROWS, _PARTIES = 5000, 20_000
# A usual start: steps on all rows; epochs of samples, of about so many rows, and of at least this share of all.
_STEPS, _EPOCHS, _LOT, _LEAST_RATE = 50, 10, 100, 0.01
_NOISES = (0.3, 100.0)  # where the slider of *Privacy accounting* ends


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What a practitioner says of a release. Raises RefusedError where one of them is none that can be given.

    released: one of ``RELEASED``. drawn: one of ``DRAWN``, what a training step looks at. rows_each: how many rows a
    person has at most. people: how many there are; of parties, how many parties. releases: how often there will be one,
    on the same people. tries: how many settings are tried on their rows before the first. epsilon: for all of it.
    """

    released: str = "model"
    drawn: str = "poisson"
    rows_each: int = 1
    people: int = 10_000
    releases: int = 1
    tries: int = 1
    epsilon: float = 1.0

    def __post_init__(self) -> None:
        check.choice(RELEASED, released=self.released)
        check.choice(DRAWN, drawn=self.drawn)
        check.choice(ROWS_EACH, rows_each=self.rows_each)
        check.choice(PEOPLE, people=self.people)
        check.choice(RELEASES, releases=self.releases)
        check.choice(TRIES, tries=self.tries)
        check.choice(EPSILONS, epsilon=self.epsilon)

    @property
    def uses(self) -> int:
        """How often the rows are used, where every try counts in full: the last try is the first release."""
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
    """The settings that these answers end in."""
    how = {"number": _number, "votes": _votes, "model": _model}
    return how[answers.released](answers)


def _number(answers: Answers) -> Choice:
    """Laplace noise while that is the lesser, else Gaussian noise, composed exactly."""
    run, times = _Run(rate=1.0, steps=answers.uses), answers.uses
    pure, normal = math.sqrt(2) * times / answers.epsilon, noise_for(run, answers.epsilon, answers.delta)
    reasons = [*_of_rows(answers, "the sum of each person's values is bounded"), *_of_uses(answers)]
    if normal < pure:
        reasons.append(
            f"{times} uses of the rows: Gaussian noise of standard deviation {normal:.3g} for each, in units of the "
            f"sensitivity, is less than Laplace's {pure:.3g}."
        )
        return _on_accounting(answers, run, (*reasons, _of_delta(answers)))
    reasons.append(
        f"Laplace noise of standard deviation {pure:.3g} in all, in units of the sensitivity, is less than Gaussian "
        f"noise of {normal:.3g}, and needs no delta."
    )
    each = _down(answers.epsilon / times)
    settings = {"mechanism": "laplace", "epsilon": f"{each:g}", "sensitivity": str(answers.rows_each)}
    held = _pure(each, times, adjacency=Adjacency.ADD_REMOVE, unit="record")
    return Choice("mechanisms", settings, held, _unit(answers), _adds(times), tuple(reasons), times)


def _votes(answers: Answers) -> Choice:
    """Soft labels: their noise falls with the number of parties."""
    times = answers.uses
    each = _down(answers.epsilon / times)
    settings = {"method": "soft", "parties": str(min(answers.people, _PARTIES)), "epsilon": f"{each:g}"}
    reasons = (
        "A party is protected with all of its rows, however many: it is the unit, not the row.",
        "One party moves soft labels by one over the number of parties, so their noise falls with it.",
        "One model is released: questions to it cost nothing more, and no delta is needed.",
        *_of_uses(answers),
    )
    held = _pure(each, times, adjacency=Adjacency.REPLACE_ONE, unit="party")
    return Choice("parties", settings, held, "a whole party", _adds(times), reasons, times)


def _model(answers: Answers) -> Choice:
    """On the classifier's page where all rows are used in each step of one training; else on *Privacy accounting*."""
    best_of = answers.tries if answers.releases == 1 else 1
    uses = 1 if best_of > 1 else answers.uses
    rate = float(f"{min(1.0, max(_LEAST_RATE, _LOT / answers.people)):.4g}")
    sampled = answers.drawn == "poisson"
    run = _Run(rate if sampled else 1.0, uses * (math.ceil(_EPOCHS / rate) if sampled else 1), best_of)
    clipped = "each person's gradient, over all of their rows, is clipped as one"
    reasons = (*_of_rows(answers, clipped), _of_steps(answers, run), *_of_uses(answers), _of_delta(answers))
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
        reasons = (
            *reasons,
            f"Were rows bounded one by one, the noise would promise a person epsilon {together.epsilon:.3g}: on the "
            "page, what is promised to so many people together.",
        )
    return Choice("accounting", settings, held, _unit(answers), BASES[run.accountant], reasons)


def _held(run: _Run, noise: float, delta: float) -> Guarantee:
    """What the run keeps with this noise, computed as *Privacy accounting* does, so that it finds it there."""
    one, adjacency = run._replace(best_of=1).event(noise), Adjacency.ADD_REMOVE
    if run.best_of > 1:
        return tuning.price(one, way="logarithmic", tries=run.best_of, delta=delta, adjacency=adjacency)
    told = {"sampling_rate": run.rate, "noise_multipliers": (noise,), "steps": (run.steps,), "delta": delta}
    task = Price(accountant=run.accountant, **told)
    epsilon = float(CACHE.answer(task, task.run)[0, 0])
    basis = BASES[run.accountant]
    return Guarantee(epsilon=epsilon, delta=delta, adjacency=adjacency, unit="record", basis=basis, event=one)


@cache
def noise_for(run: _Run, epsilon: float, delta: float) -> float:
    """The noise multiplier, of four digits, with which the run keeps epsilon: as little as that takes."""
    promise = {"epsilon": epsilon, "delta": delta, "adjacency": Adjacency.ADD_REMOVE}
    accountant = "pld-coarse" if run.accountant == "pld" else run.accountant  # a tenth of the time, within 1 %
    found = calibrate(run.event, accountant=accountant, bracket=_NOISES, tolerance=1e-4, **promise)
    digits = 3 - math.floor(math.log10(found))
    return round(math.ceil(found * 10**digits) / 10**digits, digits)


def _down(value: float) -> float:
    """A positive number with three digits, never rounded up."""
    digits = 2 - math.floor(math.log10(value))
    return round(math.floor(value * 10**digits + 1e-9) / 10**digits, digits)


def _pure(each: float, times: int, *, adjacency: Adjacency, unit: str) -> Guarantee:
    event = Composed(event=PureRelease(epsilon=each), count=times)
    return Guarantee(epsilon=times * each, delta=0.0, adjacency=adjacency, unit=unit, basis=BASES["naive"], event=event)


def _adds(times: int) -> str:
    return BASES["naive"] if times > 1 else "one pure release, which nothing has to count"


def _unit(answers: Answers) -> str:
    return "a person, who has one row" if answers.rows_each == 1 else "a person, with all of their rows"


def _of_rows(answers: Answers, how: str) -> list[str]:
    """Why the unit is a person, where that is not a row."""
    if answers.rows_each == 1:
        return ["Each person has one row, so a promise to rows is a promise to people."]
    return [
        f"A person may have {answers.rows_each} rows, so a promise to one row would say little to them: {how}, and a "
        "record is a person in all that follows. Sums are then bounded per person, samples drawn by person."
    ]


def _of_uses(answers: Answers) -> list[str]:
    """What several releases and tries make of the bill."""
    found = []
    if answers.tries > 1 and answers.releases == 1 and answers.released == "model":
        found.append(
            f"Tries on private rows cost, too. Make a random number of them, {answers.tries} on average by a "
            "logarithmic law, release the best alone, and keep the number secret: that costs far less than all."
        )
    elif answers.tries > 1:
        found.append(f"Each of {answers.tries} tries on private rows counts as a release; the last one is the first.")
    if answers.releases > 1:
        found.append(
            f"There will be {answers.releases} releases on the same people, and the budget is for all together."
        )
    return found


def _of_steps(answers: Answers, run: _Run) -> str:
    """Why a training is counted so."""
    if answers.drawn == "poisson" and run.rate < 1:
        return (
            f"Each row is in a step with probability {run.rate:g}, by itself, so sampling lowers the price; the loss "
            "distribution gives the tightest count of it."
        )
    if answers.drawn == "shuffled":
        return (
            "Batches of a shuffle are no random samples, and get no credit as such. A row is in one batch an epoch, "
            "which"
            f"then costs one release, and {_EPOCHS} epochs one with √{_EPOCHS} times less noise: make that of a step "
            f"{math.sqrt(_EPOCHS):.3g} times the multiplier here. It holds where a missing row leaves its place empty."
        )
    return (
        f"Every step sees all rows, so Gaussian steps add up exactly: {_STEPS} of them cost one release with √{_STEPS} "
        f"times less noise. Make that of a step {math.sqrt(_STEPS):.3g} times the multiplier of the whole."
    )


def _of_delta(answers: Answers) -> str:
    return (
        f"Delta {answers.delta_written} is at most a tenth of one over {answers.people:,} people: at one over their "
        "number, publishing one row whole would be allowed."
    )
