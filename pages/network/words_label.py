"""The network's privacy label, for the training up to the step that is shown."""

from dpcore.data.toy import DATASETS
from dpcore.training.sgd import VARIANTS
from dpcore.training.tree import ASSUMES, MECHANISMS
from lab.label import Stated
from lab.own_settings import OWN
from pages.network.result import NetworkResult
from pages.network.work import FRAMES
from ui.texts import labels

_SAYS = labels("network")
_CASE = _SAYS["case"]


def label(result: NetworkResult) -> Stated:
    settings, over = result.settings, result.frame >= FRAMES
    own = _SAYS["own"] if settings.dataset == OWN else {"source": DATASETS[settings.dataset].title}
    part = {} if over else {"period": _CASE["step"].format(step=result.step)}
    loop = {}
    if not result.holds:
        loop = {"mechanism": _CASE["variant"].format(variant=VARIANTS[settings.variant]), "assumptions": ""}
    if not settings.by_chance:
        ordered = _SAYS["ordered"] | (_SAYS["own_ordered"] if settings.dataset == OWN else {})
        loop = {name: text.format(assumes=ASSUMES) for name, text in ordered.items()}
        loop["mechanism"] = _CASE["mechanism"].format(mechanism=MECHANISMS[settings.mechanism])
    return Stated(
        promise=settings.promise and (settings.promise if over else result.guarantee),
        void="" if result.holds else _CASE["void"],
        claimed=settings.epsilon,
        said=_SAYS["said"] | own | part | loop,
    )
