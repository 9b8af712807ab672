from dataclasses import dataclass


@dataclass(frozen=True)
class Crossing:
    verdict: str = "unclear"
    point: float = None
    low: float = None
    high: float = None
    safe: float = None
    best: float = None
    at: float = None
    needed: int = None
    share_there: float = None


def smallest(values, runs, target, **how):
    return Crossing()


def reaching(values, runs, target, **how):
    return ()


def exact(*a, **k):
    return Crossing()


def over_splits(r):
    return r
