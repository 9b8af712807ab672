"""Texts are data: sentences by name in a Markdown file beside the code, with named holes."""

import pytest

from ui.texts import TextError, Texts, count

FILE = """# Of a topic

## verdict

- `learnt` Median accuracy is {accuracy}
  after {steps:step|steps}, 90 % of runs.
- `nothing` The model has learnt nothing yet.

## caption

Each line is
one run.

## table

- `heads` {unit} | median
"""


@pytest.fixture
def module(tmp_path):
    (tmp_path / "texts.md").write_text(FILE, "utf-8")
    return str(tmp_path / "words.py")


def test_a_text_is_found_by_section_and_case(module):
    texts = Texts(module)
    assert list(texts) == ["verdict.learnt", "verdict.nothing", "caption", "table.heads"]
    assert texts["caption"] == "Each line is one run."
    assert texts("verdict.nothing", unused=1) == "The model has learnt nothing yet."


def test_a_section_is_its_cases_and_a_tables_headings_are_its_columns(module):
    texts = Texts(module)
    assert list(texts.cases("verdict")) == ["learnt", "nothing"]
    assert texts.cases("verdict")["nothing"] == texts["verdict.nothing"]
    assert texts.heads("table", ("error", "middle"), unit="points") == {"error": "points", "middle": "median"}
    with pytest.raises(ValueError, match="shorter"):
        texts.heads("table", ("error", "middle", "range"), unit="points")


@pytest.mark.parametrize(("steps", "said"), [(1, "1 step,"), (1500, "1,500 steps,"), (0, "0 steps,")])
def test_a_hole_with_two_words_agrees_with_its_amount(module, steps, said):
    assert Texts(module)("verdict.learnt", accuracy="83 %", steps=steps).startswith(
        f"Median accuracy is 83 % after {said}"
    )


def test_a_percent_sign_is_never_alone_on_a_line(module):
    assert "90\u00a0% of runs" in Texts(module)["verdict.learnt"]


def test_an_error_names_the_file_the_text_and_the_hole(module):
    texts = Texts(module)
    with pytest.raises(TextError, match=r"texts.md has no text 'verdict.none'"):
        texts("verdict.none")
    with pytest.raises(TextError, match=r"texts.md: the text 'verdict.learnt' has no value for {accuracy}"):
        texts("verdict.learnt", steps=1)


def test_a_name_stands_once(tmp_path):
    (tmp_path / "texts.md").write_text(FILE + "## caption\n\nAgain.\n", "utf-8")
    with pytest.raises(TextError, match="caption stands there twice"):
        Texts(str(tmp_path / "words.py"))


def test_a_plural_that_is_irregular_is_given():
    assert (count(1, "party", "parties"), count(2, "party", "parties"), count(3, "row")) == (
        "1 party",
        "2 parties",
        "3 rows",
    )
