"""Data and settings of parties that are computed quickly."""

from typing import Any

from lab.data.parties import PartyData
from pages.parties.settings import PartiesSettings

SMALL = {"parties": 60, "public_rows": 80, "repeats": 4, "queries": 40}


def party_data(**changes: Any) -> PartyData:
    """Return data of parties with 8 rows each, with ``changes``."""
    usual = {"dataset": "two", "rows": 8, "unlike": 0.0, "seed": 1}
    return PartyData(**{**usual, **changes})


def small(**changes: Any) -> PartiesSettings:
    """Return settings of few parties, with ``changes``."""
    return PartiesSettings(**{**SMALL, **changes})


START = PartiesSettings(repeats=8)
# Settings with sentences that random ones seldom have. Some of them are also run to the end.
SELDOM_DRAWN = [
    PartiesSettings(),
    START.change(epsilon=0.01, parties=20),
    START.change(epsilon=100.0, constants="norms", method="average"),
    START.change(epsilon=3.0),
    START.change(epsilon=0.3, parties=600, method="vote", seed=1),
    START.change(method="pate", epsilon=0.1, delta=1e-2),
    START.change(dataset="digits"),
    START.change(rows=4).change(parties=20_000),
    START.change(trust_model="local").change(method="soft"),
    START.change(trust_model="local").change(method="average"),
    START.change(trust_model="local", epsilon=0.01, parties=20),
    START.change(trust_model="shuffle", delta=1e-2, epsilon=0.3).change(dataset="four"),
    START.change(trust_model="shuffle", method="average", parties=20),
    START.change(method="federated", parties=60),
    START.change(method="federated", dataset="four"),
    START.change(method="federated", trust_model="shuffle"),
    START.change(method="federated", trust_model="local", rounds=20, parties=9),
]
RUN_TO_THE_END = SELDOM_DRAWN[1:5]
# With more parties, the first result is of some of them only.
MOST_PARTIES_AT_ONCE = 2000


def release_tasks(settings: PartiesSettings) -> list:
    """Return the tasks of the releases of all parties, unless there are very many.

    They alone make claims.
    """
    if settings.parties > MOST_PARTIES_AT_ONCE:
        return []
    tasks = []
    for method in ("soft", "federated"):
        tasks += settings.change(method=method).experiment.shown_sample()
    return tasks
