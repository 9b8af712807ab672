"""Numbers that the page of works says, as what each is of the linked page's result: ``works_numbers.toml``."""

import math
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dpcore.accountants import account, gdp
from dpcore.privacy import Adjacency, delta_rounded_up
from pages.parties import bounds

# "work: part" -> number -> what it is of ``result``; the audits of parts that train.
NUMBERS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
AUDITED = NUMBERS.pop("audited")


def value(read: str, result: Any) -> float:
    """What a number is of a result."""
    known = {"np": np, "gdp": gdp, "bounds": bounds, "delta_rounded_up": delta_rounded_up, "math": math}
    return float(eval(read, known | {one.__name__: one for one in HELPERS} | {"result": result}))


def median(result: Any, name: str) -> float:
    """Accuracy of the middle run, in percent."""
    return 100 * result.summary[name].median


def printed(result: Any, migrated: int) -> float:
    """A value of the table of errors, made again."""
    frame = result.published.frame()
    return frame.loc[(frame["migrated"] == migrated) & frame["noisy"], "value"].iloc[0]


def by_the_mean(result: Any) -> float:
    """What a training with noise that changes would cost by the mean of its noise multipliers, which is no bound."""
    recipe, noise = result.recipe, result.settings.sigma * result.recipe.noise_shares.mean()
    event = replace(recipe, noise_ramp=1.0).event(noise)
    about = {"delta": result.settings.delta, "adjacency": Adjacency.ADD_REMOVE}
    return account(event, accountant=result.settings.counted_by, **about).epsilon


def four_fifths(result: Any) -> float:
    """Epsilon of the least noise with delta >= 4/5 exp(-(sigma epsilon)^2 / 2)."""
    epsilon, delta = result.claim.epsilon, result.claim.delta
    return gdp.epsilon_of(delta, mu=epsilon / math.sqrt(2 * math.log(0.8 / delta)))


def quiet(result: Any) -> float:
    """What the loop prints of its first five rows without noise."""
    frame = result.published.frame()
    return frame.loc[~frame["noisy"] & (frame["epochs"] == 50), "value"].iloc[0]


def growth(result: Any) -> float:
    """What the order of growth of strong composition says of a run, with constant 1."""
    return next(row.epsilon for row in result.statements.rows if row.name == "growth")


def census(result: Any, epsilon: float) -> float:
    """The middle run's error by the published mechanism at another epsilon."""
    return result.quantiles("published")[1][result.settings.epsilons.index(epsilon)]


def at_the_end(result: Any, mechanism: str) -> float:
    """Accuracy of the middle network that is trained in this way, in percent."""
    return 100 * np.median(result.at_the_end[mechanism])


def beside_a_tree(m: int) -> float:
    """Root mean variance over a pass of m prefix sums at equal mu: a binary tree's [kairouz2021] over Toeplitz noise's.

    A tree's sum has a node for each 1 in t's binary form, and a row is in floor(log2 m) + 1 nodes.
    """
    ours = np.cumsum([(math.comb(2 * k, k) / 4**k) ** 2 for k in range(m)])
    return math.sqrt(np.mean([t.bit_count() * m.bit_length() for t in range(1, m + 1)]) / np.mean(ours * ours[-1]))


def column(result: Any, name: str, epsilon: float) -> float:
    """Of the classifier's table, at one of its epsilons."""
    frame = result.table()
    return frame.loc[frame["epsilon"] == epsilon, name].iloc[0]


HELPERS = (median, printed, by_the_mean, four_fifths, quiet, growth, census, at_the_end, beside_a_tree, column)
