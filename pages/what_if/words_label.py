"""The privacy label of the planner, which compares settings and releases nothing."""

from typing import Any

from lab.label import Stated
from ui.texts import labels

_SAYS = labels("what-if")


def label(_: Any) -> Stated:
    return Stated(nothing=_SAYS["case"]["nothing"], said=_SAYS["said"])
