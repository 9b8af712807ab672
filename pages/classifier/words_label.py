"""The classifier's privacy label."""

from dpcore.data.toy import DATASETS
from lab.label import Stated
from pages.classifier.experiment import OWN
from pages.classifier.result import ClassifierResult
from ui.texts import labels

_SAYS = labels("classifier")


def label(result: ClassifierResult) -> Stated:
    settings = result.settings
    own = dict(_SAYS["own"]) if settings.dataset == OWN else {"source": DATASETS[settings.dataset].title}
    if settings.version in _SAYS["by_version"]:
        own["mechanism"] = _SAYS["by_version"][settings.version]
    return Stated(
        promise=settings.promise,
        void=_SAYS["void"].get(settings.version, ""),
        claimed=None if settings.version == "none" else settings.epsilon,
        said=_SAYS["said"] | own,
    )
