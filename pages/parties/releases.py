"""Private releases: the fits with noise, models of randomised answers, and PATE's students.

Shapes: E epsilons, R repeats, K classes. Weights are (k, d). The noise is the same at every epsilon
except for its scale.
"""

import math
from collections.abc import Sequence

import numpy as np

from dpcore.cache import cached
from dpcore.mechanisms import NormExponential, noisy_max
from dpcore.mechanisms.randomised_response import RandomisedResponse
from dpcore.parties import aggregation
from dpcore.streams import stream
from pages.parties.fits import fit_releases
from pages.parties.mechanisms import METHODS, Mechanisms
from pages.parties.votes import collect_votes

# The part of a noise stream that each method draws from.
_STREAM_PARTS = {method: part for part, method in enumerate(METHODS)}
# A model of noisy labels is post-processing, so its fit need not be exact.
_STUDENT_TOLERANCE = 1e-4


def release(
    mechanisms: Mechanisms, method: str, asked: int, epsilons: Sequence[float], repeats: int
) -> np.ndarray:
    """Return the weights (E, R, k, d) that a method releases from the first ``asked`` parties."""
    if method == "pate":
        return release_students(mechanisms, asked, epsilons, repeats)
    if method == "soft" and not mechanisms.is_central:
        return release_answers(mechanisms, asked, epsilons, repeats)
    ensemble = mechanisms.ensemble
    senders = 1
    if not mechanisms.is_central:
        senders = ensemble.parties
    sensitivity = mechanisms.sensitivity(method, ensemble.parties / senders)
    release_epsilons = np.array([mechanisms.release_epsilon(epsilon) for epsilon in epsilons])
    scale = sensitivity / release_epsilons
    noise = unit_noise(ensemble.pool.data.seed, method, repeats, ensemble.shape, senders)
    # (E, 1, 1, 1) * (R, k, d)
    return fit_releases(ensemble, asked).weights[method] + scale[:, None, None, None] * noise


@cached
def unit_noise(
    seed: int, method: str, repeats: int, shape: tuple[int, int], senders: int
) -> np.ndarray:
    """Return norm-exponential noise (R, k, d) for sensitivity and epsilon 1.

    It is the mean of the draws of all ``senders``. It is the same at every epsilon and, with one
    sender, for every number of parties.
    """
    mechanism = NormExponential(sensitivity=1, epsilon=1)
    noise = []
    for repeat in range(repeats):
        rng = stream(seed, "noise", repeat, _STREAM_PARTS[method])
        draws = mechanism.noise(math.prod(shape), rng, size=senders)
        noise.append(draws.mean(axis=0))
    return np.reshape(noise, (repeats, *shape))


def release_answers(
    mechanisms: Mechanisms, asked: int, epsilons: Sequence[float], repeats: int
) -> np.ndarray:
    """Return models (E, R, k, d) of randomised answers, each party's about the row it is dealt.

    Models are trained on the answers as they are. False answers are as likely for each class, so no
    two classes change places.
    """
    ensemble = mechanisms.ensemble
    pool = ensemble.pool
    dealt = collect_votes(pool, asked).dealt
    rows = min(asked, pool.public_rows)
    row_of_party = np.arange(asked) % pool.public_rows
    counts = np.empty((len(epsilons), repeats, ensemble.classes, rows), dtype=int)
    for index, epsilon in enumerate(epsilons):
        response = RandomisedResponse(
            epsilon=mechanisms.release_epsilon(epsilon), options=ensemble.classes
        )
        for repeat in range(repeats):
            rng = stream(pool.data.seed, "noise", repeat, _STREAM_PARTS["soft"])
            answers = response.answers(dealt, rng)
            # One bincount counts the answers by class and row.
            cells = np.bincount(answers * rows + row_of_party, minlength=ensemble.classes * rows)
            counts[index, repeat] = cells.reshape(ensemble.classes, rows)
    minimum = aggregation.fit(
        ensemble.rows["public"].X[:rows],
        aggregation.targets(counts, release="soft"),
        regularisation=ensemble.regularisation,
        tolerance=_STUDENT_TOLERANCE,
    )
    return minimum.weights


def release_students(
    mechanisms: Mechanisms, asked: int, epsilons: Sequence[float], repeats: int
) -> np.ndarray:
    """Return PATE's students (E, R, k, d) of noisy majority votes about the first public rows."""
    ensemble = mechanisms.ensemble
    queries = mechanisms.queries
    votes = collect_votes(ensemble.pool, asked).votes[:, :queries]
    counts = votes * (ensemble.parties / asked)
    noise = np.empty((repeats, ensemble.classes, queries))
    for repeat in range(repeats):
        rng = stream(ensemble.pool.data.seed, "noise", repeat, _STREAM_PARTS["pate"])
        noise[repeat] = rng.standard_normal((queries, ensemble.classes)).T
    noise_sds = np.array([mechanisms.pate_noise_sd(epsilon) for epsilon in epsilons])
    labels = noisy_max.noisy_winners(counts, noise, noise_sds[:, None])
    minimum = aggregation.fit(
        ensemble.rows["public"].X[:queries],
        aggregation.one_hot(labels, ensemble.classes),
        regularisation=ensemble.regularisation,
        tolerance=_STUDENT_TOLERANCE,
    )
    return minimum.weights
