"""The rows of the audit table, as data: which worlds are made of which claim, and what is wrong in broken ones."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from dpcore.experiments import attack_targets as basic
from dpcore.experiments import attack_targets_parties as shared
from dpcore.experiments import attack_targets_regression as fits
from dpcore.parties import neighbours
from dpcore.privacy import Adjacency

_GAUSSIAN = {"delta": 1e-5, "form": "gaussian"}
_FEW = {"runs": 2000}
# Family -> what all its rows have in common.
FAMILIES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "Laplace": {"target": basic.laplace, "epsilon": 1.0},
        "Gaussian": {"target": basic.gaussian, "epsilon": 1.0, "delta": 1e-5},
        "direction noise": {"target": basic.direction, "epsilon": 2.0},
        "noisy max": {"target": basic.winner, "epsilon": 1.0},
        "classifier": {"target": basic.classifier, "epsilon": 1.0, "runs": 2000, "at_once": 100} | _GAUSSIAN,
        "DP-SGD": {
            "target": basic.lots,
            "epsilon": basic.LOTS_EPSILON,
            "delta": basic.LOTS_DELTA,
            "adjacency": Adjacency.ADD_REMOVE,
            "runs": 2000,
            "at_once": 60,
        },
        "regression": {"epsilon": 2.0},
        "Frank-Wolfe": {"target": basic.walk, "epsilon": 4.0, "runs": 2500, "at_once": 500} | _GAUSSIAN,
        "parties": {"target": shared.party, "epsilon": 2.0, "unit": "party", "runs": 4000, "at_once": 2000},
        "sources": {"epsilon": 2.0},
    }
)
_PATE = {"delta": neighbours.DELTA, "form": "gaussian", "at_once": 1000}
_HALF = {"factor": 0.5}
SOUND, BROKEN = True, False
# Key, family, what it is or what is wrong with it, sound, how to make its worlds, and how the row differs from its
# family; in the order of the table.
ROWS: tuple[tuple[str, str, str, bool, Mapping[str, Any], Mapping[str, Any]], ...] = (
    ("laplace", "Laplace", "sound", SOUND, {}, {}),
    ("laplace half", "Laplace", "half of the noise", BROKEN, _HALF, {}),
    (
        "laplace l2",
        "Laplace",
        "16 numbers, noise for the L2 norm",
        BROKEN,
        {"coordinates": 16, "factor": 0.25},
        {"epsilon": 2.0},
    ),
    ("gaussian", "Gaussian", "sound, exact calibration", SOUND, {}, {"form": "gaussian"}),
    (
        "gaussian classical",
        "Gaussian",
        "textbook formula at epsilon 15",
        BROKEN,
        {"calibration": "classical"},
        {"epsilon": 15.0, "form": "gaussian", "runs": 40_000, "at_once": 40_000},
    ),
    ("gaussian shared", "Gaussian", "one draw for two numbers", BROKEN, {}, {"target": basic.one_draw} | _FEW),
    ("direction", "direction noise", "sound", SOUND, {}, {}),
    ("direction half", "direction noise", "half of the noise", BROKEN, _HALF, {}),
    ("max", "noisy max", "sound, Gumbel noise", SOUND, {}, {}),
    ("max half", "noisy max", "Gumbel noise for sensitivity / epsilon", BROKEN, {"monotone": True}, {}),
    ("max laplace", "noisy max", "sound, Laplace noise", SOUND, {"noise": "laplace"}, {}),
    (
        "max laplace half",
        "noisy max",
        "Laplace noise for sensitivity / epsilon",
        BROKEN,
        {"noise": "laplace", "monotone": True},
        {"runs": 20_000},
    ),
    ("classifier", "classifier", "sound", SOUND, {}, {"runs": 6000}),
    (
        "classifier published",
        "classifier",
        "as published: the average clipped",
        BROKEN,
        {"rule": "average", "published": True},
        {},
    ),
    ("classifier unclipped", "classifier", "noise, but no clipping", BROKEN, {"rule": "none"}, {}),
    ("classifier bare", "classifier", "no noise at all", BROKEN, {"rule": "none", "noise": 0.0}, {"runs": 500}),
    ("classifier c/n", "classifier", "one replaced, noise for one removed", BROKEN, {"noise": 0.5}, {"runs": 10_000}),
    ("lots", "DP-SGD", "sound", SOUND, {"variant": "sound"}, {}),
    ("lots half", "DP-SGD", "half of the noise", BROKEN, {"variant": "sound"} | _HALF, {}),
    (
        "lots realised",
        "DP-SGD",
        "divided by the lot's own size",
        BROKEN,
        {"variant": "realised", "others": 250},
        {"runs": 3000, "at_once": 40},
    ),
    (
        "lots shuffled",
        "DP-SGD",
        "shuffled lots, Poisson accounting",
        BROKEN,
        {"variant": "shuffled"},
        {"runs": 3000, "at_once": 40},
    ),
    (
        "lots inside",
        "DP-SGD",
        "noise inside of the sum, an empty lot",
        BROKEN,
        {"variant": "inside", "others": 1},
        {},
    ),
    (
        "functional published",
        "regression",
        "functional, as published",
        SOUND,
        {},
        {"target": fits.functional_published, "epsilon": 4.0},
    ),
    ("functional", "regression", "functional, sharp", SOUND, {}, {"target": fits.functional, "epsilon": 3.0}),
    (
        "functional half",
        "regression",
        "functional, half of the noise",
        BROKEN,
        _HALF,
        {"target": fits.functional, "epsilon": 3.0},
    ),
    ("gaussian statistics", "regression", "Gaussian statistics", SOUND, {}, {"target": fits.statistics} | _GAUSSIAN),
    (
        "gaussian statistics half",
        "regression",
        "Gaussian statistics, half of the noise",
        BROKEN,
        _HALF,
        {"target": fits.statistics} | _GAUSSIAN,
    ),
    ("adassp", "regression", "AdaSSP", SOUND, {}, {"target": fits.adassp} | _GAUSSIAN),
    (
        "adassp mu",
        "regression",
        "AdaSSP, mu taken for the noise",
        BROKEN,
        {"as_mu": True},
        {"target": fits.adassp} | _GAUSSIAN | _FEW,
    ),
    ("output", "regression", "noise on the answer", SOUND, {}, {"target": fits.output}),
    ("output half", "regression", "noise on the answer, half of it", BROKEN, _HALF, {"target": fits.output}),
    ("descent", "regression", "noisy descent", SOUND, {}, {"target": fits.steps} | _GAUSSIAN),
    (
        "descent each",
        "regression",
        "noisy descent, whole budget each step",
        BROKEN,
        {"each": True},
        {"target": fits.steps} | _GAUSSIAN,
    ),
    ("walk", "Frank-Wolfe", "sound", SOUND, {}, {}),
    ("walk half", "Frank-Wolfe", "half of the noise", BROKEN, _HALF, {}),
    ("walk unclipped", "Frank-Wolfe", "residuals not clipped", BROKEN, {"residual_bound": 1e3}, {}),
    ("vote", "parties", "majority vote", SOUND, {"method": "vote"}, {}),
    (
        "vote share",
        "parties",
        "majority vote, noise for a share of 1/M",
        BROKEN,
        {"method": "vote", "broken": "share"},
        {},
    ),
    ("soft", "parties", "soft labels", SOUND, {"method": "soft"}, {}),
    (
        "soft dimension",
        "parties",
        "soft labels, noise for one class of four",
        BROKEN,
        {"method": "soft", "broken": "dimension"},
        {},
    ),
    (
        "soft laplace",
        "parties",
        "soft labels, Laplace noise for the L2 norm",
        BROKEN,
        {"method": "soft", "broken": "laplace"},
        {},
    ),
    ("soft loose", "parties", "soft labels, a loose solver", BROKEN, {"method": "soft", "broken": "loose"}, {}),
    ("average", "parties", "averaged weights", SOUND, {"method": "average"}, {}),
    (
        "average row",
        "parties",
        "averaged weights, noise for one row",
        BROKEN,
        {"method": "average", "broken": "row"},
        {},
    ),
    ("pate", "parties", "PATE", SOUND, {"method": "pate"}, _PATE),
    (
        "pate question",
        "parties",
        "PATE, 50 questions with the noise of one",
        BROKEN,
        {"method": "pate", "broken": "question"},
        _PATE,
    ),
    ("hypothesis", "sources", "noise on the answer", SOUND, {}, {"target": shared.hypothesis}),
    (
        "hypothesis laplace",
        "sources",
        "noise on the answer, Laplace for the L2 norm",
        BROKEN,
        {"coordinates": True},
        {"target": shared.hypothesis},
    ),
    ("objective", "sources", "noise in the objective", SOUND, {}, {"target": shared.objective}),
    (
        "objective volume",
        "sources",
        "noise in the objective, curvature forgotten",
        BROKEN,
        {"volume": False},
        {"target": shared.objective, "epsilon": 0.5},
    ),
    ("tilt", "sources", "importance weights", SOUND, {}, {"target": shared.tilt}),
    (
        "tilt pooled",
        "sources",
        "importance weights, noise for one pooled mean",
        BROKEN,
        {"pooled": True},
        {"target": shared.tilt},
    ),
)
