"""What the README of the sample data says of each data set, against the code and the rows."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest

from lab.data import classification
from lab.data.party_kinds import KINDS
from lab.data.regression import SOURCES
from pages.parties.settings import RECORDED

README = (Path(__file__).parents[3] / "sample_data" / "README.md").read_text("utf-8")
OTHER_SECTIONS = {"Parts", "Regression", "Parties", "Files"}
ROW = r"^\| ([^|]+) \| (-?\d[\d.]*) \| (-?\d[\d.]*) \| [^|]+ \|$"
BOUNDS = {name: SOURCES[name].bounds for name in SOURCES}
for set_name, source in classification.DATASETS.items():
    BOUNDS[set_name] = dict(zip(source.features, source.bounds, strict=True))

every_set = pytest.mark.parametrize("name", BOUNDS)


def section(name):
    """Return the text of the section on a data set."""
    heading = rf"^##+ (?:\w+ and )?{name}\b.*\n([^#]+)"
    (found,) = re.findall(heading, README, flags=re.MULTILINE)
    return found


def listed_bounds(name):
    """Return pattern of a feature's name -> its bounds, as the section's table has them."""
    rows = re.findall(ROW, section(name), flags=re.MULTILINE)
    return {pattern: (float(low), float(high)) for pattern, low, high in rows}


def bounds_of_feature(feature, listed):
    """Return the bounds of all patterns that the feature's name matches."""
    return [bounds for pattern, bounds in listed.items() if fnmatchcase(feature, pattern)]


@pytest.mark.parametrize("name", [*BOUNDS, *RECORDED])
def test_each_row_of_a_table_has_two_numbers_and_a_reason(name):
    head_and_rule = 2
    lines = section(name).count("\n|")

    assert len(listed_bounds(name)) == lines - head_and_rule


@every_set
def test_each_bound_is_listed_once_as_the_code_has_it(name):
    listed = listed_bounds(name)

    for feature, bounds in BOUNDS[name].items():
        assert bounds_of_feature(feature, listed) == [bounds], feature


@every_set
def test_nothing_is_listed_that_is_no_feature(name):
    for pattern in listed_bounds(name):
        assert any(fnmatchcase(feature, pattern) for feature in BOUNDS[name]), pattern


@pytest.mark.parametrize("name", SOURCES)
def test_the_bounds_of_a_number_as_the_answer_are_stated(name):
    _, top = SOURCES[name].label_bounds

    assert re.search(rf"Label: .* 0 to {top:g}|and 0 to {top:g}", section(name))


@pytest.mark.parametrize("name", classification.DATASETS)
@pytest.mark.parametrize("word", ["Source:", "Licence:", "Columns:"])
def test_source_licence_and_columns_are_stated(name, word):
    assert word in section(name)


@pytest.mark.parametrize("name", classification.DATASETS)
def test_each_class_that_has_a_name_is_stated(name):
    _, columns = section(name).split("Columns:")

    for label in classification.DATASETS[name].classes:
        numbered = label.isdigit() or label.startswith("class")
        assert numbered or label in columns


def test_no_set_is_described_that_is_not_there():
    named = set(re.findall(r"^## (\w+)$", README, flags=re.MULTILINE))

    assert named - OTHER_SECTIONS == set(classification.DATASETS)


FEATURES = {
    "activities": [f"feature {place}" for place in range(96)],
    "intrusions": [
        *(f"rate {place}" for place in range(40)),
        *(f"category {place}" for place in range(83)),
    ],
    "addresses": [f"word {place}" for place in range(120)],
}


def drawn_features(dataset):
    """Return the features of 40 drawn parties with 30 rows each."""
    kind = KINDS[dataset]
    labels = np.random.default_rng(0).integers(0, kind.classes, (40, 30))
    return kind.recipe.draw(labels, np.random.default_rng(1))


def in_units_of_readme(dataset, features):
    """Rates and words from -1 to 1 as they are listed, from 0 to 1."""
    found = features.copy()
    halved = {"activities": slice(0), "intrusions": slice(40), "addresses": slice(None)}[dataset]
    found[..., halved] = (found[..., halved] + 1) / 2
    return found


@pytest.mark.parametrize("dataset", RECORDED)
def test_features_of_recorded_parties_keep_to_the_listed_bounds(dataset):
    listed = listed_bounds(dataset)
    found = in_units_of_readme(dataset, drawn_features(dataset))

    for column, name in zip(np.moveaxis(found, -1, 0), FEATURES[dataset], strict=True):
        ((low, high),) = bounds_of_feature(name, listed)
        assert low <= column.min() <= column.max() <= high


def test_an_intrusion_has_one_category_of_each_kind():
    categories = drawn_features("intrusions")[..., 40:]

    for kind in np.split(categories, [3, 73], axis=-1):
        assert (kind.sum(axis=-1) == 1).all()


def test_a_word_is_in_an_address_or_is_not():
    assert set(np.unique(drawn_features("addresses"))) == {-1, 1}
