"""Settings of the page on noise mechanisms."""

from dataclasses import dataclass
from typing import ClassVar

from lab.experiment.settings import Settings
from pages.mechanisms.tasks import Claim

NUMBER_MECHANISMS = {"laplace": "Laplace", "gaussian": "Gaussian", "classical": "Textbook"}
RELEASED = {"one": "One number", "many": "Many answers", "local": "Local model"}
# Votes for the second option, and how many fewer each further one has.
_RUNNER_UP_VOTES = 20
_FEWER_VOTES = 2.0


@dataclass(frozen=True, kw_only=True)
class MechanismsSettings(Settings):
    """Settings of the page on noise mechanisms.

    Raises RefusedError, with the name of the field, if a value is not allowed.

    answers: what is released, a key of ``RELEASED``.
    questions, noise_sd: number of questions about a hundred people, and the standard deviation of
        the noise on each answer.
    respondents, true_share: people who randomise their own answer among ``options``, and the share
        of those whose true answer is the first.
    mechanism: the noise on one number, a key of ``NUMBER_MECHANISMS``.
    epsilon, delta: the claim. Laplace noise needs no delta.
    sensitivity: the most that one person may add.
    value: the true number without you. With you it is larger by ``sensitivity``.
    prior: the attacker's probability that you are in, before the release.
    options: the number of options, of which private selection releases the winner, and the number
        of answers of randomised response.
    lead: by how many votes the first option is ahead.
    seed: of the release.
    """

    EXPERIMENT: ClassVar = "pages.mechanisms.experiment.experiment_of"
    CHOICES: ClassVar = {"answers": RELEASED, "mechanism": NUMBER_MECHANISMS}
    LIMITS: ClassVar = {
        "epsilon": (0.01, 150.0),
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
    seed: int = 4

    def claim(self, mechanism: str) -> Claim:
        """Return the release of the number by a mechanism."""
        delta = self.delta
        if mechanism == "laplace":
            delta = 0.0
        return self.subset(Claim, mechanism=mechanism, delta=delta)

    @property
    def counts(self) -> tuple[float, ...]:
        """Return the votes for each option without yours, the largest number first."""
        others = [_RUNNER_UP_VOTES - _FEWER_VOTES * index for index in range(self.options - 1)]
        return (_RUNNER_UP_VOTES + self.lead, *others)
