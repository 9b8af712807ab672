"""Numbers that the page of works says, as what each is of the linked page's result."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dpcore.accountants import account, gdp
from dpcore.parties import aggregation
from dpcore.privacy import Adjacency, delta_rounded_up


def _median(name: str) -> Callable[[Any], float]:
    """Accuracy of the middle run, in percent."""
    return lambda result: 100 * result.summary[name].median


def _printed(migrated: int) -> Callable[[Any], float]:
    """A value of the table of errors, made again."""

    def value(result: Any) -> float:
        frame = result.published.frame()
        return float(frame.loc[(frame["migrated"] == migrated) & frame["noisy"], "value"].iloc[0])

    return value


def _by_the_mean(result: Any) -> float:
    """What a training with noise that changes would cost by the mean of its noise multipliers, which is no bound."""
    recipe, noise = result.recipe, result.settings.sigma * result.recipe.noise_shares.mean()
    event = replace(recipe, noise_ramp=1.0).event(noise)
    about = {"delta": result.settings.delta, "adjacency": Adjacency.ADD_REMOVE}
    return account(event, accountant=result.settings.counted_by, **about).epsilon


def _four_fifths(result: Any) -> float:
    """Epsilon of the least noise with delta >= 4/5 exp(-(sigma epsilon)^2 / 2)."""
    epsilon, delta = result.claim.epsilon, result.claim.delta
    return gdp.epsilon_of(delta, mu=epsilon / math.sqrt(2 * math.log(0.8 / delta)))


def _quiet(result: Any) -> float:
    """What the loop prints of its first five rows without noise."""
    frame = result.published.frame()
    return float(frame.loc[~frame["noisy"] & (frame["epochs"] == 50), "value"].iloc[0])


def _growth(result: Any) -> float:
    """What the order of growth of strong composition says of a run, with constant 1."""
    return next(row.epsilon for row in result.statements.rows if row.name == "growth")


def _census(epsilon: float) -> Callable[[Any], float]:
    """The middle run's error by the published mechanism at another epsilon."""
    return lambda result: result.quantiles("published")[1][result.settings.epsilons.index(epsilon)]


def _at_the_end(mechanism: str) -> Callable[[Any], float]:
    """Accuracy of the middle network that is trained in this way, in percent."""
    return lambda result: 100 * float(np.median(result.at_the_end[mechanism]))


def _column(name: str, epsilon: float) -> Callable[[Any], float]:
    """Of the classifier's table, at one of its epsilons."""

    def value(result: Any) -> float:
        frame = result.table()
        return float(frame.loc[frame["epsilon"] == epsilon, name].iloc[0])

    return value


_WEIGHTS = {
    "300": lambda result: result.settings.epsilon,
    "0.013": lambda result: result.now.middle("error"),
    "0.064": lambda result: result.equal_error,
    "0.0006": lambda result: result.plain.middle("error"),
}

# "work: part" -> each number of its last sentence, as it stands there, and what it is of the result.
NUMBERS: Mapping[str, Mapping[str, Callable[[Any], float]]] = {
    "zhang2022: Definition 4; Algorithm 2, private Frank-Wolfe": {
        "1": lambda result: result.settings.epsilon,
        "2.15": lambda result: result.strong("target").epsilon,
    },
    "zhang2022: Transferable set $A_q$, and uniformly distributed data sets": {
        "2": lambda result: result.sources()["transferable"].sum(),
        "6": lambda result: result.settings.sources,
    },
    "zhang2022: Loss $L(\\theta)$ with $\\lambda \\lVert \\omega \\rVert_q$": {
        "500": lambda result: result.settings.dimension,
        "200": lambda result: result.settings.target_rows,
        "14": lambda result: result.settings.dimension - result.focus.zeros,
    },
    "zhang2022: More coefficients than rows": {
        "500": lambda result: result.settings.dimension,
        "200": lambda result: result.settings.target_rows,
        "10": lambda result: result.settings.epsilon,
        "2,500": lambda result: result.settings.migrated,
        "0.182": lambda result: result.summary()["target"].median,
        "0.133": lambda result: result.nothing_learnt,
        "0.036": lambda result: result.summary()["pooled"].median,
    },
    "zhang2022: Frank-Wolfe among private methods": {
        "500": lambda result: result.settings.dimension,
        "200": lambda result: result.settings.target_rows,
        "50": lambda result: result.settings.epsilon,
        "0.078": lambda result: result.alone[500].medians[0],
        "0.091": lambda result: result.alone[500].medians[1],
    },
    "zhang2022: Step 1: noise in the loop": {"34.1758": _quiet, "34.1760": _printed(0)},
    "zhang2022: Step 2: the loop's penalty": {"34.1210": _printed(0), "0.3039": _printed(20)},
    "zhang2022: Table of errors (migrate 0 to 20)": {
        "34.1760": _printed(0),
        "33.1282": _printed(5),
        "11.1123": _printed(10),
        "1.8909": _printed(15),
        "0.5093": _printed(20),
    },
    "zhang2022: Simulation: transfer helps": {
        "0.018": lambda result: result.summary()["transfer"].median,
        "0.084": lambda result: result.summary()["target"].median,
        "0.016": lambda result: result.summary()["source"].median,
        "0.0056": lambda result: result.alone[result.settings.dimension].medians[1],
    },
    "jiang2018: Section 2.1: Gaussian mechanism": {
        "0.9": lambda result: result.settings.epsilon,
        "0.684": _four_fifths,
        "0.669": lambda result: result.formulas["classical"].real,
    },
    "jiang2018: Section 2.1: composition, groups, side information": {
        "3": lambda result: result.settings.people,
        "2.84": lambda result: result.effects()["group"].epsilon,
        "0.947": lambda result: result.epsilon("pld"),
        "1.03e-4": lambda result: delta_rounded_up(result.effects()["group"].delta, digits=3),
        "1e-5": lambda result: result.settings.delta,
    },
    "jiang2018: Algorithm 1, DP-SGD (after Abadi et al.)": {
        "10": lambda result: result.settings.lot_size**0.5,
        "100": lambda result: result.settings.lot_size,
    },
    "jiang2018: Clipping by layers": {"0.50": lambda result: result.guarantee.epsilon},
    "jiang2018: Bounds, noise and learning rate that change with time": {
        "0.50": lambda result: result.guarantee.epsilon,
        "0.46": _by_the_mean,
    },
    "jiang2018: Theorem 3.1.1": {
        "1.2586": lambda result: result.epsilon("moments"),
        "1.12": lambda result: result.statements.constant(result.statements.exact),
        "1.48": lambda result: result.statements.constant(result.epsilon("moments")),
        "36.1": lambda result: result.statements.breaks,
    },
    "jiang2018: The bound that it improves": {
        "3.86": _growth,
        "26.4": lambda result: result.epsilon("strong"),
        "4.55": lambda result: math.sqrt(math.log(result.settings.steps / result.settings.delta)),
    },
    "jiang2018: 1.26 against 9.34": {
        "1.2586": lambda result: result.epsilon("moments"),
        "9.3391": lambda result: result.epsilon("published"),
        "26.4": lambda result: result.epsilon("strong"),
        "0.947": lambda result: result.epsilon("pld"),
    },
    "jiang2018: Theorem 3.2.1 and the moments of the sampled Gaussian": {
        "1.035": lambda result: result.epsilon("renyi"),
        "1.2586": lambda result: result.epsilon("moments"),
    },
    "jiang2018: Bound on the moments": {
        "51": lambda result: result.statements.last,
        "1.769": lambda result: result.statements.best("bound")[0],
        "147": lambda result: result.statements.below,
    },
    "jiang2018: Tuning": {
        "3.41": lambda result: result.tuned.epsilon,
        "1.82": lambda result: result.searches["logarithmic"].epsilon,
    },
    "jiang2018: Private linear regression: sensitivities": {
        "0.2": lambda result: result.settings.epsilon,
        "0.10": lambda result: result.noise_gives,
    },
    "jiang2018: Private linear regression: the solution": {
        "9": lambda result: result.failed,
        "50": lambda result: result.settings.repeats,
        "0.2": lambda result: result.settings.epsilon,
    },
    "jiang2018: Private linear regression: its budget": {"0.90": lambda result: result.settings.share_of("published")},
    "jiang2018: Figure 2: error over epsilon, US": {
        "20.0": lambda result: result.least_squares,
        "0.2": lambda result: result.settings.epsilon,
        "22.7": _census(0.2),
        "0.8": lambda result: result.settings.epsilons[6],
        "20.2": _census(0.8),
    },
    "jiang2018: Figure 3: error over epsilon, Brazil": {
        "7.9": lambda result: result.least_squares,
        "0.2": lambda result: result.settings.epsilon,
        "16.6": _census(0.2),
        "0.8": lambda result: result.settings.epsilons[6],
        "8.3": _census(0.8),
    },
    "wang2019: Algorithm 1 and Theorem 2": {"10": lambda result: result.settings.promise.epsilon},
    "wang2019: Algorithm 2: private importance weights": {"2.0": lambda result: result.sensitivities[1]},
    "wang2019: Section 4.1: 20 Newsgroups, 5,588 terms": {
        "5,588": lambda result: result.world.features,
        "62.3": lambda result: result.noise_at(result.world.features)[0],
        "149.5": lambda result: result.noise_at(result.world.features)[1],
        "1": lambda result: result.settings.epsilon,
        "20": lambda result: (result.world.features + 1) ** 0.5 * gdp.mu_of(1.0, delta=1e-5),
    },
    "wang2019: Section 4.1: reviews of four kinds": {
        "2,969": lambda result: result.world.features,
        "21.8": lambda result: result.noise_at(result.world.features)[0],
        "1": lambda result: result.settings.epsilon,
    },
    "wang2019: Figure 2: error of the weights, 20 Newsgroups": _WEIGHTS,
    "wang2019: Figure 3: error of the weights, reviews": {
        "0.0095": _WEIGHTS["0.013"],
        "300": _WEIGHTS["300"],
        "0.0016": _WEIGHTS["0.0006"],
        "0.094": _WEIGHTS["0.064"],
    },
    "wang2019: Figures 2 and 3 with few features": {
        "20": lambda result: result.dimension,
        "0.0054": lambda result: result.now.middle("error"),
        "10": lambda result: result.settings.epsilon,
        "0.064": lambda result: result.equal_error,
    },
    "wang2019: Figure 4: accuracy, 20 Newsgroups": {
        "300": lambda result: result.settings.epsilon,
        "91.4": _median("transfer"),
        "87.3": _median("average"),
        "82.2": _median("weak"),
        "97.5": lambda result: 100 * result.plain.middle("transfer"),
        "97.8": _median("target"),
    },
    "wang2019: Figure 5: accuracy, reviews": {
        "300": lambda result: result.settings.epsilon,
        "84.5": _median("transfer"),
        "84.4": _median("average"),
        "63.3": _median("weak"),
        "87.5": lambda result: 100 * result.plain.middle("transfer"),
        "87.0": _median("target"),
    },
    "wang2019: The same with Gaussian noise": {
        "1e-5": lambda result: result.settings.promise.delta,
        "30": lambda result: result.settings.epsilon,
        "92.0": _median("transfer"),
        "82.2": _median("weak"),
    },
    "wang2019: Figures 4 and 5 with few features": {
        "10": lambda result: result.settings.epsilon,
        "20": lambda result: result.dimension,
        "71.8": _median("transfer"),
        "70.4": _median("average"),
        "68.1": _median("weak"),
        "73.7": _median("target"),
    },
    "wang2019: Equation (5): soft labels as a baseline": {
        "20": lambda result: result.dimension,
        "68.3": _median("soft"),
    },
    "hamm2016: All rows of a party": {
        "1.0": lambda result: result.settings.guarantee("soft").epsilon,
        "1,000": lambda result: result.settings.parties,
    },
    "hamm2016: Local classifiers of any kind": {"86": _median("soft"), "89": lambda result: 100 * result.exact["soft"]},
    "hamm2016: Algorithm 1 and Theorem 1: majority vote": {
        "2,000": lambda result: result.sensitivity("vote", published=True),
        "52": _median("vote"),
        "88": lambda result: 100 * result.exact["vote"],
    },
    "hamm2016: Algorithm 2 and Theorem 3: soft labels": {
        "2.0": lambda result: result.published_sensitivity("soft"),
        "75": _median("soft"),
        "52": _median("vote"),
    },
    "hamm2016: The tighter constant": {
        "0.64": lambda result: result.sensitivity("soft"),
        "2.0": lambda result: result.published_sensitivity("soft"),
        "87": _median("soft"),
    },
    "hamm2016: Theorem 2": {"207": lambda result: sum(result.theorem("vote").values()) / 1e6},
    "hamm2016: Theorem 4": {
        "1,350": lambda result: round(sum(result.theorem("soft").values()), -1),
        "19": lambda result: 0.95 * result.settings.repeats,
        "20": lambda result: result.settings.repeats,
        "0.25": lambda result: sorted(result.now.excess)[18],
    },
    "hamm2016: Section 4.5: public rows that may change": {
        "3.00": lambda result: aggregation.auxiliary_factor(
            "soft", parties=result.settings.parties, public_rows=result.settings.public_rows
        )
    },
    "hamm2016: Supplement: more than two classes": {
        "1.41": lambda result: result.published_sensitivity("soft"),
        "12": lambda result: result.dimensions,
    },
    "hamm2016: Averaged weights (Pathak et al.)": {
        "2.0": lambda result: result.published_sensitivity("average"),
        "2,000": lambda result: result.settings.parties * result.published_sensitivity("average"),
        "87": _median("average"),
        "75": _median("soft"),
    },
    "hamm2016: Answering query by query": {"50": lambda result: result.worth},
    "hamm2016: Experiments: activities": {
        "92": lambda result: 100 * result.exact["soft"],
        "38": lambda result: 100 * result.local.median,
        "306": lambda result: result.dimensions,
    },
    "hamm2016: Experiments: intrusions": {
        "5,000": lambda result: result.settings.parties,
        "2,000": lambda result: result.settings.public_rows,
        "83": _median("soft"),
        "88": lambda result: 100 * result.exact["soft"],
    },
    "hamm2016: Experiments: addresses": {
        "2,000": lambda result: result.settings.public_rows,
        "95": _median("soft"),
        "55": _median("vote"),
        "81": lambda result: 100 * result.local.median,
    },
    "hoseinpour2023: Overfitted models are easier to attack": {
        "100": lambda result: 100 * result.right("plain")[0],
        "84": lambda result: 100 * result.right("plain")[1],
        "0.57": lambda result: result.advantage("plain", "likelihood ratio"),
        "0.13": lambda result: result.advantage("private", "likelihood ratio"),
    },
    "hoseinpour2023: Gaussian mechanism": {
        "1": lambda result: result.settings.epsilon,
        "0.735": lambda result: result.formulas["slide"].real,
        "9.391": lambda result: result.formulas["slide"].until,
        "8.420": lambda result: result.formulas["classical"].until,
    },
    "hoseinpour2023: Sensitivity of the gradient": {
        "1": lambda result: result.guarantees.claimed,
        "0.751": lambda result: result.guarantees.formula.epsilon,
        "1.37": lambda result: result.guarantees.bounded.epsilon,
        "3,759": lambda result: result.guarantees.unbounded.epsilon,
    },
    "hoseinpour2023: Noise for $T$ steps": {
        "150": lambda result: result.claim.epsilon,
        "610": lambda result: result.claim.guarantee.epsilon,
    },
    "hoseinpour2023: Table: accuracy without and with pre-training": {
        "3": lambda result: sum(
            abs(result.table()["published gain"] - result.table()["published gain computed"]) > 1e-9
        ),
        "0.1": lambda result: result.gains.at,
        "6.2": lambda result: result.gains.most,
    },
    "hoseinpour2023: Figures: loss over steps": {
        "85.0": _column("without", 1.0),
        "85.2": lambda result: 100 * result.reference.accuracy,
    },
    "hoseinpour2023: Figures: boundaries at epsilon 1, 0.5 and 0.1": {
        "85.8": _column("with", 1.0),
        "84.8": _column("with", 0.5),
        "56.5": _column("with", 0.1),
    },
    "hoseinpour2023: Is it private as published?": {
        "1": lambda result: result.settings.epsilon,
        "2.33": lambda result: result.shown.epsilon,
    },
    "kairouz2021: Algorithm 1, DP-FTRL: noise of a binary tree over the steps": {
        "0.5": lambda result: result.settings.epsilon,
        "75": _at_the_end("tree"),
        "59": _at_the_end("ordered"),
        "88": _at_the_end("sampled"),
    },
}
