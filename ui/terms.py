"""The words of the field, as a literal table: what each means, and where the lab shows it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Term(NamedTuple):
    """A word and what it means.

    says: plain sentences (markdown); names in braces are those of
    ``ui.glossary.FIGURES``. paper: key of ``lab.papers``.
    page, settings, shows: where the lab shows it, and what is to be seen there. words: what texts call it, beside its
    name. see: keys of others.
    """

    name: str
    says: str
    paper: str
    page: str
    shows: str
    settings: Mapping[str, str] = MappingProxyType({})
    words: tuple[str, ...] = ()
    see: tuple[str, ...] = ()


GROUPS: Mapping[str, Mapping[str, Term]] = {
    "The promise": {
        "epsilon": Term(
            "Epsilon",
            "The privacy budget. One person's data change the probability of any output by a factor of at most e to "
            "the epsilon, apart from delta. At epsilon 1 an attacker who starts at even odds is "
            "right at most {right_1} times in 100, at epsilon 3 at most {right_3}.",
            "dwork2014",
            "mechanisms",
            "Two worlds, and how far apart epsilon 1 lets them be",
            {"epsilon": "1"},
            words=("privacy budget",),
            see=("delta", "attacker", "composition"),
        ),
        "delta": Term(
            "Delta",
            "The small probability that is left out of the promise of epsilon. Keep it far below one over the "
            "number of people: at one over that number, publishing one row whole, picked at random, would be "
            "allowed.",
            "dwork2014",
            "mechanisms",
            "The delta that Gaussian noise needs, for each epsilon",
            {"mechanism": "gaussian"},
            see=("epsilon", "pure"),
        ),
        "pure": Term(
            "Pure differential privacy",
            "The guarantee with delta 0. One person's data change no output's probability by more than a factor of e "
            "to the epsilon. Laplace noise satisfies it, Gaussian noise does not.",
            "dwork2014",
            "mechanisms",
            "Laplace noise, whose log-ratio never leaves the band",
            {"mechanism": "laplace"},
            words=("pure epsilon", "pure privacy"),
            see=("delta", "laplace"),
        ),
        "neighbours": Term(
            "Neighbours",
            "The two data sets that must look alike: with one unit's data there or not (add/remove), or with "
            "other values in their place (replace-one). Replacing is removing and adding, so the same noise "
            "promises less there.",
            "dwork2014",
            "accounting",
            "The same run under both meanings",
            words=("neighbouring", "adjacency", "add/remove", "replace-one"),
            see=("unit", "sensitivity"),
        ),
        "unit": Term(
            "Unit of privacy",
            "Whose whole contribution the promise covers: a row, a person with all of their rows, or a party with "
            "all of its people. A promise for one row says little to a person who has many.",
            "hamm2016",
            "parties",
            "A promise to whole parties of ten rows",
            {"rows": "10"},
            see=("neighbours", "group"),
        ),
        "loss": Term(
            "Privacy loss",
            "How much likelier what was published is with you in the data than without, as a logarithm. Epsilon "
            "bounds it, but for outcomes whose probability is about delta.",
            "dwork2014",
            "mechanisms",
            "The loss of every possible answer",
            {"mechanism": "gaussian", "epsilon": "1"},
            see=("epsilon", "pld"),
        ),
        "group": Term(
            "Group privacy",
            "What the promise for one means for several together, a family for example: at epsilon 1 and delta 0, "
            "three people share epsilon {group_3}.",
            "dwork2014",
            "accounting",
            "What three people together are promised",
            {"people": "3"},
            see=("unit",),
        ),
        "processing": Term(
            "Post-processing",
            "Whatever is computed from a released result alone costs nothing more: rounding it, averaging it, "
            "predicting with it, as often as anybody likes.",
            "dwork2014",
            "accounting",
            "A run whose weights are rounded afterwards, at the same price",
            {"afterwards": "round"},
            words=("post-processing",),
            see=("composition",),
        ),
        "void": Term(
            "Void",
            "A guarantee that does not hold because something read the private rows without paying for it, such "
            "as bounds taken from the smallest and largest value. Whatever epsilon says then, nothing is "
            "promised.",
            "dwork2014",
            "data",
            "Bounds read off the rows, caught",
            words=("void",),
            see=("bounds", "epsilon"),
        ),
        "bounds": Term(
            "Public bounds",
            "Limits of a value that anybody could know without the data, such as 0 to 120 for an age in years. "
            "Values beyond are moved to them; noise is made for them, so they must not come from the rows.",
            "zhang2012",
            "regression",
            "A lower bound on the label cuts more off, and leaves less to hide",
            {"mechanism": "gaussian", "label_top": "100"},
            words=("public bounds",),
            see=("void", "sensitivity", "clipping"),
        ),
    },
    "The noise": {
        "sensitivity": Term(
            "Sensitivity",
            "The most that one unit can change what is to be released: 1 for a count. The noise is made in "
            "proportion to it. Laplace noise needs it in the L1 norm, Gaussian noise in the L2 norm.",
            "dwork2014",
            "mechanisms",
            "A number that one person may change by ten",
            {"sensitivity": "10"},
            see=("clipping", "laplace", "gaussian"),
        ),
        "clipping": Term(
            "Clipping",
            "Shortening each person's contribution, a gradient for example, to a public length, so that its "
            "sensitivity is known. Too short a length biases the model, too long a one brings more noise. Clip "
            "the average instead, and one person may still move it by twice that length.",
            "abadi2016",
            "classifier",
            "Every gradient shortened to a tenth",
            {"clip_norm": "0.1"},
            words=("clipped", "clips", "clip norm"),
            see=("sensitivity", "sgd"),
        ),
        "multiplier": Term(
            "Noise multiplier",
            "The standard deviation of the noise over the clipping bound, or over the sensitivity. With the "
            "sampling rate and the number of steps it decides what a training costs, whatever the model is.",
            "abadi2016",
            "accounting",
            "What a run costs over its noise multiplier",
            {"noise_multiplier": "4"},
            see=("clipping", "accountant"),
        ),
        "laplace": Term(
            "Laplace mechanism",
            "A number plus noise whose density falls exponentially on both sides, with scale sensitivity over "
            "epsilon. It is private without any delta.",
            "dwork2014",
            "mechanisms",
            "Laplace noise at epsilon 1",
            {"mechanism": "laplace", "epsilon": "1"},
            words=("laplace noise",),
            see=("gaussian", "pure"),
        ),
        "gaussian": Term(
            "Gaussian mechanism",
            "A number or a vector plus normal noise. It needs a delta, and for many numbers at once far less "
            "noise than Laplace's. At epsilon 1 and delta 1e-5 the exact rule takes standard deviation {exact_sd} "
            "for sensitivity 1, the textbook formula {textbook_sd}.",
            "balle2018",
            "mechanisms",
            "Gaussian noise, exact, at epsilon 1",
            {"mechanism": "gaussian", "epsilon": "1"},
            words=("gaussian noise",),
            see=("laplace", "gdp"),
        ),
        "exponential": Term(
            "Exponential mechanism",
            "A private choice among options: one with a higher score is exponentially more likely to win. Adding "
            "Gumbel noise to the scores and taking the largest is the same.",
            "mcsherry2007",
            "mechanisms",
            "A choice among four options",
            {"options": "4", "noise": "gumbel"},
            words=("gumbel noise", "gumbel"),
            see=("maximum", "frankwolfe"),
        ),
        "maximum": Term(
            "Noisy maximum",
            "Noise on every count, and only the name of the largest is released. The counts stay secret, so it "
            "costs as much for a hundred options as for two.",
            "dwork2014",
            "mechanisms",
            "The same choice with Laplace noise on the counts",
            {"options": "4", "noise": "laplace"},
            words=("report-noisy-max", "noisy max"),
            see=("exponential", "pate"),
        ),
    },
    "The bill": {
        "composition": Term(
            "Composition",
            "What several releases cost together. Their budgets add up at worst; strong composition shows that "
            "many small ones cost about the square root of their number instead. In one textbook run plain adding "
            "gives epsilon {run_naive}, strong composition {run_strong}, Rényi orders {run_renyi}, all for the "
            "same noise.",
            "kairouz2015",
            "accounting",
            "This run, counted in six ways",
            {"sampling_rate": "0.01", "noise_multiplier": "4", "steps": "10000", "delta": "1e-05"},
            words=("strong composition", "compose exactly", "compose", "basic composition", "advanced composition"),
            see=("accountant", "parallel"),
        ),
        "parallel": Term(
            "Parallel composition",
            "Releases from parts of the data that share no person cost as much as the dearest of them, not their sum.",
            "wang2019",
            "hypotheses",
            "Each source lends two vectors, from rows of its own",
            see=("composition",),
        ),
        "accountant": Term(
            "Accountant",
            "A theorem, or a program, that adds up what a sequence of releases costs. A better one finds a "
            "smaller epsilon for the same noise; it never changes what was released.",
            "abadi2016",
            "accounting",
            "Six of them on one run",
            words=("accountants", "moments accountant"),
            see=("composition", "rdp", "pld"),
        ),
        "rdp": Term(
            "Rényi differential privacy (RDP)",
            "A promise about the moments of the privacy loss, one for each order. They simply add up over steps, "
            "and become an epsilon and a delta once, at the end.",
            "mironov2017",
            "accounting",
            "The curve of Rényi orders",
            words=("rényi orders", "rényi order", "rényi", "rdp"),
            see=("zcdp", "accountant"),
        ),
        "zcdp": Term(
            "Concentrated privacy (zCDP)",
            "A single number, rho, that bounds all Rényi orders at once; it adds up over releases. A choice by "
            "the exponential mechanism costs a quarter of what is charged for another pure one of the same "
            "epsilon.",
            "bun2016",
            "transfer",
            "A private walk, each of whose steps is a choice",
            {"noise": "gumbel"},
            words=("concentrated privacy", "zcdp"),
            see=("rdp", "exponential"),
        ),
        "gdp": Term(
            "Gaussian differential privacy (mu)",
            "A promise in terms of telling two normal distributions apart whose means are mu standard deviations "
            "apart. Gaussian releases compose in it exactly: the squares of their mu add up.",
            "dong2022",
            "accounting",
            "All rows in every step: exact",
            {"sampling_rate": "1", "noise_multiplier": "50", "steps": "100"},
            words=("gdp",),
            see=("gaussian", "attacker"),
        ),
        "pld": Term(
            "Privacy loss distribution (PLD)",
            "The whole distribution of the privacy loss, composed numerically. It gives the tightest epsilon for "
            "sampled noise, and is rounded so that it never comes out too small.",
            "doroshenko2022",
            "accounting",
            "The loss distribution beside older proofs",
            words=("loss distribution", "loss distributions", "pld"),
            see=("loss", "accountant"),
        ),
        "sampling": Term(
            "Amplification by sampling",
            "A step that looks at a random sample costs less, because nobody knows who was in it. It holds if "
            "every row is drawn independently (Poisson sampling); lots cut from a shuffle are something else.",
            "li2012",
            "accounting",
            "One row in a hundred in each step",
            {"sampling_rate": "0.01"},
            words=(
                "poisson lots",
                "poisson samples",
                "poisson sampling",
                "sampling rate",
                "amplification",
                "amplified",
            ),
            see=("lot", "composition"),
        ),
        "tuning": Term(
            "The price of tuning",
            "Each setting tried on private rows is a release, even if only the best is shown. Ten tries of a run "
            "at epsilon 1 and delta 1e-5 cost {all_10} if all are kept, and {best_10} if a random number of them "
            "is made, ten on average, and only the best is ever seen.",
            "papernot2022",
            "accounting",
            "What ten tries cost, by what is released",
            {"settings_tried": "10"},
            words=("tuning",),
            see=("composition",),
        ),
    },
    "Private learning": {
        "sgd": Term(
            "DP-SGD",
            "Training by noisy steps: draw a lot of rows, clip each row's gradient, add them up with Gaussian "
            "noise, step. All weights on the way are private, not only the last.",
            "abadi2016",
            "network",
            "Networks that are trained so, moment by moment",
            words=("noisy gradient descent", "noisy descent"),
            see=("clipping", "lot", "multiplier"),
        ),
        "lot": Term(
            "Lot",
            "The random rows of one step. Its expected size is public and divides the sum; the size that it "
            "happens to have must not.",
            "abadi2016",
            "network",
            "A loop that divides by the size that a lot happens to have",
            {"variant": "realised"},
            words=("lots",),
            see=("sampling", "sgd"),
        ),
        "output": Term(
            "Output perturbation",
            "Train as usual with enough of a penalty, so that one row can move the best model only so far, and "
            "add noise to the answer once.",
            "chaudhuri2011",
            "regression",
            "A regression with noise on its answer",
            {"mechanism": "output"},
            words=("noise on the answer",),
            see=("objective", "sensitivity"),
        ),
        "objective": Term(
            "Objective perturbation",
            "Add a random term to what is minimised, and release the exact minimum. It often needs less noise "
            "than noise on the answer, for the rows themselves hold the model in place.",
            "chaudhuri2011",
            "hypotheses",
            "Noise in the objective of five sources",
            {"noise": "objective"},
            words=("noise in the objective",),
            see=("output",),
        ),
        "functional": Term(
            "Functional mechanism",
            "Add noise to the coefficients of the error as a polynomial of the weights, then minimise the noisy "
            "one. It may have no minimum any more, and needs a repair, which is free.",
            "zhang2012",
            "regression",
            "The noisy error surface, counted sharply",
            {"mechanism": "functional"},
            words=("noisy quadratic",),
            see=("output", "processing"),
        ),
        "adassp": Term(
            "Sufficient statistics",
            "For least squares the sums of products are all that a fit needs: release them with noise, and fit. "
            "AdaSSP adds a ridge as large as its noise asks for.",
            "wang2018",
            "regression",
            "Least squares from noisy sums",
            {"mechanism": "adassp"},
            words=("adassp", "gaussian statistics", "sufficient statistics"),
            see=("functional",),
        ),
        "frankwolfe": Term(
            "Private Frank-Wolfe",
            "Walk inside of a polytope, each step towards a vertex that is chosen privately. Only the choice "
            "costs, so the noise hardly depends on how many coefficients there are.",
            "talwar2015",
            "transfer",
            "The private walk, alone and around a source",
            words=("frank-wolfe", "private walk"),
            see=("exponential", "zcdp"),
        ),
        "public": Term(
            "Public data",
            "Rows that need no protection. A model may start from them for nothing. How much that helps depends "
            "on how much they resemble the private ones, and whether they were public at all is part of the "
            "promise.",
            "hoseinpour2023",
            "classifier",
            "Digits from a start of 300 public examples",
            {"dataset": "digits", "public_rows": "300", "shift": "0"},
            words=("public rows", "public start", "public examples"),
            see=("hypothesis", "bounds"),
        ),
    },
    "Many hands": {
        "local": Term(
            "Local and central privacy",
            "Locally, everybody adds noise before anything leaves them, and need trust nobody. Centrally, a "
            "trusted curator sees the rows and adds noise once, far less in all. This lab is central, or has a "
            "trusted aggregator.",
            "dwork2014",
            "parties",
            "Who sees what, and who adds the noise",
            words=("trusted aggregator", "trusted curator"),
            see=("unit", "votes"),
        ),
        "votes": Term(
            "Soft labels and majority votes",
            "Parties label public rows by voting. If only the winner counts, one party may turn every label where "
            "the rest are tied; if the shares of votes count, it moves each by one over the number of parties.",
            "hamm2016",
            "parties",
            "A thousand parties, soft labels",
            {"method": "soft", "parties": "1000"},
            words=("soft labels", "majority vote"),
            see=("pate", "local"),
        ),
        "pate": Term(
            "PATE",
            "Teachers, each on rows of its own, vote on the labels of public rows, and only noisy winners are "
            "told. A student who learns from these labels costs nothing more.",
            "papernot2018",
            "parties",
            "A thousand parties answer 200 questions",
            {"method": "pate", "queries": "200"},
            see=("votes", "maximum"),
        ),
        "hypothesis": Term(
            "Hypothesis transfer",
            "A target with few labels borrows models that others have trained privately, and weighs them by how "
            "much their rows resemble its own.",
            "wang2019",
            "hypotheses",
            "Five sources, two of which the target is made of",
            words=("hypothesis transfer",),
            see=("importance", "harm"),
        ),
        "importance": Term(
            "Importance weights",
            "Weights that make public rows look like private ones: how much likelier each is among the private "
            "rows. They come from a noisy model that tells the two apart.",
            "ji2013",
            "hypotheses",
            "What the noise leaves of the weights at epsilon 3",
            {"epsilon": "3"},
            see=("hypothesis", "output"),
        ),
        "harm": Term(
            "Negative transfer",
            "Borrowing that harms: sources too unlike the target, or too noisy, pull the model away from what its "
            "own few rows say.",
            "li2022",
            "transfer",
            "15,000 borrowed rows beside a thousand of one's own",
            {"migrated": "15000"},
            words=("negative transfer",),
            see=("hypothesis", "public"),
        ),
    },
    "The other side": {
        "attacker": Term(
            "The attacker's accuracy",
            "How often the best attacker, who knows everything but which of two worlds is real, names the right "
            "one. A coin is right half of the time. For a pure promise it says the same as epsilon, on a scale "
            "that people can read.",
            "kairouz2015",
            "mechanisms",
            "The best attacker at epsilon 1, with your own prior",
            {"epsilon": "1", "prior": "0.5"},
            words=("best attacker", "attacker's accuracy"),
            see=("epsilon", "membership"),
        ),
        "membership": Term(
            "Membership inference",
            "Guessing from a model whether somebody's row was in its training data. Models that remember single "
            "rows give them away; privacy bounds how much, for everybody at once.",
            "carlini2022",
            "attack",
            "Who was in, person by person",
            {"part": "membership"},
            words=("membership",),
            see=("attacker", "audit"),
        ),
        "audit": Term(
            "Audit",
            "Training thousands of times with and without a person and counting how often the two can be told "
            "apart. It can refute a promise; it never proves one.",
            "steinke2023",
            "attack",
            "Every mechanism of the lab, audited",
            {"part": "audit"},
            words=("audits", "audited"),
            see=("lower", "canary"),
        ),
        "lower": Term(
            "Lower bound",
            "What an audit finds: with this confidence, the mechanism spends at least so much. A guarantee is an "
            "upper bound; the truth lies between.",
            "clopper1934",
            "attack",
            "A recipe that claims epsilon 1 and is caught at more",
            {"version": "published", "epsilon": "1", "clip_norm": "0.05"},
            words=("lower bounds",),
            see=("audit",),
        ),
        "canary": Term(
            "Canary",
            "A made-up person who is put in to be found. With hundreds of them, each there or not by the toss of "
            "a coin, a single training can be audited.",
            "steinke2023",
            "attack",
            "Canaries in one single training",
            {"part": "once"},
            words=("canaries",),
            see=("audit",),
        ),
        "inversion": Term(
            "Model inversion",
            "Reading off the weights what the training data of a class look like. It shows what is common to a "
            "class, which privacy does not hide, and traces of single pictures, which it does.",
            "fredrikson2015",
            "attack",
            "What weights show of the pictures",
            {"part": "inversion"},
            see=("membership",),
        ),
    },
}
TERMS: Mapping[str, Term] = {key: term for group in GROUPS.values() for key, term in group.items()}
