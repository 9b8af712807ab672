"""The palette can be told apart, also by colour-blind people, and read: distances, contrasts, dashes."""

import itertools
import re
import tomllib

import numpy as np
import pytest

from pages.accounting import figures as accounting
from pages.attack import figures_audits, figures_parts
from pages.hypotheses import figures as hypotheses
from pages.network import figures as network
from pages.parties import figures as parties
from pages.transfer import figures as transfer
from tests.test_house import ROOT, contrast
from ui.plot import maps, theme

THEMES = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["theme"]
GROUNDS = {name: THEMES[name]["backgroundColor"] for name in ("light", "dark")}
STYLE = (ROOT / "ui/style.css").read_text("utf-8")
SERIES = (theme.RUST, theme.MAUVE, theme.SAGE, theme.PINE, theme.GOLD)
MEANINGS = (theme.PRIVATE, theme.PUBLIC, theme.NON_PRIVATE, theme.BOUND)
WORLDS = (theme.WITH_YOU, theme.WITHOUT_YOU)
ONCE = (theme.BOUND, figures_audits.ONE, *figures_audits.MANY.values())
# Series that stand in one chart: (colour, dash) of each.
FAMILIES = {
    "arms": [(colour, theme.DASHES[colour]) for colour in theme.COLOURS.values()],
    "worlds": [(colour, theme.DASHES[colour]) for colour in WORLDS],
    "theorems": [(colour, dash) for _, colour, dash in theme.THEOREMS.values()],
    "searches": [(colour, theme.DASHES[colour]) for _, colour in accounting.WAYS.values()],
    "regressions": [(colour, theme.DASHES[colour]) for colour in theme.REGRESSIONS.values()],
    "parties": [(colour, theme.DASHES[colour]) for _, colour in (*parties.STYLES.values(), *parties.WITHOUT.values())],
    "hypotheses": [(colour, theme.DASHES[colour]) for _, colour in hypotheses.STYLES.values()],
    "transfer": [(colour, dash) for _, colour, dash in (*transfer.STYLES.values(), transfer.WITHOUT)],
    "layers": [(colour, theme.DASHES[colour]) for colour in (theme.PRIVATE, *network.LAYERS)],
    "one training": [(colour, theme.DASHES[colour]) for colour in ONCE],
    "groups": [(colour, theme.DASHES[colour]) for colour in figures_parts.GROUP_COLOURS.values()],
    "recovered": [(colour, theme.DASHES[colour]) for colour in figures_parts.RECOVERED.values()],
}
# Of a colour in linear RGB, what people see who lack one kind of cone, wholly [Machado et al. 2009, table 1].
BLIND = {
    "protanopia": "0.152286 1.052583 -0.204868 0.114503 0.786281 0.099216 -0.003882 -0.048116 1.051998",
    "deuteranopia": "0.367322 0.860646 -0.227968 0.280085 0.672501 0.047413 -0.011820 0.042940 0.968881",
    "tritanopia": "1.255528 -0.076749 -0.178779 -0.078411 0.930809 0.147602 0.004733 0.691367 0.303900",
}
MATRICES = [np.eye(3)] + [np.array(row.split(), dtype=float).reshape(3, 3) for row in BLIND.values()]
# Linear sRGB to responses of cones, and their cube roots to Oklab [Ottosson 2020].
CONES = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566]]
CONES.append([0.0883024619, 0.2817188376, 0.6299787005])
OKLAB = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099]]
OKLAB.append([0.0259040371, 0.7827717662, -0.8086757660])


def linear(colour: str) -> np.ndarray:
    """ "#rrggbb" as linear sRGB, (3,)."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def apart(colours) -> float:
    """The least distance of any two of these colours in Oklab, to people with all cones and to those who lack one."""
    rgb = np.array([linear(colour) for colour in colours])
    views = (np.cbrt(np.clip(rgb @ matrix.T, 0, 1) @ np.transpose(CONES)) @ np.transpose(OKLAB) for matrix in MATRICES)
    return min(np.linalg.norm(one - other) for view in views for one, other in itertools.combinations(view, 2))


def mixed(colour: str, opacity: float, ground: str) -> str:
    """A colour of this opacity on a ground."""
    pairs = ((int(one[at : at + 2], 16) for one in (colour, ground)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(opacity * over + (1 - opacity) * under):02x}" for over, under in pairs)


def of_text(name: str) -> dict[str, str]:
    """The two colours of a property of the style."""
    light, dark = re.search(rf"--lab-{name}: light-dark\((#\w+), (#\w+)\);", STYLE).groups()
    return {"light": light, "dark": dark}


def test_white_is_white_and_black_is_as_far_as_can_be():
    for matrix in (*MATRICES, CONES):
        assert np.sum(matrix, axis=1) == pytest.approx(1, abs=1e-5)
    assert apart(["#ffffff", "#000000"]) == pytest.approx(1, abs=1e-5)


def test_colours_can_be_told_apart():
    families = {MEANINGS: 0.048, (theme.PRIVATE, *SERIES): 0.057, WORLDS: 0.081, theme.CLASSES[:2]: 0.246}
    assert not [colours for colours, least in families.items() if apart(colours) < least]


@pytest.mark.parametrize("mode", GROUNDS)
def test_lines_and_coloured_texts_can_be_seen(mode):
    assert min(contrast(colour, GROUNDS[mode]) for colour in (*MEANINGS, *SERIES, *WORLDS)) >= 3.1
    assert apart([of_text("void")[mode], theme.PRIVATE, theme.NON_PRIVATE, theme.BOUND]) >= 0.097
    for name in ("private", "private-in-charts", "public", "bound", "quiet", "void"):
        for ground in ("backgroundColor", "secondaryBackgroundColor"):
            assert contrast(of_text(name)[mode], THEMES[mode][ground]) >= 4.5, name
    assert THEMES[mode]["grayTextColor"].lower() == of_text("quiet")[mode]
    assert THEMES[mode]["redTextColor"].lower() == of_text("void")[mode]


@pytest.mark.parametrize("mode", GROUNDS)
def test_private_boundaries_stand_out_from_the_first_two_classes(mode):
    grounds = [mixed(colour, maps.OPACITY[1], GROUNDS[mode]) for colour in theme.CLASSES[:2]]
    assert round(min(contrast(of_text("private-in-charts")[mode], ground) for ground in grounds), 1) >= 3.3
    assert min(contrast(of_text(name)[mode], ground) for name in ("public", "quiet") for ground in grounds) >= 3.1


def test_series_of_a_chart_have_different_dashes():
    for name, family in FAMILIES.items():
        dashes = [dash for _, dash in family]
        assert len(set(dashes)) == len(dashes), name


def test_scripts_know_the_names_dashes_and_marks():
    look, shapes, marks = (
        (ROOT / f"ui/live/assets/{name}.js").read_text("utf-8") for name in ("look", "shapes", "marks")
    )
    known = re.findall(r"(\w+):", re.search(r"NAMED = {(.*?)}", look, re.DOTALL)[1])
    assert set(known) == {theme.NOW, theme.CAUGHT, *theme.INKS.values()}
    table = re.search(r"DASHES = {(.*?)}", shapes, re.DOTALL)[1]
    assert set(theme.DASHES.values()) <= set(re.findall(r"(\w+):", table))
    assert all(re.search(rf"^  \"?{name}\"?: \(r\) =>", marks, re.MULTILINE) for name in theme.SYMBOLS)
    assert len({maps.symbol(label) for label in range(4)}) == 4


def drawn_with(name: str) -> set[str]:
    """The pages whose pictures name a colour of the palette, directly or by a table of the palette."""
    tables = {"THEOREMS": theme.THEOREMS, "REGRESSIONS": theme.REGRESSIONS}
    words = [name, *(table for table, rows in tables.items() if getattr(theme, name) in str(rows))]
    files = {file: file.read_text("utf-8") for file in (ROOT / "pages").glob("*/*.py")}
    return {file.parent.name for file, text in files.items() if any(f"theme.{word}" in text for word in words)}


def test_rust_is_on_no_page_with_a_bound():
    assert drawn_with("RUST")
    assert len(drawn_with("BOUND")) > 5
    assert not drawn_with("RUST") & drawn_with("BOUND")


def test_pages_and_pictures_have_no_colours_of_their_own():
    files = [file for folder in ("pages", "ui") for file in (ROOT / folder).rglob("*.py")]
    own = {file.name: {*re.findall(r"#[0-9a-fA-F]{6}\b", file.read_text("utf-8"))} for file in files}
    own.pop("theme.py")
    assert {*itertools.chain(*own.values())} == {"#000000"}  # a colour that is clear
