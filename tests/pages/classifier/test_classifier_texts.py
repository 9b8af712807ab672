"""What the classifier's page says, and what its versions claim, held against what was computed."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

from dpcore.accountants import gdp
from dpcore.accountants.attacker import best_attacker
from dpcore.privacy import Adjacency
from lab.data.classification import LINEAR_DATASETS
from lab.models import classifier_versions
from lab.uploads import rows as own_rows
from pages.classifier import charts, texts_tables
from pages.classifier import texts as say
from pages.classifier.settings import ClassifierSettings
from tests import attackers, reached
from tests.claims import better, since, too_few, unexplained, until, worse
from tests.lab.uploads.test_rows import PEOPLE, table_of, visits
from tests.sentences import (
    Rules,
    always,
    amount,
    beyond_accuracy,
    costs,
    counts,
    first,
    hold,
    percent,
    plain,
    says,
    tiles,
    titles,
    two_stories,
)

QUICK = {
    "repeats": [2, 6, 8, 20],
    "steps": (1, 40),
    "public_steps": (1, 40),
    "seed": (0, 9),
    "dataset": [*LINEAR_DATASETS],
}
ONCE = [
    ClassifierSettings(),
    ClassifierSettings(repeats=4, steps=20, public_steps=40),
    ClassifierSettings(epsilon=0.047),
    ClassifierSettings(epsilon=5.0, rows_each=7, clip_norm=0.01),
    ClassifierSettings(version="published", epsilon=1.9, clip_norm=30.0),
    ClassifierSettings(shift=3.0, epsilon=1.0, public_rows=500, public_steps=400),
    ClassifierSettings(learning_rate=100.0, dataset="digits", steps=20, repeats=6),
    ClassifierSettings(
        dataset="breast_cancer",
        version="published",
        epsilon=33.0,
        steps=2,
        learning_rate=35.0,
        seed=1,
    ),
    ClassifierSettings(learning_rate=100.0, steps=2, epsilon=0.05, repeats=3),
    ClassifierSettings(dataset="moons", public_rows=2, public_steps=200, epsilon=10.0, steps=2),
]


def words(result) -> str:
    parts = [
        say.verdict(result),
        *say.diagnostics(result),
        say.guarantee(result),
        texts_tables.insight(result),
    ]
    parts += [
        *tiles(say.numbers(result)),
        say.caption(result),
        say.by_class(result),
        say.map_alt(result, 0),
    ]
    return " ".join([*parts, *titles(charts.accuracy(result))])


def middle(result) -> float:
    return float(np.median(result.ensemble.accuracy[0]))


def reference(result) -> float:
    return result.reference.accuracy


def interval(result) -> tuple[float, float]:
    public, scratch = result.ensemble.accuracy[1], result.ensemble.accuracy[0]
    found = stats.quantile_test(public - scratch, p=0.5).confidence_interval(0.95)
    return (-np.inf, np.inf) if np.isnan(found.low) else (found.low, found.high)


def started(result, case=better) -> bool:
    """Whether the public start is shown to be better, or worse."""
    whole = result.settings.repeats == result.ensemble.accuracy.shape[1]
    return case(*result.ensemble.accuracy[::-1], constant=always(result), whole=whole)


def gains(result) -> np.ndarray:
    """What the public start adds in the median pair at each epsilon, in points; NaN where it is
    still to be trained.
    """
    return 100 * np.median(np.subtract(*result.accuracy.runs[::-1]), axis=-1)


def gain_shown(result, place: int) -> bool:
    return better(
        result.accuracy.runs[1, place], result.accuracy.runs[0, place], constant=always(result)
    )


def shown_at(result, epsilon: str) -> bool:
    return gain_shown(result, int(np.abs(result.table()["epsilon"] - amount(epsilon)).argmin()))


def best_gain(result) -> float:
    return max(
        (gain for n, gain in enumerate(gains(result)) if gain_shown(result, n)), default=np.nan
    )


def costly(result):
    """Return the values of epsilon on the axis, and whether privacy is shown to cost accuracy at
    one of them.
    """
    every = zip(result.table()["epsilon"], result.accuracy.runs[0], strict=True)
    found = {epsilon: runs for epsilon, runs in every if not np.isnan(runs[0])}
    return [*found], lambda place: worse(found[place], reference(result), constant=always(result))


def bounded(result) -> float:
    return result.guarantees.bounded.epsilon


RULES: Rules = {
    r"Attacker's accuracy, at most:? ([\d.]+)": lambda r, m: (
        m[1] == "100"
        if r.settings.version == "none"
        else attackers.close(r.guarantees.formula, m[1])
    ),
    **costs(
        lambda r: r.ensemble.accuracy[0],
        reference,
        lambda r: r.ensemble.noise / float(r.ensemble.signal[0]),
    ),
    r"Median accuracy is ([\d.]+) % private and ([\d.]+) %": percent(middle, reference),
    r"public rows? adds ([\d.]+) points? in the median pair": lambda r, m: (
        interval(r)[0] > 0
        and started(r)
        and abs(amount(m[1]) - 100 * np.median(r.ensemble.accuracy[1] - r.ensemble.accuracy[0]))
        <= 0.051
    ),
    r"public rows? lowers accuracy by [\d.]+ points?": lambda r, _: (
        interval(r)[1] < 0 and started(r, worse)
    ),
    r"No difference can be shown": lambda r, _: (
        not started(r) and not too_few(r.ensemble.accuracy[0])
    ),
    r"pairs of runs are too few to say what pre-training": lambda r, _: too_few(
        r.ensemble.accuracy[0]
    ),
    r"Accuracy by epsilon: no loss is shown": lambda r, _: not any(map(costly(r)[1], costly(r)[0])),
    r"every run gives the same model\. Epsilon and the clipping norm have no effect": (
        lambda r, _: (
            replace(r.settings, epsilon=9.0, clip_norm=0.3).experiment.run().ensemble.weights[:, :1]
            == r.ensemble.weights
        ).all()
    ),
    r"confidence interval ([+−]?[\d.]+) to ([+−]?[\d.]+), sign test": lambda r, m: np.allclose(
        [amount(one) for one in m.groups()], 100 * np.array(interval(r)), atol=0.051
    ),
    r"gain from pre-training in the median pair of runs is \+([\d.]+) points, at epsilon ([\d.,]*\d)\.": lambda r, m: (
        shown_at(r, m[2]) and abs(amount(m[1]) - best_gain(r)) <= 0.051
    ),
    r"no gain can be shown, but the published table": lambda r, _: not gain_shown(r, -1),
    r"At epsilon 150 it is \+([\d.]+), and \S+ in the published": says(
        lambda r: gains(r)[-1], given=lambda r: gain_shown(r, -1), rel=0, within=0.051
    ),
    r"No gain from pre-training can be shown here": lambda r, _: np.isnan(best_gain(r)),
    r"whether you are in the data": lambda r, _: r.settings.adjacency == "add/remove",
    r"your row or another one was used": lambda r, _: r.settings.adjacency == "replace-one",
    r"Actual epsilon: ([\d.,e+-]*\d)": says(bounded),
    r"but their noise does not give it": lambda r, _: bounded(r) > r.guarantees.claimed,
    r"It holds here only because": lambda r, _: (
        bounded(r) <= r.guarantees.claimed < r.guarantees.unbounded.epsilon
    ),
    **two_stories(lambda r: r.held_out["scratch"]),
    **beyond_accuracy(lambda r: r.held_out["scratch"], lambda r: r.held_out["reference"]),
}
SELDOM: Rules = {
    r"non-private model does no better, at": lambda r, _: reference(r) <= always(r),
    r"So far, (\d+) of (\d+) models": counts(lambda r: r.trained, lambda r: r.settings.repeats),
    r"privacy costs accuracy up to epsilon ([\d.]*\d)": lambda r, m: until(
        *costly(r), amount(m[1])
    ),
    r"privacy costs accuracy everywhere": lambda r, _: since(*costly(r), 0),
    **attackers.rules(lambda r: r.guarantees.formula),
}


@pytest.fixture(scope="module")
def once():
    return [one.experiment.run() for one in ONCE]


def test_every_sentence_says_what_was_computed_and_a_first_picture_claims_nothing(once):
    hold(
        ClassifierSettings,
        words,
        RULES,
        within=QUICK,
        also=once,
        count=24,
        seldom=SELDOM,
        harmless=("adds? noise",),
    )
    said = plain(words(first(ClassifierSettings(dataset="digits", repeats=40, steps=400))))
    assert "o far" in said
    assert not unexplained(said)


def test_every_text_is_reached(once):
    small = ClassifierSettings(repeats=6, steps=20, public_steps=40)
    unfinished = small.change(dataset="breast_cancer", repeats=8, learning_rate=0.1, clip_norm=0.3)
    more = (
        unfinished,
        small.change(version="none"),
        small.change(clip_norm=0.01),
        small.change(repeats=2),
    )
    more = *more, small.change(public_steps=1)
    for result in (*once[1:], *(settings.experiment.run() for settings in more)):
        words(result), texts_tables.table(result), charts.accuracy(result), charts.loss(result)
        say.lead(result.settings)
    large = ClassifierSettings(dataset="digits", repeats=40, steps=5)
    charts.accuracy(first(large))
    result = large.experiment.run()
    part = replace(result.accuracy, runs=np.where(np.arange(40) < 20, result.accuracy.runs, np.nan))
    charts.column_weights(result), charts.accuracy(replace(result, accuracy=part))
    people = own_rows.choose(table_of(visits()), PEOPLE)
    result = small.change(dataset="own").change(own=people).experiment.run()
    say.guarantee(result)
    say.caption(result), charts.column_weights(result), charts.accuracy(result)
    assert reached.unread(charts.SAYS) == []


# The versions: what each claims and what holds, from the formulas on paper


def gaussian_delta(epsilon: float, mu: float) -> float:
    """delta of a mu-GDP release by plain numerical integration of max(0, p - e^epsilon q)."""
    x = np.linspace(-12, 12 + mu, 400_001)
    gap = stats.norm.pdf(x, mu) - math.exp(epsilon) * stats.norm.pdf(x)
    return np.maximum(gap, 0).sum() * (x[1] - x[0])


@pytest.mark.parametrize("adjacency", Adjacency)
def test_the_sound_version_gives_what_it_claims_and_no_privacy_gives_none(adjacency):
    for dataset, epsilon in product(["gaussians", "digits"], [0.01, 0.5, 150.0]):
        one = ClassifierSettings(
            dataset=dataset, epsilon=epsilon, adjacency=str(adjacency), repeats=3, steps=6
        )
        found = classifier_versions.guarantees(one)
        assert found.holds
        assert found.claimed == epsilon
        assert found.formula == found.bounded == found.unbounded
        assert epsilon * (1 - 1e-9) < found.formula.epsilon <= epsilon
        assert (found.formula.delta, found.formula.adjacency) == (1e-5, adjacency)
        mu, attacker = gdp.mu_of(epsilon, delta=one.delta), best_attacker(one.guarantee)
        assert attacker == (pytest.approx(stats.norm.cdf(mu / 2), rel=1e-9), "noise")
        assert 0.5 < attacker.right <= one.guarantee.attacker_accuracy
    found = classifier_versions.guarantees(one.change(version="none"))
    assert not found.holds
    assert found.formula.epsilon == found.bounded.epsilon == found.unbounded.epsilon == math.inf


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize(("dataset", "features", "rows"), [("gaussians", 2, 400), ("iris", 4, 75)])
@pytest.mark.parametrize("clip_norm", [0.01, 0.02, 1.0])
def test_what_the_published_version_gives(clip_norm, dataset, features, rows, adjacency):
    how = {
        "version": "published",
        "dataset": dataset,
        "clip_norm": clip_norm,
        "steps": 40,
        "public_rows": 0,
    }
    one = ClassifierSettings(adjacency=str(adjacency), epsilon=2.0, repeats=3, **how)
    found = classifier_versions.guarantees(one)
    assert not found.holds
    # Its noise, and how far one row moves what it is added to.
    sd = (2 * clip_norm / (rows * 2.0)) * math.sqrt(2 * 40 * math.log(1.25 / 1e-5))
    assert classifier_versions.noise_sd(one, 2.0) == pytest.approx(sd, rel=1e-12)
    moved = 2 if adjacency is Adjacency.REPLACE_ONE else 1
    longest = math.sqrt(features + 1) * (1 if dataset == "gaussians" else math.sqrt(2))
    bounded = min(2 * clip_norm, moved * longest / rows)
    for name, sensitivity in (
        ("formula", moved * clip_norm / rows),
        ("bounded", bounded),
        ("unbounded", 2 * clip_norm),
    ):
        guarantee, mu = getattr(found, name), sensitivity * math.sqrt(40) / sd
        assert guarantee.epsilon == pytest.approx(gdp.epsilon_of(1e-5, mu=mu), rel=1e-9)
        if mu < 8:
            assert gaussian_delta(guarantee.epsilon, mu) == pytest.approx(1e-5, rel=1e-3)
    assert found.formula.epsilon <= found.bounded.epsilon <= found.unbounded.epsilon


def test_the_published_gains_have_three_slips():
    assert classifier_versions.misprinted_gains() == (0.1, 0.5, 150.0)
    computed = [after - before for before, after, _ in classifier_versions.PUBLISHED.values()]
    np.testing.assert_allclose(computed, [0, 0.5, 1, 6.75, 10.25, 11, 11, 10.5, 10.5])
