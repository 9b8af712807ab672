"""The network's privacy label, for the training up to the step that is shown."""

from collections.abc import Iterator, Mapping

from dpcore.data.toy import DATASETS
from dpcore.privacy import Guarantee
from dpcore.training.sgd import VARIANTS
from dpcore.training.tree import ASSUMES, MECHANISMS
from pages.network.result import NetworkResult
from pages.network.work import FRAMES
from ui import labels


def _promise(result: NetworkResult) -> Guarantee | None:
    promise = result.settings.promise
    return promise if promise is None or result.frame >= FRAMES else result.guarantee


def _cases(result: NetworkResult) -> Iterator[str]:
    settings = result.settings
    if result.frame < FRAMES:
        yield "unfinished"
    if not result.holds:
        yield "variant"
    if not settings.by_chance:
        yield from ("ordered", "own_ordered") if settings.private else ("ordered",)


def _holes(result: NetworkResult) -> Mapping[str, str | int]:
    settings = result.settings
    chosen = {"variant": VARIANTS[settings.variant], "mechanism": MECHANISMS[settings.mechanism]}
    return {"step": result.step, "assumes": ASSUMES, **chosen}


_TITLES = {name: one.title for name, one in DATASETS.items()}
label = labels.of("network", sources=_TITLES, promise=_promise, cases=_cases, holes=_holes)
