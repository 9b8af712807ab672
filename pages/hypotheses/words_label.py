"""The privacy label of hypothesis transfer."""

from dpcore.data.domains import KINDS
from lab.label import Stated
from pages.hypotheses.result import HypothesesResult
from ui.texts import labels

_SAYS = labels("hypotheses")


def label(result: HypothesesResult) -> Stated:
    settings = result.settings
    own = _SAYS["own"] if settings.data == "own" else {"source": KINDS[settings.data]}
    made = _SAYS["domains"] if settings.data == "domains" else {}
    return Stated(promise=settings.promise, claimed=settings.epsilon, said=_SAYS["said"] | own | made)
