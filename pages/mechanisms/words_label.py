"""The privacy label of one release of a number about a made-up group."""

from lab.label import Stated
from pages.mechanisms.experiment import MechanismsResult
from ui.texts import labels

_SAYS = labels("mechanisms")


def label(result: MechanismsResult) -> Stated:
    held, right = result.claim.guarantee, result.worlds.balanced_accuracy
    return Stated(promise=held, claimed=result.settings.epsilon, right=right, said=_SAYS["said"])
