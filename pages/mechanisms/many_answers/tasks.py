"""Task of many answers: the share of a hundred people's secret bits that an attacker recovers."""

from dataclasses import dataclass

import numpy as np

from dpcore.cache import Key
from pages.mechanisms.many_answers.reconstruction import Survey

PEOPLE = 100


@dataclass(frozen=True, kw_only=True)
class Answers(Key):
    """Noisy answers, however many, with noise of the standard deviation ``noise_sd``."""

    noise_sd: float
    seed: int

    def survey(self, questions: int, repeat: int) -> Survey:
        """Return the people and the questions of a repeat. Repeat 0 is the one that is drawn."""
        return Survey.draw(PEOPLE, questions, seed=self.seed, index=repeat)


def recovered_shares(answers: Answers, at: tuple[int, ...], repeats: range) -> np.ndarray:
    """Return the share (V, R) of bits that are recovered after each number of questions."""
    surveys = [answers.survey(max(at), repeat) for repeat in repeats]
    shares = []
    for questions in at:
        of_repeats = []
        for survey in surveys:
            is_right = survey.recovered(questions, noise_sd=answers.noise_sd)
            of_repeats.append(is_right.mean())
        shares.append(of_repeats)
    return np.array(shares)
