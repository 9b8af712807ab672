"""The palette can be told apart, also by colour-blind people, and read: distances, contrasts, dashes."""

import math
import re
import tomllib
from itertools import combinations

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
MATRICES = [np.array(row.split(), dtype=float).reshape(3, 3) for row in BLIND.values()]
# [Sharma, Wu and Dalal 2005, table 1]: two colours in CIELAB, and how far apart they are.
CHECKS = [
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
    ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
    ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
]


def linear(colour: str) -> np.ndarray:
    """ "#rrggbb" as linear sRGB, (3,)."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB of linear sRGB, under the white of sRGB (D65)."""
    matrix = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    x, y, z = (
        t ** (1 / 3) if t > (6 / 29) ** 3 else t / 3 / (6 / 29) ** 2 + 4 / 29
        for t in np.array(matrix) @ rgb / np.sum(matrix, axis=1)
    )
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def ciede2000(one, other) -> float:
    """How far two colours in CIELAB are apart: CIEDE2000 with all weights 1."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    chroma = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    more = 1.5 - math.sqrt(chroma**7 / (chroma**7 + 25**7)) / 2
    c1, c2 = math.hypot(more * a1, b1), math.hypot(more * a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, more * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    hue = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    if c1 * c2 and abs(h1 - h2) == 180:
        hue = (h1 + h2) / 2
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    by_hue = sum(
        weight * math.cos(math.radians(times * hue + shift))
        for weight, times, shift in ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
    )
    lightness = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2))
    colour = (c2 - c1) / (1 + 0.045 * chroma)
    tint = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / (1 + 0.015 * chroma * (1 + by_hue))
    rotation = -2 * math.sqrt(chroma**7 / (chroma**7 + 25**7))
    rotation *= math.sin(math.radians(60 * math.exp(-(((hue - 275) / 25) ** 2))))
    return math.sqrt(lightness**2 + colour**2 + tint**2 + rotation * colour * tint)


def seen(colour: str) -> list[np.ndarray]:
    """A colour in CIELAB as people see it who have all cones, and who lack one kind."""
    return [lab(np.clip(matrix @ linear(colour), 0, 1)) for matrix in (np.eye(3), *MATRICES)]


def apart(colours) -> float:
    """The least distance of any two of these colours, in any of the four views."""
    return min(
        ciede2000(*pair) for one, other in combinations(colours, 2) for pair in zip(seen(one), seen(other), strict=True)
    )


def mixed(colour: str, opacity: float, ground: str) -> str:
    """A colour of this opacity on a ground."""
    pairs = ((int(one[at : at + 2], 16) for one in (colour, ground)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(opacity * over + (1 - opacity) * under):02x}" for over, under in pairs)


def of_text(name: str) -> dict[str, str]:
    """The two colours of a property of the style."""
    light, dark = re.search(rf"--lab-{name}: light-dark\((#\w+), (#\w+)\);", STYLE).groups()
    return {"light": light, "dark": dark}


def test_distance_is_the_published_one_and_white_stays_white():
    for one, other, distance in CHECKS:
        assert ciede2000(one, other) == pytest.approx(distance, abs=6e-5)
        assert ciede2000(other, one) == pytest.approx(distance, abs=6e-5)
    for matrix in MATRICES:
        assert np.sum(matrix, axis=1) == pytest.approx(1, abs=1e-5)


def test_colours_can_be_told_apart():
    families = {MEANINGS: 10.8, (theme.PRIVATE, *SERIES): 11.5, WORLDS: 11.9, theme.CLASSES[:2]: 31.8}
    for colours, least in families.items():
        assert round(apart(colours), 1) >= least


@pytest.mark.parametrize("mode", GROUNDS)
def test_lines_and_coloured_texts_can_be_seen(mode):
    assert min(contrast(colour, GROUNDS[mode]) for colour in (*MEANINGS, *SERIES, *WORLDS)) >= 3.1
    assert apart([of_text("void")[mode], theme.PRIVATE, theme.NON_PRIVATE, theme.BOUND]) >= 12
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
    return {
        room.name
        for room in (ROOT / "pages").iterdir()
        if any(f"theme.{word}" in file.read_text("utf-8") for word in words for file in room.glob("*.py"))
    }


def test_rust_is_on_no_page_with_a_bound():
    assert drawn_with("RUST") == {"regression"}
    assert drawn_with("BOUND") >= {"attack", "hypotheses", "accounting", "mechanisms", "network", "parties", "transfer"}
    assert not drawn_with("RUST") & drawn_with("BOUND")


def test_pages_and_pictures_have_no_colours_of_their_own():
    own = {
        file.relative_to(ROOT).as_posix(): found
        for folder in ("pages", "ui")
        for file in (ROOT / folder).rglob("*.py")
        if (found := re.findall(r"#[0-9a-fA-F]{6}\b", file.read_text("utf-8")))
    }
    assert set(own) == {"ui/plot/theme.py", "pages/attack/figures_parts.py"}
    assert set(own["pages/attack/figures_parts.py"]) == {"#000000"}  # a colour that is clear
