"""The rows of the audit table, as data: which worlds are made of which claim, and what is wrong in broken ones.

Bounds are by counting, which needs no assumption, but where the pair of worlds is proved to be told apart as two normal
distributions are; then the row says why, and the sharper bound is taken.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from dpcore.privacy import Adjacency
from pages.attack.audits import party_neighbours
from pages.attack.audits import targets as basic
from pages.attack.audits import targets_choices as choices
from pages.attack.audits import targets_parties as shared
from pages.attack.audits import targets_regression as fits
from pages.attack.audits import targets_training as training

# Why a pair of worlds is told apart as two normal distributions are.
_NUMBER = "Gaussian noise on one number"
_VECTOR = "one Gaussian release; the score is a projection of it"
_STEPS = "each step adds a normal number to the score, shifted alike"
_ONCE = {"delta": 1e-5, "gaussian": _VECTOR}
_FEW = {"runs": 2000}
CONSISTENT, CAUGHT, VOID = "consistent", "caught", "void"
# Family -> what all its rows have in common.
FAMILIES: Mapping[str, Mapping[str, Any]] = {
    "Laplace": {"target": basic.laplace, "epsilon": 1.0},
    "Gaussian": {"target": basic.gaussian, "epsilon": 1.0, "delta": 1e-5},
    "L2-norm exponential": {"target": basic.direction, "epsilon": 2.0},
    "noisy max": {"target": basic.winner, "epsilon": 1.0},
    "classifier": {"target": basic.classifier, "epsilon": 1.0, "delta": 1e-5, "runs": 2000, "at_once": 100},
    "softmax": {"target": basic.softmax, "epsilon": 1.0, "delta": 1e-5, "runs": 4000, "at_once": 1000},
    "DP-SGD": {
        "target": basic.lots,
        "epsilon": basic.LOTS_EPSILON,
        "delta": basic.LOTS_DELTA,
        "adjacency": Adjacency.ADD_REMOVE,
        "runs": 3000,
        "at_once": 60,
    },
    "DP-FTRL": {
        "target": training.in_order,
        "epsilon": basic.LOTS_EPSILON,
        "delta": basic.LOTS_DELTA,
        "adjacency": Adjacency.ADD_REMOVE,
        "gaussian": _STEPS,
        "runs": 3000,
        "at_once": 1000,
    },
    "regression": {"epsilon": 2.0},
    "source detection": {"target": fits.detection, "epsilon": 1.0} | _ONCE,
    "Frank-Wolfe": {"target": choices.choice, "epsilon": 2.0},
    "parties": {"target": shared.party, "epsilon": 2.0, "unit": "party", "runs": 4000, "at_once": 2000},
    "sources": {"epsilon": 2.0},
    "paid bounds": {"target": training.bounds, "epsilon": 1.0},
    "best of many": {
        "target": training.best_of,
        "epsilon": 2.0,
        "delta": 1e-5,
        "adjacency": Adjacency.ADD_REMOVE,
    },
}
_PATE = {"delta": party_neighbours.DELTA, "at_once": 1000}
_LAYERS = {"target": basic.layers, "epsilon": 1.0, "delta": 1e-5, "gaussian": _VECTOR, "runs": 10_000, "at_once": 2000}
_WALK = {"target": choices.walk, "epsilon": 4.0, "delta": 1e-5, "runs": 2500, "at_once": 500}
_NORMAL = {"target": shared.gaussian_hypothesis, "reach": shared.REACH} | _ONCE
_HALF = {"factor": 0.5}
_SEEN = {"target": training.seen, "runs": 4000, "at_once": 1000}
_PEOPLE = {
    "target": training.people,
    "epsilon": 2.0,
    "gaussian": _STEPS,
    "unit": "person",
    "runs": 4000,
    "at_once": 1000,
}
_LOTS_OF_PEOPLE = {"target": training.lots_of_people, "unit": "person", "runs": 1500, "at_once": 300}
_SCHEDULED = {"target": training.scheduled, "runs": 1500, "at_once": 300}
_LAST = {"target": training.last_lot, "runs": 1500, "at_once": 300}
_AGAINST = {"target": training.against, "at_once": 300}
_TRIES = {"logarithmic": "logarithmic", "half": "negative binomial", "geometric": "geometric", "poisson": "Poisson"}
_DIAMOND = {"target": training.penalised, **_ONCE}


def _row(expected: str, key: str, what: str, how: Mapping[str, Any] | None = None, **changes: Any) -> tuple[str, dict]:
    """An audit's key and fields. expected: what must come of it; what: what it is, or what is wrong with it; how: what
    makes its worlds; changes: how it differs from its family."""
    return key, {"what": what, "expected": expected, "how": how or {}} | changes


_sound, _caught, _void = (partial(_row, expected) for expected in (CONSISTENT, CAUGHT, VOID))
# Family -> its rows, in the order of the table.
ROWS: Mapping[str, Sequence[tuple[str, Mapping[str, Any]]]] = {
    "Laplace": (
        _sound("laplace", "sound"),
        _caught("laplace half", "half of the noise", _HALF),
        _caught("laplace l2", "16 numbers, noise for the L2 norm", {"coordinates": 16, "factor": 0.25}, epsilon=2.0),
    ),
    "Gaussian": (
        _sound("gaussian", "sound, exact calibration", gaussian=_NUMBER),
        _caught(
            "gaussian classical",
            "textbook formula at epsilon 15",
            {"calibration": "classical"},
            epsilon=15.0,
            gaussian=_NUMBER,
            runs=40_000,
            at_once=40_000,
        ),
        _caught("gaussian shared", "one draw for two numbers", target=basic.one_draw, **_FEW),
    ),
    "L2-norm exponential": (
        _sound("direction", "sound"),
        _caught("direction half", "half of the noise", _HALF),
    ),
    "noisy max": (
        _sound("max", "sound, Gumbel noise"),
        _caught("max half", "Gumbel noise for sensitivity / epsilon", {"monotone": True}),
        _sound("max laplace", "sound, Laplace noise", {"noise": "laplace"}),
        _caught(
            "max laplace half",
            "Laplace noise for sensitivity / epsilon",
            {"noise": "laplace", "monotone": True},
            runs=20_000,
        ),
    ),
    "classifier": (
        _sound("classifier", "sound", runs=6000, gaussian=_STEPS),
        _caught("classifier published", "as published: the average clipped", {"rule": "average", "published": True}),
        _caught("classifier unclipped", "noise, but no clipping", {"rule": "none"}),
        _caught("classifier bare", "no noise at all", {"rule": "none", "noise": 0.0}, runs=500),
        _caught(
            "classifier c/n",
            "one replaced, noise for one removed",
            {"noise": 0.5},
            epsilon=2.0,
            runs=6000,
            gaussian=_STEPS,
        ),
        _void(
            "classifier filtered", "half of the noise, but a filter drops the canary", {"noise": 0.5, "filtered": True}
        ),
        _sound("seen pair", "two steps compared", {"attack": "pair"}, **_SEEN),
        _caught("seen pair shared", "one draw for two steps", {"attack": "pair", "broken": True}, **_SEEN),
        _sound("seen last", "the last step", {"attack": "last"}, **_SEEN),
        _caught("seen last bare", "the last step without noise", {"attack": "last", "broken": True}, **_SEEN),
        _sound("people", "three rows of a person", **_PEOPLE),
        _caught("people by row", "three rows of a person, clipped one by one", {"by_row": True}, **_PEOPLE),
    ),
    "softmax": (
        _sound("softmax", "sound", gaussian=_STEPS),
        _caught("softmax one", "one draw for all coordinates", {"one_draw": True}),
    ),
    "DP-SGD": (
        _sound("lots", "sound", {"variant": "sound"}),
        _caught("lots half", "half of the noise", {"variant": "sound"} | _HALF),
        _caught(
            "lots realised", "divided by the actual batch size", {"variant": "realised", "others": 250}, at_once=40
        ),
        _caught("lots shuffled", "shuffled batches, Poisson accounting", {"variant": "shuffled"}, at_once=40),
        _caught("lots inside", "noise per example, an empty batch", {"variant": "inside", "others": 1}),
        _sound("layers", "a clip bound a layer", **_LAYERS),
        _caught("layers whole", "a clip bound a layer, noise for one", {"whole": True}, **_LAYERS),
        _sound("noise schedule", "noise that falls", {"noise_ramp": 0.25}, **_SCHEDULED),
        _caught(
            "noise schedule first",
            "noise that falls, counted as in the first step",
            {"noise_ramp": 0.25, "first": True},
            **_SCHEDULED,
        ),
        _sound("clip schedule", "a clip bound that grows", {"clip_ramp": 4.0}, **_SCHEDULED),
        _caught(
            "clip schedule first",
            "a clip bound that grows, noise for the first",
            {"clip_ramp": 4.0, "first": True},
            **_SCHEDULED,
        ),
        _sound("lots against", "all others against the row", **_AGAINST),
        _caught("lots fixed", "batches of fixed size, Poisson accounting", {"fixed": True}, **_AGAINST),
        _sound("lots last", "the last step", **_LAST),
        _caught("lots last bare", "the last step without noise", {"bare": True}, **_LAST),
        _caught(
            "lots replaced",
            "one replaced, noise for one removed",
            target=training.replaced,
            adjacency=Adjacency.REPLACE_ONE,
            runs=10_000,
            at_once=2000,
        ),
        _sound("lots of people", "three rows of a person", **_LOTS_OF_PEOPLE),
        _caught("lots by row", "three rows of a person, clipped one by one", {"by_row": True}, **_LOTS_OF_PEOPLE),
    ),
    "DP-FTRL": (
        _sound("tree", "noise of a tree", {"mechanism": "tree"}),
        _caught("tree node", "noise of a tree, made for one node", {"mechanism": "tree", "counted": "ordered"}),
        _sound("ordered", "batches in a fixed order", {"mechanism": "ordered"}),
        _caught(
            "ordered chance",
            "batches in a fixed order, Poisson accounting",
            {"mechanism": "ordered", "counted": "sampled"},
        ),
    ),
    "regression": (
        _sound("functional published", "functional, as published", target=fits.functional_published, epsilon=4.0),
        _sound("functional", "functional, sharp", target=fits.functional, epsilon=3.0),
        _caught("functional half", "functional, half of the noise", _HALF, target=fits.functional, epsilon=3.0),
        _sound("gaussian statistics", "Gaussian statistics", target=fits.statistics, **_ONCE),
        _caught(
            "gaussian statistics half", "Gaussian statistics, half of the noise", _HALF, target=fits.statistics, **_ONCE
        ),
        _sound("adassp", "AdaSSP", target=fits.adassp, **_ONCE),
        _caught("adassp mu", "AdaSSP, mu taken for the noise", {"as_mu": True}, target=fits.adassp, **_ONCE, **_FEW),
        _sound("output", "noise on the answer", target=fits.output),
        _caught("output half", "noise on the answer, half of it", _HALF, target=fits.output),
        _sound("descent", "DP gradient descent", target=fits.steps, delta=1e-5),
        _caught(
            "descent each", "DP gradient descent, whole budget each step", {"each": True}, target=fits.steps, delta=1e-5
        ),
        _sound("clipped", "clipped descent", target=fits.clipped, **_ONCE),
        _caught("clipped half", "clipped descent, half of the noise", _HALF, target=fits.clipped, **_ONCE),
        _sound("diamond", "clipped descent in an L1 ball", **_DIAMOND),
        _caught("diamond number", "clipped descent in an L1 ball, noise for one number", {"number": True}, **_DIAMOND),
    ),
    "source detection": (
        _sound("detection", "sound"),
        _caught("detection one", "noise for one loss of nine", {"one": True}),
    ),
    "Frank-Wolfe": (
        _sound("walk", "50 choices", **_WALK),
        _caught("walk unclipped", "50 choices, residuals not clipped", {"residual_bound": 1e3}, **_WALK),
        _sound("choice", "Gumbel noise", {"noise": "gumbel"}),
        _caught("choice half", "half of the Gumbel noise", {"noise": "gumbel"} | _HALF),
        _sound("choice laplace", "Laplace noise", {"noise": "laplace"}),
        _caught("choice laplace half", "half of the Laplace noise", {"noise": "laplace"} | _HALF),
        _sound("corner", "a hull of three corners", target=choices.corner),
        _caught("corner another", "a hull, noise for another corner's norm", {"another": True}, target=choices.corner),
    ),
    "parties": (
        _sound("vote", "majority vote", {"method": "vote"}),
        _caught("vote share", "majority vote, noise for a share of 1/M", {"method": "vote", "broken": "share"}),
        _sound("soft", "soft labels", {"method": "soft"}),
        _caught(
            "soft dimension", "soft labels, noise for one class of four", {"method": "soft", "broken": "dimension"}
        ),
        _caught("soft laplace", "soft labels, Laplace noise for the L2 norm", {"method": "soft", "broken": "laplace"}),
        _caught("soft loose", "soft labels, a loose solver", {"method": "soft", "broken": "loose"}),
        _sound("average", "averaged weights", {"method": "average"}),
        _caught("average row", "averaged weights, noise for one row", {"method": "average", "broken": "row"}),
        _sound("pate", "PATE", {"method": "pate"}, **_PATE),
        _caught(
            "pate question",
            "PATE, 50 questions with the noise of one",
            {"method": "pate", "broken": "question"},
            **_PATE,
        ),
    ),
    "sources": (
        _sound("hypothesis", "noise on the answer", target=shared.hypothesis),
        _caught(
            "hypothesis laplace",
            "noise on the answer, Laplace for the L2 norm",
            {"coordinates": True},
            target=shared.hypothesis,
        ),
        _sound("hypothesis gaussian", "Gaussian noise on the answer", **_NORMAL),
        _caught("hypothesis scale", "Gaussian noise as small as a pure epsilon's scale", {"as_scale": True}, **_NORMAL),
        _sound("objective", "noise in the objective", target=shared.objective),
        _caught(
            "objective volume",
            "noise in the objective, curvature forgotten",
            {"volume": False},
            target=shared.objective,
            epsilon=0.5,
        ),
        _sound("tilt", "importance weights", target=shared.tilt),
        _caught("tilt pooled", "importance weights, noise for one pooled mean", {"pooled": True}, target=shared.tilt),
    ),
    "paid bounds": (
        _sound("bounds", "sound"),
        _caught("bounds one", "noise for one count of two", {"moves": 1}),
    ),
    "best of many": tuple(
        row
        for law, name in _TRIES.items()
        for row in (
            _sound(f"best {law}", f"{name} number of tries", {"law": law}),
            _caught(f"best {law} single", f"{name} number of tries, one counted", {"law": law, "single": True}),
        )
    ),
}
