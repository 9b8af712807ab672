"""The charts of topics draw what their results hold."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

from dpcore.training import dp_ftrl
from lab.statistics.decision_regions import boundaries, runs_to_draw, votes
from pages.classifier import charts as classifier
from pages.classifier.settings import CURVE_EPSILONS, ClassifierSettings
from pages.network import charts as network
from pages.network import texts as network_texts
from pages.network.page import sliders
from pages.network.settings import NetworkSettings
from pages.network.texts_label import label as network_label
from pages.parties import charts as parties
from pages.parties import texts as parties_texts
from pages.parties.charts_trust import trust
from pages.parties.experiment import EPSILONS as PARTIES_EPSILONS
from pages.parties.page import PAGE as PARTIES
from pages.parties.settings import PartiesSettings
from pages.parties.tasks import accuracy_over_parties
from tests.app import QUICK
from ui.charts import decision_maps, theme

# Charts hold single precision, and what is computed in it before is rounded twice.
SINGLE_PRECISION = 1e-6
ROUNDED_TWICE = 1e-5
# Paths of shapes are written with five digits.
DIGITS_OF_A_PATH = 1e-4
# The dtypes of arrays in charts, in Plotly's terms.
DTYPES = {"f4": np.float32, "u1": np.uint8}


def numbers(encoded: dict) -> np.ndarray:
    """Return the numbers of an array in a chart, which holds them as base64."""
    data = base64.b64decode(encoded["bdata"])
    flat = np.frombuffer(data, DTYPES[encoded["dtype"]])
    if "shape" not in encoded:
        return flat
    shape = [int(size) for size in encoded["shape"].split(",")]
    return flat.reshape(shape)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(np.arange(6.0), id="numbers"),
        pytest.param(np.arange(6, dtype=np.uint8).reshape(2, 3), id="small whole numbers"),
        pytest.param(np.array([np.nan, 1.0]), id="nan"),
    ],
)
def test_arrays_of_a_chart_can_be_read_back(values):
    encoded = theme.array(values)

    np.testing.assert_array_equal(numbers(encoded), values.astype(np.float32))


TEN_CLASSES = {"dataset": "digits", "public_rows": 0}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param({}, id="two classes"),
        pytest.param(TEN_CLASSES, id="ten classes"),
        pytest.param({"version": "none"}, id="without privacy"),
    ],
)
def classifier_result(request):
    """Return the result of the classifier with 5 repeats and 6 steps."""
    return ClassifierSettings(repeats=5, steps=6, **request.param).experiment.run()


class TestClassifier:
    def test_accuracy_is_drawn_as_it_is_downloaded(self, classifier_result):
        result = classifier_result
        medians = result.curve.groupby(["arm", "epsilon"])["accuracy"].median()

        traces = classifier.accuracy(classifier_result)["data"]

        curves = [trace for trace in traces if trace["mode"] == "lines+markers"]
        for arm, curve in zip(result.settings.arms, curves, strict=True):
            accuracy = 100 * medians[arm].to_numpy()
            assert numbers(curve["x"]) == pytest.approx(CURVE_EPSILONS)
            assert numbers(curve["y"]) == pytest.approx(accuracy, rel=SINGLE_PRECISION)

    def test_loss_is_drawn_as_it_is_downloaded(self, classifier_result):
        names = classifier_result.settings.arms

        traces = classifier.loss(classifier_result)["data"]

        # A band and a median for each arm come first, and the non-private models last.
        medians = traces[1 : 2 * len(names) : 2]
        references = traces[-len(names) :]
        for index, name in enumerate(names):
            median = np.median(classifier_result.ensemble.loss[index], axis=0)
            np.testing.assert_allclose(numbers(medians[index]["y"]), median, rtol=ROUNDED_TWICE)
            reference = classifier_result.references[name].loss
            np.testing.assert_allclose(
                numbers(references[index]["y"]), reference, rtol=ROUNDED_TWICE
            )


class TestDecisionMap:
    """The map of the first arm."""

    @pytest.fixture
    def layout(self, classifier_result):
        """Return the layout of the map."""
        return classifier.decision_map(classifier_result, 0)["layout"]

    @pytest.fixture
    def weights(self, classifier_result):
        """The weights of the models on the map, (models, classes, features + 1).

        They are all models of few classes, and one of middling accuracy of many.
        """
        weights, *_ = classifier_result.ensemble.weights
        accuracy, *_ = classifier_result.ensemble.accuracy
        return weights[runs_to_draw(accuracy, classifier_result.split.n_classes)]

    @pytest.mark.parametrize("classifier_result", [TEN_CLASSES], indirect=True)
    def test_a_map_of_many_classes_draws_one_model_of_middling_accuracy(self, classifier_result):
        accuracy, *_ = classifier_result.ensemble.accuracy
        distance_from_median = np.abs(accuracy - np.median(accuracy))

        chosen = runs_to_draw(accuracy, classifier_result.split.n_classes)

        assert distance_from_median[chosen].tolist() == [distance_from_median.min()]

    def test_the_map_draws_every_decision_boundary(self, classifier_result, layout, weights):
        shape, *_ = layout["shapes"]
        coordinates = [float(number) for number in re.findall(r"[-+.e\d]+", shape["path"])]
        # Of each segment its two ends, each with two coordinates.
        segments = np.reshape(coordinates, (-1, 2, 2))

        expected = classifier_result.plane.display(boundaries(weights, classifier_result.plane))
        np.testing.assert_allclose(segments, expected, rtol=DIGITS_OF_A_PATH, atol=DIGITS_OF_A_PATH)

    def test_boundaries_are_opaque_so_that_their_contrast_is_that_of_a_line(self, layout):
        shape, *_ = layout["shapes"]

        assert "opacity" not in shape

    def test_a_map_without_boundaries_hides_their_shape(self, classifier_result):
        no_segments = np.empty((0, 2, 2))

        shape = decision_maps.boundary(
            classifier_result.plane, no_segments, colour="#000000", width=1
        )

        assert not shape["visible"]

    def test_regions_show_what_most_models_decide(self, classifier_result, layout, weights):
        winner, _ = votes(weights, classifier_result.plane)

        image, *_ = layout["images"]
        colour_numbers, _ = colours_of_image(image)

        assert np.array_equal(colour_numbers // decision_maps.SHADES, winner)

    def test_a_region_has_the_colour_of_its_class(self, classifier_result, layout, weights):
        winner, _ = votes(weights, classifier_result.plane)
        corner_class = winner[0, 0]

        image, *_ = layout["images"]
        _, palette = colours_of_image(image)

        most_solid_shade = decision_maps.SHADES * corner_class + decision_maps.SHADES - 1
        assert palette[most_solid_shade] == theme.CLASSES[corner_class]


def colours_of_image(image: dict) -> tuple[np.ndarray, list[str]]:
    """Return the colour number of each point from the lowest row up, and the colours."""
    _, _, data = image["source"].partition(",")
    with Image.open(io.BytesIO(base64.b64decode(data))) as picture:
        from_top = np.asarray(picture)
        triples = np.reshape(picture.getpalette(), (-1, 3))
    palette = [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in triples]
    return np.flipud(from_top), palette


NETWORK = NetworkSettings(rows=300, lot_size=50, epochs=3, repeats=2, width=4, layers=1)


class TestNetwork:
    @pytest.mark.parametrize(
        "changes",
        [
            pytest.param({"clipping": "layers", "layers": 2}, id="clipped by layers"),
            pytest.param({"dataset": "blobs", "layers": 0}, id="without hidden layers"),
        ],
    )
    def test_accuracy_is_drawn_as_it_is_downloaded(self, changes):
        result = NETWORK.change(**changes).experiment.run()
        curves = result.curves()
        private = curves[curves["arm"] == "private"]

        traces = network.accuracy(result)["data"]

        (line,) = [trace for trace in traces if trace.get("meta") == theme.PINNED]
        np.testing.assert_allclose(numbers(line["x"]), private["epochs"], rtol=SINGLE_PRECISION)
        np.testing.assert_allclose(
            numbers(line["y"]), 100 * private["accuracy median"], rtol=SINGLE_PRECISION
        )


@pytest.mark.parametrize("mechanism", ["ordered", "toeplitz"])
class TestLotsInAFixedOrder:
    """Lots in a fixed order need no secret."""

    @pytest.fixture
    def result(self, mechanism):
        """Return the result of the network with this mechanism, asked for noise with a ramp."""
        return NETWORK.change(mechanism=mechanism, noise_ramp=0.5).experiment.run()

    @pytest.fixture
    def label_texts(self, result):
        """Return field -> what the label of the network says in it."""
        return network_label(result).said

    def test_noise_has_no_ramp_in_a_fixed_order(self, result):
        assert "noise_ramp" not in sliders(result.settings).more

    def test_a_guarantee_for_lots_in_a_fixed_order_assumes_no_secret(self, result):
        assert "must stay secret" not in network_texts.guarantee(result)

    def test_a_label_for_lots_in_a_fixed_order_names_the_assumption_and_no_secret(
        self, label_texts
    ):
        assert "secret" not in label_texts["public"]
        assert dp_ftrl.ASSUMES in label_texts["assumptions"]

    def test_the_label_names_the_mechanism(self, label_texts, mechanism):
        assert label_texts["mechanism"].startswith(dp_ftrl.MECHANISMS[mechanism])


SMALL_PARTIES = {name: int(value) for name, value in QUICK["parties"].items()} | {"epsilon": 1.0}
BOXES_BETWEEN = {
    "central": ["Trusted aggregator"],
    "local": ["Aggregator"],
    "shuffle": ["Shuffler", "Aggregator"],
}
# A box of the drawing: its colour, its name, and what follows if it adds the noise.
BOX = re.compile(r"solid (#\w+);[^>]*><b>([^<]*)</b>( <b)?")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param({}, id="usual"),
        pytest.param(
            {"method": "average", "constants": "norms", "regularisation": 1e-4}, id="average"
        ),
        pytest.param({"method": "pate", "dataset": "six"}, id="pate"),
        pytest.param({"parties": 2, "epsilon": 0.01, "unlike": 1.0}, id="two parties"),
        pytest.param({"trust_model": "local", "dataset": "four"}, id="local"),
        pytest.param(
            {
                "trust_model": "shuffle",
                "method": "average",
                "parties": 400,
                "delta": 1e-2,
                "epsilon": 0.3,
            },
            id="shuffle",
        ),
        pytest.param({"method": "federated", "dataset": "four"}, id="federated"),
        pytest.param({"method": "federated", "trust_model": "local"}, id="federated local"),
    ],
)
def parties_result(request):
    """A result without the tasks about more parties than there are."""
    settings = PartiesSettings(**{**SMALL_PARTIES, **request.param})
    outcomes = {}
    for task in settings.experiment.tasks():
        parties_of_task = getattr(task, "upto", 0)
        if getattr(task, "work", None) == accuracy_over_parties:
            (parties_of_task,) = task.at
        if parties_of_task <= settings.parties:
            outcomes[task] = task.run()
    return settings.experiment.gather(outcomes)


class TestParties:
    def test_curves_are_the_medians_of_runs(self, parties_result):
        traces = {}
        for trace in parties.over_epsilon(parties_result)["data"]:
            # A legend entry is a name, two spaces and a value.
            name, _, _ = trace.get("name", "").partition("  ")
            traces[name] = trace

        for method in parties_result.methods:
            name, _ = parties.STYLES[method]
            x = numbers(traces[name]["x"])
            y = numbers(traces[name]["y"])
            runs = parties_result.curve_of(method, "epsilon").runs
            medians = [100 * np.median(accuracies) for accuracies in runs]
            assert x == pytest.approx(np.array(PARTIES_EPSILONS), rel=SINGLE_PRECISION)
            assert y == pytest.approx(medians, rel=ROUNDED_TWICE)

    def test_the_drawing_begins_with_the_parties_who_add_the_noise_themselves_if_local(
        self, parties_result
    ):
        (colour, name, noise), *_ = BOX.findall(trust(parties_result))

        assert name == f"{parties_result.settings.parties:,} parties"
        assert colour == theme.PRIVATE
        assert bool(noise) == (parties_result.settings.trust_model != "central")

    def test_the_drawing_shows_who_is_between_parties_and_world(self, parties_result):
        _, *between, _ = BOX.findall(trust(parties_result))

        names = [name for _, name, _ in between]
        assert names == BOXES_BETWEEN[parties_result.settings.trust_model]

    def test_only_a_trusted_aggregator_sees_private_values_and_adds_noise(self, parties_result):
        is_central = parties_result.settings.trust_model == "central"

        _, *between, _ = BOX.findall(trust(parties_result))

        for colour, name, noise in between:
            assert bool(noise) == is_central, name
            assert (colour == theme.PRIVATE) == is_central, name

    def test_only_pate_releases_noisy_labels(self, parties_result):
        assert ("noisy labels" in trust(parties_result)) == (
            parties_result.settings.method == "pate"
        )

    def test_the_guarantee_has_the_epsilon_of_the_method(self, parties_result):
        settings = parties_result.settings
        epsilon = settings.guarantee_of(settings.method).epsilon

        sentence = parties_texts.guarantee(parties_result)

        assert f"<dt>epsilon</dt><dd>{parties_texts.number(epsilon)}</dd>" in sentence

    def test_the_guarantee_spends_no_more_than_the_set_epsilon(self, parties_result):
        settings = parties_result.settings
        rounding_error = 1e-9

        epsilon = settings.guarantee_of(settings.method).epsilon

        assert epsilon <= settings.epsilon * (1 + rounding_error)

    def test_only_some_methods_and_the_shuffler_need_a_delta(self, parties_result):
        settings = parties_result.settings
        needs_delta = settings.method in ("pate", "federated") or settings.trust_model == "shuffle"

        delta = settings.guarantee_of(settings.method).delta

        assert (delta > 0) == needs_delta

    def test_the_tab_of_rounds_follows_the_method(self, parties_result):
        settings = parties_result.settings
        is_federated = settings.method == "federated"

        tabs = {tab.name for tab in PARTIES.at(settings).content.tabs}

        assert ("rounds" in tabs) == is_federated

    def test_no_row_of_charts_is_empty(self, parties_result):
        for name, rows in PARTIES.view(parties_result).boards.items():
            assert all(rows), name
