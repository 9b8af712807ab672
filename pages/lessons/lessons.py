"""The lessons of ``lessons.toml``, and the numbers of their texts."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dpcore.accountants import tuning
from dpcore.accountants.attacker import best_attacker
from dpcore.privacy import Adjacency, Guarantee
from lab.statistics import claims
from lab.sweeps.measurement import shown
from pages.lessons.lesson import Case, Lesson
from ui.text.guess_range import GuessRange
from ui.text.tiles import percent_rounded_up, rare_guess_text


class _Reconstruction(Lesson):
    """Noisy answers to many questions reconstruct a secret."""

    def start(self, case: Case) -> float:
        return 100 * case.result.median

    def truth(self, case: Case) -> np.ndarray:
        return 100 * case.result.runs

    def known_numbers(self, case: Case) -> dict[str, float]:
        return super().known_numbers(case) | {"error": case.result.error}

    def measured_numbers(self, before: Case, after: Case) -> dict[str, float]:
        numbers = super().measured_numbers(before, after)
        numbers["epsilon"] = after.result.guarantee.epsilon
        return numbers

    def attacker(self, after: Case) -> Guarantee:
        return after.result.guarantee


class _OneNumber(Lesson):
    """A lesson whose page has one number in place of runs."""

    def truth(self, case: Case) -> np.ndarray:
        return np.array([self.start(case)])


class _Epsilon(_OneNumber):
    """Epsilon bounds what an attacker comes to believe."""

    def position(self, settings: Any) -> float:
        return 100 * settings.prior

    def start(self, case: Case) -> float:
        """Return the largest posterior probability of a guess, in percent."""
        _, largest = case.result.posterior_range(0.5)
        return 100 * float(largest)

    def _at_epsilon_ten(self, after: Case) -> float:
        return self.start(Case(after.settings.change(epsilon=10.0)))

    def measured_numbers(self, before: Case, after: Case) -> dict[str, Any]:
        rare = rare_guess_text(self.attacker(after), section="rare-short")
        return super().measured_numbers(before, after) | {
            "rare": re.sub("</?b>", "**", rare),
            "least": 100 - self.start(after),
            "factor": np.exp(after.settings.epsilon),
            "ten": self._at_epsilon_ten(after),
            "right": 100 * best_attacker(self.attacker(after)).right,
        }

    def attacker(self, after: Case) -> Guarantee:
        return after.result.claim.guarantee


class _SmallEpsilon(Lesson):
    """A small epsilon costs accuracy."""

    def known_numbers(self, case: Case) -> dict[str, float]:
        return super().known_numbers(case) | {"people": case.settings.rows}

    def _noise(self, case: Case) -> float:
        return case.settings.training.noise_sd(case.settings.epsilon)

    def measured_numbers(self, before: Case, after: Case) -> dict[str, float]:
        return super().measured_numbers(before, after) | {
            "plain": 100 * after.result.reference.accuracy,
            "baseline": 100 * after.result.baseline,
            "times": self._noise(after) / self._noise(before),
        }


class _Clipping(Lesson):
    """The best clipping norm lies between too small and too large ones."""

    # Small, middle and large clipping norm, and the options of the guess by that order.
    BOUNDS = (0.1, 1.0, 10.0)
    OPTIONS = (1, 2, 0)
    NO_DIFFERENCE = 3

    def position(self, settings: Any) -> float:
        return self.BOUNDS[0]

    def clipped(self, case: Case) -> list[np.ndarray]:
        """Return the accuracies (R,) of the page that is asked about in percent, by bound."""
        question = case.settings
        accuracies = []
        for bound in self.BOUNDS:
            settings = question.topic_settings.change(clip_norm=bound)
            accuracies.append(100 * shown(settings, question.measure))
        return accuracies

    def start(self, case: Case) -> float:
        return float(np.median(self.clipped(case)[0]))

    def measured_numbers(self, before: Case, after: Case) -> dict[str, float]:
        small, middle, large = np.median(self.clipped(after), axis=1)
        return {"small": float(small), "middle": float(middle), "large": float(large)}

    def correct_option(self, before: Case, after: Case) -> int:
        """Return the bound that is shown to be best: largest, smallest, between, or none."""
        runs = {str(index): runs / 100 for index, runs in enumerate(self.clipped(after))}
        leaders = claims.leaders(runs)
        if len(leaders) > 1:
            return self.NO_DIFFERENCE
        return self.OPTIONS[int(leaders[0])]


class _Run(_OneNumber):
    """A lesson about the cost of a run."""

    def start(self, case: Case) -> float:
        return case.result.epsilon("pld")


class _Composition(_Run):
    """The cost of many steps grows like a square root."""

    def measured_numbers(self, before: Case, after: Case) -> dict[str, float]:
        return super().measured_numbers(before, after) | {
            "basic": after.result.epsilon("basic"),
            "advanced": after.result.epsilon("advanced"),
        }


class _PublicStart(Lesson):
    """Pre-training on public rows helps most at a small epsilon."""

    LARGE_EPSILON = 50.0

    def gain(self, case: Case, epsilon: float) -> np.ndarray:
        """Return the points (R,) that pre-training adds to each run."""
        return case.percents("accuracy", epsilon=epsilon) - case.percents(
            "scratch", epsilon=epsilon
        )

    def known_numbers(self, case: Case) -> dict[str, float]:
        return super().known_numbers(case) | {"people": case.settings.rows}

    def measured_numbers(self, before: Case, after: Case) -> dict[str, float]:
        return super().measured_numbers(before, after) | {
            "scratch": float(np.median(after.percents("scratch"))),
            "gain": float(np.median(self.gain(after, after.settings.epsilon))),
            "gain_large": float(np.median(self.gain(after, self.LARGE_EPSILON))),
            "plain": 100 * after.result.references["public"].accuracy,
        }


class _Parties(Lesson):
    """More parties share the noise."""

    def known_numbers(self, case: Case) -> dict[str, float]:
        return super().known_numbers(case) | {"rows": case.settings.rows}


class _Rounds(_Run):
    """The cost of many rounds of federated learning grows like a square root."""

    def measured_numbers(self, before: Case, after: Case) -> dict[str, float]:
        numbers = super().measured_numbers(before, after)
        numbers["basic"] = after.result.epsilon("basic")
        numbers["times"] = numbers["truth"] / numbers["known"]
        return numbers


class _Attacker(_OneNumber):
    """The noise bounds how often an attacker is right."""

    def start(self, case: Case) -> float:
        return 100 * case.result.attack.accuracy

    def known_numbers(self, case: Case) -> dict[str, Any]:
        allowed = percent_rounded_up(case.result.claim_bound)
        return super().known_numbers(case) | {"allowed": allowed}

    def measured_numbers(self, before: Case, after: Case) -> dict[str, Any]:
        result = after.result
        return super().measured_numbers(before, after) | {
            "low": 100 * result.attack.low,
            "high": 100 * result.attack.high,
            "noise": percent_rounded_up(result.noise_bound),
            "allowed": percent_rounded_up(result.claim_bound),
        }

    def attacker(self, after: Case) -> Guarantee | None:
        return after.settings.guarantees.formula


class _Published(_Attacker):
    """An attacker shows that a published mechanism spends more than it claims."""

    COIN = 0
    AS_CORRECT = 1
    MORE_THAN_CORRECT = 2
    BEYOND_CLAIM = 3

    def measured_numbers(self, before: Case, after: Case) -> dict[str, Any]:
        numbers = super().measured_numbers(before, after)
        numbers["shown"] = after.result.lower_bound.epsilon
        return numbers

    def correct_option(self, before: Case, after: Case) -> int:
        """Return how often the attacker is right for sure."""
        attack = after.result.attack
        if attack.low > after.result.claim_bound:
            return self.BEYOND_CLAIM
        if attack.low <= 0.5:
            return self.COIN
        if attack.low <= before.result.attack.high:
            return self.AS_CORRECT
        return self.MORE_THAN_CORRECT

    def attacker(self, after: Case) -> None:
        return None


class _Tuning(_Run):
    """Trying settings on private rows costs privacy."""

    def truth(self, case: Case) -> np.ndarray:
        return np.array([case.result.tuned.epsilon])

    def position(self, settings: Any) -> float:
        return 1 - 0.9**settings.settings_tried

    def best_alone(self, case: Case) -> float:
        """Return epsilon of the best alone, if the logarithmic law draws the number of tries."""
        price = tuning.price(
            case.settings.run_event,
            way="logarithmic",
            tries=case.settings.settings_tried,
            delta=case.settings.delta,
            adjacency=Adjacency.ADD_REMOVE,
        )
        return price.epsilon

    def measured_numbers(self, before: Case, after: Case) -> dict[str, float]:
        return super().measured_numbers(before, after) | {
            "naive": 10 * self.start(before),
            "best": self.best_alone(after),
        }


_KINDS: Mapping[str, type[Lesson]] = {
    "reconstruction": _Reconstruction,
    "epsilon": _Epsilon,
    "small_epsilon": _SmallEpsilon,
    "clipping": _Clipping,
    "composition": _Composition,
    "public_start": _PublicStart,
    "parties": _Parties,
    "rounds": _Rounds,
    "published": _Published,
    "attacker": _Attacker,
    "tuning": _Tuning,
}


def _read_lessons() -> tuple[Lesson, ...]:
    """Read ``lessons.toml``, in its order."""
    text = Path(__file__).with_name("lessons.toml").read_text("utf-8")
    lessons = []
    for name, table in tomllib.loads(text).items():
        fields = dict(table)
        guess = fields.pop("guess", None)
        number = None
        if guess:
            number = GuessRange(**guess)
        lessons.append(_KINDS[name](name=name, number=number, **fields))
    return tuple(lessons)


LESSONS = _read_lessons()


def next_lesson(lesson: Lesson) -> Lesson | None:
    """Return the lesson after this one; None after the last one."""
    if lesson == LESSONS[-1]:
        return None
    return LESSONS[LESSONS.index(lesson) + 1]
