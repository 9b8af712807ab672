"""The list of audits and its record; a few are run, and a canary that never arrived makes an audit
void.
"""

import re
from dataclasses import fields
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import dpcore
from benchmarks.audits import targets_parties
from benchmarks.audits.table import AUDITS, CONFIDENCE, FULL, Audit
from dpcore import mechanisms
from dpcore.attacks import audit as audits
from dpcore.attacks.lower_bound import GAUSSIAN_CURVE
from dpcore.estimators.linear import REGRESSIONS
from dpcore.parties import aggregation, source_releases
from dpcore.privacy import LAWS, Adjacency
from dpcore.streams import stream
from dpcore.training import batches as lots
from dpcore.training import descent, dp_ftrl, frank_wolfe, sgd, sgd_recipe
from pages.attack.audits.table import recorded

ROOT = Path(dpcore.__file__).parents[1]
# The audits that run in the quick suite; all of them run in ``make audit``.
QUICK = ("laplace", "laplace half", "gaussian", "classifier published", "classifier filtered")
QUICK += ("softmax", "softmax one", "functional", "functional half", "vote", "vote share")
# Runs a world in the quick suite, where fewer than in the list allow the finding.
FEWER = {"classifier published": 300, "classifier filtered": 200}
# The share of its claim that an attack on a sound mechanism shows at least; where two scores tell
# little, none.
WORTH = {
    "functional published": 0.25,
    "pate": 0.15,
    "best poisson": 0.2,
    "descent": 0.08,
    "walk": 0.1,
}
WORTH |= dict.fromkeys(
    ("lots", "classifier", "noise schedule", "clip schedule", "lots of people"), 0.2
)
WORTH |= {"lots against": 0.05} | dict.fromkeys(
    ("lots last", "seen pair", "seen last", "shuffled"), -1
)

# Modules of ``dpcore`` -> each of their mechanisms -> its audits, first the sound one. Whoever adds
# one adds its audit.
REGRESSION = (
    "estimators.linear regression.functional regression.gaussian_statistics regression.perturbation"
)
AUDITED = {
    "mechanisms": {
        "Laplace": ("laplace", "laplace half", "laplace l2"),
        "Gaussian": ("gaussian", "gaussian classical", "gaussian shared"),
        "NormExponential": ("direction", "direction half"),
        "NoisyMax": ("max", "max half", "max laplace", "max laplace half"),
    },
    "training.descent": {
        "two": (
            "classifier",
            "classifier published",
            "classifier unclipped",
            "classifier bare",
            "classifier c/n",
        ),
        "more": ("softmax", "softmax one"),
        "one step after the other": ("seen pair", "seen pair shared"),
        "last step": ("seen last", "seen last bare"),
    },
    "training.sgd": {
        "correct": ("lots", "lots half"),
        "realised": ("lots", "lots realised"),
        "shuffled": ("lots", "lots shuffled"),
        "inside": ("lots", "lots inside"),
        "layers": ("layers", "layers whole"),
        "steps": ("lots against", "lots fixed", "lots replaced"),
        "last step": ("lots last", "lots last bare"),
    },
    "training.person_gradients": {
        "descent": ("people", "people by row"),
        "sgd": ("lots of people", "lots by row"),
    },
    "schedules": {
        "noise_ramp": ("noise schedule", "noise schedule first"),
        "clip_ramp": ("clip schedule", "clip schedule first"),
    },
    "training.dp_ftrl": {
        "sampled": ("lots", "lots half"),
        "ordered": ("ordered", "ordered chance"),
        "toeplitz": ("toeplitz", "toeplitz alone"),
    },
    "mechanisms.private_bounds": {"histogram": ("bounds", "bounds one")},
    "accountants.tuning": {law: (f"best {law}", f"best {law} single") for law in LAWS},
    REGRESSION: {
        "published": ("functional published",),
        "functional": ("functional", "functional half"),
        "gaussian": ("gaussian statistics", "gaussian statistics half"),
        "adassp": ("adassp", "adassp mu"),
        "output": ("output", "output half"),
        "descent": ("descent", "descent each"),
        "descent, clipped": ("clipped", "clipped half"),
    },
    "parties.source_detection": {"detect": ("detection", "detection one")},
    "training.frank_wolfe": {
        "gumbel": ("walk", "walk unclipped"),
        "laplace": ("choice", "choice half"),
    },
    "parties.aggregation": {
        "vote": ("vote", "vote share"),
        "soft": ("soft", "soft dimension", "soft laplace", "soft loose"),
        "average": ("average", "average row"),
        "pate": ("pate", "pate question"),
    },
    "parties.source_releases": {
        "exponential": ("hypothesis", "hypothesis laplace"),
        "gaussian": ("hypothesis gaussian", "hypothesis scale"),
        "objective": ("objective", "objective volume"),
    },
    "mechanisms.randomised_response": {"RandomisedResponse": ("response", "response of two")},
    "accountants.shuffling": {
        "weights": ("average alone", "average alone mean"),
        "answers": ("shuffled", "shuffled in order"),
    },
}
# Modules that draw from a continuous law for what protects nothing: attacks, worlds that are
# attacked, data sets; and of the pages, one that trains models and one that releases with what the
# engine's modules say.
HARMLESS = ("dpcore.attacks.audit", "pages.mechanisms.many_answers.reconstruction")
HARMLESS += ("pages.transfer.published", "lab.data.", "lab.data.parties", "dpcore.streams")
HARMLESS += ("pages.attack.membership.tasks", "pages.parties.releases", "lab.uploads.made_up")
DRAW = re.compile(
    r"rng\.(?:laplace|gumbel)\b|\.(?:laplace|normal|standard_normal|gumbel|gamma|exponential)\(|normal_steps\("
    r"|getattr\(generator"
)


def test_every_mechanism_is_audited_sound_and_broken():
    exported = {name: kind for name, kind in vars(mechanisms).items() if hasattr(kind, "release")}
    files = {
        f"dpcore.mechanisms.{path.stem}"
        for path in Path(mechanisms.__file__).parent.glob("[!_]*.py")
    }
    separate = {f"dpcore.{module}" for modules in AUDITED for module in modules.split()}
    assert {kind.__module__ for kind in exported.values()} == files - separate
    named = {
        "mechanisms": exported,
        "training.sgd": {*sgd_recipe.VARIANTS, "layers", "steps", "last step"},
        "training.dp_ftrl": dp_ftrl.MECHANISMS,
        "schedules": [one.name for one in fields(sgd_recipe.Recipe) if one.name.endswith("_ramp")],
        REGRESSION: {*REGRESSIONS, "descent, clipped"},
        "training.frank_wolfe": set(frank_wolfe.NOISES),
        "parties.aggregation": {*aggregation.RELEASES, "pate"},
        "parties.source_releases": set(source_releases.NOISES),
        "mechanisms.randomised_response": {"RandomisedResponse"},
    }
    for group, names in named.items():
        assert set(AUDITED[group]) == set(names)
    rows = [(name, row) for group in AUDITED.values() for name, row in group.items()]
    assert {audit for _, row in rows for audit in row} == set(AUDITS) - {"classifier filtered"}
    for name, (first, *rest) in rows:
        assert AUDITS[first].expected == "consistent", name
        # As published, the functional mechanism gives half of what it claims: no smaller noise is
        # worth a name.
        assert "caught" in [AUDITS[other].expected for other in rest] or name == "published"


def test_every_module_that_draws_noise_is_audited():
    modules = (path for top in ("dpcore", "lab", "pages") for path in (ROOT / top).rglob("*.py"))
    drawing = {path for path in modules if DRAW.search(path.read_text("utf-8"))}
    drawing = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in drawing}
    assert len(drawing) > 20
    private = {name for name in drawing if not name.startswith((*HARMLESS, "dpcore.mechanisms."))}
    assert private <= {f"dpcore.{module}" for modules in AUDITED for module in modules.split()}


def test_the_recorded_table_is_of_this_list():
    """Each audit is recorded with its claim, its expectation and the full number of runs."""
    rows = {row.key: row for row in recorded()}
    assert list(rows) == list(AUDITS)
    for key, audit in AUDITS.items():
        row = rows[key]
        assert (row.mechanism, row.version) == (audit.family, audit.what), key
        assert (row.claimed, row.delta) == (audit.epsilon, audit.delta), key
        assert (row.neighbours, row.unit) == (str(audit.adjacency), audit.unit), key
        assert (row.expected, row.verdict) == (audit.expected, audit.expected), key
        assert row.assumed == (GAUSSIAN_CURVE if audit.gaussian else ""), key
        assert row.runs >= 2 * FULL * audit.runs, key
        assert row.confidence == pytest.approx(CONFIDENCE, abs=1e-6), key
        assert (row.lower_bound > row.claimed) == (row.verdict == "caught"), key


def test_all_bounds_of_the_table_hold_together():
    assert len(AUDITS) * (1 - CONFIDENCE) == pytest.approx(0.05)
    assert AUDITS["laplace"].audited(runs=100, seed=0).confidence == CONFIDENCE


@pytest.mark.parametrize(
    ("name", "runs"),
    [pytest.param(name, FEWER.get(name, AUDITS[name].runs)) for name in QUICK]
    + [
        pytest.param(name, audit.runs, marks=pytest.mark.soak)
        for name, audit in AUDITS.items()
        if name not in QUICK or name in FEWER
    ],
)
def test_the_audit_table(name, runs):
    """Each sound mechanism stays below its claim, each broken one is caught, and what saw no canary
    is void.
    """
    audit = AUDITS[name]
    found = audit.audited(runs=runs, seed=4)
    assert audit.verdict(found, arrives=audit.arrives(4)) == audit.expected
    assert found.assumes == (GAUSSIAN_CURVE if audit.gaussian else "")
    if audit.expected == "consistent" and runs == audit.runs:
        assert found.epsilon > WORTH.get(name, 0.3) * audit.most  # the attack is worth it


def test_worlds_that_are_not_as_far_apart_as_they_might_say_so():
    first, second = targets_parties.two_minima()
    sensitivity = source_releases.hypothesis_sensitivity(
        targets_parties.ROWS, targets_parties.REGULARISATION
    )
    one = AUDITS["hypothesis gaussian"]
    assert np.linalg.norm(first - second) / sensitivity == pytest.approx(one.reach, abs=1e-3)
    assert (
        one.most
        == audits.detectable_epsilon(one.epsilon, delta=one.delta, influence=one.reach)
        < one.epsilon
    )
    less = {name for name, audit in AUDITS.items() if audit.most < audit.epsilon}
    assert less == {"hypothesis gaussian", "hypothesis scale"}


def test_a_canary_that_never_arrives_makes_an_audit_void():
    """Half of the noise is no finding if a filter leaves out the canary: that nothing is found says
    nothing.
    """
    filtered, arriving = AUDITS["classifier filtered"], AUDITS["classifier c/n"]
    assert not filtered.arrives(0)
    assert arriving.arrives(0)
    nothing = filtered.audited(runs=200, seed=0)
    assert filtered.verdict(nothing, arrives=False) == "void"
    assert filtered.verdict(nothing, arrives=True) == "consistent"
    # A choice that seldom changes may be the same in a hundred runs; that something is found shows
    # that it arrived.
    seldom = AUDITS["max laplace"]
    assert seldom.verdict(seldom.audited(runs=10_000, seed=5), arrives=False) == "consistent"


def _changed(change, steps_of):
    """Noise of which each step is ``change`` (step from 0, number of steps, noise, that of the step
    before).
    """

    def steps(*given, **how):
        count = how["steps"] if "steps" in how else given[0].steps
        before = None
        for step, drawn in enumerate(steps_of(*given, **how), how.get("first", 0)):
            before = change(step, count, drawn.copy(), before)
            yield before.copy()

    return steps


_shared = partial(_changed, lambda step, count, drawn, before: before if step % 2 else drawn)
_bare = partial(
    _changed, lambda step, count, drawn, before: 0 * drawn if step == count - 1 else drawn
)


def _fixed(_):
    """Lots of a fixed size."""

    def lots(seed, indices, *, rows, rate, first, last):
        for step in range(first, last):
            order = [
                stream(seed, "batches", int(index), step).permutation(rows) for index in indices
            ]
            yield np.stack(order)[:, : round(rate * rows)]

    return lots


@pytest.mark.parametrize(
    ("module", "name", "change", "audit"),
    [
        (descent, "normal_steps", _shared, "seen pair"),
        (descent, "normal_steps", _bare, "seen last"),
        (sgd, "_noise", _bare, "lots last"),
        (lots, "poisson", _fixed, "lots against"),
        (Adjacency, "contributions", lambda _: 1, "softmax"),
    ],
    ids=[
        "one draw for two steps",
        "no last noise",
        "no last noise of lots",
        "fixed lots",
        "replaced as removed",
    ],
)
def test_an_engine_that_is_broken_is_caught_by_a_row_that_is_sound_today(
    module, name, change, audit, monkeypatch
):
    monkeypatch.setattr(module, name, change(getattr(module, name)))
    broken = Audit(
        **{one.name: getattr(AUDITS[audit], one.name) for one in fields(Audit)}
    )  # worlds are made once
    assert AUDITS[audit].expected == "consistent"
    found = broken.audited(runs=min(broken.runs, 4000 if audit == "softmax" else 2000), seed=4)
    assert broken.verdict(found, arrives=True) == "caught"
