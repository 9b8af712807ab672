"""What the parties' page says, held against what was computed."""

import numpy as np
import pytest

from pages.parties import words as say
from pages.parties.experiment import PartiesSettings
from pages.parties.result import QUERIES
from tests.sentences import Rules, hold

QUICK = {
    "parties": [2, 20, 200, 1000],
    "rows": [3, 10],
    "public_rows": [50, 400],
    "learner": ["logistic", "bayes"],
    "dataset": ["two", "four", "digits"],
    "unlike": [0.0, 0.2, 1.0],
    "careless": [0.0, 0.3],
    "regularisation": [1e-4, 1e-3, 1e-1, 1.0],
    "repeats": (2, 5),
    "seed": [0, 3],
}
ONCE = [
    PartiesSettings(),
    PartiesSettings(epsilon=0.01, parties=20, repeats=5),
    PartiesSettings(epsilon=100.0, constants="norms", method="average", repeats=5),
    PartiesSettings(method="pate", epsilon=1.0, repeats=5),
    PartiesSettings(method="pate", epsilon=0.1, delta=1e-2, repeats=5),
    PartiesSettings(learner="bayes", dataset="digits", repeats=5),
    PartiesSettings(method="vote", epsilon=100.0, regularisation=1.0, repeats=5),
    PartiesSettings(parties=20_000, repeats=2, rows=4),
    PartiesSettings(method="vote", regularisation=1e-4, epsilon=0.1, repeats=5),
]


def words(result) -> str:
    return " ".join([say.verdict(result), *say.diagnostics(result), say.guarantee(result), *say.alts(result).values()])


def own(result) -> np.ndarray:
    return result.now.accuracy[result.methods.index(result.settings.method)]


def middle(result) -> float:
    return float(np.median(own(result)))


def others(result) -> float:
    return float(np.median(result.now.accuracy, axis=1).max())


def always(result) -> float:
    labels = result.settings.ensemble.rows["test"].y
    return max(float(np.mean(labels == label)) for label in set(labels))


def spread(result) -> float:
    low, high = np.quantile(own(result), [0.05, 0.95])
    return high - low


def better(result) -> np.ndarray:
    """At which numbers of questions one by one does better than the released model."""
    soft = float(np.median(result.now.accuracy[result.methods.index("soft")]))
    return result.answered > soft


def leading(result) -> int:
    found = better(result)
    many = len(found) if found.all() else int(found.argmin())
    return QUERIES[many - 1] if many else 0


def cost(result) -> float:
    return 100 * (result.exact[result.settings.method] - middle(result))


RULES: Rules = {
    r"right (\d+(?:\.\d+)?)\s% of the time in the middle run": lambda r, m: abs(float(m[1]) - 100 * middle(r)) <= 0.51,
    r"may land anywhere": lambda r, _: spread(r) >= 0.15 - 1e-9,
    r"Nine runs in ten land": lambda r, _: spread(r) < 0.15,
    r"learnt nothing yet": lambda r, _: middle(r) <= always(r) + 1e-9,
    r"No other release here does better": lambda r, _: others(r) <= middle(r),
    r"Best here: ": lambda r, _: others(r) > middle(r),
    r"\(at the price of delta": lambda r, _: r.settings.method != "pate",
    r"for a whole party": lambda r, _: r.guarantee(r.settings.method).unit == "party",
    r"So far ([\d,]+) of": lambda r, m: int(m[1].replace(",", "")) == r.asked < r.settings.parties,
    r"as long, and costs ([\d.]+) points?": lambda r, m: abs(float(m[1]) - cost(r)) <= 0.051 and cost(r) > 0,
    r"costs no right answers here": lambda r, _: cost(r) <= 0.051,
    r"votes on each class's count": lambda r, _: r.settings.method == "pate",
    r"of them guess their labels": lambda r, _: r.settings.careless > 0,
    r"Even a single question": lambda r, _: not better(r)[0],
    r"would be better for (?:more than|up to about) ([\d,]+) q": lambda r, m: (
        int(m[1].replace(",", "")) == leading(r) > 0
    ),
    r"for more than [\d,]+ questions": lambda r, _: better(r).all(),
    r"hardly beats one answer": lambda r, _: (
        np.median(r.now.accuracy[r.methods.index("soft")]) < always(r) + 0.05 + 1e-9
    ),
    r"from the public images": lambda r, _: r.settings.dataset == "digits",
    r"no common weights": lambda r, _: "average" not in r.methods,
    r"no minimiser is longer": lambda r, _: r.settings.constants == "norms",
    r"Theorem 4 bounds": lambda r, _: r.settings.ensemble.classes == 2 and r.settings.method == "soft",
    r"guessing whether a party took part, or another party": lambda r, _: (
        r.guarantee(r.settings.method).adjacency == "replace-one"
    ),
    r"right at most ([\d.]+) times in 100": lambda r, m: (
        float(m[1]) == pytest.approx(100 * r.guarantee(r.settings.method).attacker_accuracy, abs=0.51)
    ),
    r"practically every time": lambda r, _: r.guarantee(r.settings.method).attacker_accuracy > 0.9995,
    r"hardly a promise": lambda r, _: r.guarantee(r.settings.method).attacker_accuracy > 0.95,
    r"publishing one of them whole": lambda r, _: r.settings.delta * r.settings.parties >= 1,
    r"asked in [\d,]+ chunks": lambda r, _: r.kept[0] >= 20,
}


def test_every_sentence_says_what_was_computed():
    hold(PartiesSettings, words, RULES, within=QUICK, also=ONCE, count=60, essential=True)
