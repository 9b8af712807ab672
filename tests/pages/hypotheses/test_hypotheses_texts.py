"""The texts of the page of hypotheses, compared with what was computed, and its charts."""

from dataclasses import replace
from functools import partial

import numpy as np

from lab.statistics.claims import Case
from pages.hypotheses import charts, texts
from pages.hypotheses.page import PAGE
from pages.hypotheses.result import HypothesesResult
from pages.hypotheses.settings import HypothesesSettings
from tests import reached
from tests.claims import unexplained
from tests.pages.hypotheses.rules import HARMLESS, RARE_RULES, RULES
from tests.sentences import first, hold, plain, tiles, titles
from ui.compute.runner import compute

# Most letters of a verdict, which is two lines.
LONGEST = 260
# Values of random settings. They share their fits, which do not depend on epsilon.
QUICK = {
    "data": ["domains", "topics"],
    "sources": [2, 5],
    "dimension": [2, 20],
    "similarity": [0.0, 0.5, 1.0],
    "source_rows": [200],
    "unlabelled_rows": [200],
    "target_rows": [300],
    "public_rows": [300],
    "lambda_lr": [0.003, 0.1],
    "lambda_iw": [0.001],
    "repeats": [2, 6, 12],
    "seed": [3],
}
SMALL = HypothesesSettings(
    source_rows=200, unlabelled_rows=200, target_rows=300, public_rows=300, repeats=6
)
PROJECTED_EXAMPLES = [
    SMALL,
    SMALL.change(epsilon=0.1, label_share=0.5, repeats=12),
    SMALL.change(epsilon=1000.0, similarity=1.0),
    SMALL.change(epsilon=300.0, mixture="1-0-0-0-0"),
    SMALL.change(noise="gaussian", delta=1e-2),
    SMALL.change(noise="objective", epsilon=3.0),
    SMALL.change(epsilon=0.5),
    SMALL.change(data="topics", epsilon=300.0, dimension=20),
]
ALL_WORDS_EXAMPLES = [
    SMALL.change(data="topics", epsilon=300.0, projection="none", repeats=2),
    SMALL.change(data="reviews", epsilon=30.0, projection="none", repeats=2),
]
REGULARISED_EXAMPLE = SMALL.change(lambda_lr=1.0, epsilon=1000.0)
EXAMPLES = [*PROJECTED_EXAMPLES, *ALL_WORDS_EXAMPLES, REGULARISED_EXAMPLE]
TINY = SMALL.change(source_rows=100, unlabelled_rows=100, target_rows=200, public_rows=200)
TINY_EXAMPLES = [
    TINY.change(epsilon=30.0, repeats=20, mixture="0.2-0.2-0.2-0.2-0.2"),
    TINY.change(noise="objective", epsilon=3.0, lambda_lr=1e-4),
    TINY.change(epsilon=1000.0, similarity=1.0, lambda_lr=1.0),
    TINY.change(data="topics", projection="none", repeats=2),
]


def all_texts(result: HypothesesResult) -> str:
    """Return the texts of a result, and the titles of its charts."""
    verdict = texts.verdict(result)
    assert len(plain(verdict)) <= LONGEST
    parts = [
        *tiles(texts.numbers(result)),
        verdict,
        texts.steps(result),
        *texts.diagnostics(result),
        texts.guarantee(result),
        *titles(
            charts.accuracy(result),
            charts.weights(result),
        ),
    ]
    return " ".join(parts)


def runs_at_set_values(settings: HypothesesSettings) -> list:
    """Return the tasks of all runs at the set values, so that the verdict claims something."""
    return list(settings.experiment.shown_sample())


def with_and_without_noise(settings: HypothesesSettings) -> HypothesesResult:
    """Return the result of all runs at the set values, with and without noise."""
    return first(
        settings, [*runs_at_set_values(settings), *settings.experiment.without_noise.tasks]
    )


def test_every_sentence_is_true():
    without_noise = [with_and_without_noise(settings) for settings in EXAMPLES]
    complete = SMALL.change(seed=3).experiment.run()

    hold(
        HypothesesSettings,
        all_texts,
        RULES,
        seldom=RARE_RULES,
        harmless=HARMLESS,
        within=QUICK,
        also=[*EXAMPLES, *without_noise, complete],
        count=12,
        essential=runs_at_set_values,
    )


def test_a_first_result_claims_nothing():
    result = first(HypothesesSettings(seed=4712))

    text = plain(all_texts(result))

    assert "o far" in text
    assert not unexplained(text, harmless=HARMLESS)


# Charts


def test_a_legend_names_all_methods_before_their_curves():
    result, done = compute(SMALL.change(repeats=2, seed=4711, epsilon=7.0), seconds=0)

    traces = charts.accuracy(result)["data"]

    assert done < 1
    assert np.isnan(result.over_epsilon.runs).all()
    named = [trace for trace in traces if trace.get("name")]
    assert len(named) == 4
    assert all(trace["x"]["bdata"] for trace in named)


def test_bars_are_median_weights():
    result = first(SMALL, runs_at_set_values(SMALL))

    shapes = charts.weights(result)["layout"]["shapes"]

    heights = [shape["y1"] for shape in shapes if shape["type"] == "rect"]
    medians = 100 * np.median(result.outcome.weights, axis=0)
    np.testing.assert_allclose(heights, medians)


# Texts


def test_every_text_is_reached(monkeypatch):
    show = partial(reached.show, PAGE)
    show(first(HypothesesSettings(seed=9)))  # three runs of twenty
    complete = []
    for data in ("domains", "topics"):
        complete.append(show(TINY.change(data=data, repeats=2).experiment.run()))
    for settings in (*PROJECTED_EXAMPLES, ALL_WORDS_EXAMPLES[0], *TINY_EXAMPLES):
        result = show(first(settings, runs_at_set_values(settings)))

    # What other runs would show.
    monkeypatch.setattr(HypothesesResult, "harmed", 0.5)
    for result_of_data in complete:
        show(replace(result_of_data))  # a copy without cached properties
    for case in Case:
        monkeypatch.setattr(HypothesesResult, "compare", lambda *_, case=case: case)
        show(result)
        for cases in ([case, case], [Case.ALIKE, case], [Case.AHEAD, case]):
            by_epsilon = dict(enumerate(cases))
            monkeypatch.setattr(HypothesesResult, "cases_by_epsilon", by_epsilon)
            show(replace(complete[0]))
    assert reached.unread(texts.SAYS) == []
