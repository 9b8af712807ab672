"""One number, or one winner, released from two neighbouring data sets: with you in them, and
without you.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.special import expit

from dpcore.accountants import gdp
from dpcore.streams import stream
from lab.experiment.computing_settings import ComputingSettings
from lab.experiment.settings import Measure, Task
from pages.mechanisms.local_model import tasks as local
from pages.mechanisms.many_answers import tasks as reconstruction
from pages.mechanisms.tasks import (
    ANSWERS,
    CLAIMS,
    DRAWN,
    EPSILON_RANGE,
    FORMULAS,
    Claim,
    Formula,
    Worlds,
    errors,
    promised_misses,
    real_epsilons,
    winners,
)

NUMBER_MECHANISMS = {
    "laplace": "Laplace",
    "gaussian": "Gaussian, exact",
    "classical": "Gaussian, textbook formula",
}
COUNT_NOISES = {"gumbel": "Gumbel (exponential mechanism)", "laplace": "Laplace"}
VOTES = ("leader", "runner-up", "last")
RELEASED = {"one": "One number", "many": "Many answers", "local": "Local model"}
_DOTS = 50
_BASE = 20  # answers of the runner-up among the options


@dataclass(frozen=True, kw_only=True)
class MechanismsSettings(ComputingSettings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    answers: a key of ``RELEASED``: one number, or answers to many questions about a hundred people.
    questions, noise_sd: how many of those are answered, each with Gaussian noise of this standard
    deviation.
    respondents, true_share: people who randomise their own answer among ``options``, and the share
    whose true answer is the first.
    mechanism: the noise on the number.
    epsilon, delta: what it claims; Laplace noise needs no delta.
    sensitivity: the most that one person may add.
    value: the true number without you; with you it is larger by ``sensitivity``.
    prior: the reader's own chance that you are in.
    options: the counts among which report-noisy-max chooses, and the answers of randomised
        response.
    lead: by how much the first is ahead.
    vote: where your answer goes.
    noise: on the counts.
    seed: of the release.
    """

    CHOICES: ClassVar = {
        "answers": RELEASED,
        "mechanism": NUMBER_MECHANISMS,
        "noise": COUNT_NOISES,
        "vote": VOTES,
    }
    LIMITS: ClassVar = {
        "epsilon": EPSILON_RANGE,
        "delta": (1e-9, 1e-2),
        "sensitivity": (0.1, 100.0),
        "value": (0, 1000),
        "prior": (0.01, 0.99),
        "questions": (1, 1000),
        "noise_sd": (0.1, 100.0),
        "respondents": (10, 100_000),
        "true_share": (0.0, 1.0),
        "options": (2, 8),
        "lead": (0, 50),
        "seed": (0, 9999),
    }
    MEASURES: ClassVar = {
        "within": Measure(
            "90 % error of a release",
            "lower",
            lambda worlds: np.array([worlds.within]),
            rises=("epsilon", "delta"),
            falls=("sensitivity",),
        ),
        "attacker": Measure(
            "accuracy of the attacker",
            "lower",
            lambda worlds: np.array([worlds.balanced_accuracy]),
            falls=("epsilon", "delta"),
            unit="%",
            limits=(0.5, 1.0),
        ),
    }

    RECOVERED: ClassVar = {
        "recovered": Measure(
            "share of secrets recovered",
            "lower",
            np.ravel,
            falls=("questions",),
            rises=("noise_sd",),
            unit="%",
            limits=(0.0, 1.0),
        )
    }

    ESTIMATED: ClassVar = {
        "estimate": Measure(
            "estimated share of the first answer",
            "higher",
            lambda found: found[:, 0],
            unit="%",
            limits=(-10.0, 10.0),
        )
    }

    answers: str = "one"
    questions: int = 100
    noise_sd: float = 3.0
    respondents: int = 1000
    true_share: float = 0.3
    mechanism: str = "laplace"
    epsilon: float = 1.0
    delta: float = 1e-5
    sensitivity: float = 1.0
    value: int = 40
    prior: float = 0.5
    options: int = 4
    lead: int = 3
    vote: str = "runner-up"
    noise: str = "gumbel"
    seed: int = 4

    @property
    def counts(self) -> tuple[float, ...]:
        """Return each option's answers without you: a leader, and each further one two behind the
        one before it.
        """
        return (_BASE + self.lead, *(_BASE - 2.0 * place for place in range(self.options - 1)))

    @property
    def voted(self) -> int:
        """Return which option has your answer."""
        return {"leader": 0, "runner-up": 1, "last": self.options - 1}[self.vote]

    def claim(self, mechanism: str) -> Claim:
        """Return the number as this mechanism releases it."""
        return self.subset(
            Claim, mechanism=mechanism, delta=0.0 if mechanism == "laplace" else self.delta
        )

    @property
    def measures(self) -> Mapping[str, Measure]:
        return {"many": self.RECOVERED, "local": self.ESTIMATED}.get(self.answers, self.MEASURES)

    def schedule(self) -> Iterable[Task]:
        """Return the release alone, of which everything else is closed form, or the runs of many
        answers.
        """
        return reconstruction.tasks(self) if self.answers == "many" else (self.probe(),)

    def probe(self) -> Task:
        match self.answers:
            case "many":
                return reconstruction.probe(self)
            case "local":
                return self.subset(local.Surveys)
        return self.claim(self.mechanism)

    def result(self, outcomes: Mapping[Any, Any]) -> Any:
        """Return what the page shows of the claim, of many answers or of randomised ones."""
        if self.answers == "many":
            return reconstruction.result(self, outcomes)
        if self.answers == "local":
            survey = self.subset(local.Surveys)
            return local.LocalAnswers(settings=self, survey=survey, estimates=outcomes[survey])
        claim = self.claim(self.mechanism)
        return MechanismsResult(settings=self, claim=claim, worlds=outcomes[claim])


@dataclass(frozen=True, kw_only=True, eq=False)
class MechanismsResult:
    """What a page shows. claim: what is promised, and what holds; worlds: the release without you
    and with you.
    """

    settings: MechanismsSettings
    claim: Claim
    worlds: Worlds

    @cached_property
    def drawn(self) -> dict[str, float]:
        """Return a release drawn in the world with you: its output, and what that says
        about you.
        """
        truth = np.array([self.settings.value + self.settings.sensitivity])
        x = self.claim.made.release(truth, stream(self.settings.seed, "noise"))
        columns = {"output": x, "log ratio": self.worlds.log_ratio(x)}
        columns |= {"posterior": self.worlds.posterior(x, self.settings.prior)}
        return {name: float(column[0]) for name, column in columns.items()}

    @property
    def errors(self) -> dict[str, np.ndarray]:
        """Return the error that nine releases in ten keep at each of ``CLAIMS``, by mechanism."""
        return {
            name: self.settings.sensitivity * within
            for name, within in errors(self.settings.delta).items()
        }

    @property
    def _log_chances(self) -> np.ndarray:
        one = self.settings
        return winners(
            one.counts, one.voted, sensitivity=one.sensitivity, epsilon=one.epsilon, noise=one.noise
        )

    @cached_property
    def chances(self) -> np.ndarray:
        """Return the probability (2, k) that each option wins, without you and with you."""
        return np.exp(self._log_chances)

    @property
    def choice_ratio(self) -> np.ndarray:
        """Return ln P(i wins with you) / P(i wins without you), (k,); NaN where neither can be told
        from 0.
        """
        with np.errstate(invalid="ignore"):
            return np.diff(self._log_chances, axis=0)[0]

    @property
    def largest_change(self) -> float:
        """Return the largest change of the log of any option's probability to win, when you
        vote.
        """
        return float(np.nanmax(np.abs(self.choice_ratio)))

    @property
    def cut(self) -> float:
        """Return the published number above which the best attacker with the reader's prior says
        "in".
        """
        prior = self.settings.prior
        return self.worlds.threshold(math.log((1 - prior) / prior))

    def posterior_range(self, prior: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how far the promise lets a prior fall, and rise: odds by e^-epsilon, and by
        e^epsilon.
        """
        odds = np.log(prior) - np.log1p(-np.asarray(prior))
        return expit(odds - self.settings.epsilon), expit(odds + self.settings.epsilon)

    @cached_property
    def outputs(self) -> np.ndarray:
        """Return outputs (m,), twice as far as ``reach``, dense where the densities bend."""
        worlds, (low, high) = self.worlds, self.reach
        far = (high - low) / 2
        around = worlds.scale * worlds.at_share(np.linspace(0.001, 0.999, 81))
        centres = worlds.value + np.array([0.0, worlds.sensitivity])
        near = [np.linspace(low, high, 101), centres, *(centre + around for centre in centres)]
        return np.unique(np.concatenate([np.linspace(low - far, high + far, 81), *near]))

    @cached_property
    def reach(self) -> tuple[float, float]:
        """Return a range of outputs that holds nearly all releases, and the threshold of epsilon
        where there is one.
        """
        worlds = self.worlds
        middle = worlds.value + worlds.sensitivity / 2
        half = worlds.sensitivity / 2 + worlds.scale * float(worlds.at_share(0.998))
        line = worlds.threshold(self.settings.epsilon) - middle
        half = max(half, line + worlds.scale / 2) if np.isfinite(line) else half
        return middle - half, middle + half

    def dots(self) -> np.ndarray:
        """Return fifty equally likely releases without you and with you (2, 50): the middles of
        fifty equal shares.
        """
        noise = self.worlds.scale * self.worlds.at_share((np.arange(_DOTS) + 0.5) / _DOTS)
        return self.worlds.value + np.array([[0.0], [self.worlds.sensitivity]]) + noise

    @cached_property
    def trade_off(self) -> dict[str, Any]:
        """Return columns, a row per share of false alarms: the misses of the best test, and the
        least of the claim.
        """
        tail = np.geomspace(1e-9, 0.05, 40)
        alpha = np.concatenate([[0.0], tail, np.linspace(0.06, 0.94, 67), 1 - tail[::-1], [1.0]])
        promised = promised_misses(alpha, epsilon=self.settings.epsilon, delta=self.claim.delta)
        return {"false alarms": alpha, "misses": self.worlds.misses(alpha), "promised": promised}

    @cached_property
    def profile(self) -> dict[str, Any]:
        """Return columns, a row per epsilon: the delta that this noise needs, closest where Laplace
        noise stops.
        """
        near = self.settings.epsilon * (1 - np.array([0.3, 0.1, 0.03, 0.01, 1e-3, 1e-5, 1e-8, 0.0]))
        epsilons = np.unique(
            np.concatenate([np.geomspace(*EPSILON_RANGE, 101), np.maximum(near, EPSILON_RANGE[0])])
        )
        deltas = [self.worlds.delta_at(float(epsilon)) for epsilon in epsilons]
        return {"epsilon": epsilons, "delta": np.array(deltas)}

    @cached_property
    def choice(self) -> dict[str, Any]:
        """Return columns, a row per option: its answers without you, and its chance to win in both
        worlds.
        """
        names = [chr(ord("A") + place) for place in range(self.settings.options)]
        columns = {"option": names, "answers": self.settings.counts}
        return columns | {"without you": self.chances[0], "with you": self.chances[1]}

    @property
    def exact_noise(self) -> float:
        """Return the least Gaussian noise sd that keeps the claim, for a sensitivity of 1."""
        return 1 / gdp.mu_of(self.settings.epsilon, delta=self.settings.delta)

    @cached_property
    def formulas(self) -> dict[str, Formula]:
        """Return what each of ``DRAWN`` gives for today's claim."""
        claim = {"epsilon": self.settings.epsilon, "delta": self.settings.delta}
        return {name: Formula.of(*how, **claim) for name, how in DRAWN.items()}

    @cached_property
    def answers(self) -> dict[str, Any]:
        """Return columns, a row per number k of answers, each moved by up to the sensitivity: an L1
        norm of sqrt(k) L2 norms.

        sd of an answer's noise by the slide, the exact calibration and Laplace, which takes the L1
        norm too, and the epsilon that the slide's gives.
        """
        one, k = self.settings, np.array(ANSWERS)
        claim = {"epsilon": one.epsilon, "delta": one.delta}
        slide = [Formula.of(FORMULAS["slide"], math.sqrt(count), **claim) for count in ANSWERS]
        return {
            "answers": k,
            "slide": one.sensitivity * np.sqrt(k) * [formula.sd for formula in slide],
            "real epsilon": np.array([formula.real for formula in slide]),
            "exact": one.sensitivity * np.sqrt(k) * self.exact_noise,
            "laplace": one.sensitivity * k * math.sqrt(2) / one.epsilon,
        }

    @cached_property
    def claims(self) -> dict[str, np.ndarray]:
        """Return columns, a row per claimed epsilon: what each formula really gives."""
        return {"claimed epsilon": CLAIMS, **real_epsilons(self.settings.delta)}

    def table(self) -> pd.DataFrame:
        """Return the three mechanisms at these settings, a row each."""
        rows = [
            {
                "mechanism": claim.mechanism,
                "within": claim.worlds.within,
                "claimed epsilon": claim.epsilon,
                "claimed delta": claim.delta,
                "real epsilon": claim.guarantee.epsilon,
                "needed delta": claim.needed_delta,
                "attacker": claim.worlds.balanced_accuracy,
                "holds": claim.holds,
            }
            for claim in map(self.settings.claim, NUMBER_MECHANISMS)
        ]
        return pd.DataFrame(rows)
