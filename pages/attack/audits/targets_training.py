"""What the audit table attacks among trainings step by step: fixed orders, schedules, people, bounds and searches.

An attacker who knows all rows but one sees the weights after each step. The other rows are so sure that their gradients
are 0, or they all pull the other way.
"""

import math
from dataclasses import replace

import numpy as np

from dpcore.accountants import selection, tuning
from dpcore.data import paid_bounds
from dpcore.mechanisms import Laplace
from dpcore.privacy import PureRelease
from dpcore.regression.least_squares import Statistics
from dpcore.regression.perturbed import Descent
from dpcore.streams import stream
from dpcore.training import descent, sgd, tree
from dpcore.training.networks import Architecture
from pages.attack.audits.targets import ADD, REPLACE, Target, both, each

# A network without hidden layers whose inputs are 0: a row of class 1 pulls along one direction all the time.
_NET, _PULL = Architecture(sizes=(1, 2)), np.array([0.0, 1.0, 0.0, -1.0]) / math.sqrt(2)
_SURE, _CLIP, _RATE = np.array([0.0, 400.0, 0.0, -400.0]), 0.05, 0.01
_ROWS, _SAMPLED, _STEPS = 20, 0.2, 40
_LOTS, _PASSES = 8, 2


def _recipe(sampling_rate: float = _SAMPLED, steps: int = _STEPS, **how: object) -> sgd.Recipe:
    fixed = {"architecture": _NET, "learning_rate": _RATE, "clip_norm": _CLIP}
    return sgd.Recipe(**fixed, sampling_rate=sampling_rate, steps=steps, **how)


def _sums(recipe: sgd.Recipe, y: np.ndarray, *, runs: int, seed: int, sigma: float, people=None) -> np.ndarray:
    """Noisy sums (runs, T) of the lots along the pull, in units of the first step's bound."""
    units = len(y) if people is None else int(people.max()) + 1
    given = {"noise_multiplier": sigma, "seed": seed, "draws": range(runs), "record": range(recipe.steps + 1)}
    path = sgd.train(recipe, np.zeros((len(y), 1)), y, start=_SURE, people=people, dtype=np.float64, **given)
    return (-np.diff(path.history, axis=0) @ _PULL).T * recipe.sampling_rate * units / (_RATE * _CLIP)


def _ratio(sums: np.ndarray, noise: float | np.ndarray, *, shift: float = 1.0) -> np.ndarray:
    """Log-likelihood ratio (runs,) of sums with normal noise, moved by ``shift`` with the sampling probability."""
    moved = np.expm1((2 * shift * sums - shift**2) / (2 * np.square(noise)))
    return np.log1p(_SAMPLED * moved).sum(axis=1)


def _one(present: int, rows: int = _ROWS) -> np.ndarray:
    """The answers of rows of which the first is there, or its place is empty."""
    return np.array([1 if present else -1] + [0] * (rows - 1))


def in_order(epsilon: float, *, delta: float, mechanism: str, counted: str | None = None) -> Target:
    """Lots in a fixed order: what the row's own lots move, with the correlation of the noise undone.

    counted: the mechanism that the noise is made for.
    """
    ways = {name: _recipe(1 / _LOTS, _LOTS * _PASSES, mechanism=name) for name in tree.MECHANISMS}
    sigma = ways[counted or mechanism].noise_multiplier(epsilon=epsilon, delta=delta)
    unit = np.eye(_LOTS * _PASSES)
    mixed = unit
    if mechanism == "tree":
        mixed = np.array(list(tree.correlated(iter(unit), lambda step: unit[step], lots=_LOTS, first=0)))
    undo, moved = np.linalg.inv(mixed), np.zeros(_LOTS * _PASSES)
    moved[::_LOTS] = 1

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        sums = _sums(ways[mechanism], _one(world, 2 * _LOTS), runs=runs, seed=2 * seed + draw, sigma=sigma)
        return sums @ undo.T @ (undo @ moved)

    return each(score)


def scheduled(epsilon: float, *, delta: float, first: bool = False, **ramps: float) -> Target:
    """DP-SGD whose noise or bound changes with the step. first: the noise is counted, or made, as in the first step."""
    recipe, constant = _recipe(**ramps), _recipe()
    sigma = (constant if first else recipe).noise_multiplier(epsilon=epsilon, delta=delta, accountant="pld")
    if first and "clip_ramp" in ramps:
        recipe = replace(recipe, noise_ramp=1 / recipe.clip_ramp)

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        sums = _sums(recipe, _one(world), runs=runs, seed=2 * seed + draw, sigma=sigma)
        return _ratio(sums / recipe.clip_shares, sigma * recipe.noise_shares)

    return each(score)


def lots_of_people(epsilon: float, *, delta: float, by_row: bool = False) -> Target:
    """DP-SGD where one person has three rows. by_row: rows are sampled and clipped one by one, noise for one row."""
    people = np.concatenate([[0, 0, 0], np.arange(1, _ROWS)])
    sigma = _recipe().noise_multiplier(epsilon=epsilon, delta=delta, accountant="pld")

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        y, whose = _one(world, len(people)), None if by_row else people
        y[:3] = y[0]
        return _ratio(_sums(_recipe(), y, runs=runs, seed=2 * seed + draw, sigma=sigma, people=whose), sigma)

    return each(score)


def people(epsilon: float, *, delta: float, by_row: bool = False) -> Target:
    """Noisy descent where one person has three rows, all replaced. by_row: they are clipped one by one."""
    X, whose, steps = np.zeros((10, 1)), np.array([0, 0, 0, *range(1, 8)]), 5
    X[:3] = 20.0
    multiplier = descent.noise_multiplier(epsilon=epsilon, delta=delta, steps=steps)
    units = len(X) if by_row else 8

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        return descent.noisy_gradient_descent(
            X,
            np.where(whose == 0, world, 0),
            people=None if by_row else whose,
            n_classes=2,
            steps=steps,
            learning_rate=1e-3,
            clip_norm=_CLIP,
            noise_sd=descent.mean_noise_sd(multiplier, clip_norm=_CLIP, rows=units, adjacency=REPLACE),
            start=np.zeros((1, 1)),
            seed=2 * seed + draw,
            draws=range(runs),
            dtype=np.float64,
        ).weights[:, 0, 0]

    return each(score)


def against(epsilon: float, *, delta: float, fixed: bool = False) -> Target:
    """DP-SGD where all other rows pull the other way, so that a row who takes another's place in a lot moves it twice.

    fixed: each lot has exactly as many rows as a Poisson sample has in the mean.
    """
    sigma, rows = _recipe().noise_multiplier(epsilon=epsilon, delta=delta, accountant="pld"), 50
    size = _SAMPLED * rows

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        if fixed:
            rng = stream(seed, "audit", draw)
            inside = world * (rng.random((runs, _STEPS)) < size / (rows + world))
            return _ratio(2 * inside + sigma * rng.standard_normal((runs, _STEPS)), sigma, shift=2)
        y, flat = np.array([1] * world + [0] * rows), {"dtype": np.float64, "record": range(_STEPS + 1)}
        given = {"noise_multiplier": sigma, "seed": 2 * seed + draw, "draws": range(runs)}
        path = sgd.train(_recipe(), np.zeros((len(y), 1)), y, start=np.zeros(4), **given, **flat)
        sums = (-np.diff(path.history, axis=0) @ _PULL).T * _SAMPLED * len(y) / (_RATE * _CLIP)
        return _ratio(sums + size, sigma, shift=2)

    return each(score)


def replaced(epsilon: float, *, delta: float) -> Target:
    """DP-SGD with noise for a row that is there or not, where one is replaced by a row that pulls the other way."""
    sigma = _recipe().noise_multiplier(epsilon=epsilon, delta=delta, accountant="pld")

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        inside = rng.random((runs, _STEPS)) < _SAMPLED
        sums = (2 * world - 1) * inside + sigma * rng.standard_normal((runs, _STEPS))
        return _ratio(sums, sigma) - _ratio(-sums, sigma)

    return both(score)


def last_lot(epsilon: float, *, delta: float, bare: bool = False) -> Target:
    """The last step of DP-SGD alone: how near is what it moves to what the row would? bare: that step has no noise."""
    recipe, y = _recipe(), (_one(0), _one(1))
    sigma = recipe.noise_multiplier(epsilon=epsilon, delta=delta, accountant="pld")

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        given = {"seed": 2 * seed + draw, "draws": range(runs), "dtype": np.float64}
        before, after = _SURE, _SURE
        for first, last, noise in ((0, _STEPS - 1, sigma), (_STEPS - 1, _STEPS, 0.0 if bare else sigma)):
            piece = {"first": first, "last": last, "noise_multiplier": noise, **given}
            before, after = after, sgd.train(recipe, np.zeros((_ROWS, 1)), y[world], start=after, **piece).weights
        return -np.abs((before - after) @ _PULL * _SAMPLED * _ROWS / (_RATE * _CLIP) - 1)

    return each(score)


def seen(epsilon: float, *, delta: float, attack: str, broken: bool = False) -> Target:
    """Two steps of noisy descent, each seen, of one row that is replaced by another: which of them explains more?

    attack: "pair" looks at the difference of both steps, where noise that serves for both cancels; "last" at the second
    step alone. broken: one draw serves for both steps; or the last step has no noise.
    """
    rows, rate, steps = 10, 0.5, 2
    multiplier = descent.noise_multiplier(epsilon=epsilon, delta=delta, steps=steps)
    sd = descent.mean_noise_sd(multiplier, clip_norm=_CLIP, rows=rows, adjacency=REPLACE)
    common = {"n_classes": 2, "learning_rate": rate, "clip_norm": _CLIP, "dtype": np.float64}
    canaries = np.array([[0.08, 0.0], [0.0, 0.08]])

    def gradient(weights: np.ndarray, world: int) -> np.ndarray:
        residual = 1 / (1 + np.exp(-weights @ canaries[world])) - 1
        return residual[:, None] * canaries[world] / rows

    def path(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        X, y = np.vstack([canaries[world], np.zeros((rows - 1, 2))]), np.ones(rows, int)
        given = {"seed": 2 * seed + draw, "draws": range(runs), **common}
        if not broken:
            marks = {"steps": steps, "record": range(steps + 1), "noise_sd": sd, "start": np.zeros((1, 2))}
            return descent.noisy_gradient_descent(X, y, **given, **marks).history[:, :, 0]
        found, noise = [np.zeros((runs, 1, 2))], sd * stream(seed, "audit", draw).standard_normal((runs, 1, 2))
        for step in range(steps):
            moved = descent.noisy_gradient_descent(X, y, **given, steps=1, noise_sd=0.0, start=found[-1]).weights
            found.append(moved - rate * (0 if attack == "last" and step else noise))
        return np.array(found)[:, :, 0]

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        first, second, third = path(world, runs, seed, draw)
        moves, off = ((first - second) / rate, (second - third) / rate), []
        for one in (0, 1):
            left = [move - gradient(at, one) for move, at in zip(moves, (first, second), strict=True)]
            off.append(np.linalg.norm(left[1] - left[0] if attack == "pair" else left[1], axis=1))
        return np.log(off[0] + 1e-12) - np.log(off[1] + 1e-12)

    return each(score)


def bounds(epsilon: float, *, moves: int = 2) -> Target:
    """Bounds that are paid for: the two counts that differ where a value is replaced. moves: what noise is made for."""
    worlds = [paid_bounds.histogram(np.array([5.0] * 20 + [one])) for one in (1.5, 1e6)]
    places = np.flatnonzero(worlds[0] != worlds[1])
    here, there = (world[places] for world in worlds)
    noise: Laplace = replace(paid_bounds.mechanism(epsilon), sensitivity=float(moves))

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        released = noise.release(np.tile((there, here)[world], (runs, 1)).astype(float), rng)
        return (np.abs(released - there) - np.abs(released - here)).sum(axis=1)

    return both(score)


def penalised(epsilon: float, *, delta: float, number: bool = False) -> Target:
    """Take one step of the descent beside Frank-Wolfe, in the L1 ball, along a row of the box's corner with either
    label.

    number: noise for one number of the gradient, as the walk has it.
    """
    rows, d = 10, 30
    way = Descent(delta=delta, steps=1, radius=50.0, norm="l1", rate=1.0, momentum=0.0, clip_norm=0.2 * (d / 3) ** 0.5)
    X = np.zeros((rows, d))
    X[0], X[1:, 0] = 1.0, 1e-3
    factor = d**-0.5 if number else 1.0

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        y, noise = np.append(2.0 * world - 1, np.zeros(rows - 1)), factor * rng.standard_normal((runs, d))
        return way.fit(Statistics.of(X, y), noise, np.array([epsilon]), rows=(X, y)).weights[0] @ X[0]

    return both(score)


def best_of(epsilon: float, *, delta: float, law: str, single: bool = False) -> Target:
    """Return whether all of a random number of tries fail, each of which is a coin that is pure in epsilon.

    single: each try has the whole epsilon, as if the best one alone had been made.
    """
    tries, promise = 10, {"delta": delta, "adjacency": ADD}
    search = {"epsilon": epsilon, "way": law, "tries": tries}
    found = tuning.try_for(lambda noise: PureRelease(epsilon=1 / noise), **search, **promise)
    odds = math.exp(epsilon if single else found.epsilon)
    chances = selection.chances(60 * tries, law=law, tries=tries)

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        fails = (odds if world else 1) / (1 + odds)
        made = rng.choice(len(chances), size=runs, p=chances / chances.sum())
        return 1.0 * (rng.random(runs) < fails**made)

    return both(score)
