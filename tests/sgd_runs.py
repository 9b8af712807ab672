"""Small trainings by DP-SGD, and the sum of clipped gradients of one step."""

import numpy as np

from dpcore.training import sgd
from dpcore.training.networks import Architecture
from dpcore.training.sgd_recipe import Recipe

NETWORK = Architecture(sizes=(3, 5, 2))
SAMPLING_RATE = 0.3
STEPS = 60
LEARNING_RATE = 0.6
DECAY = 0.2
SEED = 3
# The streams of the two networks that are trained together.
DRAWS = (4, 0)


def recipe(clip_norm=0.3, *, network=NETWORK, **changes) -> Recipe:
    """Return a recipe; ``clip_norm`` is a number, one for each layer, or None."""
    options = {
        "sampling_rate": SAMPLING_RATE,
        "steps": STEPS,
        "learning_rate": LEARNING_RATE,
        "decay": DECAY,
        **changes,
    }
    return Recipe(architecture=network, clip_norm=clip_norm, **options)


def train(recipe: Recipe, X, y, people=None, **changes) -> sgd.Training:
    """Train two networks in double precision, without noise unless changed."""
    options = {
        "start": NETWORK.start(0, [0, 1]),
        "noise_multiplier": 0.0,
        "seed": SEED,
        "draws": list(DRAWS),
        "dtype": np.float64,
        **changes,
    }
    return sgd.train(recipe, X, y, people=people, **options)


def gradient_sum(
    network, weights, X, y, people=None, *, clip_norm, step=0, steps=1, dtype=np.float64, **changes
) -> np.ndarray:
    """Return the sum of the clipped gradients of all rows, as the engine forms it in a step."""
    whole_data = recipe(
        clip_norm,
        network=network,
        sampling_rate=1.0,
        learning_rate=1.0,
        decay=1.0,
        steps=steps,
        **changes,
    )
    training = train(
        whole_data,
        X,
        y,
        people,
        start=weights,
        draws=[0],
        first=step,
        last=step + 1,
        dtype=dtype,
    )
    (weights_after,) = training.weights
    units = len(X)
    if people is not None:
        units = people.max() + 1
    # A step subtracts the mean over the units of privacy.
    return (weights - weights_after) * units
