"""Stand-in."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit
from scipy.stats import beta


@dataclass(frozen=True, kw_only=True)
class Crossing:
    verdict: str = "unclear"
    point: float | None = None
    low: float | None = None
    high: float | None = None
    safe: float | None = None
    best: float | None = None
    at: float | None = None
    needed: int | None = None
    share_there: float | None = None


def _limits(runs, target, share):
    r = runs.shape[1]
    if share is None:
        m = runs.mean(axis=1)
        h = stdtrit(r - 1, 0.975) * runs.std(axis=1, ddof=1) / math.sqrt(r)
        return m, m - h, m + h, target
    k = (runs >= target).sum(axis=1)
    low = np.where(k > 0, beta.ppf(0.05, np.maximum(k, 1), r - k + 1), 0)
    up = np.where(k < r, beta.ppf(0.95, k + 1, np.maximum(r - k, 1)), 1)
    return k / r, low, up, share


def smallest(values, runs, target, *, better="higher", share=None, towards="small"):
    values, runs = np.asarray(values, float), np.asarray(runs, float)
    sign = 1 if better == "higher" else -1
    runs, target = sign * runs, sign * target
    if towards == "large":
        values, runs = values[::-1], runs[::-1]
    m, low, up, goal = _limits(runs, target, share)
    iso = np.maximum.accumulate(m)
    good = low > goal if share is None else low >= goal
    bad = up < goal
    n = len(values)
    safe = n
    while safe and good[safe - 1]:
        safe -= 1
    below = 0
    while below < n and bad[below]:
        below += 1
    place = int(np.argmax(m))
    there = {"best": sign * m[place] if share is None else m[place], "at": values[place]}
    if below == n:
        return Crossing(verdict="nowhere", **there)
    if safe == 0:
        return Crossing(verdict="everywhere", safe=values[0], **there)
    if safe == n:
        sd = runs[place].std(ddof=1)
        gap = abs(runs[place].mean() - target)
        return Crossing(verdict="unclear", needed=math.ceil((2 * sd / max(gap, 1e-9)) ** 2), **there)
    i = int(np.argmax(iso >= goal))
    if i == 0:
        point = values[0]
    else:
        w = (goal - iso[i - 1]) / (iso[i] - iso[i - 1])
        a, b = values[i - 1], values[i]
        point = math.exp(math.log(a) + w * (math.log(b) - math.log(a))) if a > 0 and b > 0 else a + w * (b - a)
    ends = (values[max(below - 1, 0)], values[safe])
    there["share_there"] = float((runs[i] >= target).mean())
    return Crossing(verdict="found", point=float(point), low=min(ends), high=max(ends), safe=values[safe], **there)


def reaching(values, runs, target, *, better="higher", share=None):
    values, runs = np.asarray(values, float), np.asarray(runs, float)
    sign = 1 if better == "higher" else -1
    m, low, up, goal = _limits(sign * runs, sign * target, share)
    good = low >= goal
    spans, start = [], None
    for i, one in enumerate([*good, False]):
        if one and start is None:
            start = i
        if not one and start is not None:
            spans.append((float(values[start]), float(values[i - 1])))
            start = None
    return tuple(spans)


def exact(number, low, high, target, *, whole=False, increasing=True):
    def ok(v):
        return number(v) >= target if increasing else number(v) <= target

    f0, f1 = number(low), number(high)
    return Crossing(verdict="found", point=(low * high) ** 0.5, low=low, high=high, safe=high)


def over_splits(runs):
    return runs.mean(axis=2).T
