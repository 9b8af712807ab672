"""The audits: each mechanism has some, and the page shows the recorded table of them."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

import dpcore
from benchmarks.audits.table import AUDITS, CONFIDENCE, FULL
from dpcore import mechanisms
from dpcore.attacks.lower_bound import GAUSSIAN_CURVE
from dpcore.estimators.linear import REGRESSIONS
from dpcore.parties import aggregation, source_releases
from dpcore.privacy import LAWS
from dpcore.training import dp_ftrl, frank_wolfe, sgd_recipe
from pages.attack.audits import texts as audits_texts
from pages.attack.audits.table import recorded

ROOT = Path(dpcore.__file__).parents[1]
# Modules of ``dpcore`` -> each of their mechanisms -> its audits, first the correct one. Whoever
# adds a mechanism adds its audit.
REGRESSION = (
    "estimators.linear regression.descent regression.functional regression.gaussian_statistics"
    " regression.perturbation"
)
AUDITED = {
    "mechanisms": {
        "Laplace": ("laplace", "laplace half"),
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
        "descent": ("clipped", "clipped half"),
        "descent, batches": ("batches", "batches whole"),
    },
    "parties.source_detection": {"detect": ("detection", "detection one")},
    "training.frank_wolfe": {
        "gumbel": ("walk", "walk unclipped"),
        "laplace": ("choice", "choice half"),
    },
    "parties.aggregation": {
        "vote": ("vote", "vote share"),
        "soft": ("soft", "soft dimension", "soft loose"),
        "average": ("average", "average row"),
        "pate": ("pate", "pate question"),
    },
    "parties.federated_averaging": {
        "all parties": ("federated", "federated half", "federated unclipped"),
        "sampled parties": ("federated sampled", "federated half"),
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
    "dpcore.streams",
    "lab.data.",
    "lab.data.parties",
    "lab.uploads.made_up",
    "pages.attack.membership.tasks",
    "pages.mechanisms.many_answers.reconstruction",
    "pages.parties.federated",
    "pages.parties.releases",
    "pages.transfer.published",
)
DRAW = re.compile(
    r"rng\.(?:laplace|gumbel)\b"
    r"|\.(?:laplace|normal|standard_normal|gumbel|gamma|exponential)\("
    r"|normal_steps\("
    r"|getattr\(generator"
)
EXAMPLE_LINE = re.compile(r"^ *(?:>>>|\.\.\.) .*$", re.MULTILINE)
# Mechanisms that each module of ``AUDITED`` exports.
EXPORTED = {
    "mechanisms": {name for name, kind in vars(mechanisms).items() if hasattr(kind, "release")},
    "training.sgd": {*sgd_recipe.VARIANTS, "layers", "steps", "last step"},
    "training.dp_ftrl": set(dp_ftrl.MECHANISMS),
    "schedules": {
        field.name for field in fields(sgd_recipe.Recipe) if field.name.endswith("_ramp")
    },
    REGRESSION: {*REGRESSIONS, "descent, batches"},
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
    """Return the full names of the modules in ``AUDITED``."""
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
            # What an example in a docstring draws protects nothing.
            code = EXAMPLE_LINE.sub("", path.read_text("utf-8"))
            if DRAW.search(code):
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
    assert (row.assumed, row.pitfall) == (assumed, audit.pitfall)
    assert row.runs >= 2 * FULL * audit.runs
    assert row.confidence == pytest.approx(CONFIDENCE, abs=1e-6)
    assert (row.lower_bound > row.claimed) == (row.verdict == "caught")


def test_only_broken_mechanisms_are_pitfalls_of_practice():
    """Each names an issue of a library, a text of several authors, or a list of pitfalls."""
    pitfalls = {row.pitfall: row for row in recorded() if row.pitfall}

    assert all(row.expected == "caught" for row in pitfalls.values())
    source = re.compile(
        r" \([\w/-]+ #\d+\)$| \([A-Z].* 20\d\d\)$| \(jax_privacy, common pitfalls\)$"
    )
    assert [pitfall for pitfall in pitfalls if not source.search(pitfall)] == []


REPLAYED = {row.key: float(row.replayed) for row in recorded() if row.replayed}


@pytest.mark.parametrize("key", REPLAYED)
def test_a_replay_is_recorded_as_it_is_computed(key):
    assert REPLAYED[key] == pytest.approx(AUDITS[key].replayed(), rel=0.01)


@pytest.mark.parametrize(
    ("key", "moves"),
    [
        pytest.param("classifier", 1, id="correct"),
        pytest.param("classifier c/n", 2, id="noise for add/remove"),
        pytest.param("classifier filtered", 0, id="the canary is filtered out"),
        pytest.param("people", 1, id="a person's rows"),
        pytest.param("people by row", 3, id="clipped one by one"),
    ],
)
def test_a_replay_finds_how_far_a_step_moves(key, moves):
    assert REPLAYED[key] == pytest.approx(moves, abs=1e-6)


def test_a_replay_finds_a_missing_clip_at_once():
    """An audit needs thousands of runs for it."""
    for key in ("classifier published", "classifier unclipped"):
        assert REPLAYED[key] > 2


def test_a_replay_never_refutes_a_correct_mechanism():
    correct = [row for row in recorded() if row.replayed and row.expected == "consistent"]

    assert len(correct) >= 2
    assert all(float(row.replayed) <= 1 for row in correct)


def test_all_bounds_of_the_table_hold_together():
    assert len(AUDITS) * (1 - CONFIDENCE) == pytest.approx(0.05)
    assert AUDITS["laplace"].audited(runs=100, seed=0).confidence == CONFIDENCE


# The tab of audits


def test_the_audits_tab_counts_the_recorded_audits():
    audits = recorded()
    broken = [audit for audit in audits if audit.expected != "consistent"]
    correct = [audit for audit in audits if audit.expected == "consistent"]
    caught = sum(audit.lower_bound > audit.claimed for audit in broken)
    refuted = sum(audit.lower_bound > audit.claimed for audit in correct)

    summary = audits_texts.summary()

    assert f"{caught} of {len(broken)} broken mechanisms were caught" in summary
    assert f"{refuted} of {len(correct)} correct ones" in summary


def test_the_table_has_a_row_for_each_recorded_audit():
    heading = 1

    assert audits_texts.table().count("<tr>") == len(recorded()) + heading
