"""The handout and the privacy label: what they hold, that they ask nobody, and that a label may be
void.
"""

import io
import json
import re
import zipfile
from dataclasses import replace
from html import unescape

import jsonschema
import pytest
import yaml

from dpcore.mechanisms.private_bounds import Payment
from dpcore.privacy import (
    Adjacency,
    Composed,
    GaussianRelease,
    Guarantee,
    LaplaceRelease,
    PoissonSampled,
    Sequence,
)
from lab.label import label as labels
from lab.label.label import NOT_STATED, NOTHING, Stated, label, sections
from pages.classifier.settings import ClassifierSettings
from pages.topics import FIRSTS, PAGES, TOPIC_PAGES
from tests import own_files
from tests.handouts import handout, quick, stands_alone
from tests.rare_guesses import assert_rare_guess, states_rare_guess
from tests.sentences import broken_by, plain
from ui.export import share_dialog
from ui.page.view import FIRST
from ui.session.entries import from_link

MOST = 1_000_000


@pytest.fixture(scope="module", params=PAGES, ids=lambda page: page.name)
def made(request):
    return request.param, quick(request.param)


def texts(handed) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(share_dialog.bundle(handed))) as archive:
        return {name.partition("/")[2]: archive.read(name).decode() for name in archive.namelist()}


def test_a_handout_says_what_the_page_says(made):
    page, one = made
    html = one.html()
    said = plain(re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL))
    view = page.at(one.settings).view(one.result)
    for text in (
        page.info.question,
        view.texts["verdict"],
        one.settings_text,
        one.link,
        one.date,
        "Privacy label",
    ):
        assert plain(text) in said
    for number in view.tiles:
        assert plain(f"<b>{number.value}</b><span>{number.label}</span>") in said
    (shown,) = re.findall(
        r'<script type="application/json" id=first>(.*?)</script>', html, re.DOTALL
    )
    drawn = [picture.figure for picture in view.charts(FIRST).values()]
    shown, drawn = (
        [one["layout"].get("title") for one in each] for each in (json.loads(shown).values(), drawn)
    )
    assert shown == drawn
    assert "<svg" in html
    broken_by(said, one.result, {})


def test_the_sheet_says_what_becomes_of_a_rare_guess_under_its_guarantee(made):
    _, one = made

    sheet, _, _ = one.html().partition('<article class="more">')

    assert states_rare_guess(sheet) == bool(one.stated.guarantee)
    if one.stated.guarantee:
        assert_rare_guess(sheet, one.stated.guarantee)


def test_html_is_a_tree_that_asks_nobody_for_anything_and_has_the_fields_of_the_json(made):
    """No address but in words."""
    _, one = made
    told = json.loads(one.label.json())
    for html in (one.html(), one.label_html()):
        stands_alone(html)
        assert not re.findall(
            r'\b(?:src|href)="(?!data:)', re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
        )
        said = dict(
            re.findall(
                r"<dt>([^<]*)</dt><dd>([^<]*)</dd>",
                html.partition("Privacy label in full")[2] or html,
            )
        )
        for tier, names in labels.sections().items():
            for name, words in names.items():
                value = told[tier][name]
                assert unescape(said[words]) == (
                    value if isinstance(value, str) else labels.number(value)
                )


def test_the_zip_is_the_same_on_the_same_day_and_small(made):
    page, one = made
    packed, again = (share_dialog.bundle(one) for _ in range(2))
    assert packed == again
    assert len(packed) < MOST
    today, other = texts(one), texts(handout(page, one.result, date="2026-02-01"))
    dated = {
        "index.html",
        "label.html",
        "label.json",
        *(["registry.yaml"] if one.registry_record() else []),
    }
    assert {name for name in today if today[name] != other[name]} == dated
    assert json.loads(today["label.schema.json"]) == json.loads(labels.SCHEMA.read_text("utf-8"))
    assert today["label.json"] == one.label.json()


SCHEMA = json.loads(labels.SCHEMA.read_text("utf-8"))
# What every page must say of itself.
MUST = {
    "public",
    "trust",
    "released",
    "analyst_only",
    "source",
    "training",
    "bounds",
    "vocabulary",
    "split",
}
MUST |= {"test_score", "stop_rule"}
# Settings under which what is claimed does not hold, and a word of why.
BROKEN = [
    ("classifier", {"version": "published", "repeats": "2", "steps": "5"}, "average"),
    ("classifier", {"version": "none", "repeats": "2", "steps": "5"}, "without noise"),
    ("network", {"variant": "shuffled", "repeats": "2", "epochs": "2"}, "no theorem"),
    ("transfer", {"noise": "printed", "repeats": "3"}, "is claimed"),
    ("mechanisms", {"mechanism": "classical", "epsilon": "20"}, "is claimed"),
]
GAUSSIAN = Composed(event=GaussianRelease(noise_multiplier=50), count=50)
ABOUT = {"adjacency": Adjacency.REPLACE_ONE, "unit": "record", "basis": "a theorem"}
PROMISE = Guarantee(epsilon=0.5, delta=1e-5, event=GAUSSIAN, **ABOUT)


@pytest.fixture(autouse=True)
def _hold():
    yield
    own_files.HELD.clear()


def valid(found: labels.Label) -> dict:
    told = json.loads(found.json())
    jsonschema.validate(told, SCHEMA, cls=jsonschema.Draft202012Validator)
    return told


def of(kind: str, *roles) -> dict:
    return valid(
        handout(FIRSTS[kind].page, own_files.settings(kind, *roles).experiment.run()).label
    )


@pytest.mark.parametrize("kind", ["classifier", "network"])
def test_a_label_under_add_remove_assumes_that_the_number_of_rows_is_public(kind):
    settings = own_files.settings(kind)
    if kind != "network":
        settings = settings.change(adjacency="add/remove")
    told = valid(handout(FIRSTS[kind].page, settings.experiment.run()).label)
    assert told["accounting"]["assumptions"].count("the number of rows is public") == 1


def test_a_label_under_replace_one_assumes_nothing_of_the_number_of_rows():
    assert "the number of" not in of("regression")["accounting"]["assumptions"]


def test_every_page_states_its_label(made):
    page, one = made
    result, found = one.result, one.label
    stated = one.page.exports.label(result)
    assert MUST - stated.said.keys() == set()
    assert stated.said.keys() <= {name for names in sections().values() for name in names}
    assert stated.guarantee or stated.nothing
    assert bool(stated.guarantee) == (page.name not in ("attack", "what-if"))
    if page in TOPIC_PAGES and result.settings.guarantee:
        assert stated.guarantee == result.settings.guarantee
    told = valid(found)
    assert not told["void"]
    assert (told["administrative"]["date"], told["administrative"]["contact"]) == (
        "2026-01-31",
        NOT_STATED,
    )
    said = ". ".join(text for _, _, text in found.rows())
    broken_by(said, result, {})
    tiles = [one for one in page.view(result).tiles if one.label == "Attacker right, at most"]
    attacker = told["privacy_loss"]["attacker"]
    if tiles and told["privacy_loss"]["epsilon"] != NOTHING and "practically" not in attacker:
        assert f"at most {tiles[0].amount:g}\u00a0%" in attacker
    assert ("This release protects each" in told["basic"]["summary"]) == bool(stated.guarantee)
    if stated.guarantee:
        assert told["privacy_loss"]["epsilon"] == pytest.approx(stated.guarantee.epsilon, rel=1e-5)
        assert stated.guarantee.basis in said


@pytest.mark.parametrize(("name", "query", "why"), BROKEN, ids=lambda one: str(one)[:40])
def test_a_label_is_void_where_the_theorem_does_not_hold(name, query, why):
    settings, notices = from_link(FIRSTS[name].page.settings, query)
    assert not notices
    one = handout(FIRSTS[name].page, settings.experiment.run())
    told = valid(one.label)
    assert why in told["void"]
    sheet, _, _ = one.html().partition('<article class="more">')
    assert not states_rare_guess(sheet)
    assert told["privacy_loss"]["epsilon"] == told["privacy_loss"]["delta"] == NOTHING
    assert (
        told["basic"]["summary"]
        == f"Nothing is guaranteed ({told['void']}). Do not release this result."
    )
    assert one.registry_record() == ""


def test_a_training_that_is_half_shown_states_the_epsilon_spent_so_far():
    settings, _ = from_link(
        FIRSTS["network"].page.settings, {"repeats": "2", "epochs": "3", "shown": "30"}
    )
    result = settings.experiment.run()
    told = valid(handout(FIRSTS["network"].page, result).label)
    assert told["privacy_loss"]["epsilon"] == pytest.approx(result.guarantee.epsilon, rel=1e-5)
    assert told["privacy_loss"]["epsilon"] < settings.epsilon
    assert "after step" in told["deployment_model"]["period"]


@pytest.mark.parametrize("kind", own_files.KINDS)
def test_the_label_of_an_uploaded_file_states_columns_typed_bounds_and_their_source(kind):
    told, roles = of(kind), own_files.settings(kind).own.roles
    bounds = told["implementation"]["columns"]
    for column in roles.columns:
        assert column.name in bounds
        if column.kind == "number":
            assert f"{column.name}: {column.low:g} to {column.high:g}, typed" in bounds
    assert not [
        value for column in roles.columns for value in column.values if f"{value}," in bounds
    ]
    assert told["basic"]["source"] == "a file of the analyst's own"
    assert told["accounting"]["bounds"] == "public: typed by the analyst"
    assert told["accounting"]["tuning"].startswith("not stated: ")
    assert not told["void"]


@pytest.mark.parametrize(
    ("one_row", "who"), [(True, "each person"), (False, "each row, but"), (None, "each row. ")]
)
@pytest.mark.parametrize("kind", ["classifier", "network"])
def test_a_label_states_one_row_per_person_only_if_the_analyst_has_said_so(kind, one_row, who):
    told = of(kind, replace(own_files.CLASSES, one_row=one_row))
    assert ("one row per person" in told["accounting"]["assumptions"]) == (one_row is True)
    assert f"This release protects {who}" in told["basic"]["summary"]


def test_a_label_counts_paid_bounds_and_states_none_of_their_values():
    first, *others = own_files.CLASSES.columns
    columns = (replace(first, low=16, high=128, paid=0.1), *others)
    told = of(
        "classifier", replace(own_files.CLASSES, columns=columns, payments=(Payment(epsilon=0.1),))
    )
    assert told["accounting"]["bounds"].startswith("paid: epsilon 0.1")
    assert "age: paid for" in told["implementation"]["columns"]
    assert "128" not in told["implementation"]["columns"]
    assert not told["void"]


def test_a_label_that_holds_is_a_draft_of_a_registered_record(made):
    _, one = made
    guarantee = one.stated.guarantee
    assert ("registry.yaml" in one.files()) == bool(guarantee) == bool(one.registry_record())
    if not guarantee:
        return
    told = yaml.safe_load(one.registry_record())
    assert (told["status"], told["tier"]) == ("Draft", 2)
    deployment = told["deployment"]
    assert deployment["basic"]["data_product_type"] in (
        "Machine learning model",
        "Summary statistics",
    )
    assert deployment["basic"]["publication_date"] == "2026-01-31"
    assert deployment["dp_variant"]["variant_name"] == (
        "Approximate DP" if guarantee.delta else "Pure DP"
    )
    expected = {"epsilon": guarantee.epsilon} | (
        {"delta": guarantee.delta} if guarantee.delta else {}
    )
    assert deployment["privacy_loss"]["privacy_parameters"] == pytest.approx(expected, rel=1e-5)
    assert guarantee.unit in deployment["privacy_loss"]["privacy_unit"].lower()
    assert guarantee.basis in deployment["accounting"]["composition"]
    texts = [
        text for fields in deployment.values() for text in fields.values() if isinstance(text, str)
    ]
    assert [text for text in texts if NOT_STATED in text] == [
        NOT_STATED
    ] * 2  # intended use and region


def test_a_label_states_nothing_that_nobody_declared():
    told = valid(label(ClassifierSettings(), Stated()))
    del told["void"]
    known = {"noise", "arithmetic", "timing", "others"}
    assert {said for tier in told.values() for name, said in tier.items() if name not in known} == {
        NOT_STATED
    }
    for tuning, void in (
        ("not covered: tried on private rows", True),
        ("paid: best of ten", False),
    ):
        told = valid(
            label(ClassifierSettings(), Stated(guarantee=PROMISE, said={"tuning": tuning}))
        )
        assert told["void"] == (f"tuning {tuning}" if void else "")
        assert told["privacy_loss"]["epsilon"] == (NOTHING if void else 0.5)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    told = valid(label(ClassifierSettings(), Stated(guarantee=PROMISE)))
    groups = (
        "2: epsilon 1, delta 2.65e-5; 5: epsilon 2.5, delta 0.000173; 10: epsilon 5, delta 0.00228"
    )
    assert told["privacy_loss"]["groups"] == groups  # (k epsilon, delta sum_{i<k} e^{i epsilon})
    for broken in (
        {**told, "void": "read off"},
        {**told, "accounting": {**told["accounting"], "bounds": "not covered: read off"}},
        {**told, "accounting": {**told["accounting"], "bounds": "fine"}},
        {**told, "privacy_loss": {**told["privacy_loss"], "delta": 2}},
        {**told, "more": {}},
        {name: tier for name, tier in told.items() if name != "implementation"},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, SCHEMA)


def test_a_label_states_the_mechanism_release_by_release():
    sampled = PoissonSampled(rate=0.25, event=GaussianRelease(noise_multiplier=2))
    two = Sequence(events=(LaplaceRelease(noise_multiplier=3), LaplaceRelease(noise_multiplier=4)))
    for event, said in {
        GAUSSIAN: "50 × Gaussian noise, multiplier 50",
        sampled: "1 × Poisson sample at rate 0.25, Gaussian noise, multiplier 2",
        two: "1 × Laplace noise, multiplier 3; 1 × Laplace noise, multiplier 4",
    }.items():
        found = label(ClassifierSettings(), Stated(guarantee=replace(PROMISE, event=event)))
        assert found.fields["implementation"]["mechanism"] == said
