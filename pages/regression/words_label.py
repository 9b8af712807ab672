"""The regression's privacy label."""

from lab.label import Stated
from pages.regression.experiment import OWN
from pages.regression.result import RegressionResult
from ui.texts import labels

_SAYS = labels("regression")


def label(result: RegressionResult) -> Stated:
    settings = result.settings
    own = _SAYS["own"] if settings.dataset == OWN else {"source": settings.source.title}
    return Stated(promise=settings.promise, claimed=settings.epsilon, said=_SAYS["said"] | own)
