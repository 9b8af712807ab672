"""Audits that are run: their verdicts, canaries that do not arrive, and engines that are broken."""

from dataclasses import fields

import numpy as np
import pytest

from benchmarks.audits import targets_parties
from benchmarks.audits.table import AUDITS, Audit
from dpcore.attacks.audit import detectable_epsilon
from dpcore.attacks.lower_bound import GAUSSIAN_CURVE
from dpcore.parties import source_releases
from dpcore.privacy import Adjacency
from dpcore.streams import stream
from dpcore.training import batches, descent, sgd

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
    "federated sampled": 0.05,
    "shuffled": -1,
}


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
        """Yield the noise of each step, which in odd steps is that of the step before."""
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
        """Yield the noise of each step, which in the last one is 0."""
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
        """Yield for each step the rows of each stream's batch, all of one size, (streams, size)."""
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
