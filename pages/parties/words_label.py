"""The parties' privacy label."""

from lab.label import Stated
from pages.parties.own import OWN
from pages.parties.result import PartiesResult
from ui.panels import at_most
from ui.texts import labels

_SAYS = labels("parties")


def label(result: PartiesResult) -> Stated:
    settings = result.settings
    said = {**_SAYS["said"], "attacker": _SAYS["case"]["attacker"].format(right=at_most(result.attacker))}
    said["mechanism"] = _SAYS["by_method"].get(settings.method, said["mechanism"])
    said["source"] = _SAYS["by_dataset"].get(settings.dataset, said["source"])
    if settings.dataset == OWN:
        said |= _SAYS["own"]
    return Stated(promise=settings.promise, claimed=settings.epsilon, said=said)
