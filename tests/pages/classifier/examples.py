"""Settings of classifiers that are trained quickly."""

from pages.classifier.settings import ClassifierSettings
from pages.classifier.tasks import Ensemble

SMALL = {"repeats": 3, "steps": 6, "public_steps": 5}


def small(**changes) -> ClassifierSettings:
    """Return settings that are trained quickly, with changes."""
    return ClassifierSettings(**{**SMALL, **changes})


def ensemble_of(settings: ClassifierSettings) -> Ensemble:
    """Return the models at the set epsilon, and what was measured of them."""
    first_task, *_ = settings.experiment.tasks()
    return first_task.run()
