"""Texts of the classifier's page, compared with what was computed."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from lab.data.classification import LINEAR_DATASETS
from lab.statistics.price import Offer
from lab.uploads import rows as own_rows
from pages.classifier import charts, texts, texts_tables
from pages.classifier.result import ClassifierResult
from pages.classifier.settings import ClassifierSettings
from tests import attackers, reached
from tests.claims import better, too_few, unexplained, worse
from tests.own_files import PEOPLE, table_of, visits
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
)

# Gains have one decimal, in points.
POINT_ROUNDING = 0.051
# Ranges of random settings that are trained quickly.
QUICK = {
    "repeats": [2, 6, 8, 20],
    "steps": (1, 40),
    "public_steps": (1, 40),
    "seed": (0, 9),
    "dataset": [*LINEAR_DATASETS],
}
# Settings with sentences that random ones seldom have.
SELDOM_DRAWN = [
    ClassifierSettings(),
    ClassifierSettings(epsilon=0.62),
    ClassifierSettings(epsilon=2.0),
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


def page_text(result: ClassifierResult) -> str:
    """Return all that the page says of a result."""
    parts = [
        texts.verdict(result),
        *texts.diagnostics(result),
        texts.guarantee(result),
        texts_tables.insight(result),
        *tiles(texts.numbers(result)),
        texts.caption(result),
        texts.by_class(result),
        texts.map_alt(result, 0),
        *titles(charts.accuracy(result)),
        *price_tags(result),
        charts.accuracy_clicks(result)["drag"]["slider"]["text"],
    ]
    return " ".join(parts)


def price_tags(result: ClassifierResult) -> list[str]:
    """Return the price tag of the curve, if there is one."""
    annotations = charts.accuracy(result)["layout"]["annotations"]
    texts_of_chart = [annotation["text"] for annotation in annotations]
    return [text.replace("<br>", " ") for text in texts_of_chart if " point " in text]


# Numbers of a result, computed apart from the page


def private_median(result) -> float:
    """Return the median accuracy of the private runs from scratch."""
    return float(np.median(result.accuracies[0]))


def reference_accuracy(result) -> float:
    """Return the accuracy of the non-private model from scratch."""
    return result.reference.accuracy


def noise_to_signal(result) -> float:
    """Return the noise of a step over the signal of the first step, from scratch."""
    return result.ensemble.noise / float(result.ensemble.signal[0])


def gain_interval(result) -> tuple[float, float]:
    """Return the 95 % interval of the gain from pre-training, by the sign test."""
    scratch, public = result.accuracies
    interval = stats.quantile_test(public - scratch, p=0.5).confidence_interval(0.95)
    if np.isnan(interval.low):
        return -np.inf, np.inf
    return interval.low, interval.high


def median_gain(result) -> float:
    """Return the gain from pre-training in the median pair of runs, in points."""
    scratch, public = result.accuracies
    return 100 * float(np.median(public - scratch))


def pre_training_shows(result, compare: Callable[..., bool]) -> bool:
    """Return whether the public start is shown to be better, or worse."""
    scratch, public = result.accuracies
    all_trained = result.settings.repeats <= len(scratch)
    return compare(public, scratch, constant=always(result), whole=all_trained)


def has_too_few_runs(result) -> bool:
    """Return whether the runs are too few to show a difference even if all of them agreed."""
    return too_few(result.accuracies[0])


def gains(result) -> np.ndarray:
    """Return the median gain at each epsilon, in points, NaN where it is not trained yet."""
    scratch, public = result.published_runs
    return 100 * np.median(public - scratch, axis=-1)


def gain_is_shown(result, index: int) -> bool:
    """Return whether a gain is shown at an epsilon of the curve."""
    scratch, public = result.published_runs
    return better(public[index], scratch[index], constant=always(result))


def index_of(result, epsilon: str) -> int:
    """Return the index of the epsilon that a text names."""
    return int(np.abs(result.table()["epsilon"] - amount(epsilon)).argmin())


def largest_gain(result) -> float:
    """Return the largest gain that is shown, or NaN."""
    shown = [gain for index, gain in enumerate(gains(result)) if gain_is_shown(result, index)]
    return max(shown, default=np.nan)


def last_gain(result) -> float:
    """Return the median gain at the last epsilon of the curve, in points."""
    return gains(result)[-1]


def last_gain_is_shown(result) -> bool:
    """Return whether a gain is shown at the last epsilon of the curve."""
    return gain_is_shown(result, -1)


def bounded_epsilon(result) -> float:
    """Return the epsilon that holds for rows within their public bounds."""
    return result.guarantees.bounded.epsilon


# Rules: what a sentence may say of a result. ``match`` has the numbers in it.


def is_attacker_limit(result, match) -> bool:
    """Return whether a text states the accuracy of the best attacker, 100 without privacy."""
    if result.settings.version == "none":
        return match[1] == "100"
    return attackers.close(result.guarantees.formula, match[1])


def is_gain(result, match) -> bool:
    """Return whether a gain from pre-training is shown, and its median is the stated one."""
    low, _ = gain_interval(result)
    is_close = abs(amount(match[1]) - median_gain(result)) <= POINT_ROUNDING
    return low > 0 and pre_training_shows(result, better) and is_close


def is_loss(result, match) -> bool:
    """Return whether a loss from pre-training is shown, whatever its size is."""
    _, high = gain_interval(result)
    return high < 0 and pre_training_shows(result, worse)


def shows_no_difference(result, match) -> bool:
    """Return whether the runs are enough to show a gain from pre-training, and show none."""
    return not pre_training_shows(result, better) and not has_too_few_runs(result)


def too_few_pairs(result, match) -> bool:
    """Return whether the pairs of runs are too few to show a difference."""
    return has_too_few_runs(result)


def has_no_noise(result, match) -> bool:
    """Return whether another epsilon and clipping norm train the same model."""
    other = replace(result.settings, epsilon=9.0, clip_norm=0.3).experiment.run()
    return bool((other.ensemble.weights[:, :1] == result.ensemble.weights).all())


def is_gain_interval(result, match) -> bool:
    """Return whether a text states the 95 % interval of the gain from pre-training, in points."""
    ends = [amount(text) for text in match.groups()]
    return np.allclose(ends, 100 * np.array(gain_interval(result)), atol=POINT_ROUNDING)


def is_largest_gain(result, match) -> bool:
    """Return whether a text states the largest shown gain, and a gain is shown at its epsilon."""
    is_close = abs(amount(match[1]) - largest_gain(result)) <= POINT_ROUNDING
    return gain_is_shown(result, index_of(result, match[2])) and is_close


def no_last_gain(result, match) -> bool:
    """Return whether no gain is shown at the last epsilon of the curve."""
    return not last_gain_is_shown(result)


def no_gain_anywhere(result, match) -> bool:
    """Return whether no gain is shown at any epsilon of the curve."""
    return bool(np.isnan(largest_gain(result)))


def has_adjacency(adjacency: str) -> Callable[..., bool]:
    """Return a rule: the settings have this adjacency."""
    return lambda result, match: result.settings.adjacency == adjacency


def noise_is_too_small(result, match) -> bool:
    """Return whether the epsilon that holds for bounded rows exceeds the claimed one."""
    return bounded_epsilon(result) > result.guarantees.claimed


def holds_by_bounds_alone(result, match) -> bool:
    """Return whether the claimed epsilon holds for bounded rows, and not for unbounded ones."""
    guarantees = result.guarantees
    return bounded_epsilon(result) <= guarantees.claimed < guarantees.unbounded.epsilon


def reference_is_no_better(result, match) -> bool:
    """Return whether the non-private model does no better than the best constant prediction."""
    return reference_accuracy(result) <= always(result)


def has_price(offer: Offer) -> Callable[..., bool]:
    """Return whether a price may be said of 400 runs, and is of this kind."""
    return lambda result, match: result.trained >= 400 and result.price.offer == offer


def is_price(result, match) -> bool:
    """Return whether the numbers of a tag are those of the curve, to one digit."""
    price = result.price
    numbers = (price.guesses, price.low, price.high)
    said = [float(text) for text in match.groups()]
    return has_price(Offer.PRICE)(result, match) and said == [float(f"{n:.1g}") for n in numbers]


LARGEST_GAIN = (
    r"gain from pre-training in the median pair of runs is \+([\d.]+) points,"
    r" at epsilon ([\d.,]*\d)\."
)
RULES: Rules = {
    r"Attacker right, at most:? ([\d.]+)": is_attacker_limit,
    **costs(lambda result: result.accuracies[0], reference_accuracy, noise_to_signal),
    r"Median accuracy is ([\d.]+) % private and ([\d.]+) %": percent(
        private_median, reference_accuracy
    ),
    r"public rows? adds ([\d.]+) points? in the median pair": is_gain,
    r"public rows? lowers accuracy by [\d.]+ points?": is_loss,
    r"No difference can be shown": shows_no_difference,
    r"pairs of runs are too few to say what pre-training": too_few_pairs,
    r"every run gives the same model\. Epsilon and the clipping norm have no effect": has_no_noise,
    r"one more point costs about ([\d.]+) more right guesses \(([\d.]+) to ([\d.]+)\)": is_price,
    r"No point left to buy": has_price(Offer.NOTHING),
    r"one more point has no clear price": has_price(Offer.UNCLEAR),
    r"attacker right at most ([\d.]+) of 100 guesses": is_attacker_limit,
    r"[\d.]+, accuracy ([\d.]+) %": percent(private_median),
    r"confidence interval ([+−]?[\d.]+) to ([+−]?[\d.]+), sign test": is_gain_interval,
    LARGEST_GAIN: is_largest_gain,
    r"no gain can be shown, but the published table": no_last_gain,
    r"At epsilon 150 it is \+([\d.]+), and \S+ in the published": says(
        last_gain, given=last_gain_is_shown, rel=0, within=POINT_ROUNDING
    ),
    r"No gain from pre-training can be shown here": no_gain_anywhere,
    r"whether you are in the data": has_adjacency("add/remove"),
    r"your row or another one was used": has_adjacency("replace-one"),
    r"Actual epsilon: ([\d.,e+-]*\d)": says(bounded_epsilon),
    r"but their noise does not give it": noise_is_too_small,
    r"It holds here only because": holds_by_bounds_alone,
    **beyond_accuracy(
        lambda result: result.held_out["scratch"], lambda result: result.held_out["reference"]
    ),
}
SELDOM: Rules = {
    r"non-private model does no better, at": reference_is_no_better,
    r"So far, (\d+) of (\d+) models": counts(
        lambda result: result.trained, lambda result: result.settings.repeats
    ),
    **attackers.rules(lambda result: result.guarantees.formula),
}
# Words of claims that claim nothing here.
HARMLESS = ("adds? noise",)


@pytest.fixture(scope="module")
def seldom_drawn() -> list[ClassifierResult]:
    """Return the results of ``SELDOM_DRAWN``."""
    return [settings.experiment.run() for settings in SELDOM_DRAWN]


def test_every_sentence_agrees_with_what_was_computed(seldom_drawn):
    hold(
        ClassifierSettings,
        page_text,
        RULES,
        within=QUICK,
        also=seldom_drawn,
        count=24,
        seldom=SELDOM,
        harmless=HARMLESS,
    )


def test_a_first_picture_claims_nothing():
    heavy = ClassifierSettings(dataset="digits", repeats=40, steps=400)

    text = plain(page_text(first(heavy)))

    assert "o far" in text
    assert not unexplained(text)


def test_every_text_is_read(seldom_drawn):
    small = ClassifierSettings(repeats=6, steps=20, public_steps=40)
    further = [
        small.change(dataset="breast_cancer", repeats=8, learning_rate=0.1, clip_norm=0.3),
        small.change(version="none"),
        small.change(clip_norm=0.01),
        small.change(repeats=2),
        small.change(public_steps=1),
    ]
    results = [*seldom_drawn, *(settings.experiment.run() for settings in further)]

    for result in results:
        page_text(result)
        texts_tables.table(result)
        charts.accuracy(result)
        charts.accuracy_clicks(result)
        charts.loss(result)
        texts.lead(result.settings)
    read_texts_of_unfinished_runs()
    read_texts_of_a_file(small)

    assert reached.unread(charts.SAYS) == []


def read_texts_of_unfinished_runs() -> None:
    """Read what is said while the ensemble, and half of the runs of the curve, are trained."""
    heavy = ClassifierSettings(dataset="digits", repeats=40, steps=5)
    charts.accuracy(first(heavy))
    result = heavy.experiment.run()
    is_first_half = np.arange(40) < 20
    half = replace(result.accuracy, runs=np.where(is_first_half, result.accuracy.runs, np.nan))
    charts.column_weights(result)
    charts.accuracy(replace(result, first_curve=half))


def read_texts_of_a_file(settings: ClassifierSettings) -> None:
    """Read what is said about a visitor's file with several rows per person."""
    people = own_rows.choose(table_of(visits()), PEOPLE)
    result = settings.change(dataset="own").change(own=people).experiment.run()
    texts.guarantee(result)
    texts.caption(result)
    charts.column_weights(result)
    charts.accuracy(result)
