"""The five works that the lab began with, as a literal table: what each says, part by part, and what holds."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from dpcore.accountants import account, gdp
from dpcore.parties import aggregation
from dpcore.privacy import Adjacency, delta_rounded_up


class Part(NamedTuple):
    """An algorithm, a theorem, a table or a figure of a work.

    says, holds: markdown. page, settings: where the lab shows it, "" where it does not; tab: under which title there,
    where it is not in the first screen. numbers: each number of ``holds`` that the lab computes, as it stands there,
    and what it is of that page's result.
    """

    part: str
    says: str
    holds: str
    page: str = ""
    settings: Mapping[str, str] = MappingProxyType({})
    numbers: Mapping[str, Callable[[Any], float]] = MappingProxyType({})
    tab: str = ""


def _median(name: str) -> Callable[[Any], float]:
    """Accuracy of the middle run, in percent."""
    return lambda result: 100 * result.summary[name].median


def _printed(migrated: int) -> Callable[[Any], float]:
    """A value of the table of errors, made again."""

    def value(result: Any) -> float:
        frame = result.published.frame
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
    frame = result.published.frame
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


# The published sizes with all words; what ``pages/hypotheses/published.py`` has.
TOPICS = {"data": "topics", "projection": "none", "lambda_lr": "0.003", "mixture": "0.6-0-0-0.4-0"}
REVIEWS = {
    "data": "reviews",
    "projection": "none",
    "source_rows": "1000",
    "public_rows": "2000",
    "lambda_lr": "0.005",
    "mixture": "0-0.25-0-0.75",
}
_RUN = {"sampling_rate": "0.01", "noise_multiplier": "4", "steps": "10000", "delta": "1e-05"}
_WEIGHTS = {
    "300": lambda result: result.settings.epsilon,
    "0.013": lambda result: result.error.median,
    "0.064": lambda result: result.equal_error,
    "0.0006": lambda result: result.noiseless_error,
}

# Key of a paper -> its parts, in its own order.
WORKS: Mapping[str, tuple[Part, ...]] = {
    "zhang2022": (
        Part(
            "Definition 4; Algorithm 2, private Frank-Wolfe",
            "Neighbours differ in one modified row. Laplace noise of scale $L_1 \\lVert C \\rVert_1 "
            "\\sqrt{8T\\ln(1/\\delta)} / (n\\varepsilon)$ on each vertex's score.",
            "The algorithm is sound. Its printed scale is made for a row that is there or not: with a *modified* row, "
            "a nominal epsilon of 1 costs 2.15 by strong composition.",
            "transfer",
            {"noise": "printed", "epsilon": "1"},
            {
                "1": lambda result: result.settings.epsilon,
                "2.15": lambda result: result.strong("target").epsilon,
            },
            "Published noise scale",
        ),
        Part(
            "Transferable set $A_q$, and data sets from uniform laws",
            "Sources whose contrast $\\lVert \\delta^{(k)} \\rVert_q$ is at most $h$ are used; rows of each come from "
            "a uniform law of its own.",
            "Shown with $h$ and $q$ as sliders. At $h = 0.7$, 2 of the page's 6 sources are in the set. Finding it out "
            "from private rows is a release too, and is charged.",
            "transfer",
            {"h": "0.7", "q": "1"},
            {"2": lambda result: result.transferable.sum(), "6": lambda result: result.settings.sources},
            "Sources",
        ),
        Part(
            "Loss $L(\\theta)$ with $\\lambda \\lVert \\omega \\rVert_q$",
            "Least squares with a penalty.",
            "A slider: $q = 1$ and the square of $q = 2$, in the private walk and without privacy. It sees no row, so "
            "that it costs no epsilon. In 500 coefficients and 200 rows, $\\lambda = 0.05$ leaves 14 of them "
            "without privacy. The printed table contains the L1 norm on the rows that were fitted; its loop descends "
            "on a squared one.",
            "transfer",
            {"penalty": "0.05", "dimension": "500", "target_rows": "200"},
            {
                "500": lambda result: result.settings.dimension,
                "200": lambda result: result.settings.target_rows,
                "14": lambda result: result.settings.dimension - result.focus.zeros,
            },
        ),
        Part(
            "More coefficients than rows",
            "A walk from corner to corner pays for the logarithm of the dimension.",
            "Shown up to 500 coefficients. With 200 private rows, at epsilon 10, the private rows alone are worse than "
            "saying nothing: 0.182 against 0.133. With 2,500 public rows pooled it is 0.036.",
            "transfer",
            {"epsilon": "10", "dimension": "500", "target_rows": "200"},
            {
                "500": lambda result: result.settings.dimension,
                "200": lambda result: result.settings.target_rows,
                "10": lambda result: result.settings.epsilon,
                "2,500": lambda result: result.settings.migrated,
                "0.182": lambda result: result.summary()["target"].median,
                "0.133": lambda result: result.nothing_learnt,
                "0.036": lambda result: result.summary()["pooled"].median,
            },
        ),
        Part(
            "The walk among private methods",
            "It is taken for the private regression.",
            "It is for many coefficients and little noise: with 500 of them, 200 rows and epsilon 50 it misses by "
            "0.078, noisy gradient descent over the same ball by 0.091. With fewer coefficients, or a smaller epsilon, "
            "descent can be ahead.",
            "transfer",
            {"epsilon": "50", "dimension": "500", "target_rows": "200"},
            {
                "500": lambda result: result.settings.dimension,
                "200": lambda result: result.settings.target_rows,
                "50": lambda result: result.settings.epsilon,
                "0.078": lambda result: result.alone[500].medians[0],
                "0.091": lambda result: result.alone[500].medians[1],
            },
            "Coefficients",
        ),
        Part(
            "Step 1: noise in the loop",
            "Once a pass, Laplace noise of scale mean(a) is added to the gradient.",
            "It promises nothing: the scale is read off the fit itself, none at first, and nothing bounds what a row "
            "does. It hardly shows: 34.1758 is printed without it, 34.1760 with it.",
            "transfer",
            {"epsilon": "1"},
            {"34.1758": _quiet, "34.1760": _printed(0)},
            "Published table",
        ),
        Part(
            "Step 2: the loop's penalty",
            "Its $\\lambda$ and $q$ are not named. Up to 20 rows are migrated.",
            "The printed numbers come out with $\\lambda = 0.1$ and $q = 1$, which are our reconstruction. With "
            "$\\lambda = 0$ the loop prints 34.1210 and, with 20 rows more, 0.3039: what falls is the error of the "
            "fitted rows.",
            "transfer",
            {"loop_penalty": "0"},
            {"34.1210": _printed(0), "0.3039": _printed(20)},
            "Published table",
        ),
        Part(
            "Table of errors (migrate 0 to 20)",
            "Printed as sse: 34.1754, 33.1285, 11.1125, 1.8910, 0.5093.",
            "Reproduced: 34.1760, 33.1282, 11.1123, 1.8909, 0.5093. It is the mean squared error of the fitted rows "
            "plus a penalty, of a loop that has no privacy; it falls because more rows mean more steps.",
            "transfer",
            {"epsilon": "1"},
            {
                "34.1760": _printed(0),
                "33.1282": _printed(5),
                "11.1123": _printed(10),
                "1.8909": _printed(15),
                "0.5093": _printed(20),
            },
            "Published table",
        ),
        Part(
            "Simulation: transfer helps",
            "Borrowed data improve the private regression.",
            "True where sources resemble the target: excess risk 0.018 with transfer, against 0.084 from the private "
            "rows alone. The public sources by themselves reach 0.016 here, noisy descent without any source 0.0056. "
            "The slides' own pictures cannot be read in our copy.",
            "transfer",
            {"epsilon": "1"},
            {
                "0.018": lambda result: result.summary()["transfer"].median,
                "0.084": lambda result: result.summary()["target"].median,
                "0.016": lambda result: result.summary()["source"].median,
                "0.0056": lambda result: result.alone[result.settings.dimension].medians[1],
            },
        ),
    ),
    "jiang2018": (
        Part(
            "Section 2.1: Gaussian mechanism",
            "Enough noise if $\\delta \\ge \\frac45 \\exp(-(\\sigma\\varepsilon)^2/2)$ and $\\varepsilon < 1$.",
            "That is $\\ln(0.8/\\delta)$, less noise than by the textbook's $\\ln(1.25/\\delta)$. It is kept: at a "
            "claimed epsilon of 0.9 it gives 0.684, the textbook's formula 0.669.",
            "mechanisms",
            {"mechanism": "classical", "epsilon": "0.9", "delta": "1e-05"},
            {
                "0.9": lambda result: result.settings.epsilon,
                "0.684": _four_fifths,
                "0.669": lambda result: result.formulas["classical"].real,
            },
            "Formulas",
        ),
        Part(
            "Section 2.1: composition, groups, side information",
            "Guarantees add up, and get worse gracefully for people whose rows go together.",
            "Holds. For 3 people together the run below costs 2.84 in place of 0.947, at a delta of 0.000103 in place "
            "of 0.00001.",
            "accounting",
            _RUN | {"people": "3"},
            {
                "3": lambda result: result.settings.people,
                "2.84": lambda result: result.effects()[2].guarantee.epsilon,
                "0.947": lambda result: result.epsilon("pld"),
                "0.000103": lambda result: delta_rounded_up(result.effects()[2].guarantee.delta, digits=3),
                "0.00001": lambda result: result.settings.delta,
            },
            "Adjacency, groups, tuning",
        ),
        Part(
            "Algorithm 1, DP-SGD (after Abadi et al.)",
            "The outline prints noise inside of the sum over the lot.",
            "As printed, the noise on a lot is larger by the root of its size: 10 times, for lots of 100. The paper "
            "that is followed adds it once, and so does the page's sound version.",
            "network",
            {"variant": "inside"},
            {
                "10": lambda result: result.settings.lot_size**0.5,
                "100": lambda result: result.settings.lot_size,
            },
        ),
        Part(
            "Lots",
            "In practice rows are shuffled and cut; for the analysis each is picked with probability $q$.",
            "These are two algorithms. For shuffled lots the claim is not proved, and an audit of this loop catches "
            "it.",
            "network",
            {"variant": "shuffled"},
        ),
        Part(
            "Clipping by layers",
            "Each layer may have a bound and a noise scale of its own.",
            "Holds: with the page's bounds the layers compose like one, at epsilon 0.50 as without.",
            "network",
            {"clipping": "layers"},
            {"0.50": lambda result: result.guarantee.epsilon},
            "Guarantee",
        ),
        Part(
            "Bounds, noise and learning rate that change with time",
            "They may vary with the step; the rate falls linearly, then stays.",
            "Holds while the schedules are public. Rate and bound are free, as noise is scaled along; noise is counted "
            "step by step, at epsilon 0.50 here, where it falls to a half. By its mean, it would seem to cost 0.46.",
            "network",
            {"shape": "linear", "noise_ramp": "0.5"},
            {"0.50": lambda result: result.guarantee.epsilon, "0.46": _by_the_mean},
        ),
        Part(
            "Theorem 3.1.1",
            "With constants $c_1$, $c_2$ that are not named, $\\sigma \\ge c_2 "
            "q\\sqrt{T\\ln(1/\\delta)}/\\varepsilon$ is enough for $\\varepsilon < c_1 q^2 T$.",
            "No constants make it true as printed: with all rows in every step, $c_2 = 2$ promises too much from "
            "epsilon 36.1 on, and any other $c_2$ from an epsilon of its own. With two conditions more, constants are "
            "found that hold on a grid of runs, which is no proof. In this run (1.2586 by the moments accountant) "
            "$c_2$ may be no less than 1.12 by the exact count, 1.48 by the accountant.",
            "accounting",
            {"sampling_rate": "0.01", "noise_multiplier": "4", "steps": "10000", "delta": "1e-05"},
            {
                "1.2586": lambda result: result.epsilon("moments"),
                "1.12": lambda result: result.statements.constant(result.statements.exact),
                "1.48": lambda result: result.statements.constant(result.epsilon("moments")),
                "36.1": lambda result: result.statements.breaks,
            },
            "Theorems",
        ),
        Part(
            "The bound that it improves",
            "Strong composition needs $\\sigma = \\Omega(q\\sqrt{T\\ln(1/\\delta)\\ln(T/\\delta)}/\\varepsilon)$; a "
            "factor of $\\sqrt{\\ln(T/\\delta)}$ is saved.",
            "An order of growth, without a constant. With one for it, this run would cost 3.86, where strong "
            "composition, computed, charges 26.4. The factor is 4.55 here.",
            "accounting",
            _RUN,
            {
                "3.86": _growth,
                "26.4": lambda result: result.epsilon("strong"),
                "4.55": lambda result: math.sqrt(math.log(result.settings.steps / result.settings.delta)),
            },
            "Theorems",
        ),
        Part(
            "1.26 against 9.34",
            "One run: 1.26 by the moments accountant, 9.34 by strong composition.",
            "1.2586 is reproduced. 9.3391 multiplies the step's epsilon by $q$, which holds for small ones only; with "
            "valid amplification strong composition gives 26.4. The PLD accountant gives 0.947, a tight upper bound.",
            "accounting",
            {"sampling_rate": "0.01", "noise_multiplier": "4", "steps": "10000", "delta": "1e-05"},
            {
                "1.2586": lambda result: result.epsilon("moments"),
                "9.3391": lambda result: result.epsilon("published"),
                "26.4": lambda result: result.epsilon("strong"),
                "0.947": lambda result: result.epsilon("pld"),
            },
            "Accountants",
        ),
        Part(
            "Theorem 3.2.1 and the moments of the sampled Gaussian",
            "Moments add up over steps and give delta at the end.",
            "Holds, and is one of the six counts. Real orders and a sharper conversion make 1.035 of 1.2586.",
            "accounting",
            {"sampling_rate": "0.01", "noise_multiplier": "4", "steps": "10000", "delta": "1e-05"},
            {"1.035": lambda result: result.epsilon("renyi"), "1.2586": lambda result: result.epsilon("moments")},
            "Accountants",
        ),
        Part(
            "Bound on the moments",
            "$\\alpha(\\lambda) \\le q^2\\lambda(\\lambda+1)/(1-q)\\sigma^2 + O(q^3/\\sigma^3)$; it implies Theorem "
            "3.1.1.",
            "With $\\sigma^2$ under the bar. It is stated up to $\\lambda$ = 51 here, and its main term alone would "
            "charge 1.769; from 147 on it is less than the moment.",
            "accounting",
            _RUN,
            {
                "51": lambda result: result.statements.last,
                "1.769": lambda result: result.statements.best("bound")[0],
                "147": lambda result: result.statements.below,
            },
            "Theorems",
        ),
        Part(
            "Hyperparameter tuning",
            "Costs of all settings tried are added up.",
            "Sound. Ten such runs cost 3.41 together, at most 3.42 on the coarse grid that the page counts them on. If "
            "only the best of a random number is released, Rényi orders show at most 1.82.",
            "accounting",
            {"settings_tried": "10"},
            {
                "3.41": lambda result: (
                    account(
                        result.tuned.event,
                        delta=result.settings.delta,
                        adjacency=result.tuned.adjacency,
                        accountant="pld",
                    ).epsilon
                ),
                "3.42": lambda result: result.tuned.epsilon,
                "1.82": lambda result: result.searches["logarithmic"].epsilon,
            },
            "Hyperparameter tuning",
        ),
        Part(
            "Private linear regression: sensitivities",
            "Noise for $2(d+1)^2$ on the quadratic and $4(d+1)$ on the linear part.",
            "The promise holds with room to spare: the quadratic's is exactly $(d+1)^2$. At a claimed 0.2 the noise "
            "gives 0.10.",
            "regression",
            {"mechanism": "published", "epsilon": "0.2"},
            {"0.2": lambda result: result.settings.epsilon, "0.10": lambda result: result.noise_gives},
            "Guarantee",
        ),
        Part(
            "Private linear regression: the answer",
            "The solution of the noisy quadratic, $-b/2a$.",
            "It is a saddle point wherever noise turns a direction downwards: in 9 of 50 runs at epsilon 0.2. The "
            "repair that is known for it costs nothing.",
            "regression",
            {"mechanism": "published", "epsilon": "0.2"},
            {
                "9": lambda result: result.failed,
                "50": lambda result: result.settings.repeats,
                "0.2": lambda result: result.settings.epsilon,
            },
        ),
        Part(
            "Private linear regression: its budget",
            "A larger part of epsilon for the quadratic, which is more sensitive.",
            "Sound: parts add up. The share is a slider; as it is set here, the quadratic has 0.90 of epsilon.",
            "regression",
            {"mechanism": "published", "split": "own", "share": "0.9"},
            {"0.90": lambda result: result.settings.share_of("published")},
        ),
        Part(
            "Figure 2: error over epsilon, US",
            "Private error is higher, and falls as epsilon grows.",
            "The same is seen on a made-up population with the same attributes, with 20.0 without privacy, 22.7 at "
            "epsilon 0.2 and 20.2 at 0.8; the census itself is not shipped, and the curves cannot be read in our copy.",
            "regression",
            {"dataset": "us", "mechanism": "published", "epsilon": "0.2"},
            {
                "20.0": lambda result: result.least_squares,
                "0.2": lambda result: result.settings.epsilon,
                "22.7": _census(0.2),
                "0.8": lambda result: result.settings.epsilons[6],
                "20.2": _census(0.8),
            },
        ),
        Part(
            "Figure 3: error over epsilon, Brazil",
            "The same.",
            "The same, with 7.9 without privacy, 16.6 at epsilon 0.2 and 8.3 at 0.8.",
            "regression",
            {"dataset": "brazil", "mechanism": "published", "epsilon": "0.2"},
            {
                "7.9": lambda result: result.least_squares,
                "0.2": lambda result: result.settings.epsilon,
                "16.6": _census(0.2),
                "0.8": lambda result: result.settings.epsilons[6],
                "8.3": _census(0.8),
            },
        ),
        Part(
            "Figure 1: TensorFlow can be used",
            "A picture of an installation.",
            "Nothing to reproduce: networks are trained here without it.",
        ),
    ),
    "wang2019": (
        Part(
            "Algorithm 1 and Theorem 2",
            "Both released vectors are $(\\varepsilon, 0)$-private, from rows that no two share: no budget is split.",
            "Holds, for one replaced row of a source: epsilon 10 is paid once. The target is not protected. The boxes "
            "of both algorithms cannot be read in our copy; steps and formulas follow the text and the papers it "
            "names.",
            "hypotheses",
            {"epsilon": "10"},
            {"10": lambda result: result.guarantee.epsilon},
        ),
        Part(
            "Algorithm 2: private importance weights",
            "A tilt that tells private rows from public ones is released with noise, and gives their weights.",
            "Holds. One row moves it by up to $2/(n\\lambda)$, 2.0 here; so small a $\\lambda$ is paid for in noise.",
            "hypotheses",
            {"unlabelled_rows": "1000", "lambda_iw": "0.001"},
            {"2.0": lambda result: result.sensitivities[1]},
            "How it works",
        ),
        Part(
            "Figure 1: the system",
            "Sources and target, with public rows in between.",
            "Shown as the six steps: who reads what, what leaves, and what it costs.",
            "hypotheses",
            {"epsilon": "10"},
            tab="Algorithm",
        ),
        Part(
            "Table 1: topics of the sources",
            "Five sources, of 5 computer topics beside 2 others each, paired at random.",
            "The list cannot be read in our copy. A pairing of our own, on generated topics of the same layout; the "
            "real letters are fetched where a person asks for them.",
            "hypotheses",
            TOPICS,
            tab="Results table",
        ),
        Part(
            "Section 4.1: 20 Newsgroups, 5,588 terms",
            "Vocabularies are built from the source documents.",
            "That would be one more release, so here words come from public texts. With all 5,588 words the noise on "
            "a margin has standard deviation 62.3 at epsilon 1, on the logarithm of a weight 149.5; Gaussian noise is "
            "20 times less, and rows can be projected.",
            "hypotheses",
            TOPICS | {"epsilon": "1"},
            {
                "5,588": lambda result: result.features,
                "62.3": lambda result: result.noise_at(result.features)[0],
                "149.5": lambda result: result.noise_at(result.features)[1],
                "1": lambda result: result.settings.epsilon,
                "20": lambda result: (result.features + 1) ** 0.5 * gdp.mu_of(1.0, delta=1e-5),
            },
            "Features",
        ),
        Part(
            "Section 4.1: reviews of four kinds",
            "Four domains, 2,969 words and pairs of words.",
            "Shown on generated reviews of the same size: 2,969 features, noise of 21.8 on a margin at epsilon 1. The "
            "data themselves are not shipped.",
            "hypotheses",
            REVIEWS | {"epsilon": "1"},
            {
                "2,969": lambda result: result.features,
                "21.8": lambda result: result.noise_at(result.features)[0],
                "1": lambda result: result.settings.epsilon,
            },
            "Features",
        ),
        Part(
            "Figure 2: error of the weights, 20 Newsgroups",
            "The mean squared error of the hypothesis weights approaches 0 as epsilon grows.",
            "Seen with all words, and late: 0.013 at epsilon 300, 0.0006 without noise, where equal weights would have "
            "0.064. Epsilons and curve cannot be read in our copy.",
            "hypotheses",
            TOPICS | {"epsilon": "300"},
            _WEIGHTS,
            "Algorithm",
        ),
        Part(
            "Figure 3: error of the weights, reviews",
            "The same.",
            "Seen likewise: 0.0095 at epsilon 300, 0.0016 without noise, where equal weights would have 0.094.",
            "hypotheses",
            REVIEWS | {"epsilon": "300"},
            {
                "0.0095": _WEIGHTS["0.013"],
                "300": _WEIGHTS["300"],
                "0.0016": _WEIGHTS["0.0006"],
                "0.094": _WEIGHTS["0.064"],
            },
            "Algorithm",
        ),
        Part(
            "Figures 2 and 3 with few features",
            "They hold even where the privacy asked for is strict.",
            "With 20 features they do: 0.0054 at epsilon 10, where equal weights would have 0.064.",
            "hypotheses",
            {"epsilon": "10", "dimension": "20"},
            {
                "20": lambda result: result.dimension,
                "0.0054": lambda result: result.error.median,
                "10": lambda result: result.settings.epsilon,
                "0.064": lambda result: result.equal_error,
            },
            "Algorithm",
        ),
        Part(
            "Figure 4: accuracy, 20 Newsgroups",
            "Transfer and equal weights lead from a middle epsilon; with less privacy transfer leads at all shares of "
            "labels; without privacy it is as good as all labels.",
            "With few labels the order is seen at epsilon 300: 91.4 % right with transfer, 87.3 with equal weights, "
            "82.2 from few labels alone; without noise 97.5, with all labels 97.8. Epsilons, shares and curves cannot "
            "be read in our copy.",
            "hypotheses",
            TOPICS | {"epsilon": "300"},
            {
                "300": lambda result: result.settings.epsilon,
                "91.4": _median("transfer"),
                "87.3": _median("average"),
                "82.2": _median("weak"),
                "97.5": lambda result: 100 * result.noiseless_accuracy,
                "97.8": _median("target"),
            },
        ),
        Part(
            "Figure 5: accuracy, reviews",
            "The same order.",
            "Transfer and equal weights lead at epsilon 300, and are about as good: 84.5 and 84.4 % right, 63.3 from "
            "few labels alone; without noise 87.5, with all labels 87.0.",
            "hypotheses",
            REVIEWS | {"epsilon": "300"},
            {
                "300": lambda result: result.settings.epsilon,
                "84.5": _median("transfer"),
                "84.4": _median("average"),
                "63.3": _median("weak"),
                "87.5": lambda result: 100 * result.noiseless_accuracy,
                "87.0": _median("target"),
            },
        ),
        Part(
            "The same with Gaussian noise",
            "Not in the paper.",
            "With delta 0.00001 and all words, an epsilon of 30 is enough: 92.0 % right with transfer, 82.2 from "
            "few labels alone.",
            "hypotheses",
            TOPICS | {"epsilon": "30", "noise": "gaussian"},
            {
                "0.00001": lambda result: result.guarantee.delta,
                "30": lambda result: result.settings.epsilon,
                "92.0": _median("transfer"),
                "82.2": _median("weak"),
            },
            "Features",
        ),
        Part(
            "Table 2: several mixtures, labels on 5 %",
            "The best but for all labels is marked.",
            "Made anew, with mixtures and levels of our own: every number of the printed one, its mixtures and its "
            "levels cannot be read in our copy.",
            "hypotheses",
            TOPICS,
            tab="Results table",
        ),
        Part(
            "Figures 4 and 5 with few features",
            "The same order.",
            "It is seen from about epsilon 10 with 20 features: 71.8 % right with transfer, 70.4 with equal weights, "
            "68.1 from few labels alone, 73.7 with all labels.",
            "hypotheses",
            {"epsilon": "10", "dimension": "20"},
            {
                "10": lambda result: result.settings.epsilon,
                "20": lambda result: result.dimension,
                "71.8": _median("transfer"),
                "70.4": _median("average"),
                "68.1": _median("weak"),
                "73.7": _median("target"),
            },
        ),
        Part(
            "Equation (5): soft labels as a baseline",
            "Unlabelled rows of the target get the mean of the sources' noisy models as a label.",
            "It does not say whether models vote or give a probability; here they vote. With 20 features it stays "
            "behind: 68.3 % right.",
            "hypotheses",
            {"epsilon": "10", "dimension": "20"},
            {"20": lambda result: result.dimension, "68.3": _median("soft")},
            "Methods",
        ),
    ),
    "hamm2016": (
        Part(
            "All rows of a party",
            "The promise is to a whole party, and not to a row of it.",
            "Holds, and is what every epsilon of the page is for: 1.0 for all rows of one of 1,000 parties.",
            "parties",
            {"method": "soft", "parties": "1000", "epsilon": "1"},
            {
                "1.0": lambda result: result.guarantee("soft").epsilon,
                "1,000": lambda result: result.settings.parties,
            },
            "Guarantee",
        ),
        Part(
            "Local classifiers of any kind",
            "Votes need no common kind of model, averages do.",
            "Holds. Of mixed kinds, soft labels are right 86 % of the time, and 89 % without noise.",
            "parties",
            {"learner": "mixed", "method": "soft"},
            {"86": _median("soft"), "89": lambda result: 100 * result.exact["soft"]},
        ),
        Part(
            "Algorithm 1 and Theorem 1: majority vote",
            "One party moves the weights by at most $2/\\lambda$, however many there are.",
            "Holds, 2,000 here, and is twice what logistic loss needs. The vote is right 52 % of the time, the same "
            "votes without noise 88 %.",
            "parties",
            {"method": "vote", "constants": "published"},
            {
                "2,000": lambda result: result.published_sensitivity("vote"),
                "52": _median("vote"),
                "88": lambda result: 100 * result.exact["vote"],
            },
        ),
        Part(
            "Algorithm 2 and Theorem 3: soft labels",
            "$2/(M\\lambda)$: the noise falls with the number of parties.",
            "Holds, and is twice what logistic loss needs. With the published constant 2.0 here, soft labels are "
            "right 75 % of the time, majority votes 52 %.",
            "parties",
            {"method": "soft", "constants": "published"},
            {
                "2.0": lambda result: result.published_sensitivity("soft"),
                "75": _median("soft"),
                "52": _median("vote"),
            },
        ),
        Part(
            "The sharper constant",
            "Not in the paper.",
            "One party moves a two-class soft model by 0.64 here in place of 2.0, so that the same promise gives 87 % "
            "right.",
            "parties",
            {"method": "soft", "constants": "sharp"},
            {
                "0.64": lambda result: result.sensitivity("soft"),
                "2.0": lambda result: result.published_sensitivity("soft"),
                "87": _median("soft"),
            },
        ),
        Part(
            "Theorem 2",
            "The excess risk of the vote falls like $\\varepsilon^{-2}$ and $N^{-1}$, whatever $M$ is.",
            "Holds: it is the next one for a single party. At these settings it is about 207 million nats, so vacuous.",
            "parties",
            {"method": "vote", "parties": "1000", "epsilon": "1"},
            {"207": lambda result: sum(result.theorem("vote").values()) / 1e6},
            "Theorems",
        ),
        Part(
            "Theorem 4",
            "The excess risk falls like $\\varepsilon^{-2} M^{-2}$ and $N^{-1}$.",
            "A statement about rates: at these settings the bound itself is about 1,350 nats, and vacuous. Measured, "
            "19 of 20 draws of noise stay below 0.25.",
            "parties",
            {"method": "soft", "parties": "1000", "epsilon": "1"},
            {
                "1,350": lambda result: round(result.bound_now, -1),
                "19": lambda result: 0.95 * result.settings.repeats,
                "20": lambda result: result.settings.repeats,
                "0.25": lambda result: sorted(result.now.excess)[18],
            },
            "Theorems",
        ),
        Part(
            "Section 4.5: public rows that may change",
            "If one public row may change too, soft labels take $(N + M - 1)/N$ times the noise.",
            "Shown, 3.00 times with as many parties and rows as here; the lab takes its public rows for public.",
            "parties",
            {"method": "soft", "parties": "1000", "epsilon": "1"},
            {
                "3.00": lambda result: aggregation.auxiliary_factor(
                    "soft", parties=result.settings.parties, public_rows=result.settings.public_rows
                )
            },
            "Theorems",
        ),
        Part(
            "Supplement: more than two classes",
            "One party moves soft labels by $\\sqrt2/(M\\lambda)$, in $K d$ dimensions.",
            "Holds, 1.41 here, in 12 dimensions.",
            "parties",
            {"dataset": "four", "method": "soft", "constants": "published"},
            {
                "1.41": lambda result: result.published_sensitivity("soft"),
                "12": lambda result: result.dimensions,
            },
        ),
        Part(
            "Averaged weights (Pathak et al.)",
            "A baseline: average the parties' weights, which one party moves by a share of what it moves its own.",
            "Holds: 2.0 in place of 2,000. With bounded weights it needs less noise than that: 87 % right, against 75 "
            "% for soft labels with theirs.",
            "parties",
            {"method": "average", "constants": "published"},
            {
                "2.0": lambda result: result.published_sensitivity("average"),
                "2,000": lambda result: result.settings.parties * result.published_sensitivity("average"),
                "87": _median("average"),
                "75": _median("soft"),
            },
            "Methods",
        ),
        Part(
            "Answering question by question",
            "The noise of a service grows with the number of questions; a released model answers for ever.",
            "Holds: with the sharp constant, the first 100 questions are answered better one by one, and later ones "
            "worse.",
            "parties",
            {"method": "soft", "constants": "sharp"},
            {"100": lambda result: result.worth},
            "Explanation",
        ),
        Part(
            "Experiments: activities",
            "Six activities in 50 directions, dealt out to 1,000 parties of 6 rows each.",
            "Shown on generated windows of that shape. Without noise, soft labels are right 92 % of the time, a party "
            "alone 38 %. In 306 dimensions that takes an epsilon in the hundreds, or many more parties.",
            "parties",
            {"dataset": "activities", "parties": "1000", "rows": "6"},
            {
                "92": lambda result: 100 * result.exact["soft"],
                "38": lambda result: 100 * result.local.median,
                "306": lambda result: result.dimensions,
            },
        ),
        Part(
            "Experiments: intrusions",
            "123 features, 22 rows a party, 5,000 to 20,000 parties and 43,000 public rows.",
            "Shown on generated connections of that shape, up to 5,000 parties and 2,000 public rows: 83 % right with "
            "noise, 88 % without.",
            "parties",
            {"dataset": "intrusions", "parties": "5000", "public_rows": "2000", "regularisation": "0.01"},
            {
                "5,000": lambda result: result.settings.parties,
                "2,000": lambda result: result.settings.public_rows,
                "83": _median("soft"),
                "88": lambda result: 100 * result.exact["soft"],
            },
        ),
        Part(
            "Experiments: addresses",
            "Malicious addresses in 50 directions, 9 rows a party, 5,000 to 20,000 parties and 16,000 public rows.",
            "Shown on generated addresses of that shape with 2,000 public rows: of 20,000 parties, soft labels are "
            "right 95 % of the time, majority votes 55 %, a party alone 81 %.",
            "parties",
            {"dataset": "addresses", "parties": "20000", "public_rows": "2000", "regularisation": "0.01"},
            {
                "2,000": lambda result: result.settings.public_rows,
                "95": _median("soft"),
                "55": _median("vote"),
                "81": lambda result: 100 * result.local.median,
            },
            "Methods",
        ),
    ),
    "hoseinpour2023": (
        Part(
            "Overfitted models are easier to attack",
            "A curve that follows each point holds more of the rows.",
            "Seen: a model without privacy is right about all of its members' rows, 100 in 100, and 84 in 100 of "
            "others; the likelihood-ratio attack has an advantage of 0.57 there, and 0.13 with the page's noise.",
            "attack",
            {"part": "membership"},
            {
                "100": lambda result: 100 * result.right("plain")[0],
                "84": lambda result: 100 * result.right("plain")[1],
                "0.57": lambda result: result.advantage("plain", "likelihood ratio"),
                "0.13": lambda result: result.advantage("private", "likelihood ratio"),
            },
        ),
        Part(
            "One person's row moves the boundary",
            "Without privacy the decision boundary follows single rows.",
            "Two worlds, with one person and with another in their place, trained many times each; all boundaries are "
            "drawn.",
            "attack",
            {"part": "worlds"},
        ),
        Part(
            "Model inversion and membership inference",
            "Attacks that recover training data motivate the work.",
            "Both can be tried: what weights show of a picture, and who was in.",
            "attack",
            {"part": "inversion"},
        ),
        Part(
            "Gaussian mechanism",
            "Variance $2\\Delta^2\\ln(2/\\delta)/\\varepsilon^2$ with the sensitivity in the L1 norm.",
            "Safe where it is claimed for small epsilon, as the L1 norm is never below the L2 norm, and then with more "
            "noise than it must: at a claimed epsilon of 1 it gives 0.735. Of one number it is kept up to epsilon "
            "9.391 only, the textbook's $\\ln(1.25/\\delta)$ up to 8.420.",
            "mechanisms",
            {"mechanism": "classical", "epsilon": "1", "delta": "1e-05"},
            {
                "1": lambda result: result.settings.epsilon,
                "0.735": lambda result: result.formulas["slide"].real,
                "9.391": lambda result: result.formulas["slide"].until,
                "8.420": lambda result: result.formulas["classical"].until,
            },
            "Formulas",
        ),
        Part(
            "Sensitivity of the gradient",
            "The average gradient is clipped to $C$; the noise is for $2C/n$.",
            "Clipping the average lets one person move it by up to $2C$, whatever $n$ is. At a claimed epsilon of 1 "
            "this noise gives 0.751 had each gradient been clipped, 1.37 with the page's public bounds, and 3,759 "
            "without any.",
            "classifier",
            {"version": "published", "epsilon": "1"},
            {
                "1": lambda result: result.guarantees.claimed,
                "0.751": lambda result: result.guarantees.formula.epsilon,
                "1.37": lambda result: result.guarantees.bounded.epsilon,
                "3,759": lambda result: result.guarantees.unbounded.epsilon,
            },
        ),
        Part(
            "Noise for $T$ steps",
            "$\\sigma \\ge \\frac{2C}{n\\varepsilon}\\sqrt{2T\\ln(1.25/\\delta)}$, by advanced composition.",
            "It is the textbook formula for one release, with $\\sqrt T$ times the sensitivity, and does not depend "
            "on $T$: valid for small epsilon, too weak for large ones. At a claimed 150 it gives 610.",
            "mechanisms",
            {"mechanism": "classical", "epsilon": "150", "delta": "1e-05"},
            {"150": lambda result: result.claim.epsilon, "610": lambda result: result.claim.guarantee.epsilon},
        ),
        Part(
            "Table: accuracy without and with pre-training",
            "Pre-training gains next to nothing at epsilon 0.01, and 11.5 points at 150.",
            "Of the printed gains, 3 are not the difference of the printed accuracies, which are of training rows in "
            "one run. Over many runs on rows like these, a public start gains most at epsilon 0.1, 6.2 points, and "
            "−0.1 points at the largest.",
            "classifier",
            {"version": "published", "epsilon": "1"},
            {
                "3": lambda result: sum(
                    abs(result.table()["published gain"] - result.table()["published gain computed"]) > 1e-9
                ),
                "0.1": lambda result: result.gains.at,
                "6.2": lambda result: result.gains.most,
                "−0.1": lambda result: result.gains.last,
            },
            "Results table",
        ),
        Part(
            "Figures: loss over steps",
            "Without privacy, and at epsilon 1, where 60.25 % of the training rows are right in place of 67.50 %.",
            "The spread of all runs is drawn. Of held-out rows like these the middle run has 85.0 % at epsilon 1, and "
            "85.2 % without privacy.",
            "classifier",
            {"version": "published", "epsilon": "1"},
            {"85.0": _column("without", 1.0), "85.2": lambda result: 100 * result.reference.accuracy},
            "Loss",
        ),
        Part(
            "Figures: boundaries at epsilon 1, 0.5 and 0.1",
            "After pre-training, 70.50, 60 and 41.25 % of the training rows are right.",
            "Every run's boundary is drawn. Of held-out rows the middle run has 85.8 %, 84.8 % and 56.5 %, with the "
            "sound recipe at the same epsilon one click away.",
            "classifier",
            {"version": "published", "epsilon": "0.1"},
            {"85.8": _column("with", 1.0), "84.8": _column("with", 0.5), "56.5": _column("with", 0.1)},
        ),
        Part(
            "Is it private as published?",
            "The recipe claims its epsilon.",
            "Thousands of trainings with one person, and with another in their place: where 1 is claimed, at least "
            "2.33 is spent.",
            "attack",
            {"version": "published", "epsilon": "1", "clip_norm": "0.05"},
            {"1": lambda result: result.settings.epsilon, "2.33": lambda result: result.shown.epsilon},
        ),
    ),
}

# What none of the five has: a newer way beside the old one.
BEYOND: Mapping[str, tuple[Part, ...]] = {
    "kairouz2021": (
        Part(
            "Algorithm 1, DP-FTRL: noise of a binary tree over the steps",
            "Where lots are not drawn by chance, a sum of t clipped gradients needs the noise of about "
            "$\\log_2 t$ nodes in place of t steps.",
            "At epsilon 0.5 the middle network is right for 75 % with the tree, for 59 % where each step has its own "
            "noise, and for 88 % where lots are drawn by chance.",
            "network",
            {
                "mechanism": "tree",
                "dataset": "blobs",
                "rows": "2000",
                "lot_size": "20",
                "epochs": "2",
                "learning_rate": "2",
                "epsilon": "0.5",
            },
            {
                "0.5": lambda result: result.settings.epsilon,
                "75": _at_the_end("tree"),
                "59": _at_the_end("ordered"),
                "88": _at_the_end("sampled"),
            },
            "Batch sampling",
        ),
    ),
}
