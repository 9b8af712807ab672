"""What a search costs by the planner."""

import math

import numpy as np
import pytest

from dpcore.accountants import gdp
from lab.sweeps.tuning_cost import prices, together
from pages.what_if.result import WhatIfResult
from tests.pages.what_if.examples import TOPICS, question_about, result_with

TRIES = 7
ROUNDING = 1 + 1e-9


# Prices


@pytest.mark.parametrize("topic", TOPICS)
class TestPrices:
    def test_public_selection_costs_one_run(self, topic):
        settings = question_about(topic).topic_settings

        public = prices(settings, TRIES)["public"]

        assert public.epsilon == settings.guarantee.epsilon
        assert public.delta == settings.guarantee.delta

    def test_prices_have_the_neighbours_of_the_run(self, topic):
        settings = question_about(topic).topic_settings
        guarantee = settings.guarantee

        for way, price in prices(settings, TRIES).items():
            assert price.adjacency == guarantee.adjacency, way
            assert price.unit == guarantee.unit, way
            assert price.delta >= guarantee.delta, way

    def test_all_tries_cost_more_than_one_and_at_most_their_sum(self, topic):
        settings = question_about(topic).topic_settings
        epsilon = settings.guarantee.epsilon

        price = prices(settings, TRIES)["all"]

        assert epsilon < price.epsilon <= TRIES * epsilon * ROUNDING


def test_tries_without_a_delta_cost_at_most_their_sum():
    settings = question_about("parties").topic_settings.change(method="soft")

    price = prices(settings, TRIES)["all"]

    assert price.epsilon <= TRIES * settings.epsilon


@pytest.mark.parametrize(
    ("topic", "change"),
    [
        pytest.param("classifier", {"version": "published"}, id="classifier, as published"),
        pytest.param("network", {"variant": "realised"}, id="network, realised"),
    ],
)
def test_runs_without_a_guarantee_have_no_price(topic, change):
    settings = question_about(topic).topic_settings.change(**change)

    assert settings.guarantee is None
    assert prices(settings, TRIES) == {}


def test_several_runs_cost_more_than_one():
    settings = question_about("classifier").topic_settings

    assert together(((settings, 3),)).epsilon > settings.epsilon


def test_runs_have_no_price_together_if_one_has_no_guarantee():
    settings = question_about("classifier").topic_settings
    published = settings.change(version="published")

    assert together(((settings, 3), (published, 1))) is None


# Runs of an answer


@pytest.fixture(scope="module")
def answer() -> WhatIfResult:
    question = question_about("classifier", question="smallest", repeats=100)
    return result_with(question, lambda settings, count: np.zeros(count))


def test_an_answer_uses_all_values_and_all_runs(answer):
    epsilons = list(answer.plan.curve)

    used = [(settings.epsilon, runs) for settings, runs in answer.used]

    assert used == [(epsilon, 100) for epsilon in epsilons]


def test_the_runs_of_an_answer_compose_as_gaussian_releases(answer):
    mus = np.array([gdp.mu_of(epsilon, delta=1e-5) for epsilon in answer.plan.curve])
    mu = math.sqrt(100 * (mus**2).sum())

    expected = gdp.epsilon_of(1e-5, mu=mu)

    assert answer.used_up.epsilon == pytest.approx(expected, rel=1e-6)
