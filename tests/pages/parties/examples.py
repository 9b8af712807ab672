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
