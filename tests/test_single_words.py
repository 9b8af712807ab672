"""Words that carry a claim: what is bounded, what is exact, and what has no sampling error."""

import numpy as np
import pytest

from dpcore.accountants import account
from dpcore.privacy import Adjacency
from lab.sweep import measured
from pages.accounting.experiment import AccountingSettings
from pages.parties import page as parties
from pages.table import PAGES
from pages.what_if import words_numbers
from ui.glossary import TERMS
from ui.vocabulary import KNOBS

QUESTIONS = next(page for page in PAGES if page.name == "what-if").settings


def test_epsilon_is_said_to_bound_probabilities_and_not_odds():
    """Under Laplace noise the odds of an event can change by more than e^epsilon."""
    helps = (KNOBS["epsilon"]["help"], parties.KNOBS["epsilon"]["help"], TERMS["epsilon"].says, TERMS["pure"].says)
    for text in helps:
        assert "probability" in text
        assert "odds of" not in text
        assert "the odds never" not in text


@pytest.mark.parametrize("rate", [0.01, 1.0])
def test_the_exact_accountant_is_exact_or_one_of_the_two_bounds(rate):
    settings = AccountingSettings(sampling_rate=rate, steps=100, noise_multiplier=20.0)
    about = {"delta": settings.delta, "adjacency": Adjacency.ADD_REMOVE}
    names = ("pld", "pld-coarse", *(["gdp"] if rate == 1 else []))
    fine, coarse, *exact = (account(settings.whole, accountant=name, **about).epsilon for name in names)
    found = settings.run().epsilon("pld")
    if rate == 1:
        assert found == pytest.approx(exact[0])
        assert found <= min(fine, coarse)
    else:
        assert fine < coarse
        assert found in (fine, coarse)


@pytest.mark.parametrize("topic", ["accounting", "mechanisms", "classifier"])
def test_what_has_no_sampling_error_is_the_same_whatever_the_seed_and_the_runs(topic):
    settings = QUESTIONS().change(topic=topic, repeats=24)
    base = settings.settings.change(steps=5) if topic == "classifier" else settings.settings
    found = measured(base, measure=settings.measure, repeats=5, seeds=2)
    assert settings.exact == (np.ptp(found) == 0) == (topic != "classifier")
    said = words_numbers.numbers(settings.result({task: task.run() for task in settings.tasks() if task.essential}))
    assert (words_numbers.NO_ERROR in {one.note for one in said}) == settings.exact
