"""The privacy label of the attacks, which release nothing and guarantee nothing."""

from typing import Any

from lab.label import Stated
from ui.texts import labels

_SAYS = labels("attack")


def label(result: Any) -> Stated:
    own = {"source": _SAYS["own"]["source"]} if result.settings.dataset == "own" else {}
    return Stated(nothing=_SAYS["case"]["nothing"], said=_SAYS["said"] | own)
