"""The audits: each mechanism has some, a few are run, and the recorded table is theirs."""

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import dpcore
from benchmarks.audits import targets_parties
from benchmarks.audits.table import AUDITS, CONFIDENCE, FULL, Audit
from dpcore import mechanisms
from dpcore.attacks.audit import detectable_epsilon
from dpcore.attacks.lower_bound import GAUSSIAN_CURVE
from dpcore.estimators.linear import REGRESSIONS
from dpcore.parties import aggregation, source_releases
from dpcore.privacy import LAWS, Adjacency
from dpcore.streams import stream
from dpcore.training import batches, descent, dp_ftrl, frank_wolfe, sgd, sgd_recipe
from pages.attack.audits.table import recorded

ROOT = Path(dpcore.__file__).parents[1]
# Audits that run in the quick suite. All of them run in ``make audit``.
QUICK = (
    "laplace",
    "laplace half",
    "gaussian",
    "classifier published",
    "classifier filtered",
    "softmax",
    "softmax one",
    "functional",
    "functional half",
    "vote",
    "vote share",
)
# Runs per data set in the quick suite, where fewer than in the list allow the finding.
FEWER = {"classifier published": 300, "classifier filtered": 200}
# Share of its claim that an attack on a correct mechanism shows at least, if it is not 0.3. It may
# be none, because two scores tell little.
WORTH = {
    "functional published": 0.25,
    "lots": 0.2,
    "classifier": 0.2,
    "noise schedule": 0.2,
    "clip schedule": 0.2,
    "lots of people": 0.2,
    "best poisson": 0.2,
    "pate": 0.15,
    "walk": 0.1,
    "descent": 0.08,
    "lots against": 0.05,
    "lots last": -1,
    "seen pair": -1,
    "seen last": -1,
    "shuffled": -1,
}

# Modules of ``dpcore`` -> each of their mechanisms -> its audits, first the correct one. Whoever
# adds a mechanism adds its audit.
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
# Modules that draw from a continuous distribution without protecting anything: attacks, data sets,
# and modules of topics that train or release by mechanisms of the engine.
HARMLESS = (
    "dpcore.attacks.audit",
    "dpcore.streams",
    "lab.data.",
    "lab.data.parties",
    "lab.uploads.made_up",
    "pages.attack.membership.tasks",
    "pages.mechanisms.many_answers.reconstruction",
    "pages.parties.releases",
    "pages.transfer.published",
)
DRAW = re.compile(
    r"rng\.(?:laplace|gumbel)\b"
    r"|\.(?:laplace|normal|standard_normal|gumbel|gamma|exponential)\("
    r"|normal_steps\("
    r"|getattr\(generator"
)
# Mechanisms that each module of ``AUDITED`` exports.
EXPORTED = {
    "mechanisms": {name for name, kind in vars(mechanisms).items() if hasattr(kind, "release")},
    "training.sgd": {*sgd_recipe.VARIANTS, "layers", "steps", "last step"},
    "training.dp_ftrl": set(dp_ftrl.MECHANISMS),
    "schedules": {
        field.name for field in fields(sgd_recipe.Recipe) if field.name.endswith("_ramp")
    },
    REGRESSION: {*REGRESSIONS, "descent, clipped"},
    "training.frank_wolfe": set(frank_wolfe.NOISES),
    "parties.aggregation": {*aggregation.RELEASES, "pate"},
    "parties.source_releases": set(source_releases.NOISES),
    "mechanisms.randomised_response": {"RandomisedResponse"},
}
MECHANISMS = [
    pytest.param(name, audits, id=f"{module.split()[0]} {name}")
    for module, rows in AUDITED.items()
    for name, audits in rows.items()
]


def audited_modules() -> set[str]:
    return {f"dpcore.{module}" for modules in AUDITED for module in modules.split()}


# Every mechanism is audited


@pytest.mark.parametrize("module", EXPORTED)
def test_every_mechanism_of_a_module_is_audited(module):
    assert set(AUDITED[module]) == EXPORTED[module]


def test_every_module_of_mechanisms_is_audited():
    folder = Path(mechanisms.__file__).parent
    files = {f"dpcore.mechanisms.{path.stem}" for path in folder.glob("[!_]*.py")}

    exporting = {vars(mechanisms)[name].__module__ for name in EXPORTED["mechanisms"]}

    assert exporting == files - audited_modules()


def test_every_audit_belongs_to_a_mechanism_that_is_audited():
    used = set()
    for rows in AUDITED.values():
        for audits in rows.values():
            used |= set(audits)

    assert used == set(AUDITS) - {"classifier filtered"}


@pytest.mark.parametrize(("name", "audits"), MECHANISMS)
def test_every_mechanism_is_audited_correct_and_broken(name, audits):
    """As published, the functional mechanism gives half of its claim, and no version is broken."""
    correct, *others = audits

    assert AUDITS[correct].expected == "consistent"
    if name != "published":
        assert "caught" in [AUDITS[other].expected for other in others]


def test_every_module_that_draws_noise_is_audited():
    drawing = set()
    for package in ("dpcore", "lab", "pages"):
        for path in (ROOT / package).rglob("*.py"):
            if DRAW.search(path.read_text("utf-8")):
                drawing.add(".".join(path.relative_to(ROOT).with_suffix("").parts))
    assert len(drawing) > 20

    harmless = (*HARMLESS, "dpcore.mechanisms.")
    private = {module for module in drawing if not module.startswith(harmless)}

    assert private <= audited_modules()


# The recorded table


def test_the_recorded_table_has_each_audit_in_order():
    assert [row.key for row in recorded()] == list(AUDITS)


@pytest.mark.parametrize("row", recorded(), ids=lambda row: row.key)
def test_an_audit_is_recorded_with_its_claim_and_verdict(row):
    audit = AUDITS[row.key]
    assumed = ""
    if audit.gaussian:
        assumed = GAUSSIAN_CURVE

    assert (row.mechanism, row.version) == (audit.family, audit.what)
    assert (row.claimed, row.delta) == (audit.epsilon, audit.delta)
    assert (row.neighbours, row.unit) == (str(audit.adjacency), audit.unit)
    assert (row.expected, row.verdict) == (audit.expected, audit.expected)
    assert row.assumed == assumed
    assert row.runs >= 2 * FULL * audit.runs
    assert row.confidence == pytest.approx(CONFIDENCE, abs=1e-6)
    assert (row.lower_bound > row.claimed) == (row.verdict == "caught")


def test_all_bounds_of_the_table_hold_together():
    assert len(AUDITS) * (1 - CONFIDENCE) == pytest.approx(0.05)
    assert AUDITS["laplace"].audited(runs=100, seed=0).confidence == CONFIDENCE


# Audits that are run


def quick_and_full_audits() -> list:
    """Each audit with its number of runs, those outside of the quick suite marked as a soak."""
    cases = [pytest.param(name, FEWER.get(name, AUDITS[name].runs)) for name in QUICK]
    for name, audit in AUDITS.items():
        if name not in QUICK or name in FEWER:
            cases.append(pytest.param(name, audit.runs, marks=pytest.mark.soak))
    return cases


@pytest.mark.parametrize(("name", "runs"), quick_and_full_audits())
def test_an_audit_has_its_expected_verdict(name, runs):
    """An attack on a correct mechanism also shows a share of its claim."""
    audit = AUDITS[name]
    assumed = ""
    if audit.gaussian:
        assumed = GAUSSIAN_CURVE

    bound = audit.audited(runs=runs, seed=4)

    assert audit.verdict(bound, arrives=audit.arrives(4)) == audit.expected
    assert bound.assumes == assumed
    if audit.expected == "consistent" and runs == audit.runs:
        assert bound.epsilon > WORTH.get(name, 0.3) * audit.most


def test_an_audit_states_how_far_apart_its_data_sets_are():
    audit = AUDITS["hypothesis gaussian"]
    first, second = targets_parties.two_minima()
    sensitivity = source_releases.hypothesis_sensitivity(
        targets_parties.ROWS, targets_parties.REGULARISATION
    )

    reach = np.linalg.norm(first - second) / sensitivity
    detectable = detectable_epsilon(audit.epsilon, delta=audit.delta, influence=audit.reach)

    assert reach == pytest.approx(audit.reach, abs=1e-3)
    assert audit.most == detectable
    assert detectable < audit.epsilon


def test_only_two_audits_cannot_show_the_whole_claim():
    limited = {name for name, audit in AUDITS.items() if audit.most < audit.epsilon}

    assert limited == {"hypothesis gaussian", "hypothesis scale"}


def test_a_canary_that_is_filtered_out_makes_an_audit_void():
    """Half of the noise would else look consistent."""
    filtered = AUDITS["classifier filtered"]

    bound = filtered.audited(runs=200, seed=0)

    assert not filtered.arrives(0)
    assert filtered.verdict(bound, arrives=False) == "void"
    assert filtered.verdict(bound, arrives=True) == "consistent"


def test_a_canary_arrives_without_a_filter():
    assert AUDITS["classifier c/n"].arrives(0)


def test_a_bound_above_zero_shows_that_the_canary_arrived():
    """A choice that seldom changes may be the same in a hundred runs."""
    seldom = AUDITS["max laplace"]

    bound = seldom.audited(runs=10_000, seed=5)

    assert seldom.verdict(bound, arrives=False) == "consistent"


# A broken engine is caught


def one_draw_for_two_steps(steps_of):
    """Noise whose every second step repeats the one before."""

    def steps(*arguments, **options):
        previous = None
        first = options.get("first", 0)
        for step, noise in enumerate(steps_of(*arguments, **options), first):
            if step % 2 == 0:
                previous = noise.copy()
            yield previous.copy()

    return steps


def no_last_noise(steps_of):
    """Noise without that of the last step."""

    def steps(*arguments, **options):
        if "steps" in options:
            count = options["steps"]
        else:
            count = arguments[0].steps
        first = options.get("first", 0)
        for step, noise in enumerate(steps_of(*arguments, **options), first):
            if step == count - 1:
                yield 0 * noise
            else:
                yield noise.copy()

    return steps


def fixed_batches(_):
    """Batches of a fixed size."""

    def draw(seed, indices, *, rows, rate, first, last):
        size = round(rate * rows)
        for step in range(first, last):
            orders = []
            for index in indices:
                order = stream(seed, "batches", int(index), step).permutation(rows)
                orders.append(order[:size])
            yield np.stack(orders)

    return draw


def one_contribution(_):
    """Replacing a row counts as removing one."""
    return 1


@pytest.mark.parametrize(
    ("module", "name", "change", "audit", "runs"),
    [
        pytest.param(
            descent,
            "normal_steps",
            one_draw_for_two_steps,
            "seen pair",
            2000,
            id="one draw for two steps",
        ),
        pytest.param(descent, "normal_steps", no_last_noise, "seen last", 2000, id="no last noise"),
        pytest.param(
            sgd, "_noise", no_last_noise, "lots last", 2000, id="no last noise of batches"
        ),
        pytest.param(batches, "poisson", fixed_batches, "lots against", 2000, id="fixed batches"),
        pytest.param(
            Adjacency, "contributions", one_contribution, "softmax", 4000, id="replaced as removed"
        ),
    ],
)
def test_a_broken_engine_is_caught_by_an_audit_that_is_consistent_now(
    module, name, change, audit, runs, monkeypatch
):
    monkeypatch.setattr(module, name, change(getattr(module, name)))
    # A copy, because an audit makes its data sets once.
    values = {field.name: getattr(AUDITS[audit], field.name) for field in fields(Audit)}
    broken = Audit(**values)

    bound = broken.audited(runs=min(broken.runs, runs), seed=4)

    assert AUDITS[audit].expected == "consistent"
    assert broken.verdict(bound, arrives=True) == "caught"
