"""Texts name what is on the screen, and numbers are written in one way."""

import math
import re
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from dpcore.check import RefusedError
from dpcore.privacy import delta_rounded_up
from lab.label import label
from pages.accounting.charts import number as of_accounting
from pages.topics import OTHER_PAGES, PAGES
from scripts.visible_texts import literals, toml_strings
from ui.charts import theme
from ui.charts.alt_text import describe
from ui.layout.topic_page import MORE
from ui.text import tiles
from ui.text.numbers import delta as delta_text
from ui.text.numbers import number, tick_text
from ui.text.sliders import SLIDERS
from ui.text.texts import TextError, Texts, count

ROOT = Path(__file__).parents[3]
# How a text names what is on the screen.
NAMED = re.compile(
    r"(?:\b(?:[Uu]nder|[Oo]n|[Ss]ee|[Pp]ress|[Cc]hoose|[Dd]rag|[Tt]ab|[Ii]n) |[Ff]or"
    r" )\*([A-Z][^*\n]+)\*(?!\*)"
    r"|\b[Uu]nder (More [a-z]+|Advanced)"
    r"|\(see ([A-Z][a-z]+ [a-z]+)\)"
)
# A case of a text that is a label: a few words without a full stop.
CASE = re.compile(r"^- `[\w.-]+` ([A-Z][^.{\n]{0,40})$", re.MULTILINE)
TAB = r'Tab\([^,]+, "([^"]+)"'
LINK = re.compile(r"\[([^]]+)\]\(/?([a-z-]+)(?:\?[^)]*)?\)")


@cache
def strings(path: Path) -> list[str]:
    """Return the strings of a file that may be shown: of Python all but docstrings, of Markdown the
    whole.
    """
    if path.suffix == ".md":
        return [path.read_text("utf-8")]
    if path.suffix == ".toml":
        return [*toml_strings(tomllib.loads(path.read_text("utf-8")))]
    return [text for _, text in literals(path)]


def files() -> list[Path]:
    texts = (path for folder in ("pages", "ui") for path in (ROOT / folder).rglob("*"))
    return sorted(path for path in texts if path.suffix in (".py", ".md", ".toml"))


def titles() -> dict[str, str]:
    """Return the address of each page -> what the navigation calls it."""
    return {info.name: info.title for info in (*(page.info for page in PAGES), *OTHER_PAGES)}


@cache
def on_screen() -> set[str]:
    """Return the names that a text may use: of pages, tabs, the drawer, sliders, and all labels and
    options.
    """
    sources = [(path.suffix, path.read_text("utf-8")) for path in files()]
    names = {
        title for kind, source in sources if kind == ".py" for title in re.findall(TAB, source)
    }
    names |= {case for kind, source in sources if kind == ".md" for case in CASE.findall(source)}
    names |= {
        text for path in files() for text in strings(path) if len(text) < 40 and text[:1].isupper()
    }
    tabs = {tab.title for page in PAGES for tab in page.all_tabs}
    return {
        *titles().values(),
        *tabs,
        MORE,
        *(slider["label"] for slider in SLIDERS.values()),
        *names,
    }


def test_what_a_text_names_is_on_the_screen():
    found = {
        (path.name, name)
        for path in files()
        for text in strings(path)
        for match in NAMED.finditer(" ".join(text.split()))
        for name in match.groups()
        if name
    }
    assert ("method.md", MORE) in found
    assert {(file, name) for file, name in found if name not in on_screen()} == set()


def test_a_link_to_a_page_has_its_name():
    found = {
        (label, page)
        for path in files()
        if path.name != "papers.md"  # a link there is named by the tab that it opens
        for text in strings(path)
        for label, page in LINK.findall(text)
        if page in titles() and page != "glossary"
    }
    assert found
    assert {(label, page) for label, page in found if label != titles()[page]} == set()


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
    (tmp_path / "texts.md").write_text(FILE, "utf-8")
    return Texts(str(tmp_path / "words.py"))


def test_a_text_is_found_by_section_and_case_and_its_holes_are_filled(texts):
    assert list(texts) == ["verdict.learnt", "verdict.nothing", "caption", "table.heads"]
    assert texts["caption"] == "Each line is one run."
    assert list(texts.cases("verdict")) == ["learnt", "nothing"]
    assert texts.heads("table", ("error", "middle"), unit="points") == {
        "error": "points",
        "middle": "median",
    }
    for steps, said in ((1, "1 step,"), (1500, "1,500 steps,"), (0, "0 steps,")):
        found = texts("verdict.learnt", accuracy="83 %", steps=steps, unused=1)
        assert found == f"Median accuracy is 83 % after {said} 90\u00a0% of runs."
    assert (count(1, "party", "parties"), count(2, "party", "parties")) == ("1 party", "2 parties")


def test_an_error_names_the_file_the_text_and_the_hole(texts, tmp_path):
    with pytest.raises(ValueError, match="shorter"):
        texts.heads("table", ("error", "middle", "range"), unit="points")
    with pytest.raises(TextError, match=r"texts.md has no text 'verdict.none'"):
        texts("verdict.none")
    with pytest.raises(
        TextError, match=r"texts.md: the text 'verdict.learnt' has no value for {accuracy}"
    ):
        texts("verdict.learnt", steps=1)
    (tmp_path / "texts.md").write_text(FILE + "## caption\n\nAgain.\n", "utf-8")
    with pytest.raises(TextError, match="caption stands there twice"):
        Texts(str(tmp_path / "words.py"))


def test_a_number_has_three_digits_up_to_each_edge_and_powers_of_ten_only_where_digits_end():
    both = {
        0.0: "0",
        0.00012345: "0.000123",
        0.99951: "1",
        999.4: "999",
        999.5: "1,000",
        99_949.0: "99,900",
    }
    both |= {999_400_000.0: "999,000,000", 999_600_000.0: "1e+9"}
    both |= {-2000.0: "−2,000", -0.0: "0", -1e-5: "−1e-5", -0.5: "−0.5", -1e9: "−1e+9"}
    both |= {math.inf: "unlimited", -math.inf: "none", math.nan: "none"}
    for written, shown in (
        (tiles.number, both),
        (number, both),
        (of_accounting, {999.7: "1,000", 999_400.0: "999,000", 999_600.0: "1e+6", math.nan: "…"}),
        (
            label.number,
            {
                999.4: "999",
                999.7: "1,000",
                12_000: "12,000",
                1e-5: "1e-5",
                -2000: "−2,000",
                -0.0: "0",
            },
        ),
        (tick_text, {-2000.0: "−2,000", -0.0: "0", -1e-5: "−1e-5", 1e-5: "10<sup>-5</sup>"}),
        (tiles.shown_number, {"−2,000": -2000.0, "−1.5\u00a0%": -1.5, "below 1": None}),
        (tiles.multiple_text, {"1": "about", "1.01": "1.01 times", "…": "… times"}),
    ):
        assert {value: written(value) for value in shown} == shown


def test_a_delta_as_shown_is_never_smaller_than_it_is_and_one_of_few_digits_stays():
    for digits in (1, 2, 3, 6):
        for delta in 10 ** np.random.default_rng(digits).uniform(-15, 0, 2000):
            shown = float(delta_text(delta, digits=digits))
            assert delta * (1 - 1e-11) <= shown <= delta * (1 + 10.0 ** (1 - digits))
    few = {
        9.991e-6: "1e-5",
        3 * 1e-5: "3e-5",
        0.0: "0",
        0.9999999: "1",
        1.0: "1",
    }  # 3 * 1e-5 has a rounding error
    assert {delta: delta_text(delta, digits=3) for delta in few} == few
    for wrong in (-1e-9, 1.001, math.nan):
        with pytest.raises(RefusedError, match=r"^delta is "):
            delta_rounded_up(wrong, digits=3)


def curve(y, **more):
    return theme.line(
        np.arange(1, len(y) + 1), np.array(y), colour=theme.PRIVATE, name="DP  <b>83</b>", **more
    )


def test_a_screen_reader_hears_title_axes_and_values_of_a_figure():
    axes = {
        f"{name}axis": {"title": {"text": text}}
        for name, text in (("x", "epsilon"), ("y", "accuracy, %"))
    }
    title = {"title": "Accuracy", "finding": "2 points lower"}
    assert (
        describe(theme.figure(curve([50.0, 83.0, 85.0]), **title, **axes))
        == "Accuracy: 2 points lower. The axes are accuracy, % (vertical) and epsilon"
        " (horizontal). "
        "DP: 50 at 1, 83 at 2, 85 at 3."
    )
    note = theme.annotation("bound 0.5", x=0.5, y=0.5)
    constant = theme.figure(curve([7.0, 7.0]), xaxis=axes["xaxis"], annotations=[note])
    assert describe(constant) == "epsilon. DP: 7. bound 0.5.", "a note is no axis"
    said = describe(theme.figure(curve([float(n * n) for n in range(200)])))
    assert re.fullmatch(r"DP: 0 at 1, (.* at .*, ){5}39,600 at 200\.", said), (
        "a long line is sampled with both ends"
    )
    bundle = curve([1.0, np.nan, 2.0])
    assert describe(theme.figure(curve([1.0, 2.0], showlegend=False), bundle)) == "DP.", (
        "runs have no values"
    )
    assert describe(theme.figure(curve([np.nan, np.nan]))) == ""
    upright = {"type": "bar", "name": "with you", "x": ["A", "B"], "y": [87, 12]}
    lying = {"type": "bar", "name": "with you", "y": ["A", "B"], "x": [87, 12], "orientation": "h"}
    assert [describe(theme.figure(bars)) for bars in (upright, lying)] == [
        "with you: 87 at A, 12 at B."
    ] * 2
