"""Numbers of the works that are checked, computed from the results of pages."""

import math
from dataclasses import replace

import numpy as np

from dpcore.accountants import account, gdp, rdp
from dpcore.privacy import Adjacency, delta_rounded_up
from lab.experiment import accounting_tasks
from pages.transfer.tasks import least_squares
from tests.pages.parties.published import auxiliary_factor, excess_risk, risk_bound


def median(result, name: str) -> float:
    """Return the accuracy of the median run, in percent."""
    return 100 * result.summary[name].median


def by_the_mean(result) -> float:
    """Return epsilon by the mean of noise multipliers that change, which is no bound."""
    settings = result.settings
    mean_noise = settings.noise_multiplier * result.recipe.relative_noise.mean()
    event = replace(result.recipe, noise_ramp=1.0).event(mean_noise)
    guarantee = account(
        event,
        accountant=settings.accountant,
        delta=settings.delta,
        adjacency=Adjacency.ADD_REMOVE,
    )
    return guarantee.epsilon


def theorem_unit(settings) -> float:
    """Return q sqrt(T ln(1/delta)).

    In this unit Theorem 1 of [abadi2016] requires sigma epsilon >= c2.
    """
    return settings.sampling_rate * math.sqrt(settings.steps * math.log(1 / settings.delta))


def theorem_constant(result, accountant: str) -> float:
    """Return the c2 with which Theorem 1 would give the epsilon that an accountant counts."""
    return (
        result.settings.noise_multiplier
        * result.epsilon(accountant)
        / theorem_unit(result.settings)
    )


def growth_of_advanced_composition(result) -> float:
    """Return q sqrt(T ln(1/delta) ln(T/delta)) / sigma."""
    settings = result.settings
    root = math.sqrt(math.log(settings.steps / settings.delta))
    return theorem_unit(settings) * root / settings.noise_multiplier


def main_term(settings, order: int) -> float:
    """Return the main term of the bound on moments in [abadi2016, Lemma 3].

    It is q^2 lambda (lambda + 1) / ((1 - q) sigma^2).
    """
    rate = settings.sampling_rate
    noise = settings.noise_multiplier
    return rate**2 * order * (order + 1) / ((1 - rate) * noise**2)


def last_moment(result) -> int:
    """Return the largest lambda for which Lemma 3 is stated, sigma^2 ln(1/(q sigma))."""
    rate = result.settings.sampling_rate
    noise = result.settings.noise_multiplier
    return int(noise**2 * math.log(1 / (rate * noise)))


def epsilon_by_main_term(result) -> float:
    """Return epsilon if the main term alone bounded the moments for which it is stated."""
    settings = result.settings
    orders = range(1, last_moment(result) + 1)
    budget = math.log(1 / settings.delta)
    return min((settings.steps * main_term(settings, order) + budget) / order for order in orders)


def first_moment_above_main_term(result) -> int:
    """Return the first lambda whose exact log moment exceeds the main term."""
    step = accounting_tasks.step(result.settings.sampling_rate, result.settings.noise_multiplier)
    orders = np.arange(1, 257)
    exact = orders * rdp.summed(step, tuple(map(float, orders + 1)))
    main = np.array([main_term(result.settings, order) for order in orders])
    return int(orders[np.argmax(main < exact)])


def beside_a_tree(m: int) -> float:
    """Return how much larger the noise of a tree is than Toeplitz noise, over m prefix sums.

    It is a ratio of root mean variances. A prefix sum over t steps has a node of the tree
    [kairouz2021] for each 1 in the bits of t.
    """
    toeplitz_variances = np.cumsum([(math.comb(2 * k, k) / 4**k) ** 2 for k in range(m)])
    tree_variances = [t.bit_count() * m.bit_length() for t in range(1, m + 1)]
    mean_toeplitz = np.mean(toeplitz_variances * toeplitz_variances[-1])
    return math.sqrt(np.mean(tree_variances) / mean_toeplitz)


def published_sensitivity(result, release: str) -> float:
    """Return the sensitivity of a release of parties with the constants of [hamm2016]."""
    return replace(result.mechanisms, constants="published").sensitivity(release)


# What an expression of ``works_numbers.toml`` may name.
NAMES = {
    "np": np,
    "gdp": gdp,
    "auxiliary_factor": auxiliary_factor,
    "published_sensitivity": published_sensitivity,
    "math": math,
    "delta_rounded_up": delta_rounded_up,
    "median": median,
    "by_the_mean": by_the_mean,
    "beside_a_tree": beside_a_tree,
    "theorem_constant": theorem_constant,
    "growth_of_advanced_composition": growth_of_advanced_composition,
    "last_moment": last_moment,
    "epsilon_by_main_term": epsilon_by_main_term,
    "first_moment_above_main_term": first_moment_above_main_term,
    "least_squares": least_squares,
    "excess_risk": excess_risk,
    "risk_bound": risk_bound,
}
