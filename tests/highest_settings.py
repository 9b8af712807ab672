"""Settings of every topic with its sliders at their maximum, and those of its slowest known links."""

from dataclasses import dataclass, field
from typing import Any

from lab.experiment.settings import Settings
from pages.topics import PAGES

# Above every limit. A slider's own limit may depend on the settings before it.
ABOVE_ALL_LIMITS = 10**9


@dataclass(frozen=True, kw_only=True)
class Case:
    """Settings of a page: the changes first, then these sliders at their maximum, in order."""

    page: str
    changes: dict[str, Any] = field(default_factory=dict)
    highest: tuple[str, ...] = ()

    @property
    def settings(self) -> Settings:
        """Return the page's settings with the changes, and then these sliders at their maximum."""
        (page,) = (page for page in PAGES if page.name == self.page)
        settings = page.settings()
        for name, value in self.changes.items():
            settings = settings.change(**{name: value})
        for name in self.highest:
            _, limit = settings.limits[name]
            settings = settings.change(**{name: min(limit, ABOVE_ALL_LIMITS)})
        return settings


TRAINED = ("steps", "public_steps", "repeats")
NETWORK = ("rows", "layers", "width", "lot_size", "epochs", "repeats")
PARTIES = ("rows", "public_rows", "queries", "repeats", "parties")
HYPOTHESES = (
    "sources",
    "source_rows",
    "unlabelled_rows",
    "target_rows",
    "public_rows",
    "dimension",
    "repeats",
)
ATTACK = ("steps", "members", "repeats")

CASES = {
    "classifier breast_cancer": Case(
        page="classifier", changes={"dataset": "breast_cancer"}, highest=TRAINED
    ),
    "classifier digits": Case(page="classifier", changes={"dataset": "digits"}, highest=TRAINED),
    "network moons": Case(page="network", highest=NETWORK),
    "network digits": Case(page="network", changes={"dataset": "digits"}, highest=NETWORK),
    "regression us": Case(page="regression", highest=("repeats",)),
    "accounting q 0.01": Case(
        page="accounting", changes={"sampling_rate": 0.01}, highest=("steps",)
    ),
    "accounting q 0.99, little noise": Case(
        page="accounting",
        changes={"sampling_rate": 0.99, "noise_multiplier": 0.3},
        highest=("steps",),
    ),
    "transfer": Case(
        page="transfer",
        changes={"epsilon": 50.0},
        highest=("sources", "target_rows", "dimension", "migrated", "repeats"),
    ),
    "transfer wide": Case(
        page="transfer",
        changes={"target_rows": 200, "dimension": 500},
        highest=("sources", "migrated", "repeats"),
    ),
    "parties digits": Case(page="parties", changes={"dataset": "digits"}, highest=PARTIES),
    "parties activities": Case(page="parties", changes={"dataset": "activities"}, highest=PARTIES),
    "parties addresses": Case(page="parties", changes={"dataset": "addresses"}, highest=PARTIES),
    "hypotheses": Case(page="hypotheses", highest=HYPOTHESES),
    "hypotheses topics": Case(page="hypotheses", changes={"data": "topics"}, highest=HYPOTHESES),
    "attack neighbours, weights": Case(
        page="attack", changes={"dataset": "digits"}, highest=ATTACK
    ),
    "attack membership": Case(page="attack", changes={"part": "membership"}, highest=ATTACK),
    "attack fairness": Case(
        page="attack", changes={"part": "fairness", "dataset": "digits"}, highest=ATTACK
    ),
    "attack inversion": Case(page="attack", changes={"part": "inversion"}, highest=ATTACK),
    "mechanisms": Case(page="mechanisms", highest=("options",)),
    # Links of the slowest first pictures that are known.
    "network, 15,000 small steps": Case(
        page="network",
        changes={
            "variant": "realised",
            "mechanism": "ordered",
            "rows": 5000,
            "layers": 3,
            "width": 2,
            "lot_size": 20,
            "epochs": 60,
            "epsilon": 50.0,
        },
    ),
    "hypotheses, all words": Case(
        page="hypotheses",
        changes={
            "data": "topics",
            "projection": "none",
            "sources": 2,
            "public_rows": 3000,
            "label_share": 0.5,
        },
    ),
}
