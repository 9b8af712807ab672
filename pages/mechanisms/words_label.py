"""What the label of one answer says: made-up groups, and what one release like this would promise."""

from lab.label import Stated
from pages.mechanisms.experiment import MechanismsResult

FIXED = {
    "public": "sensitivity, epsilon and delta",
    "trust": "whoever counts; nobody else sees an answer",
    "period": "one release; a second one adds up",
    "released": "one noisy number",
    "analyst_only": "the true number, and both worlds",
    "assumptions": "nobody adds more than the sensitivity",
    "source": "none: a made-up group",
    "training": "none",
    "tuning": "none",
    "bounds": "public: the sensitivity",
    "vocabulary": "none",
    "split": "none",
    "test_score": "none",
    "stop_rule": "none",
    "missing": "none",
}


def label(result: MechanismsResult) -> Stated:
    held = result.claim.guarantee
    return Stated(promise=held, claimed=result.settings.epsilon, right=result.worlds.balanced_accuracy, said={**FIXED})
