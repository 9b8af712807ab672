"""What the classifier's privacy label says whatever its knobs, and what follows from them."""

from dpcore.data.toy import DATASETS
from lab.label import Stated
from pages.classifier.experiment import OWN, ClassifierResult

FIXED = {
    "public": "number of rows, bounds of every column, steps, rates and all other settings; the public rows",
    "trust": "whoever trains: one holder of all rows; nobody else sees them",
    "period": "this one release",
    "released": "the weights of one private model",
    "analyst_only": "points, accuracies, losses, and the model without privacy",
    "mechanism": "noisy gradient descent, each gradient cut to the clip norm",
    "assumptions": "one row a person; all rows in every step",
    "training": "paid",
    "split": "public: by places and the seed, not by any cell",
    "bounds": "public",
    "vocabulary": "none",
    "test_score": "not released",
    "stop_rule": "none: the number of steps is fixed beforehand",
    "missing": "none: no value is missing",
}
_OWN = {
    "public": "number of rows or people, bounds, categories and answers that were typed, steps, rates",
    "source": "a file of the analyst's own",
    "analyst_only": "accuracies, losses, and the model without privacy",
    "missing": "the middle of the bounds; a row without a declared answer adds nothing",
    "assumptions": "all rows in every step",
}
_MECHANISM = {
    "published": "noisy gradient descent, the average gradient cut to the clip norm",
    "none": "gradient descent without noise",
}
_VOID = {
    "published": "as published, only the average gradient is cut: the noise is not made for one person's row",
    "none": "trained without noise",
}


def label(result: ClassifierResult) -> Stated:
    settings = result.settings
    own = dict(_OWN) if settings.dataset == OWN else {"source": DATASETS[settings.dataset].title}
    if settings.version in _MECHANISM:
        own["mechanism"] = _MECHANISM[settings.version]
    return Stated(
        promise=settings.promise,
        void=_VOID.get(settings.version, ""),
        claimed=None if settings.version == "none" else settings.epsilon,
        right=result.gaussian_attacker,
        said=FIXED | own,
    )
