"""What many answers compute: reconstructions at the set number of questions, and over a curve."""

from collections.abc import Mapping
from typing import Any

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part, Sweep
from pages.mechanisms.many_answers.result import ManyAnswersResult
from pages.mechanisms.many_answers.tasks import Answers, recovered_shares
from pages.mechanisms.settings import MechanismsSettings

# Surveys of the attacker: in each, other people, questions and noise.
REPEATS = 20
# Numbers of questions at which the curve is computed, and repeats of one task of it.
QUESTIONS = (10, 30, 60, 100, 150, 200, 300, 400, 600, 1000)
_REPEATS_PER_TASK = 4


class ManyAnswersExperiment(Experiment[MechanismsSettings, ManyAnswersResult]):
    """Reconstruct secret bits from many noisy answers about the same people."""

    def parts(self) -> dict[str, Part]:
        """Return all repeats at the set number of questions, one of them alone, and the curve."""
        answers = self.settings.subset(Answers)
        questions = (self.settings.questions,)
        return {
            "runs": Once(recovered_shares, answers, at=questions, count=REPEATS),
            # The page waits for the repeat that is drawn.
            "drawn": Once(recovered_shares, answers, at=questions, essential=True),
            "curve": Sweep(
                QUESTIONS,
                recovered_shares,
                answers,
                REPEATS,
                width=len(QUESTIONS),
                largest_batch=_REPEATS_PER_TASK,
            ),
        }

    def result(self, values: Mapping[str, Any]) -> ManyAnswersResult:
        """Return the result, with the repeat that is drawn alone until all are done."""
        runs = values["runs"]
        if runs is None:
            runs = values["drawn"]
        # (1, R): the only number of questions.
        return ManyAnswersResult(settings=self.settings, runs=runs[0], curve=values["curve"])
