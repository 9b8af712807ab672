"""Hypothesis transfer with all words: the noise that a source needs, and from which epsilon on transfer helps."""

import math
import re

import numpy as np
import pytest

from dpcore.cache import sizes
from dpcore.data import domains
from dpcore.parties import importance, sources
from dpcore.parties.sources import Budget
from pages.hypotheses import published, work
from pages.hypotheses import words as say
from pages.hypotheses.experiment import HypothesesSettings
from pages.hypotheses.parameters import DIRECTIONS, EPSILONS, LAWS
from pages.hypotheses.result import HypothesesResult
from tests.sentences import first, plain


@pytest.mark.parametrize(
    ("changes", "margin", "weight", "gaussian"),
    [(published.TOPICS, 62.3, 149.5, 3.11), (published.REVIEWS, 21.8, 109.0, 1.49)],
    ids=["topics", "reviews"],
)
def test_noise_has_the_papers_sizes(changes, margin, weight, gaussian):
    """Noise on a margin and on a log-weight, by the formulas and from the texts' own releases."""
    settings = HypothesesSettings().change(**changes).change(epsilon=1.0, repeats=2)
    d = domains.world(settings.model.where).features
    hypothesis = sources.hypothesis_sensitivity(settings.source_rows, settings.lambda_lr)
    tilt = importance.sensitivity(settings.unlabelled_rows, settings.lambda_iw)
    pairs = ("exponential", hypothesis), ("exponential", tilt), ("gaussian", hypothesis)
    found = [Budget(epsilon=1.0, noise=law).coordinate_sd(each, dimension=d) for law, each in pairs]
    assert found == pytest.approx([margin, weight, gaussian], rel=0.005)
    # At so large an epsilon they are 1
    assert HypothesesResult(settings=settings, found={}).epsilon_for(d) == pytest.approx((margin, weight), rel=0.005)
    assert settings.answers()[0].run().margins[:, 1].mean() == pytest.approx(margin, rel=0.05)


@pytest.fixture(scope="module", params=["topics", pytest.param("reviews", marks=pytest.mark.soak)])
def found(request):
    """The two laws over epsilon at the paper's sizes, six repeats, the fewest that can show a difference at 95 %."""
    changes = {"topics": published.TOPICS, "reviews": published.REVIEWS}[request.param]
    settings = HypothesesSettings().change(**changes).change(repeats=6)
    wanted = [key for key in settings.work if key[0] == "law" or key == ("epsilon", math.inf)]
    return first(settings, (task for key in wanted for task in settings.work[key]))


class TestPaper:
    def test_its_noise_needs_an_epsilon_of_hundreds_and_gaussian_noise_of_ten(self, found):
        assert [found.helps_from(law, 0) for law in LAWS] in ([300, 10], [300, 30], [100, 10])
        assert [found.near_from(law, 0) for law in LAWS] == [300, 30]
        plain = found.plain.middle("transfer")
        at, (_, medians, _) = found.curve("transfer", "law", "exponential", 0)
        assert tuple(at) == EPSILONS
        assert medians[EPSILONS.index(30)] < plain - 0.2
        assert medians[EPSILONS.index(10)] < np.median(found.accuracy["weak"])

    def test_a_few_public_directions_learn_from_ten_and_then_stay_behind(self, found):
        ten, last = EPSILONS.index(10), EPSILONS.index(1000)
        few, all_words = (
            found.curve("transfer", "law", "exponential", width).quantiles[1] for width in (DIRECTIONS, 0)
        )
        assert few[ten] > all_words[ten] + 0.15
        assert few[last] < all_words[last] - 0.02

    def test_sentences_say_from_which_epsilon_on(self, found):
        measured = [
            how(law, width) for width in (0, DIRECTIONS) for how in (found.helps_from, found.near_from) for law in LAWS
        ]
        said = re.findall(r"from epsilon ([\d,.]+) on", plain(" ".join(say._laws(found))))
        assert said == [f"{one:,g}" for one in measured if EPSILONS[0] < one < math.inf] != []

    def test_the_worlds_have_its_sizes(self, found):
        sizes = {"topics": (5, 5588, 800, 1500, 320), "reviews": (4, 2969, 1000, 2000, 600)}
        settings = found.settings
        K, d, labelled, public, test = sizes[settings.data]
        drawn, target = work.draw(settings.model, 0), work.target_fit(settings.target(), 0)
        assert domains.world(settings.model.where).public.shape == (public, d)
        assert [part[0].shape for part in drawn.labelled] == [(labelled, d)] * K
        assert [part[0].shape for part in drawn.unlabelled] == [(1000, d)] * K
        assert target.X.shape == (1500, d)
        assert abs(target.X_test.shape[0] - test) <= 1

    def test_an_answer_keeps_no_vector_of_all_words(self, found):
        small, parts = sizes(found.settings.probe().run())
        assert small + sum(parts.values()) < 20_000


def test_objective_noise_works_with_all_words():
    settings = HypothesesSettings().change(**published.REVIEWS).change(noise="objective", repeats=2)
    outcome = settings.answers(epsilon=300.0)[0].run()
    assert outcome.accuracy[:, 0].min() > outcome.accuracy[:, 4].max()


def test_the_curve_stands_before_all_of_todays_runs():
    """A point at every epsilon, of the first runs: with all words the others take ten seconds."""
    settings = HypothesesSettings(**published.TOPICS)
    tasks = settings.tasks()
    first = [tasks.index(settings.work["epsilon", epsilon][0]) for epsilon in EPSILONS]
    assert max(first) < next(place for place, task in enumerate(tasks) if task.work is work.fit_sources)
