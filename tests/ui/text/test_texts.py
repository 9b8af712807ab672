"""Texts of a topic: a Markdown file with sections, cases and holes."""

import pytest

from ui.text.texts import TextError, Texts, count

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
def texts(tmp_path):
    """Return the texts that ``FILE`` holds."""
    (tmp_path / "texts.md").write_text(FILE, "utf-8")
    return Texts(str(tmp_path / "words.py"))


def test_texts_are_named_by_section_and_case(texts):
    assert list(texts) == ["verdict.learnt", "verdict.nothing", "caption", "table.heads"]


def test_a_text_over_several_lines_is_one_sentence(texts):
    assert texts["caption"] == "Each line is one run."


def test_a_section_has_cases(texts):
    assert list(texts.cases("verdict")) == ["learnt", "nothing"]


def test_the_heads_of_a_table_are_named(texts):
    heads = texts.heads("table", ("error", "middle"), unit="points")

    assert heads == {"error": "points", "middle": "median"}


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        pytest.param(1, "1 step,", id="singular"),
        pytest.param(1500, "1,500 steps,", id="thousands"),
        pytest.param(0, "0 steps,", id="none"),
    ],
)
def test_holes_are_filled_and_numbers_have_their_noun(texts, steps, words):
    sentence = texts("verdict.learnt", accuracy="83 %", steps=steps, unused=1)

    assert sentence == f"Median accuracy is 83 % after {words} 90\u00a0% of runs."


@pytest.mark.parametrize(
    ("number", "text"),
    [pytest.param(1, "1 party", id="one"), pytest.param(2, "2 parties", id="two")],
)
def test_a_count_has_its_noun(number, text):
    assert count(number, "party", "parties") == text


class TestErrors:
    """An error names the file, the text and the hole."""

    def test_a_table_with_too_few_heads_is_an_error(self, texts):
        with pytest.raises(ValueError, match="shorter"):
            texts.heads("table", ("error", "middle", "range"), unit="points")

    def test_a_missing_text_is_an_error(self, texts):
        with pytest.raises(TextError, match=r"texts.md has no text 'verdict.none'"):
            texts("verdict.none")

    def test_a_hole_without_a_value_is_an_error(self, texts):
        with pytest.raises(
            TextError, match=r"texts.md: the text 'verdict.learnt' has no value for {accuracy}"
        ):
            texts("verdict.learnt", steps=1)

    def test_a_text_that_is_there_twice_is_an_error(self, texts, tmp_path):
        (tmp_path / "texts.md").write_text(FILE + "## caption\n\nAgain.\n", "utf-8")

        with pytest.raises(TextError, match="caption stands there twice"):
            Texts(str(tmp_path / "words.py"))
