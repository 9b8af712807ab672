"""The parties' privacy label."""

from lab.label import Stated
from pages.parties.own import OWN
from pages.parties.result import PartiesResult
from ui.texts import labels

_SAYS = labels("parties")


def label(result: PartiesResult) -> Stated:
    settings = result.settings
    said = dict(_SAYS["said"])
    said["mechanism"] = _SAYS["by_method"].get(settings.method, said["mechanism"])
    said["source"] = _SAYS["by_dataset"].get(settings.dataset, said["source"])
    if settings.dataset == OWN:
        said |= _SAYS["own"]
    return Stated(promise=settings.promise, claimed=settings.epsilon, said=said)
