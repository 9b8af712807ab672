"""What the home page computes: models with and without one patient, and how well a spy tells."""

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part, Repeats
from pages.home import tasks
from pages.home.result import PersonResult
from pages.home.settings import PersonSettings

# Pairs of models that are trained while the slider moves.
_FIRST_PAIRS = 500


class PersonExperiment(Experiment[PersonSettings, PersonResult]):
    """Models with the person and without, and one without privacy."""

    RESULT = PersonResult

    def parts(self) -> dict[str, Part]:
        """Return the parts, with the names of the fields of ``PersonResult``."""
        settings = self.settings
        clinic = settings.subset(tasks.Clinic)
        return {
            "pairs": Repeats(
                tasks.train_pairs,
                clinic,
                settings.epsilon,
                tasks.PAIRS,
                merge=tasks.Pairs.concatenate,
                cost=clinic.cells,
                first_batch=_FIRST_PAIRS,
            ),
            "lines": Once(tasks.train_lines, clinic, (settings.epsilon,), essential=True),
            "reference": Once(tasks.train_reference, clinic, essential=True),
        }
