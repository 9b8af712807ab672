"""The attack's sentences over random settings: one that says X appears only where X, and wherever X.

Each table below is (a fragment of a sentence, when it may be said); the condition is computed from the result anew.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from dpcore.attacks import audit, guess
from dpcore.estimators.recipes import VERSIONS
from dpcore.privacy import Adjacency, LowerBound
from pages.attack import figures, page
from pages.attack import membership as attack_members
from pages.attack import words as say
from pages.attack import words_audits as judge
from pages.attack import words_parts as tell
from pages.attack.audits.runs import FIRST, AuditResult
from pages.attack.audits.table import AUDITS
from pages.attack.experiment import AttackSettings
from pages.attack.membership import MembersResult, Shadows
from pages.attack.two_worlds_result import attacked
from tests import reached
from tests.claims import better, worse
from ui.panels import at_most, in_hundred, number

Table = tuple[tuple[str, Callable], ...]
# What no sentence may say: who the attacker is, a row that is there or not where one is replaced, and worn phrases.
NEVER = re.compile(r"\b(he|his|him|she|her)\b|is in the data|all the same|by itself|  ", re.IGNORECASE)


def count(result) -> float:
    """The bound by counting, from the scores."""
    scores = result.attack.tested
    given = {"delta": result.settings.delta, "adjacency": Adjacency.REPLACE_ONE, "confidence": 0.975}
    return audit.epsilon_lower_bound(*scores, **given).epsilon


def taken(result) -> float:
    """The bound of the same scores, taken for Gaussian."""
    scores = result.attack.tested
    given = {"delta": result.settings.delta, "adjacency": Adjacency.REPLACE_ONE, "confidence": 0.975}
    return audit.epsilon_lower_bound(*scores, form="gaussian", **given).epsilon


def of(result, version: str) -> bool:
    return result.settings.version == version


def unlucky(result) -> bool:
    return count(result) > result.settings.epsilon


WORLDS: Table = (
    ("<b>Caught.</b>", lambda r: of(r, "published") and count(r) > r.settings.epsilon),
    ("do not refute</b>", lambda r: of(r, "published") and count(r) <= r.settings.epsilon),
    ("better than chance", lambda r: r.attack.low > 0.5),
    ("cannot be told from chance", lambda r: r.attack.low <= 0.5),
    (
        "stays within the bound of this noise",
        lambda r: of(r, "sound") and not unlucky(r) and 0.5 < r.attack.low <= r.ceiling,
    ),
    ("exceeds the bound of this noise", lambda r: of(r, "sound") and not unlucky(r) and r.attack.low > r.ceiling),
    ("they show an epsilon of at least", lambda r: of(r, "published") and taken(r) > count(r) > r.settings.epsilon),
    ("they would (at least", lambda r: of(r, "published") and taken(r) > r.settings.epsilon >= count(r)),
    ("lower clipping norm", lambda r: of(r, "published") and max(taken(r), count(r)) <= r.settings.epsilon),
    ("refute the claim by chance", lambda r: of(r, "sound") and unlucky(r)),
    ("Nothing is guaranteed", lambda r: of(r, "none")),
    ("every guess is correct", lambda r: of(r, "none") and r.attack.correct == r.attack.trials),
    ("because there is no noise", lambda r: of(r, "none") and r.attack.correct < r.attack.trials),
    ("final weights,", lambda r: r.settings.sees == "weights"),
)
HOW: Table = (
    ("<i>every step</i>", lambda r: r.settings.sees == "weights" and not of(r, "none") and r.settings.steps > 1),
    ("Half of the trainings", lambda r: r.trained.scores is None),
    ("Epsilon alone would allow", lambda r: of(r, "sound") and r.promised - r.ceiling >= 0.05),
    ("the maximum that the noise formula assumes", lambda r: of(r, "published")),
    ("Nothing is clipped", lambda r: of(r, "none")),
    ("of the maximum, measured", lambda r: of(r, "sound")),
    ("which nobody has proved of this mechanism", lambda r: True),
)
PAYS: Table = (
    ("not shared evenly", lambda r: better(*costs(r)) and by(costs(r)) >= 0.0099),
    ("majority loses more", lambda r: worse(*costs(r)) and by(costs(r)) <= -0.0099),
    (
        "No difference in accuracy loss can be shown",
        lambda r: not ((better(*costs(r)) or worse(*costs(r))) and abs(by(costs(r))) >= 0.0099),
    ),
    (
        "The majority <b>shows no loss",
        lambda r: not (worse(r.now[0, -1], r.plain[0, -1]) or better(r.now[0, -1], r.plain[0, -1])),
    ),
    ("Majority accuracy changes by <b>−", lambda r: worse(r.now[0, -1], r.plain[0, -1])),
)
ONCE: Table = (
    ("Caught by a single training", lambda r: not of(r, "none") and r.first.bound.epsilon > r.settings.epsilon),
    ("does not refute</b>", lambda r: not of(r, "none") and r.first.bound.epsilon <= r.settings.epsilon),
    ("Nothing is claimed", lambda r: of(r, "none")),
    ("Every guess is correct", lambda r: open_claim(r) and r.first.right == r.first.guesses),
    ("If every guess were correct", lambda r: open_claim(r) and r.first.right < r.first.guesses),
    ("With one canary", lambda r: not of(r, "none") and bool(r.beside)),
    ("trainings refute the claim by counting", lambda r: refutes(r, "count")),
    ("trainings refute the claim only", lambda r: refutes(r, "gaussian") and not refutes(r, "count")),
)
MEMBERS: Table = (
    ("emorisation shows as a generalisation gap", lambda r: whole(r) and better(*r.shadows["plain"].right.T)),
    ("No generalisation gap can be shown", lambda r: whole(r) and not better(*r.shadows["plain"].right.T)),
    ("trained so far", lambda r: not whole(r)),
)
FOUND: Table = (
    (
        "as many members</b> of the non-private",
        lambda r: whole(r) and more(r) and found(r, "plain") > found(r, "private") > 0,
    ),
    ("and none of the private one", lambda r: whole(r) and more(r) and found(r, "private") == 0),
    ("No difference can be shown", lambda r: whole(r) and not more(r)),
    ("So far", lambda r: not whole(r)),
    *MEMBERS[:2],
)
INVERSION: Table = (
    ("<b>stay</b>", lambda r: r.match(0)[0] > 0.7 * r.match(0)[1]),
    ("<b>fade</b>", lambda r: r.match(0)[0] <= 0.7 * r.match(0)[1]),
    ("cannot be recognised", lambda r: r.match(1)[0] <= 0.3),
    ("can be made out", lambda r: 0.3 < r.match(1)[0] < 0.7),
    ("can be read", lambda r: r.match(1)[0] >= 0.7),
    ("clear in the non-private weights", lambda r: r.match(1)[1] >= 0.7),
    ("hard to read even in the non-private", lambda r: r.match(1)[1] < 0.7),
)
AUDITED: Table = (
    ("still running", lambda r: len(r.bounds) < len(AUDITS)),
    ("filtered out", lambda r: "void" in r.verdicts.values()),
    ("their canaries were filtered out", lambda r: list(r.verdicts.values()).count("void") > 1),
    ("not as expected", lambda r: any(verdict != AUDITS[name].expected for name, verdict in r.verdicts.items())),
    ("broken mechanisms were caught", lambda r: broken(r) and as_expected(r)),
    ("correct mechanisms was refuted", lambda r: len(r.bounds) > len(broken(r)) and as_expected(r)),
)


def broken(result) -> list[str]:
    """Return the audits of broken mechanisms that are done."""
    return [name for name in result.bounds if AUDITS[name].expected != "consistent"]


def as_expected(result) -> bool:
    return all(verdict == AUDITS[name].expected for name, verdict in result.verdicts.items())


def open_claim(result) -> bool:
    return result.settings.version != "none" and result.first.bound.epsilon <= result.settings.epsilon


def refutes(result, form: str) -> bool:
    claims = result.settings.version != "none" and form in result.beside
    return claims and result.beside[form].epsilon > result.settings.epsilon


def found(result, arm: str) -> float:
    """Members found with one false alarm in 100, by the likelihood ratio."""
    return result.at(arm, attack_members.ATTACKS[0], 0.01)


def told(numbers) -> dict[str, str]:
    """The big numbers by their label, without markup."""
    return {one.label: re.sub("<[^>]+>", "", one.value) for one in numbers}


def short(text: str) -> str:
    """The same, which takes two lines at most."""
    assert len(re.sub("<[^>]+>", "", text)) <= 300, text
    return text


def lost(result, group: int) -> float:
    """The share of right answers that privacy costs: without it, less the median of the private models."""
    return float(result.plain[group, -1] - np.median(result.now[group, -1]))


def costs(result) -> tuple[np.ndarray, np.ndarray]:
    """What privacy costs the minority and the majority, run by run."""
    return tuple(result.plain[group, -1] - result.now[group, -1] for group in (1, 0))


def by(both: tuple[np.ndarray, np.ndarray]) -> float:
    """The median paired difference."""
    return float(np.median(np.subtract(*both)))


def whole(result) -> bool:
    return len(result.shadows["plain"].members) == attack_members.MODELS


def more(result) -> bool:
    """Whether more members are found without privacy, model by model."""
    return better(*(result.found_by_model(arm) for arm in ("plain", "private")))


def judged(text: str, result, table: Table) -> None:
    for fragment, condition in table:
        assert (fragment in text) == bool(condition(result)), (fragment, text, result.settings)
    assert not NEVER.search(re.sub("<[^>]+>", "", text)), text


def draws(seed: int, times: int) -> Iterator[np.random.Generator]:
    """As many generators, and with ``make soak`` three times as many, of which these are the first."""
    return (np.random.default_rng([seed, turn]) for turn in range(3 * times if "SOAK" in os.environ else times))


def first_picture(settings):
    """What is shown first, and without a curve: cheap, and as real as the last."""
    work = [task for task in settings.tasks() if task.essential and task.work is not attacked]
    return settings.result({task: task.run() for task in work})


def members(settings, models: int, *, private: float = 1.0, gap: float = 0.1) -> MembersResult:
    """Return a result of models whose members stand out, those of the private ones ``private`` times as far."""
    rng, shadows = np.random.default_rng(5), {}
    for arm, far in (("private", private), ("plain", 1.0)):
        inside = np.stack([rng.permutation(20) < 10 for _ in range(models)])
        right = np.tile([0.8 + gap, 0.8], (models, 1))
        shadows[arm] = Shadows(inside, rng.normal(size=inside.shape) + 4 * far * inside, right)
    return MembersResult(settings=settings, shadows=shadows)


def audited(names, *, epsilon: float, arrives: int = 99) -> AuditResult:
    """Return a result in which each audit shows ``epsilon`` times its claim, and as many canaries arrive."""
    bounds = {name: replace(PLAIN[name], epsilon=epsilon * AUDITS[name].epsilon) for name in names}
    verdicts = {name: AUDITS[name].verdict(bounds[name], arrives=at < arrives) for at, name in enumerate(names)}
    return AuditResult(settings=AttackSettings(part="audit"), bounds=bounds, verdicts=verdicts)


def shown(result) -> None:
    """Say all that the page says of a result."""
    mine = page.PAGE.at(result.settings)
    mine.lead(result.settings)
    view = mine.view(result)
    assert [*view.words.values(), *view.boards.values(), *view.numbers]


def recipe(rng: np.random.Generator) -> dict:
    """Few steps, and anything else."""
    wide = {"epsilon": (0.01, 150), "delta": (1e-9, 1e-2), "clip_norm": (0.02, 5.0), "learning_rate": (0.05, 20)}
    drawn = {name: float(np.exp(rng.uniform(*np.log(ends)))) for name, ends in wide.items()}
    return drawn | {"steps": int(rng.integers(1, 5)), "seed": int(rng.integers(3))}


def where(rng: np.random.Generator) -> dict:
    """Whom it is about, and what the attacker knows."""
    return {
        "who": str(rng.choice(["row", "outlier"])),
        "person": int(rng.integers(400)),
        "person_x": float(rng.uniform(-1, 1)),
        "against": str(rng.choice(["label", "public"])),
        "sees": str(rng.choice(["weights", "steps"])),
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_sentences_of_two_worlds(version):
    seen = set()
    for turn, rng in enumerate(draws(list(VERSIONS).index(version), 100)):
        given, asked = recipe(rng), where(rng)
        if version == "published" and turn % 10 == 0:  # where so few trainings may catch it
            given |= {"steps": 30, "learning_rate": 4.0, "clip_norm": 0.05, "epsilon": float(rng.uniform(0.2, 1.5))}
            asked |= {"who": "outlier", "against": "label", "sees": "steps"}
        settings = AttackSettings(repeats=100, version=version, **given).change(**asked)
        result = first_picture(settings)
        words, cards = short(say.verdict(result)), " ".join(say.diagnostics(result))
        judged(words, result, WORLDS)
        judged(cards, result, HOW)
        tiles = told(say.numbers(result))
        right = in_hundred(result.attack.correct / result.attack.trials)
        assert tiles["Attack accuracy"] == f"{right}\u00a0%"
        assert tiles["Empirical epsilon, at least"] == number(count(result))
        if version == "sound":
            assert tiles["Attacker's accuracy, at most"].split()[0] == at_most(result.ceiling)
            assert tiles["Influence on a step"] == f"{in_hundred(result.risk)}\u00a0%"
        elif version == "published":
            assert tiles["Bound if the claim held"].split()[0] in (at_most(result.promised), "100")
        if version == "sound":
            middle, most = 100 * np.median(result.risks), 100 * result.risks.max()
            said = re.search(r"the median has ([\d.]+)\s%, and the highest ([\d.]+)\s%", cards)
            assert [float(one) for one in said.groups()] == pytest.approx([middle, most], abs=0.51)
        assert f"at least {number(count(result))} by counting" in cards
        seen |= {fragment for fragment, _ in WORLDS if fragment in words}
    # Each sentence of the version came up (but bad luck, which a sound recipe need not have).
    ours = {"sound": {"better than chance", "cannot be told from chance"}, "none": {"every guess is correct"}}
    ours["published"] = {
        "<b>Caught.</b>",
        "do not refute</b>",
        "they show an epsilon of at least",
        "lower clipping norm",
    }
    assert ours[version] <= seen


def test_bad_luck_is_as_rare_as_the_lower_end_of_an_interval_is_wrong(monkeypatch):
    result = AttackSettings(repeats=100, who="outlier", against="label", sees="steps", epsilon=10.0)
    result = first_picture(result)
    assert result.attack.low > 0.5
    monkeypatch.setattr(type(result), "ceiling", 0.5)
    monkeypatch.setattr(type(result), "caught", False)
    assert pytest.approx(2.5) == 100 * (1 - guess.EACH)
    assert "as at most 2.5\u00a0% of such intervals do." in say.verdict(result)


def test_sentences_of_who_pays():
    seen = set()
    for rng in draws(10, 130):
        given = recipe(rng) | {"minority": float(rng.uniform(0.02, 0.5))}
        result = first_picture(AttackSettings().change(part="pays").change(**given))
        words, tiles = short(tell.pays_verdict(result)), told(tell.pays_numbers(result))
        judged(words, result, PAYS)
        for group, label in enumerate(("Majority accuracy", "Minority accuracy")):
            assert float(tiles[label].split("\u00a0")[0]) == pytest.approx(100 * result.typical(group), abs=0.51)
        more = float(tiles["Accuracy loss, minority − majority"].split()[0].replace("−", "-"))
        assert more == pytest.approx(100 * (lost(result, 1) - lost(result, 0)), abs=0.051)
        judged(" ".join(tell.pays_diagnostics(result)), result, ())
        seen |= {fragment for fragment, _ in PAYS if fragment in words}
    assert {"not shared evenly", "No difference in accuracy loss can be shown", "The majority <b>shows no loss"} <= seen


@pytest.mark.parametrize("version", VERSIONS)
def test_sentences_of_one_training(version):
    for rng in draws(20 + list(VERSIONS).index(version), 70):
        given = recipe(rng) | {"canaries": int(rng.integers(20, 120)), "guessed": float(rng.uniform(0.05, 1))}
        result = first_picture(AttackSettings().change(part="once").change(version=version, **given))
        judged(short(judge.once_verdict(result)), result, ONCE)
        tiles, (right, guesses, bound) = told(judge.once_numbers(result)), result.first
        assert tiles["Epsilon from one training"] == f"≥ {number(bound.epsilon)}"
        assert tiles["Correct guesses"] == f"{right} of {guesses}"
        judged(" ".join(judge.once_diagnostics(result)), result, ())
        assert f"{result.settings.canaries:,} experiments" in " ".join(judge.once_diagnostics(result))


def test_sentences_of_membership():
    """Models of any margins and shares: the sentences are functions of them."""
    for rng in draws(30, 100):
        settings = AttackSettings().change(part="membership").change(epsilon=float(np.exp(rng.uniform(-4, 4))))
        models, shadows = int(rng.choice([16, 64, 128])), {}
        for arm in attack_members.ARMS:
            members = np.stack([rng.permutation(20) < 10 for _ in range(models)])
            margins = rng.normal(size=(models, 20)) + rng.uniform(0, 5) * members
            shadows[arm] = Shadows(members, margins, rng.uniform(0.5, 1, size=(1, 2)).round(2).repeat(models, axis=0))
        result = MembersResult(settings=settings, shadows=shadows)
        judged(" ".join(tell.membership_diagnostics(result)), result, MEMBERS)
        judged(short(tell.membership_verdict(result)), result, FOUND)
        tiles = told(tell.membership_numbers(result))
        for label, arm in (("Members found, private", "private"), ("Members found, non-private", "plain")):
            assert float(tiles[label].split()[0]) == pytest.approx(100 * found(result, arm), abs=0.51)
        assert float(tiles["Bound of this noise"].split()[0]) == pytest.approx(100 * result.allowed(0.01), abs=0.51)


def test_a_bound_next_to_nothing_is_written_as_nothing():
    bound = LowerBound(
        epsilon=2e-5, delta=1e-5, adjacency=Adjacency.REPLACE_ONE, unit="record", confidence=0.95, trials=9
    )
    assert say._least(bound) == 0
    assert say._least(replace(bound, epsilon=0.04)) == 0.04


def test_sentences_of_inversion():
    seen = set()
    for rng in draws(40, 4):
        settings = AttackSettings().change(part="inversion").change(**recipe(rng) | {"seed": 4})
        result = first_picture(settings)
        judged(short(tell.inversion_verdict(result)), result, INVERSION)
        tiles = told(tell.inversion_numbers(result))
        for label, at in (("Planted record, private", 0), ("Planted record, non-private", 1)):
            assert float(tiles[label].replace("−", "-")) == pytest.approx(result.match(1)[at], abs=0.0051)
        judged(" ".join(tell.inversion_diagnostics(result)), result, ())
        seen |= {fragment for fragment, _ in INVERSION if fragment in tell.inversion_verdict(result)}
    assert {"<b>stay</b>", "<b>fade</b>"} <= seen


# Of scores that say nothing: what each bound is of.
PLAIN = {name: one.bound((np.ones(4), np.ones(4))) for name, one in AUDITS.items()}


def test_sentences_of_audits():
    """Any bounds, of any of the audits: what is said of the table is what its rows say."""
    for rng in draws(50, 330):
        names = [name for name in AUDITS if rng.random() < rng.choice([0.3, 0.9, 1.0])]
        bounds, verdicts = {}, {}
        for name in names:
            one = AUDITS[name]
            epsilon = float(rng.choice([0, rng.uniform(0, 2 * one.epsilon)]))
            bounds[name] = replace(PLAIN[name], epsilon=epsilon)
            verdicts[name] = one.verdict(bounds[name], arrives=bool(rng.random() < 0.97))
        result = AuditResult(settings=AttackSettings(part="audit"), bounds=bounds, verdicts=verdicts)
        said = short(judge.audit_verdict(result))
        judged(said, result, AUDITED)
        if counted := re.search(r"(\d+) of (\d+) broken mechanisms were caught", said):
            caught = [name for name in broken(result) if verdicts[name] == "caught"]
            assert [int(one) for one in counted.groups()] == [len(caught), len(broken(result))]
        tiles = told(judge.audit_numbers(result))
        for label, sound in (("Broken mechanisms caught", False), ("False alarms", True)):
            some = [name for name in names if (AUDITS[name].expected == "consistent") == sound]
            above = sum(bounds[name].epsilon > AUDITS[name].epsilon for name in some)
            assert tiles[label] == f"{above} of {len(some)}"
        if FIRST in bounds:
            assert tiles["Classifier as published"] == f"≥ {number(bounds[FIRST].epsilon)}"
        cards = " ".join(judge.audit_diagnostics(result))
        surprises = sum(verdict != AUDITS[name].expected for name, verdict in verdicts.items())
        judged(cards, result, (("Not as expected", lambda _, surprises=surprises: surprises > 1),))


@pytest.mark.parametrize("version", VERSIONS)
def test_no_curve_is_called_a_limit_that_does_not_limit(version, monkeypatch):
    """A "bound of this noise" holds the attacker; where they may pass it, it is called a bound if the claim held."""
    result = first_picture(AttackSettings(version=version, epsilon=1.0, clip_norm=0.05, repeats=400))
    named = {trace["name"].partition("  ")[0] for trace in figures.accuracy(result)["data"]}
    limits = {"sound": {"bound of epsilon, delta", "bound of this noise"}, "none": set()}
    limits["published"] = {"bound if the claim held", "bound of correct noise"}
    assert named - {"measured"} == limits[version]
    shown = {}
    monkeypatch.setattr(say.panels, "table", lambda rows, **how: shown.update(how))
    say.worlds_table(result)
    heads = {re.sub("<br>.*", "", head) for head in shown["heads"].values()}
    assert heads - {"epsilon", "measured", "95\u00a0% interval", "guesses"} == limits[version]
    assert (result.attack.low <= result.ceiling) == (version != "published")


def test_every_text_is_reached(monkeypatch):
    few, parts = AttackSettings(repeats=100, steps=3), AttackSettings().change
    canary = {"who": "outlier", "against": "label", "sees": "steps", "clip_norm": 0.05}
    given = [
        *(few.change(version=version, sees=sees) for version in VERSIONS for sees in ("weights", "steps")),
        few.change(who="row", against="public", version="none", learning_rate=0.05),
        few.change(version="published", **canary).change(steps=30, learning_rate=4.0, epsilon=1.0),
        few.change(version="published", clip_norm=5.0, epsilon=1.0),
        few.change(who="row", against="public", sees="steps", epsilon=0.01),
        *(parts(part="once").change(version=version, epsilon=1.0) for version in VERSIONS),
        *(parts(part="pays").change(epsilon=epsilon, steps=steps) for epsilon, steps in ((0.01, 3), (1.0, 60))),
        parts(part="pays").change(minority=0.5, epsilon=150.0, steps=2),
        *(parts(part="inversion").change(epsilon=epsilon, steps=3) for epsilon in (0.01, 3.0, 150.0)),
    ]
    results = [first_picture(settings) for settings in given]
    one = parts(part="membership")
    results += [members(one, 16), members(one, 128), members(one, 128, private=0, gap=0)]
    names = list(AUDITS)
    results += [audited(names[:at], epsilon=far, arrives=20) for at in (0, 30, len(names)) for far in (0, 2)]
    for expected, far in (("caught", 2), ("consistent", 0)):
        results.append(audited([name for name in names if AUDITS[name].expected == expected], epsilon=far))
    for result in results:
        shown(result)
    sound = results[1]
    page._row({"exposure": page.figures.exposure(sound)})
    bare, once, (_, _, bound) = results[4], results[10], results[10].first
    shows = [{"count": replace(bound, epsilon=low), "gaussian": replace(bound, epsilon=9.0)} for low in (0.0, 9.0)]
    shows.append(dict.fromkeys(("count", "gaussian"), replace(bound, epsilon=0.0)))
    rare = [
        (say.verdict, sound, {"caught": True}),
        (say.verdict, sound, {"caught": False, "ceiling": 0.1}),
        (tell.membership_verdict, results[-9], {"at": lambda _, arm, *at: float(arm == "plain")}),
        *((tell.inversion_verdict, results[-13], {"match": lambda *_, r=r: (r, r)}) for r in (0.1, 0.9)),
        *((judge.once_verdict, once, {"beside": beside}) for beside in shows),
        (judge.once_verdict, once, {"caught": False, "first": once.first._replace(right=9, guesses=9)}),
    ]
    for words, result, changes in rare:
        with monkeypatch.context() as patched:
            for name, value in changes.items():
                patched.setattr(type(result), name, value)
                vars(result).pop(name, None)  # what is cached
            words(result)
    with monkeypatch.context() as patched:
        patched.setattr(type(bare.attack), "accuracy", 0.9)
        say.verdict(bare)
    say.lead(few.change(dataset="own"))
    monkeypatch.setattr(AttackSettings, "void", "bounds were read off private rows")
    for result in (sound, results[-10]):
        shown(result)
    assert reached.unread(say.SAYS) == []
