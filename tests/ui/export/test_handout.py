"""The handout and the privacy label: what they hold, that they ask nobody, and that a label may be
void.
"""

import io
import json
import re
import zipfile
from dataclasses import replace
from html import unescape
from typing import Any

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
from pages.topics import FIRSTS, PAGES
from tests import own_files
from tests.handouts import handout, quick, stands_alone
from tests.rare_guesses import assert_rare_guess, states_rare_guess
from tests.sentences import broken_by, plain
from ui.export import share_dialog
from ui.export.handout import Handout
from ui.page.page import Page
from ui.page.view import FIRST
from ui.session.entries import from_link

# A zip that everybody's mail accepts.
MOST_BYTES = 1_000_000
# Labels and records show numbers with so many digits.
SIX_DIGITS = 1e-5
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
    "test_score",
    "stop_rule",
}
# The pages that train nothing of their own, and so guarantee nothing.
WITHOUT_GUARANTEE = ("attack", "what-if")
GAUSSIAN = Composed(event=GaussianRelease(noise_multiplier=50), count=50)
PROMISE = Guarantee(
    epsilon=0.5,
    delta=1e-5,
    event=GAUSSIAN,
    adjacency=Adjacency.REPLACE_ONE,
    unit="record",
    basis="a theorem",
)


@pytest.fixture(scope="module", params=PAGES, ids=lambda page: page.name)
def page(request) -> Page:
    """Return a page; the tests that use it run for each page."""
    return request.param


@pytest.fixture(scope="module")
def handed_out(page) -> Handout:
    """The handout of the page's settings that are computed quickly."""
    return quick(page)


@pytest.fixture(autouse=True)
def drop_uploaded_files():
    """Drop the uploaded files at the end of each test."""
    yield
    own_files.HELD.clear()


def texts_in_zip(handed_out: Handout) -> dict[str, str]:
    """Return the text of each file in the zip, by its name below the only folder."""
    texts = {}
    with zipfile.ZipFile(io.BytesIO(share_dialog.bundle(handed_out))) as archive:
        for path in archive.namelist():
            _, _, name = path.partition("/")
            texts[name] = archive.read(path).decode()
    return texts


def without_scripts(html: str) -> str:
    """Return HTML without its scripts."""
    return re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)


def words_of(html: str) -> str:
    """Return what a reader of the HTML sees, without scripts and styles."""
    return plain(re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL))


def first_sheet(handed_out: Handout) -> str:
    """Return the HTML of the handout up to the article with everything else."""
    sheet, _, _ = handed_out.html().partition('<article class="more">')
    return sheet


def fields_of(label: labels.Label) -> dict[str, Any]:
    """Return the fields of a label's JSON, by tier, after a check by the schema."""
    fields = json.loads(label.json())
    jsonschema.validate(fields, SCHEMA, cls=jsonschema.Draft202012Validator)
    return fields


def fields_for(page_name: str, settings: Any) -> dict[str, Any]:
    """Return the fields of the label of a page's result."""
    return fields_of(handout(FIRSTS[page_name].page, settings.experiment.run()).label)


def fields_for_file(page_name: str, *roles) -> dict[str, Any]:
    """Return the fields of the label of a result on an uploaded file."""
    return fields_for(page_name, own_files.settings(page_name, *roles))


def fields_stated(**stated: Any) -> dict[str, Any]:
    """Return the fields of a label of which only this is stated."""
    return fields_of(label(ClassifierSettings(), Stated(**stated)))


class TestHandout:
    def test_a_handout_has_the_texts_of_the_page(self, page, handed_out):
        view = page.at(handed_out.settings).view(handed_out.result)

        words = words_of(handed_out.html())

        assert plain(page.info.question) in words
        assert plain(view.texts["verdict"]) in words
        assert plain(handed_out.settings_text) in words
        assert plain(handed_out.link) in words
        assert plain(handed_out.date) in words
        assert "Privacy label" in words

    def test_a_handout_has_the_tiles_of_the_page(self, page, handed_out):
        view = page.at(handed_out.settings).view(handed_out.result)

        words = words_of(handed_out.html())

        tiles = [plain(f"<b>{tile.value}</b><span>{tile.label}</span>") for tile in view.tiles]
        assert [tile for tile in tiles if tile not in words] == []

    def test_a_handout_has_the_first_charts_of_the_page(self, page, handed_out):
        view = page.at(handed_out.settings).view(handed_out.result)

        html = handed_out.html()

        (script,) = re.findall(
            r'<script type="application/json" id=first>(.*?)</script>', html, re.DOTALL
        )
        titles = [figure["layout"].get("title") for figure in json.loads(script).values()]
        charts = view.charts(FIRST).values()
        assert titles == [chart.figure["layout"].get("title") for chart in charts]
        assert "<svg" in html

    def test_the_sheet_says_what_becomes_of_a_rare_guess_under_its_guarantee(self, handed_out):
        guarantee = handed_out.stated.guarantee

        sheet = first_sheet(handed_out)

        assert states_rare_guess(sheet) == bool(guarantee)
        if guarantee:
            assert_rare_guess(sheet, guarantee)

    def test_a_handout_says_nothing_that_is_never_so(self, handed_out):
        broken_by(words_of(handed_out.html()), handed_out.result, {})


@pytest.mark.parametrize("make_html", [Handout.html, Handout.label_html], ids=["handout", "label"])
class TestHtml:
    def test_the_html_asks_nobody_for_anything(self, handed_out, make_html):
        html = make_html(handed_out)

        stands_alone(html)
        addresses = re.findall(r'\b(?:src|href)="(?!data:)', without_scripts(html))
        assert addresses == []

    def test_the_html_has_the_fields_of_the_json(self, handed_out, make_html):
        fields = json.loads(handed_out.label.json())

        html = make_html(handed_out)

        _, _, full_label = html.partition("Privacy label in full")
        shown = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", full_label or html))
        differing = []
        for tier, names in labels.sections().items():
            for name, heading in names.items():
                value = fields[tier][name]
                if not isinstance(value, str):
                    value = labels.number(value)
                if unescape(shown[heading]) != value:
                    differing.append((tier, name))
        assert differing == []


class TestZip:
    def test_two_zips_of_one_day_are_the_same_and_small(self, handed_out):
        packed = share_dialog.bundle(handed_out)
        packed_again = share_dialog.bundle(handed_out)

        assert packed == packed_again
        assert len(packed) < MOST_BYTES

    def test_only_dated_files_differ_on_another_day(self, page, handed_out):
        dated = {"index.html", "label.html", "label.json"}
        if handed_out.registry_record():
            dated.add("registry.yaml")

        today = texts_in_zip(handed_out)
        another_day = texts_in_zip(handout(page, handed_out.result, date="2026-02-01"))

        assert {name for name in today if today[name] != another_day[name]} == dated

    def test_the_zip_has_the_label_and_its_schema(self, handed_out):
        texts = texts_in_zip(handed_out)

        assert json.loads(texts["label.schema.json"]) == SCHEMA
        assert texts["label.json"] == handed_out.label.json()


class TestLabelOfEachPage:
    @pytest.fixture
    def stated(self, page, handed_out) -> Stated:
        """Return what the page states for the label of its result."""
        return page.exports.label(handed_out.result)

    @pytest.fixture
    def fields(self, handed_out) -> dict[str, Any]:
        """Return the fields of the label of the handout, by tier."""
        return fields_of(handed_out.label)

    def test_a_page_states_all_that_it_must_and_only_known_fields(self, stated):
        known = set()
        for names in sections().values():
            known.update(names)

        assert MUST - stated.said.keys() == set()
        assert stated.said.keys() <= known

    def test_a_page_states_a_guarantee_or_why_there_is_none(self, page, stated):
        assert stated.guarantee or stated.nothing
        assert bool(stated.guarantee) == (page.name not in WITHOUT_GUARANTEE)

    def test_the_stated_guarantee_is_that_of_the_settings(self, handed_out, stated):
        guarantee = getattr(handed_out.settings, "guarantee", None)
        if not guarantee:
            pytest.skip("the guarantee depends on the result")

        assert stated.guarantee == guarantee

    def test_the_label_holds_and_has_a_date_and_no_contact(self, fields):
        assert not fields["void"]
        assert fields["administrative"]["date"] == "2026-01-31"
        assert fields["administrative"]["contact"] == NOT_STATED

    def test_the_label_says_nothing_that_is_never_so(self, handed_out):
        sentences = [text for _, _, text in handed_out.label.rows()]

        broken_by(". ".join(sentences), handed_out.result, {})

    def test_the_label_has_the_attacker_of_the_tile(self, page, handed_out, fields):
        view = page.view(handed_out.result)
        attacker = fields["privacy_loss"]["attacker"]
        tiles = [tile for tile in view.tiles if tile.label == "Attacker right, at most"]
        has_no_limit = fields["privacy_loss"]["epsilon"] == NOTHING or "practically" in attacker
        if not tiles or has_no_limit:
            pytest.skip("the label or the page states no limit")

        (tile,) = tiles

        assert f"at most {tile.amount:g}\u00a0%" in attacker

    def test_the_summary_promises_protection_only_with_a_guarantee(self, stated, fields):
        promises = "This release protects each" in fields["basic"]["summary"]

        assert promises == bool(stated.guarantee)

    def test_the_label_has_epsilon_and_basis_of_the_guarantee(self, handed_out, stated, fields):
        if not stated.guarantee:
            pytest.skip("the page guarantees nothing")

        texts = [text for _, _, text in handed_out.label.rows()]

        expected = pytest.approx(stated.guarantee.epsilon, rel=SIX_DIGITS)
        assert fields["privacy_loss"]["epsilon"] == expected
        assert any(stated.guarantee.basis in text for text in texts)


class TestAssumptions:
    @pytest.mark.parametrize(
        ("page_name", "changes"),
        [
            pytest.param("classifier", {"adjacency": "add/remove"}, id="classifier"),
            pytest.param("network", {}, id="network"),
        ],
    )
    def test_a_label_under_add_remove_assumes_a_public_number_of_rows(self, page_name, changes):
        settings = own_files.settings(page_name).change(**changes)

        assumptions = fields_for(page_name, settings)["accounting"]["assumptions"]

        assert assumptions.count("the number of rows is public") == 1

    def test_a_label_under_replace_one_assumes_nothing_of_the_number_of_rows(self):
        assumptions = fields_for_file("regression")["accounting"]["assumptions"]

        assert "the number of" not in assumptions

    @pytest.mark.parametrize(
        ("declared", "is_stated", "protected"),
        [
            pytest.param(True, True, "each person", id="one row per person"),
            pytest.param(False, False, "each row, but", id="several rows per person"),
            pytest.param(None, False, "each row. ", id="not declared"),
        ],
    )
    @pytest.mark.parametrize("page_name", ["classifier", "network"])
    def test_a_label_states_one_row_per_person_only_if_the_analyst_has_said_so(
        self, page_name, declared, is_stated, protected
    ):
        roles = replace(own_files.CLASSES, one_row=declared)

        fields = fields_for_file(page_name, roles)

        assert ("one row per person" in fields["accounting"]["assumptions"]) == is_stated
        assert f"This release protects {protected}" in fields["basic"]["summary"]


@pytest.mark.parametrize(
    ("page_name", "link", "reason"),
    [
        pytest.param(
            "classifier",
            {"version": "published", "repeats": "2", "steps": "5"},
            "average",
            id="an average is clipped",
        ),
        pytest.param(
            "classifier",
            {"version": "none", "repeats": "2", "steps": "5"},
            "without noise",
            id="no noise",
        ),
        pytest.param(
            "network",
            {"variant": "shuffled", "repeats": "2", "epochs": "2"},
            "no theorem",
            id="batches are shuffled",
        ),
        pytest.param(
            "transfer",
            {"noise": "printed", "repeats": "3"},
            "is claimed",
            id="printed noise",
        ),
        pytest.param(
            "mechanisms",
            {"mechanism": "classical", "epsilon": "20"},
            "is claimed",
            id="textbook formula at a large epsilon",
        ),
    ],
)
def test_a_label_is_void_where_the_theorem_does_not_hold(page_name, link, reason):
    page = FIRSTS[page_name].page
    settings, notices = from_link(page.settings, link)
    assert not notices

    handed_out = handout(page, settings.experiment.run())

    fields = fields_of(handed_out.label)
    assert reason in fields["void"]
    assert fields["privacy_loss"]["epsilon"] == NOTHING
    assert fields["privacy_loss"]["delta"] == NOTHING
    summary = f"Nothing is guaranteed ({fields['void']}). Do not release this result."
    assert fields["basic"]["summary"] == summary
    assert handed_out.registry_record() == ""
    assert not states_rare_guess(first_sheet(handed_out))


def test_a_training_that_is_half_shown_states_the_epsilon_spent_so_far():
    page = FIRSTS["network"].page
    settings, _ = from_link(page.settings, {"repeats": "2", "epochs": "3", "shown": "30"})
    result = settings.experiment.run()

    fields = fields_of(handout(page, result).label)

    epsilon = fields["privacy_loss"]["epsilon"]
    assert epsilon == pytest.approx(result.guarantee.epsilon, rel=SIX_DIGITS)
    assert epsilon < settings.epsilon
    assert "after step" in fields["deployment_model"]["period"]


class TestLabelOfAnUploadedFile:
    @pytest.mark.parametrize("page_name", own_files.KINDS)
    def test_the_label_names_the_file_as_the_source_and_its_typed_bounds(self, page_name):
        fields = fields_for_file(page_name)

        assert fields["basic"]["source"] == "a file of the analyst's own"
        assert fields["accounting"]["bounds"] == "public: typed by the analyst"
        assert fields["accounting"]["tuning"].startswith("not stated: ")
        assert not fields["void"]

    @pytest.mark.parametrize("page_name", own_files.KINDS)
    def test_the_label_states_each_column_with_typed_bounds_and_without_categories(self, page_name):
        fields = fields_for_file(page_name)

        text = fields["implementation"]["columns"]
        for column in own_files.ROLES[page_name].columns:
            assert column.name in text
            if column.kind == "number":
                assert f"{column.name}: {column.low:g} to {column.high:g}, typed" in text
            for category in column.values:
                assert f"{category}," not in text

    def test_a_label_counts_paid_bounds_and_states_none_of_their_values(self):
        age, *others = own_files.CLASSES.columns
        paid_age = replace(age, low=16, high=128, paid=0.1)
        roles = replace(
            own_files.CLASSES,
            columns=(paid_age, *others),
            payments=(Payment(epsilon=0.1),),
        )

        fields = fields_for_file("classifier", roles)

        assert fields["accounting"]["bounds"].startswith("paid: epsilon 0.1")
        assert "age: paid for" in fields["implementation"]["columns"]
        assert "128" not in fields["implementation"]["columns"]
        assert not fields["void"]


class TestRegistryRecord:
    @pytest.fixture
    def guarantee(self, handed_out) -> Guarantee:
        """Return the guarantee that the page states; skip the test if it states none."""
        if not handed_out.stated.guarantee:
            pytest.skip("the page guarantees nothing")
        return handed_out.stated.guarantee

    @pytest.fixture
    def deployment(self, handed_out) -> dict[str, Any]:
        """Return what the registry record says of the deployment, by section."""
        return yaml.safe_load(handed_out.registry_record())["deployment"]

    def test_there_is_a_record_only_with_a_guarantee(self, handed_out):
        has_guarantee = bool(handed_out.stated.guarantee)

        assert bool(handed_out.registry_record()) == has_guarantee
        assert ("registry.yaml" in handed_out.files()) == has_guarantee

    def test_a_record_is_a_draft(self, guarantee, handed_out):
        record = yaml.safe_load(handed_out.registry_record())

        assert record["status"] == "Draft"
        assert record["tier"] == 2

    def test_a_record_has_a_kind_of_product_and_a_date(self, guarantee, deployment):
        kinds = ("Machine learning model", "Summary statistics")

        assert deployment["basic"]["data_product_type"] in kinds
        assert deployment["basic"]["publication_date"] == "2026-01-31"

    def test_a_record_has_the_parameters_of_the_guarantee(self, guarantee, deployment):
        variant = "Pure DP"
        parameters = {"epsilon": guarantee.epsilon}
        if guarantee.delta:
            variant = "Approximate DP"
            parameters["delta"] = guarantee.delta

        privacy_loss = deployment["privacy_loss"]

        assert deployment["dp_variant"]["variant_name"] == variant
        assert privacy_loss["privacy_parameters"] == pytest.approx(parameters, rel=SIX_DIGITS)
        assert guarantee.unit in privacy_loss["privacy_unit"].lower()
        assert guarantee.basis in deployment["accounting"]["composition"]

    def test_a_record_leaves_open_the_intended_use_and_the_region_alone(
        self, guarantee, deployment
    ):
        not_stated = []
        for fields in deployment.values():
            for text in fields.values():
                if isinstance(text, str) and NOT_STATED in text:
                    not_stated.append(text)

        assert not_stated == [NOT_STATED, NOT_STATED]


class TestFieldsOfALabel:
    def test_a_label_states_nothing_that_nobody_declared(self):
        known_of_every_result = {"noise", "arithmetic", "timing", "others"}

        fields = fields_stated()

        del fields["void"]
        texts = set()
        for tier in fields.values():
            for name, text in tier.items():
                if name not in known_of_every_result:
                    texts.add(text)
        assert texts == {NOT_STATED}

    def test_a_guarantee_is_void_if_tuning_on_private_rows_is_not_covered(self):
        fields = fields_stated(
            guarantee=PROMISE, said={"tuning": "not covered: tried on private rows"}
        )

        assert fields["void"] == "tuning not covered: tried on private rows"
        assert fields["privacy_loss"]["epsilon"] == NOTHING

    def test_a_guarantee_holds_if_tuning_is_paid_for(self):
        fields = fields_stated(guarantee=PROMISE, said={"tuning": "paid: best of ten"})

        assert fields["void"] == ""
        assert fields["privacy_loss"]["epsilon"] == PROMISE.epsilon

    def test_a_label_states_the_guarantee_of_groups(self):
        """A group of k has k epsilon, and the sum of e^(i epsilon) delta over i < k."""
        fields = fields_stated(guarantee=PROMISE)

        assert fields["privacy_loss"]["groups"] == (
            "2: epsilon 1, delta 2.65e-5; "
            "5: epsilon 2.5, delta 0.000173; "
            "10: epsilon 5, delta 0.00228"
        )

    @pytest.mark.parametrize(
        ("event", "text"),
        [
            pytest.param(GAUSSIAN, "50 × Gaussian noise, multiplier 50", id="composition"),
            pytest.param(
                PoissonSampled(rate=0.25, event=GaussianRelease(noise_multiplier=2)),
                "1 × Poisson sample at rate 0.25, Gaussian noise, multiplier 2",
                id="sample",
            ),
            pytest.param(
                Sequence(
                    events=(LaplaceRelease(noise_multiplier=3), LaplaceRelease(noise_multiplier=4))
                ),
                "1 × Laplace noise, multiplier 3; 1 × Laplace noise, multiplier 4",
                id="sequence",
            ),
        ],
    )
    def test_a_label_states_the_mechanism_release_by_release(self, event, text):
        stated = Stated(guarantee=replace(PROMISE, event=event))

        found = label(ClassifierSettings(), stated)

        assert found.fields["implementation"]["mechanism"] == text


class TestSchema:
    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    @pytest.mark.parametrize(
        ("tier", "changes"),
        [
            pytest.param(
                "accounting", {"bounds": "not covered: read off"}, id="bounds not covered"
            ),
            pytest.param("accounting", {"bounds": "fine"}, id="bounds without a known word"),
            pytest.param("privacy_loss", {"delta": 2}, id="delta above 1"),
        ],
    )
    def test_the_schema_refuses_a_wrong_field(self, tier, changes):
        fields = fields_stated(guarantee=PROMISE)
        fields[tier].update(changes)

        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(fields, SCHEMA)

    def test_the_schema_refuses_a_void_label_with_an_epsilon(self):
        fields = fields_stated(guarantee=PROMISE)
        fields["void"] = "read off"

        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(fields, SCHEMA)

    def test_the_schema_refuses_an_unknown_tier(self):
        fields = fields_stated(guarantee=PROMISE)
        fields["more"] = {}

        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(fields, SCHEMA)

    def test_the_schema_refuses_a_label_without_one_of_its_tiers(self):
        fields = fields_stated(guarantee=PROMISE)
        del fields["implementation"]

        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(fields, SCHEMA)
