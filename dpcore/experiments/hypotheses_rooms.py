"""What the data of hypothesis transfer leave room for: sources and rows, and the ranges of all settings."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dpcore import own_texts

if TYPE_CHECKING:
    from dpcore.experiments.hypotheses import HypothesesSettings

MOST_SOURCES = 8
# Data -> (fewest, most) sources; those with topics have as many as they have topics.
SOURCES = MappingProxyType(
    {"domains": (2, 8), "topics": (2, 5), "reviews": (2, 4), "newsgroups": (2, 5), "own": (2, 8)}
)
# Data -> most rows (with labels, without, target): text has a fixed number of documents, from which repeats draw.
ROOM = MappingProxyType(
    {
        "domains": (4000, 4000, 3000),
        "topics": (1000, 1200, 1500),
        "reviews": (1000, 1200, 1500),
        "newsgroups": (800, 1000, 1000),
        "own": (4000, 4000, 3000),
    }
)
# Of a user's own file: at least so many rows, and what each takes of the rows of the smallest source.
_OWN_LEAST, _OWN_PARTS = 40, (0.35, 0.35, 0.2)
WEIGHTS = tuple(f"weight_{place}" for place in range(1, MOST_SOURCES + 1))

# Field -> (lowest, highest) value that the settings accept.
LIMITS = MappingProxyType(
    {
        "epsilon": (0.1, 1000.0),
        "sources": (2, MOST_SOURCES),
        "label_share": (0.01, 0.5),
        "dimension": (2, 60),
        "similarity": (0.0, 1.0),
        "source_rows": (100, 4000),
        "unlabelled_rows": (100, 4000),
        "target_rows": (200, 3000),
        "public_rows": (200, 3000),
        "lambda_lr": (1e-4, 1.0),
        "lambda_iw": (1e-4, 1.0),
        "delta": (1e-9, 1e-2),
        "repeats": (2, 40),
        "seed": (0, 9999),
        **dict.fromkeys(WEIGHTS, (0.0, 1.0)),
    }
)
ROWS = ("source_rows", "unlabelled_rows", "target_rows")


def sources(data: str, own: str) -> tuple[int, int]:
    """(fewest, most) sources."""
    low, high = SOURCES[data]
    if data == "own" and own != own_texts.NONE:
        given = own_texts.Own.read(own)
        split = [count for count in range(low, high + 1) if given.room(count) >= own_texts.LEAST_ROWS]
        high = given.sources or max(split, default=low)
    return low, high


def rows(data: str, own: str, count: int) -> dict[str, tuple[int, int]]:
    """Number of rows -> (lowest, highest), so that the smallest source has all that is asked of it."""
    lows, highs = [LIMITS[name][0] for name in ROWS], ROOM[data]
    if data == "own" and own != own_texts.NONE:
        room = own_texts.Own.read(own).room(count)
        lows = [_OWN_LEAST] * len(ROWS)
        highs = [min(int(part * room), most) for part, most in zip(_OWN_PARTS, highs, strict=True)]
    return {name: pair for name, *pair in zip(ROWS, lows, highs, strict=True)}


def fitting(data: str, own: str, settings: "HypothesesSettings", changes: Mapping[str, Any]) -> dict[str, Any]:
    """What must be different in ``settings`` where ``changes`` bring other data or another number of sources.

    Other data take the usual number of rows from a source, or what they have of them.
    """
    low, high = sources(data, own)
    count = changes.get("sources", min(max(settings.sources, low), high))
    fresh = {"data", "own"} & set(changes)
    found = {"sources": count}
    if isinstance(count, int) and low <= count <= high:
        for name, (least, most) in rows(data, own, count).items():
            usual = getattr(type(settings), name) if fresh and name != "target_rows" else least
            found[name] = min(max(getattr(settings, name), usual), most)
    return found
