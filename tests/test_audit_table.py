"""The audit table: every mechanism of the lab, sound and broken; a canary that never arrived makes an audit void."""

import ast
import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import dpcore
from dpcore import lots, mechanisms
from dpcore.attacks import audit as audits
from dpcore.estimators.linear import REGRESSIONS
from dpcore.parties import aggregation, sources
from dpcore.privacy import GAUSSIAN_CURVE, LAWS, Adjacency
from dpcore.streams import stream
from dpcore.training import descent, frank_wolfe, sgd, tree
from pages.attack.audits import runs, targets_parties
from pages.attack.audits.table import AUDITS, CONFIDENCE, Audit
from pages.attack.experiment import AttackSettings

ROOT = Path(dpcore.__file__).parents[1]
# Runs a world in the table below: fewer than on the page where the finding allows it.
FEWER = {"lots": 800, "lots inside": 400, "classifier": 500, "classifier published": 300, "classifier unclipped": 300}
FEWER |= {"classifier bare": 100, "classifier filtered": 200, "walk": 1000}
FEWER |= dict.fromkeys(("noise schedule", "clip schedule", "lots against", "lots last", "lots of people"), 500)

# Every mechanism of the lab -> its audits, first the sound one. Whoever adds one adds its audit here.
MECHANISMS_AUDITED = {
    "mechanisms": {
        "Laplace": ("laplace", "laplace half", "laplace l2"),
        "Gaussian": ("gaussian", "gaussian classical", "gaussian shared"),
        "NormExponential": ("direction", "direction half"),
        "NoisyMax": ("max", "max half", "max laplace", "max laplace half"),
    },
    "descent, classes": {
        "two": ("classifier", "classifier published", "classifier unclipped", "classifier bare", "classifier c/n"),
        "more": ("softmax", "softmax one"),
    },
    "sgd.VARIANTS and layers": {
        "sound": ("lots", "lots half"),
        "realised": ("lots", "lots realised"),
        "shuffled": ("lots", "lots shuffled"),
        "inside": ("lots", "lots inside"),
        "layers": ("layers", "layers whole"),
        "steps": ("lots against", "lots fixed", "lots replaced"),
        "last step": ("lots last", "lots last bare"),
    },
    "descent, steps": {
        "one after the other": ("seen pair", "seen pair shared"),
        "last step": ("seen last", "seen last bare"),
    },
    "people": {
        "descent": ("people", "people by row"),
        "sgd": ("lots of people", "lots by row"),
    },
    "schedules": {
        "noise_ramp": ("noise schedule", "noise schedule first"),
        "clip_ramp": ("clip schedule", "clip schedule first"),
    },
    "tree.MECHANISMS": {
        "sampled": ("lots", "lots half"),
        "ordered": ("ordered", "ordered chance"),
        "tree": ("tree", "tree node"),
    },
    "paid bounds": {"histogram": ("bounds", "bounds one")},
    "privacy.LAWS": {law: (f"best {law}", f"best {law} single") for law in LAWS},
    "linear.REGRESSIONS": {
        "published": ("functional published",),
        "functional": ("functional", "functional half"),
        "gaussian": ("gaussian statistics", "gaussian statistics half"),
        "adassp": ("adassp", "adassp mu"),
        "output": ("output", "output half"),
        "descent": ("descent", "descent each"),
        "descent, clipped": ("clipped", "clipped half"),
    },
    "transfer": {"detect": ("detection", "detection one"), "descent": ("diamond", "diamond number")},
    "frank_wolfe.NOISES and polytopes": {
        "gumbel": ("choice", "choice half", "walk", "walk unclipped"),
        "laplace": ("choice laplace", "choice laplace half"),
        "Hull": ("corner", "corner another"),
    },
    "parties.METHODS": {
        "vote": ("vote", "vote share"),
        "soft": ("soft", "soft dimension", "soft laplace", "soft loose"),
        "average": ("average", "average row"),
        "pate": ("pate", "pate question"),
    },
    "sources.NOISES and tilts": {
        "exponential": ("hypothesis", "hypothesis laplace"),
        "gaussian": ("hypothesis gaussian", "hypothesis scale"),
        "objective": ("objective", "objective volume"),
        "tilt": ("tilt", "tilt pooled"),
    },
}
# Module with a mechanism -> the groups above that audit it.
GROUPS = {
    "dpcore.mechanisms": {"mechanisms"},
    "dpcore.training.descent": {"descent, classes", "descent, steps"},
    "dpcore.training.people": {"people"},
    "dpcore.training.sgd": {"sgd.VARIANTS and layers"},
    "dpcore.training.tree": {"tree.MECHANISMS"},
    "dpcore.schedules": {"schedules"},
    "dpcore.training.frank_wolfe": {"frank_wolfe.NOISES and polytopes"},
    "dpcore.regression.adassp": {"linear.REGRESSIONS"},
    "dpcore.regression.functional": {"linear.REGRESSIONS"},
    "dpcore.regression.gaussian_statistics": {"linear.REGRESSIONS"},
    "dpcore.regression.perturbed": {"linear.REGRESSIONS"},
    "dpcore.estimators.linear": {"linear.REGRESSIONS"},
    "dpcore.transfer": {"transfer"},
    "dpcore.parties.aggregation": {"parties.METHODS"},
    "dpcore.parties.pate": {"parties.METHODS"},
    "dpcore.parties.sources": {"sources.NOISES and tilts"},
    "dpcore.parties.importance": {"sources.NOISES and tilts"},
    "dpcore.data.paid_bounds": {"paid bounds"},
    "dpcore.accountants.tuning": {"privacy.LAWS"},
}
# Page, estimator or part of ``dpcore`` -> the modules above that it trains with, releases by, or counts.
TRAINED = {
    "lab.files.own_rows": {"dpcore.data.paid_bounds"},
    "lab.sources": {"dpcore.data.paid_bounds"},
    "dpcore.data.paid_bounds": {"dpcore.mechanisms"},
    "dpcore.estimators.linear": {
        "dpcore.regression.adassp",
        "dpcore.regression.functional",
        "dpcore.regression.gaussian_statistics",
        "dpcore.regression.perturbed",
    },
    "dpcore.estimators.logistic": {"dpcore.training.descent"},
    "dpcore.estimators.network": {"dpcore.training.sgd"},
    "dpcore.estimators.recipes": {"dpcore.mechanisms", "dpcore.training.descent"},
    "dpcore.estimators.sparse": {"dpcore.training.frank_wolfe"},
    "pages.attack": {"dpcore.mechanisms", "dpcore.regression.functional", "dpcore.training.descent"},
    "pages.classifier": {"dpcore.training.descent", "dpcore.training.people"},
    "pages.data": {"dpcore.data.paid_bounds"},
    "pages.hypotheses": {"dpcore.parties.importance", "dpcore.parties.sources"},
    "pages.learn": {"dpcore.accountants.tuning"},
    "pages.accounting": {"dpcore.accountants.tuning"},
    "pages.lessons": {"dpcore.accountants.tuning"},
    "pages.mechanisms": {"dpcore.mechanisms"},
    "pages.network": {"dpcore.schedules", "dpcore.training.sgd", "dpcore.training.tree"},
    "pages.parties": {"dpcore.mechanisms", "dpcore.parties.aggregation", "dpcore.parties.pate"},
    "pages.regression": {"dpcore.estimators.linear", "dpcore.regression.functional"},
    "pages.transfer": {"dpcore.regression.perturbed", "dpcore.training.frank_wolfe", "dpcore.transfer"},
    "pages.what_if": {"dpcore.accountants.tuning"},
}


def imported(path: Path) -> set[str]:
    """The modules of ``GROUPS`` that a file imports, or imports something of."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found & set(GROUPS)


# Modules beside ``dpcore.mechanisms`` that draw from a continuous law: for what is above, or for what protects nothing.
NOISY = {
    "dpcore.parties.sources",
    "dpcore.regression.functional",
    "dpcore.regression.adassp",
    "dpcore.regression.gaussian_statistics",
    "dpcore.regression.perturbed",
    "dpcore.training.descent",
    "dpcore.training.frank_wolfe",
    "dpcore.training.sgd",
    "dpcore.transfer",
    "pages.attack.membership",
    "pages.parties.work",
}
UNPROTECTED = {
    "dpcore.attacks.audit",
    "dpcore.attacks.read_off",
    "dpcore.data.domain_text",
    "dpcore.data.domains",
    "dpcore.data.regression",
    "dpcore.data.recorded",
    "dpcore.data.toy",
    "dpcore.parties.worlds",
    "dpcore.streams",
    "pages.attack.audits.targets",
    "pages.attack.audits.targets_descent",
    "pages.attack.audits.targets_parties",
    "pages.attack.audits.targets_regression",
    "pages.attack.audits.targets_sgd",
    "pages.transfer.published",
}
DRAW = re.compile(
    r"rng\.(?:laplace|gumbel)\b|\.(?:laplace|normal|standard_normal|gumbel|gamma|exponential)\(|normal_steps\("
    r"|getattr\(generator"
)


class TestTable:
    def test_every_mechanism_of_the_lab_is_in_it(self):
        named = {name: set(audits) for name, audits in MECHANISMS_AUDITED.items()}
        exported = {name: kind for name, kind in vars(mechanisms).items() if hasattr(kind, "release")}
        assert named["mechanisms"] == set(exported)
        files = {f"dpcore.mechanisms.{path.stem}" for path in Path(mechanisms.__file__).parent.glob("[!_]*.py")}
        assert {kind.__module__ for kind in exported.values()} == files
        assert named["sgd.VARIANTS and layers"] == {*sgd.VARIANTS, "layers", "steps", "last step"}
        assert named["tree.MECHANISMS"] == set(tree.MECHANISMS)
        assert named["schedules"] == {one.name for one in fields(sgd.Recipe) if one.name.endswith("_ramp")}
        assert named["linear.REGRESSIONS"] == {*REGRESSIONS, "descent, clipped"}
        polytopes = {kind.__name__ for kind in get_args(frank_wolfe.Polytope)} - {"L1Ball"}  # the noises' own
        assert named["frank_wolfe.NOISES and polytopes"] == {*frank_wolfe.NOISES, *polytopes}
        assert named["parties.METHODS"] == {*aggregation.RELEASES, "pate"}
        assert named["sources.NOISES and tilts"] == {*sources.NOISES, "tilt"}
        listed = {audit for group in MECHANISMS_AUDITED.values() for audits in group.values() for audit in audits}
        assert listed == set(AUDITS) - {"classifier filtered"}

    def test_each_is_there_sound_and_most_broken(self):
        for group in MECHANISMS_AUDITED.values():
            for name, (first, *rest) in group.items():
                assert AUDITS[first].expected == "consistent", name
                broken = [AUDITS[other].expected for other in rest]
                # As published, the functional mechanism gives half of what it claims: no smaller noise is worth a name.
                assert "caught" in broken or name == "published"

    def test_what_pages_and_estimators_train_is_in_it(self):
        found: dict[str, set[str]] = {}
        for top in ("pages", "lab", "dpcore/estimators", "dpcore/data"):
            for path in (ROOT / top).rglob("*.py"):
                parts = path.relative_to(ROOT).with_suffix("").parts
                if "audits" not in parts and (modules := imported(path)):
                    found.setdefault(".".join(parts[: 2 if top == "pages" else 3]), set()).update(modules)
        assert found == TRAINED
        assert set().union(*GROUPS.values()) == set(MECHANISMS_AUDITED)
        drawing = {name for name in NOISY if name.startswith("dpcore.")}
        assert drawing <= set(GROUPS)

    def test_no_other_module_draws_noise(self):
        modules = (path for top in ("dpcore", "lab", "pages") for path in (ROOT / top).rglob("*.py"))
        drawing = {path for path in modules if DRAW.search(path.read_text("utf-8"))}
        drawing = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in drawing}
        assert {name for name in drawing if not name.startswith("dpcore.mechanisms.")} == NOISY | UNPROTECTED


def test_the_published_classifier_is_audited_first_and_runs_are_cut_without_loss():
    tasks = list(runs.tasks(AttackSettings(part="audit")))
    assert tasks[0].model == runs.FIRST
    arrivals = [task.model for task in tasks if task.work is runs.arrives]
    assert sorted(arrivals) == sorted(AUDITS)
    trained = [task for task in tasks if task.work is not runs.arrives]
    counts = {name: sum(task.count for task in trained if task.model == name) for name in AUDITS}
    assert counts == {name: audit.runs for name, audit in AUDITS.items()}


@pytest.mark.parametrize("name", AUDITS)
def test_the_audit_table(name):
    """Each sound mechanism stays below its claim, each broken one is caught, and what saw no canary is void."""
    audit = AUDITS[name]
    found = audit.audited(runs=FEWER.get(name, audit.runs), seed=4)
    assert audit.verdict(found, arrives=audit.arrives(4)) == audit.expected
    assert found.assumes == (GAUSSIAN_CURVE if audit.gaussian else "")


def test_all_bounds_of_the_table_hold_together():
    assert len(AUDITS) * (1 - CONFIDENCE) == pytest.approx(0.05)
    assert AUDITS["laplace"].audited(runs=100, seed=0).confidence == CONFIDENCE


def test_worlds_that_are_not_as_far_apart_as_they_might_say_so():
    first, second = targets_parties.two_minima()
    sensitivity = sources.hypothesis_sensitivity(targets_parties.ROWS, targets_parties.REGULARISATION)
    one = AUDITS["hypothesis gaussian"]
    assert np.linalg.norm(first - second) / sensitivity == pytest.approx(one.reach, abs=1e-3)
    assert one.most == audits.most(one.epsilon, delta=one.delta, reach=one.reach) < one.epsilon
    assert {name for name, audit in AUDITS.items() if audit.most < audit.epsilon} == {
        "hypothesis gaussian",
        "hypothesis scale",
    }


def test_a_canary_that_never_arrives_makes_an_audit_void():
    """Half of the noise is no finding if a filter leaves out the canary: that nothing is found says nothing."""
    filtered, arriving = AUDITS["classifier filtered"], AUDITS["classifier c/n"]
    assert not filtered.arrives(0)
    assert arriving.arrives(0)
    nothing = filtered.audited(runs=200, seed=0)
    assert filtered.verdict(nothing, arrives=False) == "void"
    assert filtered.verdict(nothing, arrives=True) == "consistent"
    # A choice that seldom changes may be the same in a hundred runs; that something is found shows that it arrived.
    seldom = AUDITS["max laplace"]
    assert seldom.verdict(seldom.audited(runs=10_000, seed=5), arrives=False) == "consistent"


def _shared(noise):
    """One draw for two steps."""

    def steps(*given, **how):
        first = None
        for step, drawn in enumerate(noise(*given, **how)):
            first = first if step % 2 else drawn.copy()
            yield first.copy()

    return steps


def _bare(noise):
    """The last step without noise."""

    def steps(*given, steps, **how):
        for step, drawn in enumerate(noise(*given, steps=steps, **how), 1):
            yield 0 * drawn if step == steps else drawn

    return steps


def _bare_end(noise):
    """The same of DP-SGD, whose noise comes in blocks."""

    def steps(recipe, *given, first, **how):
        for step, drawn in enumerate(noise(recipe, *given, first=first, **how), first + 1):
            yield 0 * drawn if step == recipe.steps else drawn

    return steps


def _fixed(_):
    """Lots of a fixed size."""

    def lots(seed, indices, *, rows, rate, first, last):
        for step in range(first, last):
            order = [stream(seed, "lots", int(index), step).permutation(rows) for index in indices]
            yield np.stack(order)[:, : round(rate * rows)]

    return lots


@pytest.mark.parametrize(
    ("module", "name", "change", "audit"),
    [
        (descent, "normal_steps", _shared, "seen pair"),
        (descent, "normal_steps", _bare, "seen last"),
        (sgd, "_noise", _bare_end, "lots last"),
        (lots, "poisson", _fixed, "lots against"),
        (Adjacency, "contributions", lambda _: 1, "classifier"),
    ],
    ids=["one draw for two steps", "no last noise", "no last noise of lots", "fixed lots", "replaced as removed"],
)
def test_an_engine_that_is_broken_is_caught_by_a_row_that_is_sound_today(module, name, change, audit, monkeypatch):
    monkeypatch.setattr(module, name, change(getattr(module, name)))
    broken = Audit(**{one.name: getattr(AUDITS[audit], one.name) for one in fields(Audit)})  # worlds are made once
    assert AUDITS[audit].expected == "consistent"
    found = broken.audited(runs=broken.runs, seed=4)
    assert broken.verdict(found, arrives=True) == "caught"
