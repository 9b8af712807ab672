"""The privacy label of the training up to the frame that is shown."""

from typing import Any

from dpcore.privacy import Guarantee
from dpcore.training.dp_ftrl import ASSUMES, MECHANISMS
from dpcore.training.sgd_recipe import VARIANTS
from lab.data.classification import DATASETS
from pages.network.result import NetworkResult
from pages.network.training import FRAMES
from ui.text import labels


def _label_guarantee(result: NetworkResult) -> Guarantee | None:
    """Return the guarantee that the label states, or None if there is none.

    It is that of the steps so far or, at the last frame, that of the whole training as it is set.
    """
    whole_training = result.settings.guarantee
    if whole_training is None or result.frame == FRAMES:
        return whole_training
    return result.guarantee


def _label_cases(result: NetworkResult) -> list[str]:
    """Return the further cases of ``labels.toml`` that the label states."""
    settings = result.settings
    cases = []
    if result.frame < FRAMES:
        cases.append("unfinished")
    if not result.is_covered:
        cases.append("variant")
    if not settings.is_sampled:
        cases.append("ordered")
        if settings.uses_file:
            cases.append("own_ordered")
    return cases


def _label_numbers(result: NetworkResult) -> dict[str, Any]:
    """Return what fills the holes of the label's texts."""
    settings = result.settings
    return {
        "step": result.step,
        "assumes": ASSUMES,
        "variant": VARIANTS[settings.variant],
        "mechanism": MECHANISMS[settings.mechanism],
    }


label = labels.label_of(
    "network",
    sources={name: source.title for name, source in DATASETS.items()},
    guarantee=_label_guarantee,
    cases=_label_cases,
    holes=_label_numbers,
)
