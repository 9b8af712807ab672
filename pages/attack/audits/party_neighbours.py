"""The worst neighbours known of the four party releases: two crowds that differ in one whole party, and what an
attacker who knows both makes of what is released.

All parties but one are tied on every public row; that one says yes, or it says no. The public rows are alike, so that
all that it changes adds up: how far the release moves is its sensitivity, to a percent or two. With one weight, nothing
of the noise hides the direction of the change, and the attacker gets nearly all of epsilon.

Everything goes the way of a real release: parties train on rows, vote, are counted, fitted and released by
``dpcore.parties.aggregation``. ``BROKEN`` holds what can go wrong with each [hamm2016], for audits that must notice.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dpcore import check
from dpcore.accountants import gdp
from dpcore.mechanisms import NormExponential
from dpcore.parties import aggregation, local, pate
from dpcore.streams import stream
from dpcore.training import erm

METHODS = (*aggregation.RELEASES, "pate")
# PATE's claim is at this delta; the others' is 0.
DELTA = 1e-3
# Method -> how it can be broken -> in words.
BROKEN: Mapping[str, Mapping[str, str]] = {
    "vote": {"half": "half of the noise", "share": "noise as if one party moved a label by 1/M"},
    "soft": {
        "half": "half of the noise",
        "sum": "a sum of losses taken for their mean",
        "dimension": "noise for d numbers on K d",
        "laplace": "independent Laplace noise for the L2 figure",
        "loose": "a solver that stops early",
    },
    "average": {
        "half": "half of the noise",
        "row": "noise for one row of a party, not for all",
        "uncut": "weights taken at any length",
    },
    "pate": {"half": "half of the noise", "question": "each question has the noise of a single one"},
}
_ROWS, _PUBLIC_ROWS, _QUESTIONS = 10, 50, 50
# A loose solver leaves this gradient, at a strength where that is four times the whole sensitivity.
_LOOSE, _LOOSE_RATE = 1e-3, 0.1
# For the length of weights: lambda at which a party of equal rows reaches the bound, w = 1 + W0(1/e).
_LONGEST = 1.2784645427610738


@dataclass(frozen=True, kw_only=True)
class _Crowd:
    """M parties, K classes, and the one input x (d,), a unit vector, that all rows have."""

    method: str
    x: tuple[float, ...] = (1.0,)
    classes: int = 2
    parties: int = 2001
    regularisation: float = 20.0

    def weights(self, says: int, *, broken: str | None) -> np.ndarray:
        """Return what would be released without noise, (k d,), when the one party has rows of class ``says`` only."""
        if self.method == "average":
            return self._average(says, broken=broken).ravel()
        rows, shares = self.rows, aggregation.targets(self.counts(says, _PUBLIC_ROWS), release=self.method)
        if broken == "sum":
            ones = np.ones(len(rows))
            return erm.logistic(rows, shares[1], regularisation=self.regularisation, row_weights=ones).weights
        if broken == "loose":
            return self._loose(says, rows, shares[1])
        return aggregation.fit(rows, shares, regularisation=self.regularisation).exact().ravel()

    @property
    def rows(self) -> np.ndarray:
        return np.tile(self.x, (_PUBLIC_ROWS, 1))

    def trained(self, says: int, *, ease: float = 1.0) -> local.Votes:
        """A party all of whose rows have one class; ``ease``: by how much less than the crowd it holds its weights."""
        X, y = np.tile(self.x, (1, _ROWS, 1)), np.full((1, _ROWS), says)
        options = {"classes": self.classes, "regularisation": self.regularisation / ease}
        return next(local.votes("logistic", X, y, self.rows, **options))

    def counts(self, says: int, rows: int) -> np.ndarray:
        """Votes (K, rows): half of the others for class 0 and half for class 1."""
        each = [self.trained(label).votes[0, 0] for label in (0, 1)]
        counts = np.zeros((self.classes, rows))
        counts[each] = (self.parties - 1) / 2
        counts[each[says]] += 1
        return counts

    def _average(self, says: int, *, broken: str | None) -> np.ndarray:
        one = self.trained(says, ease=100.0 if broken == "uncut" else 1.0).weights
        if broken != "uncut":
            one = aggregation.cut(one, to=aggregation.longest(self.classes, self.regularisation))
        others = sum(self.trained(label).weights for label in (0, 1)) * (self.parties - 1) / 2
        return (others + one) / self.parties

    def _loose(self, says: int, rows: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Small steps of gradient descent from the vote's answer, until the gradient is below ``_LOOSE``."""
        w = replace(self, method="vote").weights(says, broken=None)
        while True:
            p = 1 / (1 + np.exp(-rows @ w))
            gradient = (p - share) @ rows / len(rows) + self.regularisation * w
            if np.linalg.norm(gradient) <= _LOOSE:
                return w
            w = w - _LOOSE_RATE * gradient / (self.regularisation + 0.25)

    @property
    def sensitivity(self) -> float:
        return aggregation.sensitivity(
            self.method,
            classes=self.classes,
            parties=self.parties,
            regularisation=self.regularisation,
            constants="norms" if self.method == "average" else "sharp",
        )


def scores(
    method: str, epsilon: float, repeats: int, seed: int, broken: str | None = None, *, twins: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """An attacker's scores, (repeats,) each, in the world with a party that says yes and in the one where it says no.

    method: of ``METHODS``; epsilon: claimed for a whole party (PATE: with ``DELTA``); broken: a key of
    ``BROKEN[method]``, None for the sound release; twins: the same noise in both worlds.
    """
    check.choice(METHODS, method=method)
    check.positive(epsilon=epsilon)
    check.whole(1, repeats=repeats)
    if broken is not None:
        check.choice(tuple(BROKEN[method]), broken=broken)
    rngs = [stream(seed, "audit", world) for world in (0, 0 if twins else 1)]
    if method == "pate":
        return tuple(_answers(epsilon, repeats, rng, says, broken) for says, rng in zip((1, 0), rngs, strict=True))
    crowd = _crowd(method, broken)
    centres = [crowd.weights(says, broken=broken) for says in (1, 0)]
    scale = crowd.sensitivity / epsilon * _slip(crowd, broken)
    size = len(centres[0])
    if broken == "laplace":
        found = [
            centre + rng.laplace(scale=scale, size=(repeats, size)) for centre, rng in zip(centres, rngs, strict=True)
        ]
        told = [np.abs(y - centres[1]).sum(axis=1) - np.abs(y - centres[0]).sum(axis=1) for y in found]
        return tuple(_blurred(score / scale, rng) for score, rng in zip(told, rngs, strict=True))
    shape = len(crowd.x) if broken == "dimension" else size
    found = [centre + _noise(size, shape, scale, repeats, rng) for centre, rng in zip(centres, rngs, strict=True)]
    told = [_likelier(y, centres, scale, excess=size - shape) for y in found]
    return tuple(_blurred(score, rng) for score, rng in zip(told, rngs, strict=True))


def _crowd(method: str, broken: str | None) -> _Crowd:
    if broken == "dimension":
        return _Crowd(method=method, x=(1.0, 0.0, 0.0), classes=4)
    if broken == "laplace":
        return _Crowd(method=method, x=(0.25,) * 16)
    if method == "average":
        # A party with rows of one class reaches the longest weights that the bound allows
        return _Crowd(method=method, regularisation=1 / (_LONGEST * (1 + math.exp(_LONGEST))))
    return _Crowd(method=method)


def _slip(crowd: _Crowd, broken: str | None) -> float:
    """The factor by which the noise is wrong."""
    return {"half": 0.5, "share": 1 / crowd.parties, "row": 1 / _ROWS}.get(broken, 1.0)


def _noise(size: int, shape: int, scale: float, repeats: int, rng: np.random.Generator) -> np.ndarray:
    """Norm-exponential noise (repeats, size) whose length has the Gamma shape ``shape``: ``size``, were it right."""
    noise = NormExponential(sensitivity=1.0, epsilon=1.0).noise(size, rng, size=repeats)
    if shape == size:
        return scale * noise
    lengths = rng.gamma(shape, scale, size=(repeats, 1))
    return lengths * noise / np.linalg.norm(noise, axis=1, keepdims=True)


def _likelier(y: np.ndarray, centres: list[np.ndarray], scale: float, *, excess: int) -> np.ndarray:
    """The logarithm of how much likelier y (repeats, p) is around the first centre than around the second.

    A length of the Gamma shape p - excess has the density r^-excess exp(-r / scale), up to a factor.
    """
    near, far = (np.linalg.norm(y - centre, axis=1) for centre in centres)
    return (far - near) / scale + excess * np.log(far / near)


def _blurred(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Scores without their last digits: a released number's rounding tells which sum it came from [mironov2012], which
    is another attack. Past both centres all scores are epsilon, and only these digits would differ.
    """
    return scores + 1e-6 * rng.random(len(scores))


def _answers(epsilon: float, repeats: int, rng: np.random.Generator, says: int, broken: str | None) -> np.ndarray:
    """Return how many of PATE's questions are answered yes; ties in the score are broken at random."""
    asked = 1 if broken == "question" else _QUESTIONS
    mu = gdp.mu_of(epsilon, delta=DELTA) * (2 if broken == "half" else 1)
    sigma = np.array(pate.COUNTS_SENSITIVITY * math.sqrt(asked) / mu)
    counts, found = _Crowd(method="vote").counts(says, _QUESTIONS), []
    for first in range(0, repeats, 1000):
        shape = (min(1000, repeats - first), *counts.shape)
        found.append(pate.noisy_winners(counts, rng.standard_normal(shape), sigma).sum(axis=1))
    return np.concatenate(found) + rng.random(repeats)
