"""What the network's privacy label says whatever its knobs, and what follows from them."""

from dpcore.data.toy import DATASETS
from dpcore.training.sgd import VARIANTS
from dpcore.training.tree import ASSUMES, MECHANISMS
from lab.label import Stated
from lab.own_settings import OWN
from pages.network.result import NetworkResult
from pages.network.work import FRAMES

FIXED = {
    "public": "number of rows, lot size, bounds of every column and all settings; who was in a lot stays secret",
    "trust": "whoever trains: one holder of all rows; nobody else sees them",
    "period": "this one release",
    "released": "the weights of one private network, after every step",
    "analyst_only": "points, accuracies, losses, gradient norms, and the networks without privacy",
    "mechanism": "DP-SGD, each gradient cut to the clip norm",
    "assumptions": "one row a person; lots are Poisson samples; sums are divided by the lot size that was fixed",
    "training": "paid",
    "split": "public: by places and the seed, not by any cell",
    "bounds": "public",
    "vocabulary": "none",
    "test_score": "not released",
    "stop_rule": "none: the number of steps follows from public settings",
    "missing": "none: no value is missing",
}
_OWN = {
    "public": "number of rows or people, bounds, categories and answers that were typed, lot size, settings",
    "source": "a file of the analyst's own",
    "analyst_only": "accuracies, losses, gradient norms, and the networks without privacy",
    "missing": "the middle of the bounds; a row without a declared answer adds nothing",
}
# Where lots have a fixed order.
_ORDERED = {
    "public": "number of rows and their order, lot size, bounds of every column and all settings",
    "assumptions": f"one row a person; {ASSUMES}; sums are divided by the lot size that was fixed",
}
_OF_OWN_ORDERED = _ORDERED | {"public": _OWN["public"].replace("people", "people and their order")}
_VOID = "no theorem gives the claimed epsilon for this training loop"


def label(result: NetworkResult) -> Stated:
    """Of the training up to the moment shown."""
    settings, over = result.settings, result.frame >= FRAMES
    own = _OWN if settings.dataset == OWN else {"source": DATASETS[settings.dataset].title}
    part = {} if over else {"period": f"this one release, after step {result.step}"}
    loop = {} if result.holds else {"mechanism": f"DP-SGD with {VARIANTS[settings.variant]}", "assumptions": ""}
    if not settings.by_chance:
        ordered = _OF_OWN_ORDERED if settings.dataset == OWN else _ORDERED
        loop = ordered | {"mechanism": f"{MECHANISMS[settings.mechanism]}, each gradient cut to the clip norm"}
    return Stated(
        promise=settings.promise and (settings.promise if over else result.guarantee),
        void="" if result.holds else _VOID,
        claimed=settings.epsilon,
        said=FIXED | own | part | loop,
    )
