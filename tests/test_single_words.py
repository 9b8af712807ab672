"""Words that carry a claim: what is bounded, what is exact, what grows with what, and what has no sampling error."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from dpcore.accountants import account
from dpcore.estimators.recipes import noise_sd
from dpcore.mechanisms.laplace import Laplace
from dpcore.privacy import Adjacency
from lab.sweep import measured
from pages.accounting import figures
from pages.accounting import words as accounting
from pages.accounting.experiment import AccountingSettings
from pages.lessons.lessons import texts
from pages.parties import page as parties
from pages.table import PAGES
from pages.what_if import words_numbers
from ui.glossary import TERMS
from ui.vocabulary import KNOBS

QUESTIONS = next(page for page in PAGES if page.name == "what-if").settings


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_epsilon_bounds_probabilities_and_not_odds(epsilon):
    """Of every event above a threshold, with and without one person, under Laplace noise that has this epsilon."""
    at, scale = np.linspace(-9, 9, 2001) / epsilon, Laplace(epsilon=epsilon, sensitivity=1.0).scale
    with_you, without = (_above(at - truth, scale) for truth in (1.0, 0.0))
    assert np.max(with_you / without) == pytest.approx(math.exp(epsilon))
    odds = with_you / (1 - with_you) / (without / (1 - without))
    assert np.max(odds) > 1.05 * math.exp(epsilon)
    helps = [
        KNOBS["epsilon"]["help"],
        parties.KNOBS["epsilon"]["help"],
        *(TERMS[key].says for key in ("epsilon", "pure")),
    ]
    for text in helps:
        assert "probability" in text
        assert "odds of" not in text
        assert "the odds never" not in text


def _above(distance: np.ndarray, scale: float) -> np.ndarray:
    """Return the probability that Laplace noise of this scale exceeds ``distance``."""
    tail = np.exp(-np.abs(distance) / scale) / 2
    return np.where(distance > 0, tail, 1 - tail)


@pytest.mark.parametrize(("rate", "named", "said"), [(0.01, "PLD", "upper bound"), (1.0, "GDP", "exact")])
def test_only_what_is_exact_is_called_exact(rate, named, said):
    settings = AccountingSettings(sampling_rate=rate, steps=100, noise_multiplier=20.0)
    result = settings.run()
    tile = accounting.numbers(result)[0]
    assert tile.label == f"Epsilon, {named} accountant"
    assert tile.note == said
    assert f"{named} accountant" in str(figures.over_steps(result))
    event = settings.whole
    about = {"delta": settings.delta, "adjacency": Adjacency.ADD_REMOVE}
    bounds = [account(event, accountant=name, **about).epsilon for name in ("pld", "pld-coarse")]
    if rate == 1:
        assert result.epsilon("pld") == pytest.approx(account(event, accountant="gdp", **about).epsilon)
        assert result.epsilon("pld") <= min(bounds)
    else:
        assert bounds[0] < bounds[1]
        assert result.epsilon("pld") in bounds


def test_noise_is_proportional_to_the_clipping_norm():
    recipe = {"version": "sound", "delta": 1e-5, "steps": 50, "adjacency": "replace-one", "rows": 200}
    noise = [noise_sd(SimpleNamespace(clip_norm=norm, **recipe), 0.5) for norm in (0.1, 1.0, 10.0)]
    np.testing.assert_allclose(noise, noise[0] * np.array([1, 10, 100]))
    assert "the noise, which is proportional to it" in texts("clipping")["Why"]
    assert "proportional" in KNOBS["clip_norm"]["help"]


@pytest.mark.parametrize("topic", ["accounting", "mechanisms", "classifier"])
def test_what_has_no_sampling_error_is_the_same_whatever_the_seed_and_the_runs(topic):
    settings = QUESTIONS().change(topic=topic, repeats=24)
    base = settings.settings.change(steps=5) if topic == "classifier" else settings.settings
    found = measured(base, measure=settings.measure, repeats=5, seeds=2)
    assert settings.exact == (np.ptp(found) == 0) == (topic != "classifier")
    said = words_numbers.numbers(settings.result({task: task.run() for task in settings.tasks() if task.essential}))
    assert (words_numbers.NO_ERROR in {one.note for one in said}) == settings.exact
