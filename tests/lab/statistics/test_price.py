"""The price of the next point of accuracy, on curves whose answer is known by hand."""

import numpy as np
import pytest

from lab.statistics.price import LEAST_RUNS, MedianCurve, Offer
from pages.classifier.settings import ClassifierSettings

# Half a unit of the second decimal, and rounding.
TWO_DECIMALS = 0.006
# Resampled ranges scatter by less.
CHANCE_OF_RESAMPLING = 0.05
# Percentages, computed in two ways.
ROUNDING = 1e-6

EPSILONS = (0.1, 1.0, 10.0)


def curve_of(*medians: float, runs: int = LEAST_RUNS, spread: float = 0.0) -> MedianCurve | None:
    """Return the curve of runs that scatter evenly around medians at ``EPSILONS``."""
    scatter = np.linspace(-spread, spread, runs)
    return MedianCurve.of(EPSILONS, np.array(medians)[:, None] + scatter)


def coin_then_epsilon(epsilons: np.ndarray) -> np.ndarray:
    """Return shares of right guesses that rise by 1 in 100 with each unit of epsilon."""
    return 0.5 + epsilons / 100


class TestByHand:
    def test_the_next_point_is_reached_straight_over_log_epsilon(self):
        curve = curve_of(0.5, 0.52, 0.54)

        price = curve.price(1.0, coin_then_epsilon)

        # From 1, the next point of two up to 10 is half way on a log scale.
        assert price.offer == Offer.PRICE
        assert price.guesses == pytest.approx(10**0.5 - 1)
        assert (price.low, price.high) == pytest.approx((10**0.5 - 1, 10**0.5 - 1))

    def test_the_present_accuracy_is_read_between_two_values(self):
        curve = curve_of(0.5, 0.54, 0.54)

        price = curve.price(10**-0.75, coin_then_epsilon)

        assert price.guesses == pytest.approx(10**-0.5 - 10**-0.75)

    def test_a_dip_is_no_loss_that_has_to_be_bought_back(self):
        curve = curve_of(0.53, 0.51, 0.55)

        price = curve.price(1.0, coin_then_epsilon)

        assert price.guesses == pytest.approx(10**0.5 - 1)

    @pytest.mark.parametrize("epsilon", [1.0, 3.0, 10.0, 50.0])
    def test_nothing_is_left_where_less_than_a_point_follows(self, epsilon):
        curve = curve_of(0.5, 0.6, 0.609)

        price = curve.price(epsilon, coin_then_epsilon)

        assert price.offer == Offer.NOTHING

    def test_runs_that_scatter_widely_have_no_clear_price(self):
        generator = np.random.default_rng(0)
        runs = generator.normal([[0.5], [0.6], [0.611]], 0.05, (3, LEAST_RUNS))
        curve = MedianCurve.of(EPSILONS, runs)

        price = curve.price(1.0, coin_then_epsilon)

        assert price.offer == Offer.UNCLEAR


@pytest.mark.parametrize("runs", [24, 100, LEAST_RUNS - 1])
def test_fewer_than_400_runs_have_no_price(runs):
    assert LEAST_RUNS == 400
    assert curve_of(0.5, 0.6, 0.7, runs=runs) is None


def test_on_a_bent_curve_the_next_point_costs_the_more_the_less_is_left():
    epsilons = np.geomspace(0.01, 100, 24)
    medians = 0.5 + 0.4 * epsilons / (1 + epsilons)
    curve = MedianCurve.of(tuple(epsilons), np.repeat(medians[:, None], LEAST_RUNS, axis=1))

    prices = [curve.price(epsilon, coin_then_epsilon).guesses for epsilon in epsilons]

    # Below, the curve is so flat that neighbouring prices differ by its corners.
    from_bend = prices[8:-8]
    assert (np.diff(from_bend) > 0).all()
    assert prices[-1] == np.inf


class TestOfThePage:
    """Prices of the classifier at its defaults, from its own training."""

    @pytest.fixture(scope="class")
    @classmethod
    def result(cls):
        """Return the result of the classifier at its defaults."""
        return ClassifierSettings().experiment.run()

    @staticmethod
    def price_at(result, epsilon: float):
        """Return the price of the next point of accuracy from this epsilon on."""
        curve = MedianCurve.of(result.accuracy.at, result.accuracy.runs[0])
        return curve.price(epsilon, result.settings.right_guesses)

    def test_the_curve_of_prices_has_400_runs_at_24_epsilons(self, result):
        assert result.accuracy.runs.shape == (2, 24, 400)
        assert result.trained == 400

    @pytest.mark.parametrize(
        ("epsilon", "guesses"),
        [
            pytest.param(0.1, 0.03, id="0.1"),
            pytest.param(0.2, 0.06, id="0.2"),
            pytest.param(0.3, 0.13, id="0.3"),
            pytest.param(0.5, 0.36, id="0.5"),
        ],
    )
    def test_a_point_of_accuracy_costs_so_many_right_guesses_in_a_hundred(
        self, result, epsilon, guesses
    ):
        price = self.price_at(result, epsilon)

        assert price.offer == Offer.PRICE
        assert price.guesses == pytest.approx(guesses, abs=TWO_DECIMALS)

    def test_the_range_of_a_price_at_epsilon_half_is_that_of_resampled_runs(self, result):
        price = self.price_at(result, 0.5)

        assert price.low == pytest.approx(0.3, abs=CHANCE_OF_RESAMPLING)
        assert price.high == pytest.approx(0.6, abs=CHANCE_OF_RESAMPLING)

    @pytest.mark.parametrize("epsilon", [0.65, 1.0, 10.0, 150.0])
    def test_no_price_is_stated_where_less_than_a_point_is_left(self, result, epsilon):
        price = self.price_at(result, epsilon)

        assert price.guesses == np.inf
        assert price.offer in (Offer.NOTHING, Offer.UNCLEAR)

    def test_the_axis_and_the_tile_have_the_same_attacker(self, result):
        right_guesses = result.settings.right_guesses

        on_axis = right_guesses(np.array([result.settings.epsilon]))[0]

        assert on_axis == pytest.approx(result.right_guesses, abs=ROUNDING)
