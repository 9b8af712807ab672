"""The colours of charts can be told apart, also by colour-blind people, and each has a dash."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from pages.accounting import charts as accounting
from pages.attack.fairness.charts import GROUP_COLOURS
from pages.hypotheses import charts as hypotheses
from pages.parties import charts as parties
from pages.transfer import charts as transfer
from tests.colour_vision import (
    CONE_RESPONSES,
    KINDS_OF_VISION,
    blended,
    contrast,
    least_distance,
)
from ui.charts import decision_maps, theme

ROOT = Path(__file__).parents[3]
CONFIG = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))
THEMES = CONFIG["theme"]
MODES = ("light", "dark")
STYLE = (ROOT / "ui/server/static/style/tokens.css").read_text("utf-8")
CHART_SCRIPTS = ROOT / "ui/widgets/frontend/charts"

MEANINGS = (theme.PRIVATE, theme.PUBLIC, theme.NON_PRIVATE, theme.BOUND)
SERIES = (theme.RUST, theme.MAUVE, theme.SAGE, theme.PINE, theme.GOLD)
WORLDS = (theme.WITH_YOU, theme.WITHOUT_YOU)
FIRST_TWO_CLASSES = theme.CLASSES[:2]

# The matrices are published with six digits, and their rows sum to 1 within these.
PUBLISHED_DIGITS = 1e-5
# Contrast with the background that WCAG 2.2 asks of text (AA), and a little over its 3 of lines.
TEXT_CONTRAST = 4.5
LINE_CONTRAST = 3.1
# Boundaries lie on coloured regions, and those of private models shall stand out from them most.
PRIVATE_BOUNDARY_CONTRAST = 3.3


class TestColourVision:
    @pytest.mark.parametrize("matrix", [*KINDS_OF_VISION, CONE_RESPONSES])
    def test_white_stays_white(self, matrix):
        assert matrix @ np.ones(3) == pytest.approx(1, abs=PUBLISHED_DIGITS)

    def test_black_and_white_have_distance_1(self):
        assert least_distance(["#ffffff", "#000000"]) == pytest.approx(1, abs=PUBLISHED_DIGITS)


@pytest.mark.parametrize(
    ("colours", "distance"),
    [
        pytest.param(MEANINGS, 0.048, id="meanings"),
        pytest.param((theme.PRIVATE, *SERIES), 0.057, id="series"),
        pytest.param(WORLDS, 0.081, id="with you and without you"),
        pytest.param(FIRST_TWO_CLASSES, 0.246, id="two classes"),
    ],
)
def test_colours_of_one_chart_are_at_least_this_far_apart(colours, distance):
    assert least_distance(colours) >= distance


def style_colours(name: str) -> dict[str, str]:
    """Return mode -> colour of a property of the style."""
    match = re.search(rf"--lab-{name}: light-dark\((#\w+), (#\w+)\);", STYLE)
    light, dark = match.groups()
    return {"light": light, "dark": dark}


def regions(mode: str) -> list[str]:
    """Return the most solid colours of the regions of two classes on a map."""
    _, most_solid = decision_maps.OPACITY
    background = THEMES[mode]["backgroundColor"]
    return [blended(colour, most_solid, background) for colour in FIRST_TWO_CLASSES]


@pytest.mark.parametrize("mode", MODES)
class TestContrast:
    @pytest.mark.parametrize("colour", [*MEANINGS, *SERIES, *WORLDS])
    def test_a_line_can_be_seen(self, mode, colour):
        assert contrast(colour, THEMES[mode]["backgroundColor"]) >= LINE_CONTRAST

    def test_the_red_of_void_labels_is_no_colour_of_a_meaning(self, mode):
        void = style_colours("void")[mode]

        assert least_distance([void, theme.PRIVATE, theme.NON_PRIVATE, theme.BOUND]) >= 0.097

    @pytest.mark.parametrize("background", ["backgroundColor", "secondaryBackgroundColor"])
    @pytest.mark.parametrize(
        "name", ["private", "private-in-charts", "public", "bound", "quiet", "void"]
    )
    def test_a_coloured_text_can_be_read(self, mode, name, background):
        assert contrast(style_colours(name)[mode], THEMES[mode][background]) >= TEXT_CONTRAST

    @pytest.mark.parametrize(
        ("streamlit_name", "name"), [("grayTextColor", "quiet"), ("redTextColor", "void")]
    )
    def test_streamlit_has_the_colours_of_the_style(self, mode, streamlit_name, name):
        assert THEMES[mode][streamlit_name].lower() == style_colours(name)[mode]

    def test_private_boundaries_stand_out_from_regions(self, mode):
        private = style_colours("private-in-charts")[mode]

        least = min(contrast(private, region) for region in regions(mode))
        assert round(least, 1) >= PRIVATE_BOUNDARY_CONTRAST

    @pytest.mark.parametrize("name", ["public", "quiet"])
    def test_reference_boundaries_can_be_seen_on_regions(self, mode, name):
        colour = style_colours(name)[mode]

        assert min(contrast(colour, region) for region in regions(mode)) >= LINE_CONTRAST


def usual_dashes(colours) -> list[str]:
    """Return the dash that the theme has for each of the colours."""
    return [theme.DASHES[colour] for colour in colours]


def dashes_of_styles(styles: dict) -> list[str]:
    """Return the dashes of series, of which each has a name and a colour."""
    return usual_dashes(colour for _, colour in styles.values())


def dashes_of_rows(rows) -> list[str]:
    """Return the dashes of series, of which each has a name, a colour and a dash."""
    return [dash for _, _, dash in rows]


def dashes_of_parties() -> list[str]:
    """Return the dash of each series of the page of parties: its own, or that of its colour."""
    dashes = []
    for name, (_, colour) in {**parties.STYLES, **parties.WITHOUT}.items():
        dashes.append(parties.DASHES.get(name, theme.DASHES[colour]))
    return dashes


@pytest.mark.parametrize(
    "dashes",
    [
        pytest.param(usual_dashes(theme.COLOURS.values()), id="starts of training"),
        pytest.param(usual_dashes(theme.REGRESSIONS.values()), id="regressions"),
        pytest.param(usual_dashes(WORLDS), id="with you and without you"),
        pytest.param(usual_dashes(GROUP_COLOURS.values()), id="groups"),
        pytest.param(dashes_of_styles(accounting.WAYS), id="accounting"),
        pytest.param(dashes_of_styles(hypotheses.STYLES), id="hypotheses"),
        pytest.param(dashes_of_rows(theme.THEOREMS.values()), id="theorems"),
        pytest.param(
            dashes_of_rows([*transfer.STYLES.values(), transfer.WITHOUT_PRIVACY]), id="transfer"
        ),
        pytest.param(dashes_of_parties(), id="parties"),
    ],
)
def test_series_of_a_chart_have_different_dashes(dashes):
    assert len(set(dashes)) == len(dashes)


class TestScripts:
    """The browser's scripts know every name of the palette."""

    @staticmethod
    def keys_of_table(script: str, table: str) -> set[str]:
        """Return the keys of a table in a script of the charts."""
        source = (CHART_SCRIPTS / script).read_text("utf-8")
        match = re.search(rf"{table} = {{(.*?)}}", source, re.DOTALL)
        return set(re.findall(r"(\w+):", match[1]))

    def test_named_colours_are_those_of_the_palette(self):
        names = self.keys_of_table("theme.js", "NAMED_COLOURS")

        assert names == {theme.CURRENT, theme.PAGE, *theme.TEXT_COLOURS.values()}

    def test_every_dash_is_in_the_table(self):
        assert set(theme.DASHES.values()) <= self.keys_of_table("shapes.js", "DASHES")

    @pytest.mark.parametrize("symbol", theme.SYMBOLS)
    def test_every_symbol_has_a_function_that_draws_it(self, symbol):
        source = (CHART_SCRIPTS / "traces.js").read_text("utf-8")

        assert re.search(rf"^  \"?{symbol}\"?: \(r\) =>", source, re.MULTILINE)

    def test_four_classes_have_four_symbols(self):
        symbols = {decision_maps.class_symbol(label) for label in range(4)}

        assert len(symbols) == 4


def pages_that_draw_with(name: str) -> set[str]:
    """Return the pages that name a colour of the palette, directly or by a table of it."""
    names = [name]
    colour = getattr(theme, name)
    for table in ("THEOREMS", "REGRESSIONS"):
        if colour in str(getattr(theme, table)):
            names.append(table)
    pages = set()
    for file in (ROOT / "pages").glob("*/*.py"):
        source = file.read_text("utf-8")
        if any(f"theme.{word}" in source for word in names):
            pages.add(file.parent.name)
    return pages


def test_rust_is_on_no_page_with_a_bound():
    with_rust = pages_that_draw_with("RUST")
    with_bound = pages_that_draw_with("BOUND")

    assert with_rust
    assert len(with_bound) > 5
    assert not with_rust & with_bound


def test_only_the_palette_names_colours():
    palette = ROOT / "ui" / "charts" / "theme" / "palette.py"
    files = [file for folder in ("pages", "ui") for file in (ROOT / folder).rglob("*.py")]

    naming_colours = []
    for file in files:
        if re.search(r"#[0-9a-fA-F]{6}\b", file.read_text("utf-8")):
            naming_colours.append(file)

    assert naming_colours == [palette]
