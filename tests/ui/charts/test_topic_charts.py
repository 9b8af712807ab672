"""Figures draw what their results hold, and colours can be told apart, also by colour-blind
people.
"""

import base64
import io
import itertools
import re
import tomllib

import numpy as np
import pytest
from PIL import Image

from dpcore.training import dp_ftrl
from lab.models.classifier_versions import EPSILONS
from lab.statistics.decision_regions import FEW, boundaries, runs_to_draw, votes
from pages.accounting import charts as accounting
from pages.attack.fairness.charts import GROUP_COLOURS
from pages.classifier import charts as classifier
from pages.classifier.settings import ClassifierSettings
from pages.hypotheses import charts as hypotheses
from pages.network import charts as network
from pages.network import texts as of_network
from pages.network.page import sliders
from pages.network.settings import NetworkSettings
from pages.network.texts_label import label as network_label
from pages.parties import charts as parties
from pages.parties import texts as of_parties
from pages.parties.charts_trust import trust
from pages.parties.experiment import EPSILONS as OF_PARTIES
from pages.parties.page import PAGE as PARTIES
from pages.parties.settings import PartiesSettings
from pages.transfer import charts as transfer
from tests.app import QUICK
from tests.test_house import ROOT, contrast
from ui.charts import maps, theme


@pytest.fixture(
    scope="module", params=[{}, {"dataset": "digits", "public_rows": 0}, {"version": "none"}]
)
def result(request):
    return ClassifierSettings(repeats=5, steps=6, **request.param).experiment.run()


def numbers(spec):
    flat = np.frombuffer(
        base64.b64decode(spec["bdata"]), {"f4": np.float32, "u1": np.uint8}[spec["dtype"]]
    )
    return (
        flat.reshape([int(size) for size in spec["shape"].split(",")]) if "shape" in spec else flat
    )


def test_arrays_survive_the_way():
    for values in (
        np.arange(6.0),
        np.arange(6, dtype=np.uint8).reshape(2, 3),
        np.array([np.nan, 1.0]),
    ):
        assert np.array_equal(
            numbers(theme.array(values)), values.astype(np.float32), equal_nan=True
        )


def test_accuracy_is_drawn_as_it_is_downloaded(result):
    table = result.table()

    traces = classifier.accuracy(result)["data"]

    curves = [trace for trace in traces if trace["mode"] == "lines+markers"]
    # A table without a public start has no second column.
    for column, curve in zip(("without", "with"), curves, strict=False):
        assert numbers(curve["x"]) == pytest.approx(EPSILONS)
        assert numbers(curve["y"]) == pytest.approx(table[column].to_numpy(dtype=float), rel=1e-6)


def test_loss_is_drawn_as_it_is_downloaded(result):
    names = result.settings.arms

    traces = classifier.loss(result)["data"]

    # A band and a median for each arm come first, and the non-private models last.
    medians = traces[1 : 2 * len(names) : 2]
    references = traces[-len(names) :]
    for index, name in enumerate(names):
        median = np.median(result.ensemble.loss[index], axis=0)
        np.testing.assert_allclose(numbers(medians[index]["y"]), median, rtol=1e-5)
        reference = result.references[name].loss
        np.testing.assert_allclose(numbers(references[index]["y"]), reference, rtol=1e-5)


def shown(result) -> np.ndarray:
    """The weights of the first arm's models on its map."""
    runs, accuracy = result.ensemble.weights[0], result.ensemble.accuracy[0]
    if result.split.n_classes <= FEW:
        return runs
    (kept,) = runs[runs_to_draw(accuracy, result.split.n_classes)]
    middle = np.flatnonzero((runs == kept).all(axis=(1, 2)))
    assert (
        np.abs(accuracy[middle] - np.median(accuracy))
        == np.abs(accuracy - np.median(accuracy)).min()
    )
    return kept[None]


def test_the_map_draws_every_boundary_and_colours_what_the_ensemble_decides(result):
    layout = classifier.decision_map(result, 0)["layout"]
    (shape, *_), (image, *_) = layout["shapes"], layout["images"]
    assert "opacity" not in shape  # its contrast is that of an opaque line
    ends = np.array([float(number) for number in re.findall(r"[-+.e\d]+", shape["path"])]).reshape(
        -1, 2, 2
    )
    lines = result.plane.display(boundaries(shown(result), result.plane))
    np.testing.assert_allclose(ends, lines, rtol=1e-4, atol=1e-4)
    assert not maps.boundary(result.plane, np.empty((0, 2, 2)), colour="#000000", width=1)[
        "visible"
    ]
    winner, _ = votes(shown(result), result.plane)
    with Image.open(io.BytesIO(base64.b64decode(image["source"].split(",")[1]))) as picture:
        codes = np.asarray(picture)[::-1]
        palette = picture.getpalette()
    assert np.array_equal(codes // maps.SHADES, winner)
    first = maps.SHADES * winner[0, 0] + maps.SHADES - 1
    assert "#" + bytes(palette[3 * first : 3 * first + 3]).hex() == theme.CLASSES[winner[0, 0]]


NETWORK = NetworkSettings(rows=300, lot_size=50, epochs=3, repeats=2, width=4, layers=1)


@pytest.mark.parametrize(
    "changes", [{"clipping": "layers", "layers": 2}, {"dataset": "blobs", "layers": 0}]
)
def test_curves_of_a_network_are_those_that_are_downloaded(changes):
    result = NETWORK.change(**changes).experiment.run()
    frame = result.curves()
    private = frame[frame["arm"] == "private"]
    (line,) = (trace for trace in network.accuracy(result)["data"] if trace.get("meta") == "ghost")
    np.testing.assert_allclose(numbers(line["x"]), private["epochs"], rtol=1e-6)
    np.testing.assert_allclose(numbers(line["y"]), 100 * private["accuracy median"], rtol=1e-6)


@pytest.mark.parametrize("mechanism", ["ordered", "toeplitz"])
def test_lots_in_a_fixed_order_need_no_secret(mechanism):
    result = NETWORK.change(mechanism=mechanism, noise_ramp=0.5).experiment.run()
    assert "noise_ramp" not in sliders(result.settings).more
    assert "must stay secret" not in of_network.guarantee(result)
    stated = network_label(result).said
    assert dp_ftrl.ASSUMES in stated["assumptions"]
    assert "secret" not in stated["public"]
    assert stated["mechanism"].startswith(dp_ftrl.MECHANISMS[mechanism])


SMALL = {name: int(value) for name, value in QUICK["parties"].items()}
CASES = [
    {},
    {"method": "average", "constants": "norms", "regularisation": 1e-4},
    {"method": "pate", "dataset": "six"},
    {"parties": 2, "epsilon": 0.01, "unlike": 1.0},
    {"trust_model": "local", "dataset": "four"},
    {"trust_model": "shuffle", "method": "average", "parties": 400, "delta": 1e-2, "epsilon": 0.3},
    {"method": "federated", "dataset": "four"},
    {"method": "federated", "trust_model": "local"},
]


@pytest.fixture(scope="module", params=CASES, ids=str)
def shared(request):
    """Of parties, without the tasks about more parties than there are."""
    settings = PartiesSettings(**(SMALL | request.param))
    asked = {
        task: max(getattr(task, "upto", 0), getattr(task, "asked", 0))
        for task in settings.experiment.tasks()
    }
    return settings.experiment.gather(
        {task: task.run() for task in asked if asked[task] <= settings.parties}
    )


def named(figure) -> dict:
    """Traces by what their legend calls them, without the value."""
    return {trace.get("name", "").partition("  ")[0]: trace for trace in figure["data"]}


def test_curves_of_parties_are_the_medians(shared):
    lines = named(parties.over_epsilon(shared))
    for name in shared.methods:
        trace, runs = lines[parties.STYLES[name][0]], shared.curve_of(name, "epsilon").runs
        assert numbers(trace["x"]) == pytest.approx(np.array(OF_PARTIES), rel=1e-6)
        assert numbers(trace["y"]) == pytest.approx(
            [100 * np.median(one) for one in runs], rel=1e-5
        )


BOX = re.compile(r"solid (#\w+);[^>]*><b>([^<]*)</b>( <b)?")


def test_drawing_guarantee_and_tabs_follow_who_is_trusted(shared):
    picture, settings, said = trust(shared), shared.settings, of_parties.guarantee(shared)
    boxes = [
        (name, bool(noise), colour == theme.PRIVATE) for colour, name, noise in BOX.findall(picture)
    ]
    central = settings.trust_model == "central"
    assert boxes[0] == (f"{settings.parties:,} parties", not central, True)
    between = {
        "central": ["Trusted aggregator"],
        "local": ["Aggregator"],
        "shuffle": ["Shuffler", "Aggregator"],
    }
    assert [name for name, *_ in boxes[1:-1]] == between[settings.trust_model]
    assert {(noise, private) for _, noise, private in boxes[1:-1]} == {(central, central)}
    assert ("noisy labels" in picture) == (settings.method == "pate")
    held = settings.guarantee_of(settings.method)
    assert f"<dt>epsilon</dt><dd>{of_parties.number(held.epsilon)}</dd>" in said
    assert (held.delta > 0) == (
        settings.method in ("pate", "federated") or settings.trust_model == "shuffle"
    )
    assert held.epsilon <= settings.epsilon * (1 + 1e-9)
    tabs = {tab.name for tab in PARTIES.at(settings).content.tabs}
    federated = settings.method == "federated"
    assert ("limits" in tabs, "rounds" in tabs) == (central and not federated, federated)
    assert all(all(board) for board in PARTIES.view(shared).boards.values())


THEMES = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["theme"]
GROUNDS = {name: THEMES[name]["backgroundColor"] for name in ("light", "dark")}
STYLE = (ROOT / "ui/server/static/style/tokens.css").read_text("utf-8")
SERIES = (theme.RUST, theme.MAUVE, theme.SAGE, theme.PINE, theme.GOLD)
MEANINGS = (theme.PRIVATE, theme.PUBLIC, theme.NON_PRIVATE, theme.BOUND)
WORLDS = (theme.WITH_YOU, theme.WITHOUT_YOU)
# Series that stand in one chart: their colours, or rows that end with their dashes.
COLOURS = (
    *(theme.COLOURS.values(), theme.REGRESSIONS.values(), WORLDS),
    GROUP_COLOURS.values(),
    *([colour for _, colour in styles.values()] for styles in (accounting.WAYS, hypotheses.STYLES)),
)
DASHED = (
    theme.THEOREMS.values(),
    (*transfer.STYLES.values(), transfer.WITHOUT_PRIVACY),
    [
        (name, parties.DASHES.get(name, theme.DASHES[colour]))
        for name, (_, colour) in {**parties.STYLES, **parties.WITHOUT}.items()
    ],
)
# Of a colour in linear RGB, what people see who lack one kind of cone, wholly [Machado et al. 2009,
# table 1].
BLIND = {
    "protanopia": (
        "0.152286 1.052583 -0.204868 0.114503 0.786281 0.099216 -0.003882 -0.048116 1.051998"
    ),
    "deuteranopia": (
        "0.367322 0.860646 -0.227968 0.280085 0.672501 0.047413 -0.011820 0.042940 0.968881"
    ),
    "tritanopia": (
        "1.255528 -0.076749 -0.178779 -0.078411 0.930809 0.147602 0.004733 0.691367 0.303900"
    ),
}
MATRICES = [np.eye(3)] + [
    np.array(row.split(), dtype=float).reshape(3, 3) for row in BLIND.values()
]
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
    """The least distance of any two of these colours in Oklab, to people with all cones and to
    those who lack one.
    """
    rgb = np.array([linear(colour) for colour in colours])
    views = (
        np.cbrt(np.clip(rgb @ matrix.T, 0, 1) @ np.transpose(CONES)) @ np.transpose(OKLAB)
        for matrix in MATRICES
    )
    return min(
        np.linalg.norm(one - other)
        for view in views
        for one, other in itertools.combinations(view, 2)
    )


def mixed(colour: str, opacity: float, ground: str) -> str:
    """A colour of this opacity on a ground."""
    pairs = ((int(one[at : at + 2], 16) for one in (colour, ground)) for at in (1, 3, 5))
    return "#" + "".join(
        f"{round(opacity * over + (1 - opacity) * under):02x}" for over, under in pairs
    )


def of_text(name: str) -> dict[str, str]:
    """The two colours of a property of the style."""
    light, dark = re.search(rf"--lab-{name}: light-dark\((#\w+), (#\w+)\);", STYLE).groups()
    return {"light": light, "dark": dark}


def test_colours_can_be_told_apart():
    for matrix in (*MATRICES, CONES):
        assert np.sum(matrix, axis=1) == pytest.approx(1, abs=1e-5), "white is white"
    assert apart(["#ffffff", "#000000"]) == pytest.approx(1, abs=1e-5)
    families = {
        MEANINGS: 0.048,
        (theme.PRIVATE, *SERIES): 0.057,
        WORLDS: 0.081,
        theme.CLASSES[:2]: 0.246,
    }
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
    # Private boundaries stand out from the first two classes.
    grounds = [mixed(colour, maps.OPACITY[1], GROUNDS[mode]) for colour in theme.CLASSES[:2]]
    assert (
        round(min(contrast(of_text("private-in-charts")[mode], ground) for ground in grounds), 1)
        >= 3.3
    )
    assert (
        min(
            contrast(of_text(name)[mode], ground)
            for name in ("public", "quiet")
            for ground in grounds
        )
        >= 3.1
    )


def test_series_of_a_chart_have_different_dashes():
    families = [[theme.DASHES[colour] for colour in colours] for colours in COLOURS]
    for dashes in (*families, *([dash for *_, dash in rows] for rows in DASHED)):
        assert len(set(dashes)) == len(dashes)


def test_scripts_know_the_names_dashes_and_marks():
    paths = (
        ROOT / f"ui/widgets/frontend/charts/{name}.js" for name in ("theme", "shapes", "traces")
    )
    look, shapes, marks = (path.read_text("utf-8") for path in paths)
    known = re.findall(r"(\w+):", re.search(r"NAMED_COLOURS = {(.*?)}", look, re.DOTALL)[1])
    assert set(known) == {theme.CURRENT, *theme.TEXT_COLOURS.values()}
    table = re.search(r"DASHES = {(.*?)}", shapes, re.DOTALL)[1]
    assert set(theme.DASHES.values()) <= set(re.findall(r"(\w+):", table))
    assert all(
        re.search(rf"^  \"?{name}\"?: \(r\) =>", marks, re.MULTILINE) for name in theme.SYMBOLS
    )
    assert len({maps.class_symbol(label) for label in range(4)}) == 4


def drawn_with(name: str) -> set[str]:
    """The pages whose pictures name a colour of the palette, directly or by a table of the
    palette.
    """
    tables = {"THEOREMS": theme.THEOREMS, "REGRESSIONS": theme.REGRESSIONS}
    words = [name, *(table for table, rows in tables.items() if getattr(theme, name) in str(rows))]
    files = {file: file.read_text("utf-8") for file in (ROOT / "pages").glob("*/*.py")}
    return {
        file.parent.name
        for file, text in files.items()
        if any(f"theme.{word}" in text for word in words)
    }


def test_rust_is_on_no_page_with_a_bound():
    assert drawn_with("RUST")
    assert len(drawn_with("BOUND")) > 5
    assert not drawn_with("RUST") & drawn_with("BOUND")


def test_only_the_palette_names_colours():
    palette = ROOT / "ui" / "charts" / "theme" / "palette.py"
    files = [file for folder in ("pages", "ui") for file in (ROOT / folder).rglob("*.py")]

    naming_colours = []
    for file in files:
        if re.search(r"#[0-9a-fA-F]{6}\b", file.read_text("utf-8")):
            naming_colours.append(file)

    assert naming_colours == [palette]
