"""Sentences and numbers of the attack page over random settings: each is stated where it is true."""

import re
from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from dpcore.attacks import audit
from dpcore.privacy import Adjacency
from lab.models.classifier_versions import VERSIONS
from lab.statistics.claims import Case
from pages.attack import charts, page, texts
from pages.attack.audits import texts as audits_texts
from pages.attack.fairness import texts as fairness_texts
from pages.attack.fairness.result import MAJORITY, MINORITY
from pages.attack.fairness.tasks import GROUPS
from pages.attack.inversion import texts as inversion_texts
from pages.attack.inversion.result import InversionResult, Match
from pages.attack.membership import texts as membership_texts
from pages.attack.membership.result import MODELS
from pages.attack.settings import AttackSettings
from tests import reached
from tests.claims import better, worse
from tests.pages.attack.random_results import (
    COUNTS,
    MULTIPLE,
    Shadow,
    first_result,
    membership_result,
    random_result,
    result_without_curve,
    settings_of,
)
from tests.rare_guesses import assert_rare_guess, states_rare_guess
from tests.sentences import amount, plain
from ui.text.tiles import number, out_of_hundred, percent_rounded_up

# No sentence genders the attacker, says that a row is there or not where one is replaced, or uses
# worn phrases.
NEVER = re.compile(
    r"\b(he|his|him|she|her)\b|is in the data|all the same|by itself|  ", re.IGNORECASE
)
TAG = re.compile("<[^>]+>")
# What is true of a result, computed in another way


def shown_epsilon(result) -> float:
    """Return the lower bound on epsilon that counting the test scores gives."""
    return audit.epsilon_lower_bound(
        *result.attack.tested,
        form="count",
        delta=result.settings.delta,
        adjacency=Adjacency(result.settings.adjacency),
        confidence=0.975,
    ).epsilon


def is_correct(result) -> bool:
    """Return whether the mechanism is the correct one."""
    return result.settings.version == "correct"


def is_published(result) -> bool:
    """Return whether the mechanism is the published one, whose claim is wrong."""
    return result.settings.version == "published"


def is_non_private(result) -> bool:
    """Return whether the training has no privacy."""
    return result.settings.version == "none"


def is_refuted(result) -> bool:
    """Return whether the attack shows more than the set epsilon."""
    return shown_epsilon(result) > result.settings.epsilon


def keeps_to_bound(result) -> bool:
    """Whether an attack on the correct mechanism is better than chance, within its interval."""
    is_better = 0.5 < result.attack.low <= result.noise_bound
    return is_correct(result) and not is_refuted(result) and is_better


def unevenness(result) -> int:
    """1 or -1 if the minority's or the majority's loss is shown to be larger by a point."""
    losses = result.plain[:, None] - result.runs
    minority, majority = losses[MINORITY], losses[MAJORITY]
    median_gap = float(np.median(minority - majority))
    if better(minority, majority) and median_gap >= 0.0099:
        return 1
    if worse(minority, majority) and median_gap <= -0.0099:
        return -1
    return 0


def majority_change(result) -> int:
    """1 or -1 if the majority's accuracy is shown to rise or to fall."""
    private = result.runs[MAJORITY]
    plain = result.plain[MAJORITY]
    return better(private, plain) - worse(private, plain)


def median_gap(result) -> float:
    """Return the median over runs of the minority's loss of accuracy less the majority's."""
    losses = result.plain[:, None] - result.runs
    return float(np.median(losses[MINORITY] - losses[MAJORITY]))


def is_complete(result) -> bool:
    """Return whether all non-private models are trained."""
    return len(result.plain.members) == MODELS


def has_gap(result) -> bool:
    """Whether all non-private models are trained, and shown to be better on their members."""
    on_members, on_others = result.plain.accuracies.T
    return is_complete(result) and better(on_members, on_others)


def finds_more(result) -> bool:
    """Whether more members are shown to be found without privacy, model by model."""
    plain = result.true_positive_rates_by_model("plain")
    private = result.true_positive_rates_by_model("private")
    return is_complete(result) and better(plain, private)


# Part -> fragment of the verdict -> when it is stated.
VERDICTS = {
    "person": {
        "<b>Caught.</b>": lambda r: is_published(r) and is_refuted(r),
        "more than by chance": lambda r: r.attack.low > 0.5,
        "within the bound of this noise": lambda r: (
            keeps_to_bound(r) and r.attack.accuracy <= r.noise_bound
        ),
        "interval contains the bound of this noise": lambda r: (
            keeps_to_bound(r) and r.attack.accuracy > r.noise_bound
        ),
        "exceeds the bound of this noise": lambda r: (
            is_correct(r) and not is_refuted(r) and r.attack.low > r.noise_bound
        ),
        "lower clipping norm": lambda r: is_published(r) and not is_refuted(r),
        "refute the claim by chance": lambda r: is_correct(r) and is_refuted(r),
        "Nothing is guaranteed": is_non_private,
    },
    "fairness": {
        "not shared evenly": lambda r: unevenness(r) == 1,
        "majority loses more": lambda r: unevenness(r) == -1,
        "No difference in cost of privacy can be shown": lambda r: unevenness(r) == 0,
        "can be shown</b> for the majority": lambda r: majority_change(r) == 0,
        "The majority loses <b>": lambda r: majority_change(r) == -1,
    },
    "membership": {
        "as many</b> without privacy": lambda r: (
            finds_more(r) and r.true_positive_rate("plain") > r.true_positive_rate("private") > 0
        ),
        "of the non-private model only": lambda r: (
            finds_more(r) and r.true_positive_rate("private") == 0
        ),
        "No difference can be shown": lambda r: is_complete(r) and not finds_more(r),
        "So far": lambda r: not is_complete(r),
        "emorisation shows as a generalisation gap": has_gap,
    },
    "inversion": {
        "<b>stay</b>": lambda r: r.class_match.private > 0.7 * r.class_match.plain,
        "cannot be recognised": lambda r: r.record_match.private <= 0.3,
        "can be read": lambda r: r.record_match.private >= 0.7,
        "hard to read even in the non": lambda r: r.record_match.plain < 0.7,
    },
}
# Part -> fragment of the explanation -> when it is stated.
EXPLANATIONS = {
    "person": {"the maximum that the noise formula assumes": is_published},
}
# Fragments that random settings seldom have. ``test_every_text_is_reached`` has them.
SELDOM = {
    "exceeds the bound of this noise",
    "refute the claim by chance",
    "majority loses more",
    "of the non-private model only",
    "interval contains the bound of this noise",
    "can be read",
    "hard to read even in the non",
}


class Within(NamedTuple):
    """A number on a tile, with half of its last digit."""

    value: float
    tolerance: float


def claim_bound(result) -> str:
    """Return the attacker's largest accuracy by the claim, as its tile writes it."""
    accuracy = result.settings.claim.attacker_accuracy
    if accuracy > 0.9995:
        return "100\u00a0of\u00a0100"
    return f"{percent_rounded_up(accuracy)}\u00a0of\u00a0100"


def influence(result) -> str:
    """Return the person's influence as its tile writes it: in percent, or as a multiple."""
    if is_correct(result):
        return f"{out_of_hundred(result.influence)}\u00a0%"
    return f"{number(result.influence)} &times;"


def median_accuracy(result, group: int) -> Within:
    """Return a group's median accuracy over private runs in percent, with the tile's rounding."""
    return Within(100 * np.median(result.runs[group]), 0.51)


# Label of a tile -> its text, or its number.
TILES = {
    "Attacker right, measured": lambda r: Within(100 * r.attack.correct / r.attack.trials, 0.51),
    "Empirical epsilon, at least": lambda r: number(shown_epsilon(r)),
    "Influence on a step": influence,
    "Bound if the claim held": claim_bound,
    "Majority accuracy": lambda r: median_accuracy(r, MAJORITY),
    "Minority accuracy": lambda r: median_accuracy(r, MINORITY),
    "Extra cost to the minority": lambda r: Within(100 * median_gap(r), 0.051),
    "Members found, private": lambda r: Within(100 * r.true_positive_rate("private"), 0.51),
    "Members found, non-private": lambda r: Within(100 * r.true_positive_rate("plain"), 0.51),
    "Bound of this noise": lambda r: Within(100 * r.bound, 0.51),
    "Planted record, private": lambda r: Within(r.record_match.private, 0.0051),
    "Planted record, non-private": lambda r: Within(r.record_match.plain, 0.0051),
}


# What is stated is true


def check_words(result, name: str, rules: Mapping) -> set[str]:
    """Check a text of a result against rules, and return the fragments that it has."""
    text = page.PAGE.at(result.settings).content.texts[name](result)
    words = TAG.sub("", text)
    assert not NEVER.search(words), text
    if name == "verdict":
        assert len(words) <= 300, "at most two lines"
    found = set()
    for fragment, condition in rules.items():
        assert (fragment in text) == bool(condition(result)), (fragment, text, result.settings)
        if fragment in text:
            found.add(fragment)
    return found


def check_interval(result) -> None:
    """Check the interval of the accuracy, and that chance is excluded as it is shown."""
    verdict = plain(texts.verdict(result))
    shown = re.search(
        r"right in ([\d.]+) of 100 guesses \(95 % interval ([\d.]+) to ([\d.]+)\)", verdict
    )
    right, low, high = (amount(text) for text in shown.groups())
    attack = result.attack
    hits = (attack.tested[0] > 0).sum() + (attack.tested[1] <= 0).sum()
    exact = stats.binomtest(int(hits), attack.tested.size).proportion_ci(0.95, method="exact")
    assert right == pytest.approx(100 * hits / attack.tested.size, abs=0.51)
    assert (low, high) == pytest.approx((100 * exact.low, 100 * exact.high), abs=0.51)
    if "more than by chance" in verdict:
        assert low > 50
    if "not shown to be better" in verdict:
        assert low <= 50


def check_losses(result) -> None:
    """Check the losses of both groups, and where they lie in nine of ten runs."""
    verdict = plain(fairness_texts.verdict(result))
    for group, name in enumerate(GROUPS):
        shown = re.search(
            rf"The {name}[^.]* (loses|gains) ([\d.]+) points? \((\S+) to (\S+?)(?: in|\))", verdict
        )
        if shown is None:
            continue
        costs = 100 * (result.plain[group] - result.runs[group])
        if shown[1] == "gains":
            costs = -costs
        expected = np.quantile(costs, [0.5, 0.05, 0.95])
        assert [amount(text) for text in shown.groups()[1:]] == pytest.approx(expected, abs=0.051)


def check_members_found(result) -> None:
    """Check the members found of both models, and where they lie in nine of ten models."""
    verdict = plain(membership_texts.verdict(result))
    if not is_complete(result):
        return
    ranges = re.findall(r"([\d.]+) to ([\d.]+) %", verdict)
    for arm, shown in zip(("plain", "private"), ranges, strict=True):
        rates = 100 * result.true_positive_rates_by_model(arm)
        expected = np.quantile(rates, [0.05, 0.95])
        assert [amount(text) for text in shown] == pytest.approx(expected, abs=0.51)


def check_match(result) -> None:
    """Check the correlation of the planted picture, and its range over the runs."""
    verdict = plain(inversion_texts.verdict(result))
    shown = re.search(r"correlation (\S+), (\S+) to (\S+) in (\d+) runs", verdict)
    matches = result.private.match[1]
    expected = [np.median(matches), matches.min(), matches.max(), len(matches)]
    assert [amount(text) for text in shown.groups()] == pytest.approx(expected, abs=0.0051)


CHECKS = {
    "person": check_interval,
    "fairness": check_losses,
    "membership": check_members_found,
    "inversion": check_match,
}


def check_influences(result) -> None:
    """Check the influences and the lower bound on epsilon that the explanation states."""
    why = TAG.sub("", page.PAGE.at(result.settings).content.texts["why"](result))
    shares = re.search(r"the median has ([\d.]+)\s%, and the highest ([\d.]+)\s%", why)
    assert float(shares[1]) == pytest.approx(100 * np.median(result.influences), abs=0.51)
    assert float(shares[2]) == pytest.approx(100 * result.influences.max(), abs=0.51)
    assert f"at least {number(shown_epsilon(result))}, whatever" in why


def check_tiles(result) -> None:
    """Check the value of each tile of a result whose label is in ``TILES``."""
    for tile in page.PAGE.at(result.settings).content.tiles(result):
        if tile.label not in TILES:
            continue
        value = TAG.sub("", tile.value)
        expected = TILES[tile.label](result)
        if isinstance(expected, Within):
            shown = amount(value.split()[0])
            close = pytest.approx(expected.value, abs=expected.tolerance)
            assert shown == close, (tile.label, result.settings)
        else:
            assert value == expected, (tile.label, result.settings)


@pytest.mark.parametrize("part", COUNTS)
def test_sentences_and_tiles_state_what_was_computed(part):
    """All fragments that are not rare come up."""
    found = set()

    for index in range(COUNTS[part] * MULTIPLE):
        result = random_result(part, index)
        found |= check_words(result, "verdict", VERDICTS[part])
        found |= check_words(result, "why", EXPLANATIONS.get(part, {}))
        check_tiles(result)
        CHECKS[part](result)
        if part == "person" and is_correct(result):
            check_influences(result)

    fragments = {*VERDICTS[part], *EXPLANATIONS.get(part, {})}
    assert fragments - SELDOM <= found


@pytest.mark.parametrize("index", range(4))
@pytest.mark.parametrize("part", COUNTS)
def test_an_explanation_has_at_most_three_sentences(part, index):
    result = random_result(part, index)

    text = TAG.sub(" ", page.PAGE.at(result.settings).content.texts["why"](result))

    assert len(re.findall(r"\.(?=\s|$)", text)) <= 3, text


# Guarantee


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 40.0])
@pytest.mark.parametrize("part", COUNTS)
def test_the_guarantee_says_what_becomes_of_a_rare_guess(part, epsilon):
    result = first_result(settings_of(part, epsilon=epsilon))

    text = page.PAGE.at(result.settings).content.texts["guarantee"](result)

    assert_rare_guess(text, result.settings.guarantees.formula)


def test_the_guarantee_of_the_published_mechanism_is_that_for_rows_in_their_bounds():
    result = first_result(settings_of("person", version="published", epsilon=1.0))

    text = texts.guarantee(result)

    assert_rare_guess(text, result.settings.guarantees.bounded)


def test_without_noise_no_guess_has_a_limit():
    result = first_result(settings_of("person", version="none"))

    text = texts.guarantee(result)

    assert not states_rare_guess(text)


# Bounds are named after what they bound


BOUNDS = {
    "correct": {"bound of epsilon, delta", "bound of this noise"},
    "published": {"bound if the claim held", "bound of correct noise"},
    "none": set(),
}


@pytest.fixture(params=VERSIONS)
def refutable(request):
    """The result of a version whose published form exceeds its claim."""
    return first_result(
        AttackSettings(version=request.param, epsilon=1.0, clip_norm=0.05, repeats=400)
    )


def test_the_curves_name_a_bound_only_if_it_bounds(refutable):
    traces = charts.accuracy(refutable)["data"]

    names = {trace["name"].partition("  ")[0] for trace in traces}

    assert names - {"measured"} == BOUNDS[refutable.settings.version]


def test_only_the_published_mechanism_exceeds_the_bound_of_correct_noise(refutable):
    exceeds = refutable.attack.low > refutable.noise_bound

    assert exceeds == is_published(refutable)


# All texts are used


def state_verdict(result, monkeypatch, **values) -> None:
    """Form the verdict of a result some of whose attributes have other values."""
    with monkeypatch.context() as patched:
        for name, value in values.items():
            patched.setattr(type(result), name, value)
            vars(result).pop(name, None)  # the cached value
        page.PAGE.at(result.settings).content.texts["verdict"](result)


def test_every_text_is_reached(monkeypatch):
    alike = Shadow(0, 0.8, 0.8)
    no_difference = membership_result(128, {"private": alike, "plain": alike})
    refuted = result_without_curve(
        AttackSettings(
            repeats=500,
            version="published",
            clip_norm=0.05,
            steps=30,
            learning_rate=4.0,
            epsilon=1.0,
        )
    )
    results = {}
    for part, count in COUNTS.items():
        results[part] = [random_result(part, index) for index in range(min(count, 9))]
    correct, *_ = results["person"]
    inverted = results["inversion"][0]

    for result in (*chain(*results.values()), refuted, no_difference):
        reached.show(page.PAGE, result)
    state_verdict(correct, monkeypatch, refuted=True)
    state_verdict(correct, monkeypatch, refuted=False, noise_bound=0.1)
    for accuracy in (0.7, 0.8):
        attack = correct.attack._replace(accuracy=accuracy, low=0.6)
        state_verdict(correct, monkeypatch, refuted=False, noise_bound=0.75, attack=attack)
    state_verdict(
        no_difference,
        monkeypatch,
        true_positive_rate=lambda _, arm, **rate: float(arm == "plain"),
        detection_claim=Case.AHEAD,
    )
    for correlation in (0.1, 0.5, 0.9):
        match = Match(correlation, correlation)
        state_verdict(inverted, monkeypatch, class_match=match, record_match=match)
    audits_texts.table()

    assert isinstance(inverted, InversionResult)
    for module in (texts, membership_texts, fairness_texts, inversion_texts, audits_texts):
        assert reached.unread(module.SAYS) == [], module.__name__
