"""The pieces of work of the parties page: fit what is released of what parties say, and try it many
times.

The fits do not depend on epsilon, and the noise is the same at every epsilon but for its size.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from dpcore import accountants
from dpcore.accountants import gdp, shuffling
from dpcore.cache import Key, cached
from dpcore.mechanisms import NormExponential, noisy_max
from dpcore.mechanisms.randomised_response import RandomisedResponse
from dpcore.parties import aggregation
from dpcore.parties.aggregation import RELEASES
from dpcore.privacy import (
    Adjacency,
    Composed,
    Guarantee,
    NormExponentialRelease,
    PureRelease,
)
from dpcore.streams import stream
from dpcore.training import erm, losses
from dpcore.training.losses import outputs
from lab.data.parties import PartyData, parties, public
from lab.data.party_kinds import CHECK_ROWS, CONSTANT, REACH, Public
from lab.statistics.decision_regions import Plane, principal_plane
from pages.parties.votes import Crowd, tally

METHODS = (*RELEASES, "pate")
# Who adds the noise: a trusted aggregator; each party; each party, whose messages a shuffler brings
# into random order.
TRUST_MODELS = ("central", "local", "shuffle")
# An answer names its row: were it public who got which, only parties with the same row would hide
# one another.
_DEALT = "the shuffler deals the public rows at random and tells nobody who got which"
# What parties can release by themselves: an answer about a public row, or their weights.
_LOCAL = ("soft", "average")
# Which part of a noise stream each method draws from.
_PARTS = {name: part for part, name in enumerate(METHODS)}
# Constants -> what the noise of a release is made for.
_BASES = {
    "published": "published sensitivity",
    "sharp": "exact sensitivity of logistic loss",
    "norms": "sensitivity with bounded weights",
}
# How fine a map of local models is.
GRID = 40
# How many rows the model without privacy is fitted to at most; more would not be seen in the
# picture.
BATCH_ROWS = 3000
# A student of noisy labels is post-processing, and what is never released needs no sensitivity:
# neither need be exact.
_STUDENT_TOLERANCE, _ANALYST_TOLERANCE = 1e-4, 1e-6


@dataclass(frozen=True, kw_only=True)
class Ensemble(Key):
    """All that decides what the aggregator fits before it adds noise.

    parties: M, of the ``crowd``. regularisation: lambda. labels: soft labels are shares of "votes",
    or means of class "probabilities".
    """

    crowd: Crowd
    parties: int
    regularisation: float
    labels: str

    @property
    def classes(self) -> int:
        return self.crowd.world.kind.classes

    @property
    def shape(self) -> tuple[int, int]:
        """Return (k, d) of the weights: all k d of them are one vector, as far as the noise is
        concerned.
        """
        return outputs(self.classes), self.crowd.world.kind.inputs

    @property
    def rows(self) -> dict[str, Public]:
        return self.crowd.rows


@dataclass(frozen=True, kw_only=True)
class Model(Key):
    """All that decides what is released, but for epsilon: the ensemble, and how it is made private.

    trust_model: of ``TRUST_MODELS``. constants: of the sensitivities. delta: of PATE and of a
        shuffler. queries: of
    PATE. repeats: draws of the noise. spent: of each epsilon, what bounds have cost before.
    """

    ensemble: Ensemble
    trust_model: str
    constants: str
    delta: float
    queries: int
    repeats: int
    spent: float = 0.0

    @property
    def methods(self) -> tuple[str, ...]:
        """Return those of ``METHODS`` that these parties allow."""
        return methods(self.trust_model)

    @property
    def central(self) -> bool:
        return self.trust_model == "central"

    def at(self, parties: int) -> "Model":
        return replace(self, ensemble=replace(self.ensemble, parties=parties))

    def sensitivity(
        self, release: str, parties: float | None = None, *, published: bool = False
    ) -> float:
        """Return the L2 sensitivity to one replaced party, whatever the ``parties`` say (by default
        the ensemble's).

        It includes the solver's tolerance, not what the solver reached. published: by the published
        constants alone.
        """
        own = self.ensemble
        return aggregation.sensitivity(
            release,
            classes=own.classes,
            parties=own.parties if parties is None else parties,
            regularisation=own.regularisation,
            constants="published" if published else self.constants,
            mean_norm=float(np.linalg.norm(own.rows["public"].X, axis=1).mean()),
            tolerance=0.0 if published else erm.TOLERANCE,
        )

    def sigma(self, epsilon: float) -> float:
        """Return PATE's noise in votes: its ``queries`` Gaussian releases together are (epsilon,
        delta)-DP, exactly.
        """
        return (
            noisy_max.COUNTS_SENSITIVITY
            * math.sqrt(self.queries)
            / gdp.mu_of(epsilon - self.spent, delta=self.delta)
        )

    def of_one(self, epsilon: float) -> float:
        """Return the epsilon of one release: of the aggregator's, or of each party's message."""
        left = epsilon - self.spent
        if self.trust_model != "shuffle":
            return left
        return shuffling.of_one(left, messages=self.ensemble.parties, delta=self.delta)

    def weight_sd(self, epsilon: float) -> float:
        """Return the standard deviation of the noise on each averaged weight, drawn once or by each
        of M parties.
        """
        own, dimensions = self.ensemble, math.prod(self.ensemble.shape)
        sensitivity, epsilon = self.sensitivity("average", 1), self.of_one(epsilon)
        each = aggregation.margin_sd(sensitivity, dimensions=dimensions, epsilon=epsilon)
        return each / (own.parties if self.central else math.sqrt(own.parties))

    def guarantee(self, method: str, epsilon: float) -> Guarantee:
        """Return what a method guarantees to a whole party by itself, within what ``epsilon``
        leaves.
        """
        if not self.central:
            return self._of_messages(method, self.of_one(epsilon))
        if method == "pate":
            release = noisy_max.winner_event(self.sigma(epsilon))
            event = Composed(event=release, count=self.queries)
            return accountants.account(
                event, delta=self.delta, adjacency=Adjacency.REPLACE_ONE, unit="party"
            )
        published = self.constants == "published" or (
            method == "average" and self.constants != "norms"
        )
        left = epsilon - self.spent
        return Guarantee(
            epsilon=left,
            delta=0.0,
            adjacency=Adjacency.REPLACE_ONE,
            unit="party",
            basis=(
                "L2-norm exponential mechanism,"
                f" {_BASES['published' if published else self.constants]}"
            ),
            event=NormExponentialRelease(epsilon=left, dimension=math.prod(self.ensemble.shape)),
        )

    def _of_messages(self, method: str, epsilon: float) -> Guarantee:
        """Return what messages of this epsilon guarantee: each by itself, or all of them in random
        order.
        """
        event, basis = PureRelease(epsilon=epsilon), "randomised response, exact"
        if method == "average":
            event = NormExponentialRelease(
                epsilon=epsilon, dimension=math.prod(self.ensemble.shape)
            )
            basis = "L2-norm exponential mechanism on each party's weights"
        unit, relation = "party", Adjacency.REPLACE_ONE
        one = Guarantee(
            epsilon=epsilon, delta=0.0, adjacency=relation, unit=unit, basis=basis, event=event
        )
        if self.trust_model == "local":
            return one
        held = shuffling.shuffled(one, messages=self.ensemble.parties, delta=self.delta)
        return replace(held, assumes=(_DEALT,)) if held.delta and method == "soft" else held


def methods(trust_model: str) -> tuple[str, ...]:
    """Return those of ``METHODS`` that are possible if ``trust_model`` adds the noise."""
    return METHODS if trust_model == "central" else _LOCAL


@cached
def sensitivities(model: Model, release: str, counts: tuple[float, ...]) -> np.ndarray:
    """Return the sensitivity of the release with so many parties; no epsilon changes it."""
    return np.array([model.sensitivity(release, count) for count in counts])


@dataclass(frozen=True, kw_only=True, eq=False)
class Fits:
    """What the aggregator has before it adds noise, from the first parties.

    weights: release -> (k, d). check: the parties' shares (K, C) for the check rows. counts (K, C):
        their votes.
    accuracy: of each of the first parties.
    """

    weights: dict[str, np.ndarray]
    check: np.ndarray
    counts: np.ndarray
    accuracy: np.ndarray


@cached
def fits(ensemble: Ensemble, asked: int) -> Fits:
    """Fit by the first ``asked`` of the ensemble's parties: all of them, or those so far.

    Raises ArithmeticError where a fit is not within the tolerance that the noise is made for: it is
    not released.
    """
    said = tally(ensemble.crowd, asked)
    sums = said.votes.astype(float) if ensemble.labels == "votes" else said.shares.astype(float)
    shares = np.stack(
        [
            aggregation.targets(said.votes[:, :-CHECK_ROWS], release="vote"),
            aggregation.targets(sums[:, :-CHECK_ROWS], release="soft"),
        ]
    )
    found = aggregation.fit(
        ensemble.rows["public"].X, shares, regularisation=ensemble.regularisation
    )
    weights = dict(zip(("vote", "soft"), found.exact(), strict=True))
    weights["average"] = said.weights / asked
    return Fits(
        weights=weights,
        check=aggregation.targets(sums[:, -CHECK_ROWS:], release="soft"),
        counts=said.votes[:, -CHECK_ROWS:] * (ensemble.parties / asked),
        accuracy=said.accuracy,
    )


@cached
def unit_noise(
    seed: int, method: str, repeats: int, shape: tuple[int, int], senders: int
) -> np.ndarray:
    """Return norm-exponential noise (R, k, d) for sensitivity and epsilon 1, the mean of
    ``senders`` draws.

    It is the same at every epsilon, and with one sender at every M.
    """
    mechanism, size = NormExponential(sensitivity=1, epsilon=1), math.prod(shape)
    streams = [stream(seed, "noise", r, _PARTS[method]) for r in range(repeats)]
    return np.reshape(
        [mechanism.noise(size, rng, size=senders).mean(axis=0) for rng in streams],
        (repeats, *shape),
    )


def released(model: Model, method: str, asked: int, epsilons: Sequence[float]) -> np.ndarray:
    """Return the released weights (E, R, k, d) of a method."""
    if method == "pate":
        return students(model, asked, epsilons)
    own = model.ensemble
    if method == "soft" and not model.central:
        return of_answers(model, asked, epsilons)
    senders = 1 if model.central else own.parties
    scale = model.sensitivity(method, own.parties / senders) / np.array(
        [model.of_one(one) for one in epsilons]
    )
    noise = unit_noise(own.crowd.world.seed, method, model.repeats, own.shape, senders)
    return fits(own, asked).weights[method] + scale[:, None, None, None] * noise


def of_answers(model: Model, asked: int, epsilons: Sequence[float]) -> np.ndarray:
    """Return models (E, R, k, d) of the randomised answers of ``asked`` parties, of each about the
    row it is dealt.

    Answers train as they are: their lies are as likely for each class, so no two classes change
    places.
    """
    own, said = model.ensemble, tally(model.ensemble.crowd, asked).dealt
    count = min(asked, own.crowd.public_rows)
    row, heard = np.arange(asked) % own.crowd.public_rows, []
    for epsilon in epsilons:
        response = RandomisedResponse(epsilon=model.of_one(epsilon), options=own.classes)
        for repeat in range(model.repeats):
            answers = response.answers(
                said, stream(own.crowd.world.seed, "noise", repeat, _PARTS["soft"])
            )
            heard.append(np.bincount(answers * count + row, minlength=own.classes * count))
    counts = np.reshape(heard, (len(epsilons), model.repeats, own.classes, count))
    X, shares = own.rows["public"].X[:count], aggregation.targets(counts, release="soft")
    return aggregation.fit(
        X, shares, regularisation=own.regularisation, tolerance=_STUDENT_TOLERANCE
    ).weights


def students(model: Model, asked: int, epsilons: Sequence[float]) -> np.ndarray:
    """Return PATE's students (E, R, k, d) of noisy answers to the first ``queries`` public rows."""
    own = model.ensemble
    rows, seed = own.rows["public"].X[: model.queries], own.crowd.world.seed
    counts = tally(own.crowd, asked).votes[:, : model.queries] * (own.parties / asked)
    shape = (own.classes, model.queries)
    noise = np.stack(
        [
            stream(seed, "noise", r, _PARTS["pate"]).standard_normal(shape[::-1]).T
            for r in range(model.repeats)
        ]
    )
    sigma = np.array([model.sigma(epsilon) for epsilon in epsilons])
    labels = noisy_max.noisy_winners(counts, noise, sigma[:, None])
    shares = aggregation.one_hot(labels, own.classes)
    return aggregation.fit(
        rows, shares, regularisation=own.regularisation, tolerance=_STUDENT_TOLERANCE
    ).weights


def accuracy(ensemble: Ensemble, weights: np.ndarray) -> np.ndarray:
    """Return the accuracy of weights (..., k, d) on the test rows."""
    test = ensemble.rows["test"]
    return losses.accuracy(weights, test.X, test.y)


def _said(ensemble: Ensemble, asked: int, release: str) -> np.ndarray:
    """Return what the crowd says of the check rows, (K, C): its shares, or who wins the vote."""
    found = fits(ensemble, asked)
    return found.check if release == "soft" else aggregation.targets(found.counts, release=release)


def risk(ensemble: Ensemble, weights: np.ndarray, asked: int, release: str = "soft") -> np.ndarray:
    """Return the loss of weights (..., k, d) on the check rows under the crowd's shares, in nats
    [hamm2016, Lemma 2].

    release: "vote" for the loss under its majority, that of Theorem 2.
    """
    z = losses.logits(weights, ensemble.rows["check"].X)
    return losses.expected_values(z, _said(ensemble, asked, release)).mean(axis=-1)


@cached
def reference(ensemble: Ensemble, asked: int, release: str = "soft") -> np.ndarray:
    """Return w_0 (k, d): the best that the check rows allow, with the same lambda."""
    X, shares = ensemble.rows["check"].X, _said(ensemble, asked, release)
    return aggregation.fit(
        X, shares, regularisation=ensemble.regularisation, tolerance=_ANALYST_TOLERANCE
    ).weights


def excess(
    ensemble: Ensemble, weights: np.ndarray, asked: int, release: str = "soft"
) -> np.ndarray:
    """Return how much larger the ``risk`` of weights (..., k, d) is than the least one, in nats."""
    best = risk(ensemble, reference(ensemble, asked, release), asked, release)
    return risk(ensemble, weights, asked, release) - best


class Trial(NamedTuple):
    """What each of the ``methods`` releases at one epsilon.

    accuracy (methods, R): on test rows. excess (R,): risk of soft labels. weights (methods, R, k,
    d).
    """

    methods: tuple[str, ...]
    accuracy: np.ndarray
    excess: np.ndarray
    weights: np.ndarray

    @property
    def runs(self) -> dict[str, np.ndarray]:
        """Return the accuracy (R,) of each method."""
        return dict(zip(self.methods, self.accuracy, strict=True))

    def of(self, method: str) -> np.ndarray:
        """Return the accuracy (R,) of a method; NaN where these parties have no such release."""
        return self.runs.get(method, np.full_like(self.excess, np.nan))

    def models(self, method: str) -> np.ndarray:
        """Return the weights (R, k, d) of a method."""
        return self.weights[self.methods.index(method)]


@dataclass(frozen=True, kw_only=True)
class Tried(Key):
    """Every method released at one epsilon, as often as there are repeats, by what the first
    ``asked`` parties say.
    """

    model: Model
    asked: int
    epsilon: float
    essential: bool = field(default=False, compare=False)

    def run(self) -> Trial:
        model, own, asked = self.model, self.model.ensemble, self.asked
        weights = np.stack(
            [released(model, name, asked, (self.epsilon,))[0] for name in model.methods]
        )
        soft = excess(own, weights[model.methods.index("soft")], asked)
        return Trial(model.methods, accuracy(own, weights), soft, weights)


@dataclass(frozen=True, kw_only=True)
class Batch:
    """One model of all rows in one place, without privacy: weights (k, d)."""

    world: PartyData
    parties: int
    regularisation: float
    essential: bool = True

    def run(self) -> np.ndarray:
        kind = self.world.kind
        X, y = parties(self.world, 0, max(1, min(self.parties, BATCH_ROWS // self.world.rows)))
        shares = aggregation.one_hot(y.ravel(), kind.classes)
        rows, tolerance = X.reshape(-1, kind.inputs), _ANALYST_TOLERANCE
        return aggregation.fit(
            rows, shares, regularisation=self.regularisation, tolerance=tolerance
        ).weights


class Moves(NamedTuple):
    """How far the weights of "vote" and "soft" move when a party turns around: for each of some
    parties (2, EARLY), and in the worst case, where all rows are tied without it (2,).
    """

    here: np.ndarray
    worst: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Change:
    """One party says the next class about every public row, all else stays."""

    ensemble: Ensemble
    asked: int
    essential: bool = False

    def run(self) -> Moves:
        own, K = self.ensemble, self.ensemble.classes
        said, X = tally(own.crowd, self.asked), own.rows["public"].X
        # As if the parties asked so far were all of the M: one of them weighs 1/M
        counts = said.votes[:, :-CHECK_ROWS] * (own.parties / self.asked)
        early = said.early.astype(int)
        turned = counts - aggregation.one_hot(early, K) + aggregation.one_hot((early + 1) % K, K)
        tied = np.zeros((2, K, len(X)))
        tied[:, :2] = (own.parties - 1) / 2
        tied[[0, 1], [0, 1]] += 1
        cases = np.concatenate([counts[None], turned, tied])
        shares = np.stack(
            [aggregation.targets(cases, release=release) for release in ("vote", "soft")]
        )
        # One party's change is small: the search begins where the crowd's own is known to end
        known = fits(own, self.asked).weights
        start = np.stack([known["vote"], known["soft"]])[:, None]
        near = aggregation.fit(
            X, shares[:, :-2], regularisation=own.regularisation, start=start
        ).weights
        far = aggregation.fit(X, shares[:, -2:], regularisation=own.regularisation).weights
        near, far = (weights.reshape(2, weights.shape[1], -1) for weights in (near, far))
        here = np.linalg.norm(near[:, 1:] - near[:, :1], axis=-1)
        return Moves(here, np.linalg.norm(far[:, 1] - far[:, 0], axis=-1))


@dataclass(frozen=True, kw_only=True)
class Locals:
    """What the first parties of a crowd say one by one at a grid over its ``plane``: votes (L,
    GRID^2).
    """

    crowd: Crowd
    parties: int
    essential: bool = True

    def run(self) -> np.ndarray:
        shown, (X, y) = (
            plane(self.crowd.world, self.crowd.public_rows),
            parties(self.crowd.world, 0, self.parties),
        )
        inputs = shown.inputs(shown.grid(GRID)).round(6)
        rows = np.column_stack([inputs, np.full(len(inputs), CONSTANT)])
        return np.concatenate([said.votes for said in self.crowd.votes(X, y, rows)])


@cached
def plane(world: PartyData, public_rows: int) -> Plane:
    """Return where decisions are drawn: the two features, or two main directions of the public
    rows.
    """
    features = public(world.dataset, world.seed, public_rows)["public"].X[:, :-1]
    if features.shape[1] > 2:
        return principal_plane(features)
    end, unit = 0.75 * REACH, 0.75 * world.kind.radius
    return Plane(
        origin=np.zeros(2),
        axes=np.eye(2),
        extent=((-end, end), (-end, end)),
        units=((-unit, unit), (-unit, unit)),
        labels=("feature 1", "feature 2"),
    )
