"""What the accounting page says, held against what was computed."""

import math
from functools import cache

import numpy as np
import pytest

from pages.accounting import figures, words_searches
from pages.accounting import words as say
from pages.accounting import words_statements as stated
from pages.accounting.experiment import AccountingSettings
from pages.accounting.parameters import AFTERWARDS
from tests import attackers, reached
from tests.sentences import Rules, hold, plain

QUICK = {
    "steps": [1, 10, 100, 1000, 3000],
    "noise_multiplier": [0.3, 0.5, 0.9, 1.0, 2.0, 4.0, 10.0, 30.0],
    "sampling_rate": [0.001, 0.01, 0.1, 0.5, 0.9, 1.0],
    "delta": [1e-10, 1e-5, 1e-2],
    "target_epsilon": [0.05, 1.0, 50.0],
    "people": [1, 2, 3, 50],
    "settings_tried": [1, 2, 10, 100],
}
ONE = AccountingSettings(steps=1000)
ONCE = [
    ONE,
    ONE.change(sampling_rate=1.0),
    ONE.change(sampling_rate=1.0, noise_multiplier=100.0),
    ONE.change(sampling_rate=0.9, noise_multiplier=20.0),
    ONE.change(noise_multiplier=0.5),
    ONE.change(noise_multiplier=0.5, sampling_rate=0.5),
    ONE.change(noise_multiplier=20.0, steps=10, sampling_rate=0.001),
    ONE.change(settings_tried=1, people=1),
    ONE.change(people=50),
    ONE.change(noise_multiplier=0.6, sampling_rate=0.1),
    ONE.change(steps=100, noise_multiplier=1.0, sampling_rate=0.01),
    ONE.change(noise_multiplier=100.0),
    # An accountant within 2 % of Theorem 1
    ONE.change(sampling_rate=1.0, noise_multiplier=5.833),
    # Ratios of 1, and a run whose epsilon is 0 at this delta
    ONE.change(sampling_rate=1.0, noise_multiplier=35.21, steps=2, delta=2.545e-08, target_epsilon=50.0),
    ONE.change(sampling_rate=0.0001, noise_multiplier=5.895, steps=1, delta=2.852e-05, target_epsilon=50.0),
]


@cache
def finished() -> list:
    """The results of what is seldom said."""
    return [settings.run() for settings in ONCE]


def words(result) -> str:
    verdict = say.verdict(result)
    assert len(plain(verdict)) <= 300
    parts = [verdict, *say.diagnostics(result), *say.effects(result), say.guarantee(result)]
    parts += [f"{one.label}: {one.value} ({one.note})." for one in say.numbers(result)]
    parts += [f"{name} finding: {finding(result)}." for name, finding in say.FINDINGS.items()]
    parts += [words_searches.searches(result)]
    parts += [stated.statements(result)]
    parts += [f"{name} finding: {finding(result)}." for name, finding in stated.FINDINGS.items()]
    return " ".join([*parts, say.neighbours(result)])


def told(shown: str) -> float:
    """A number as a page shows it."""
    return math.inf if shown == "unlimited" else float(shown.replace(",", ""))


def shown(value):
    """A rule: the first number said is this one of the result, written as the page writes numbers."""
    return lambda result, match: match[1] == say.number(value(result))


def spent(result) -> float:
    exact = result.epsilon("pld")
    return result.held.epsilon if math.isnan(exact) else exact


def left(result, shown: str) -> bool:
    """The difference of the target and of epsilon, as both are shown."""
    found = told(say.number(result.settings.target_epsilon)) - told(say.number(spent(result)))
    return told(shown) == told(say.number(abs(found)))


def worst(result) -> float:
    return max(result.epsilon(name) for name in ("naive", "strong", "moments", "renyi"))


def cheapest(result) -> float:
    """The least price of the best of a random number of tries, by any of the laws."""
    return min(held.epsilon for held in result.best_alone.values())


def found_by(chance: float, shown: str) -> bool:
    """Whether a chance is said as so many in a hundred."""
    return abs(float(shown) - 100 * chance) <= 0.5 + 1e-9


def unit(settings) -> float:
    """q sqrt(T ln(1/delta))."""
    return settings.sampling_rate * math.sqrt(settings.steps * math.log(1 / settings.delta))


def shown_constant(result, row: str) -> str:
    return say.number(result.statements.constant(result.epsilon(row))) if result.epsilon(row) else "any"


def met(result, epsilon: float) -> str:
    """The conditions of Theorem 1, with c1 = 1 and two more, as they are written; all that fail."""
    settings = result.settings
    conditions = {
        "ε < q2T": epsilon < settings.sampling_rate**2 * settings.steps,
        "σ ≥ 1": settings.noise_multiplier >= 1,
        "ε ≤ ln(1/δ)": epsilon <= math.log(1 / settings.delta),
    }
    fails = [name for name, held in conditions.items() if not held]
    return f"not met: {', '.join(fails)}" if fails else "met"


def theorem(result, match) -> bool:
    """A row of Theorem 1: what it says, whether its conditions are met, and whether it is true of this run."""
    c2 = 2.0 if match[1] == "2" else result.statements.least
    says, exact = c2 * unit(result.settings) / result.settings.noise_multiplier, result.epsilon("pld")
    against = {"not below it": says >= exact, "below it, false here": says < exact, "…": math.isnan(exact)}
    against["too close to tell"] = 0.97 * exact < says < exact
    noise = told(match[5]) * result.settings.target_epsilon
    return (
        match[2] == say.number(says)
        and match[3].strip() == met(result, says)
        and against[match[4]]
        and noise == pytest.approx(c2 * unit(result.settings), rel=0.006)
    )


def lemma(result, match) -> bool:
    moments, order = result.statements.moments, int(match[1])
    exact = pytest.approx(moments["exact"][order - 1], rel=0.006, abs=1e-10)
    return told(match[2]) == exact and told(match[3]) == pytest.approx(moments["bound"][order - 1], rel=0.006)


RULES: Rules = {
    r"Attacker's accuracy, at most:? ([\d.]+)": lambda r, m: attackers.close(r.held, m[1]),
    r"Theorem 1 with c2 = ([\d.]+), (?:as in its proof|the least on the grid) (\S+) ((?:not )?met(?:: [^…]*?)?) "
    r"(not below it|below it, false here|too close to tell|…) (\S+)": theorem,
    r"Theorem 1 with c2 = …": lambda r, _: np.isnan(r.found["grid"]).any(),
    r"order of growth, with constant 1 (\S+) no constant": lambda r, m: (
        m[1]
        == say.number(
            unit(r.settings) * math.sqrt(math.log(r.settings.steps / r.settings.delta)) / r.settings.noise_multiplier
        )
    ),
    r"main term of their bound (\S+) met up to λ = ([\d,]+) not below it": lambda r, m: (
        told(m[1]) >= told(say.number(r.epsilon("pld"))) and int(told(m[2])) == r.statements.last > 0
    ),
    r"q2T is (\S+), and for c1 = 1 the target of epsilon (\S+) lies (inside|outside)": lambda r, m: (
        m[2] == say.number(r.settings.target_epsilon)
        and (m[3] == "inside") == (r.settings.target_epsilon < r.settings.sampling_rate**2 * r.settings.steps)
    ),
    r"noise that Theorem 1 requires to the noise that is needed is (\S+)\. ": lambda r, m: (
        told(m[1]) == pytest.approx(2 * unit(r.settings) / r.settings.target_epsilon / r.least_noise("pld"), rel=0.006)
    ),
    r"more than it gives from epsilon (\S+) on": shown(lambda r: r.statements.breaks),
    r"needs c2 = (\S+) by the \w+ accountant, (\S+) by the RDP accountant and (\S+) by the moments": lambda r, m: (
        list(m.groups()) == [shown_constant(r, row) for row in ("pld", "renyi", "moments")]
    ),
    r"is stated up to λ = ([\d,]+) here": lambda r, m: int(told(m[1])) == r.statements.last > 0,
    r"is not stated here": lambda r, _: r.statements.last == 0,
    r"At λ = (\d+), which the moments accountant uses, the log moment is (\S+) and its main term (\S+),": lemma,
    r"From λ = (\d+) on the main term is less": lambda r, m: int(m[1]) == r.statements.below,
    r"constants finding: (\S+) here, 2 in the proof": lambda r, m: m[1] == shown_constant(r, "pld"),
    r"Releasing all (\d+) tries costs (\S+)\. Releasing only the best is not cheaper here, at (\S+) \(": lambda r, m: (
        int(m[1]) == r.settings.settings_tried > 1
        and m[2] == say.number(r.tuned.epsilon)
        and m[3] == say.number(cheapest(r))
        and r.tuned.epsilon <= cheapest(r)
    ),
    r"only the best costs (\S+) \(\w+ dist\w+\)\. Releasing all (\d+) tries costs (at most |)(\S+)\. ": lambda r, m: (
        m[1] == say.number(cheapest(r))
        and bool(m[3]) == (r.settings.sampling_rate < 1)
        and m[4] == say.number(r.tuned.epsilon)
        and r.tuned.epsilon > cheapest(r)
    ),
    r"Releasing only the best costs (\S+) \(\w+ distribution\)\. All (\d+) tries are still": lambda r, m: (
        m[1] == say.number(cheapest(r)) and r.tuned is None
    ),
    r"searches finding: best only from (\S+), all for (\S+?)\.(?: |$)": lambda r, m: (
        m[1] == say.number(cheapest(r)) and m[2] == say.number(r.tuned.epsilon)
    ),
    r"is found with probability (\S+) % by (\d+) tries": lambda r, m: (
        int(m[2]) == r.settings.settings_tried and found_by(1 - 0.9 ** int(m[2]), m[1])
    ),
    r"by which one run costs (\S+)\. The (?:PLD|GDP) accountant gives (\S+) for one run\. ": lambda r, m: (
        m[1] == say.number(r.epsilon("renyi")) and m[2] == say.number(r.epsilon("pld"))
    ),
    r"For exactly (\d+) tries": lambda r, m: int(m[1]) == r.settings.settings_tried > 1,
    r"run costs epsilon (\S+) by advanced composition": lambda r, m: (
        m[1] == say.number(r.epsilon("strong")) and worst(r) > r.epsilon("strong")
    ),
    r"run costs epsilon (\S+) by basic composition": shown(lambda r: r.epsilon("naive")),
    r"and (\S+) by the moments accountant\. The noise": shown(lambda r: r.epsilon("moments")),
    r"and (\S+) by advanced composition": shown(lambda r: r.epsilon("strong")),
    r"(PLD|GDP) accountant: (\S+) \((exact|upper bound)": lambda r, m: (
        m[2] == say.number(r.epsilon("pld"))
        and (m[3] == "exact") == (m[1] == "GDP") == (r.settings.exact_accountant == "gdp")
    ),
    r"accountant: … \(being": lambda r, _: math.isnan(r.epsilon("pld")),
    r"Loosest bound: (\S+) \(": shown(worst),
    r"Remaining budget: ([\d.]\S*) \(target epsilon [\d.]+\)": lambda r, m: (
        left(r, m[1]) and spent(r) <= r.settings.target_epsilon * 1.005
    ),
    r"Remaining budget: −(\S+) \(target epsilon [\d.]+, exceeded": lambda r, m: (
        left(r, m[1]) and spent(r) > r.settings.target_epsilon
    ),
    r"target of epsilon \S+ allows ([\d,]+) steps?": lambda r, m: (
        told(m[1]) in {r.most_steps("pld"), r.most_steps("renyi")} and told(m[1]) >= r.settings.steps
    ),
    r"allows 100,000 or more": lambda r, _: np.nanmax([r.most_steps("pld"), r.most_steps("renyi")]) >= 100_000,
    r"these steps need noise multiplier ([\d.,]+)\.": lambda r, m: (
        m[1] in map(say.number, (r.least_noise("pld"), r.least_noise("renyi"))) and spent(r) > r.settings.target_epsilon
    ),
    r"(\d+) of 9 points computed by the (?:PLD|GDP) accountant": lambda r, m: (
        int(m[1]) == (~np.isnan(r.found["pld"])).sum() < 9
    ),
    r"is looser by a factor of (\S+)\. ": shown(lambda r: worst(r) / r.epsilon("pld")),
    r"effects finding: [^.]+\.": lambda r, m: (
        max((held.epsilon for held in r.effects().values() if held), default=0) > r.epsilon("pld")
    ),
    r"meets the target from ([\d.,]+) on": shown(lambda r: r.least_noise("pld")),
    r"With epsilon (\S+), an attacker": shown(lambda r: r.held.epsilon),
    r"whether you are in the data": lambda r, _: r.held.adjacency == "add/remove",
    r"Every row is in every step": lambda r, _: r.settings.sampling_rate == 1,
    r"saves almost nothing": lambda r, _: r.unsampled < 1.1 * r.held.epsilon,
    r"same noise would cost epsilon \S+, ([\d.,]+) times as much": lambda r, m: (
        r.unsampled >= 1.1 * r.held.epsilon and m[1].rstrip(",") == say.number(r.unsampled / r.held.epsilon)
    ),
    r"Advanced composition is worse": lambda r, _: r.epsilon("strong") > r.epsilon("naive"),
    r"converts to \(ε, δ\) once": lambda r, _: r.epsilon("strong") > 5 * r.epsilon("moments"),
    r"has only 32 orders": lambda r, _: math.log(1 / r.settings.delta) / 32 > r.epsilon("moments") / 2,
    r"The noise multiplier is below 1": lambda r, _: r.settings.noise_multiplier < 1,
    r"On average (\S+) % of rows are never used": lambda r, m: found_by(
        (1 - r.settings.sampling_rate) ** r.settings.steps, m[1]
    ),
    r"One configuration tried": lambda r, _: r.settings.settings_tried == 1,
    r"on the same data all count": lambda r, _: r.settings.settings_tried > 1,
    r"has no protection": lambda r, _: r.effects()["group"].delta >= 1,
}


def test_every_sentence_says_what_was_computed():
    seldom = attackers.rules(lambda r: r.held)
    hold(AccountingSettings, words, RULES, within=QUICK, also=finished(), count=20, seldom=seldom)


def test_every_text_is_reached():
    for result in finished():
        words(result)
    others = [ONE.change(afterwards=name) for name in AFTERWARDS]
    for settings in (*ONCE, *others, ONE.change(target_epsilon=0.05)):
        early = settings.result({task: task.run() for task in settings.tasks() if task.essential})
        words(early)
        say.table(early)
        figures.effects(early)
        figures.over_steps(early)
    assert reached.unread(say.SAYS) == []


def test_a_delta_that_a_rare_sample_need_not_share_leaves_no_theorem_without_a_number():
    rare = AccountingSettings(sampling_rate=0.001, noise_multiplier=10.0, steps=1, delta=0.01)
    result = rare.result({task: task.run() for task in rare.tasks() if task.essential})
    for theorem in ("naive", "strong"):
        assert 0 <= result.epsilon(theorem) < 0.01
