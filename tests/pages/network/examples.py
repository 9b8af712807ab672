"""Settings of networks that are trained quickly."""

from typing import Any

from pages.network.settings import NetworkSettings

SMALL = {"rows": 300, "lot_size": 50, "epochs": 3, "repeats": 6, "width": 5, "layers": 1}


def small(**changes: Any) -> NetworkSettings:
    """Return settings of small networks on few rows, with ``changes``."""
    return NetworkSettings(**{**SMALL, **changes})
