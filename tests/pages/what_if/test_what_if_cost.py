"""What a search costs by the planner."""

import pytest

from lab.sweeps.tuning_cost import prices
from tests.pages.what_if.examples import TOPICS, question_about

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
