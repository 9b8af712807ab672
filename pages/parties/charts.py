"""Charts of the parties: accuracy over epsilon and over parties, and what releases decide."""

import numpy as np

from lab.data.party_kinds import CONSTANT
from lab.statistics.decision_regions import boundaries, runs_to_draw, votes
from pages.parties.mechanisms import FEDERATED
from pages.parties.result import PartiesResult
from pages.parties.settings import PartiesSettings
from ui.charts import decision_maps, theme
from ui.charts.curves import (
    Curve,
    Level,
    accuracy_chart,
    finding,
    grid_progress,
    quantile_curve,
)
from ui.text.sentences import capitalise
from ui.text.texts import Texts
from ui.text.tiles import distinct_digits, percent

SAYS = Texts(__file__)
LIMITS = PartiesSettings.LIMITS

# The name and the colour of each method, and of what the methods are compared with. All are drawn,
# whichever method the page is about.
STYLES = {
    "soft": ("soft labels", theme.PRIVATE),
    "vote": ("majority vote", theme.MAUVE),
    "average": ("averaged weights", theme.SAGE),
    "pate": ("PATE", theme.PINE),
    FEDERATED: ("federated averaging", theme.RUST),
}
WITHOUT = {
    "pooled": ("non-private", theme.NON_PRIVATE),
    "local": ("single party", theme.GOLD),
}
# The palette has fewer dashes than there are lines here. Dashes and gaps in turn.
DASHES = {FEDERATED: "9px,3px,2px,3px,2px,3px"}
# The order in the legend, about that in which the curves usually end.
_ORDER = ("pooled", FEDERATED, "pate", "soft", "average", "local", "vote")
# Letters of an accuracy in the legend, as in "88.7 %".
_LENGTH_OF_PERCENT = 6
# Widths of the line of the method that the page is about, and of the others, in pixels.
CHOSEN_WIDTH = 3
_OTHER_WIDTH = 1.6
# Points of a map of a release, in each direction.
_MAP_SIZE = 48
# The parties axis goes on by this factor beyond its ends.
_BESIDE = 1.15


# Accuracy


def accuracy_text(result: PartiesResult, share: float) -> str:
    """Format an accuracy with as many decimals as all accuracies of the page: often methods are
    less than a point apart.
    """
    return percent(share, digits=accuracy_digits(result))


def accuracy_digits(result: PartiesResult) -> int:
    """Return the decimals of all accuracies of the page, in percent."""
    private = result.summary[result.settings.method].median
    return max(1, distinct_digits(private, result.pooled_accuracy))


def over_epsilon(result: PartiesResult) -> dict:
    """Draw the accuracy of all methods over epsilon."""
    low, high = LIMITS["epsilon"]
    return _accuracy(result, "epsilon", xaxis=theme.epsilon_axis(low, high))


def over_parties(result: PartiesResult) -> dict:
    """Draw the accuracy of all methods over the number of parties."""
    low, _ = LIMITS["parties"]
    high = result.settings.party_counts[-1]
    axis = theme.log_axis("parties (log scale)", low / _BESIDE, high * _BESIDE)
    return _accuracy(result, "parties", xaxis=axis)


def _accuracy(result: PartiesResult, over: str, *, xaxis: dict) -> dict:
    """Draw the accuracy of all methods over "epsilon" or over "parties".

    The method that the page is about has 90 % of its runs, and a stroke per run at the set value.
    """
    # Federated averaging is trained later than the others, and its place in the legend is kept.
    shown = {*WITHOUT, *result.released.methods, FEDERATED}
    curves = [_curve(result, name, over) for name in _ORDER if name in shown]
    chance = Level(y=100 * result.chance, name="chance", dash="dash", width=1, below=True)
    return accuracy_chart(
        *curves,
        current=getattr(result.settings, over),
        levels=[chance],
        title=SAYS[f"chart.{over}"],
        finding=_accuracy_finding(result, over),
        xaxis=xaxis,
    )


def _curve(result: PartiesResult, name: str, over: str) -> Curve:
    """Return the curve of a method, or the line of what does not depend on the parameter."""
    if name in WITHOUT:
        label, colour = WITHOUT[name]
        level = result.local_accuracy.median
        if name == "pooled":
            level = result.pooled_accuracy
        return Curve(name=label, y=100 * level, value=accuracy_text(result, level), colour=colour)
    label, colour = STYLES[name]
    dash = DASHES.get(name)
    if name not in result.summary:
        return Curve(
            name=label,
            colour=colour,
            x=np.empty(0),
            y=np.empty(0),
            value=theme.padded("", _LENGTH_OF_PERCENT),
            width=_OTHER_WIDTH,
            dash=dash,
        )
    points = result.curve_of(name, over).over()
    spread = result.summary[name]
    value = accuracy_text(result, spread.median)
    if name == result.settings.method:
        return quantile_curve(
            label,
            colour,
            points,
            spread,
            band=True,
            strokes=result.chosen_accuracy,
            value=value,
            width=CHOSEN_WIDTH,
            dash=dash,
        )
    return quantile_curve(
        label,
        colour,
        points,
        spread,
        band=False,
        value=value,
        width=_OTHER_WIDTH,
        dash=dash,
    )


def _accuracy_finding(result: PartiesResult, over: str) -> str:
    """Return from where on the method is shown to beat a single party, or what is done so far."""
    grid = result.curve_of(result.settings.method, over)
    points_done = grid_progress(grid)
    if points_done:
        return points_done
    if not result.complete:
        return SAYS("chart.so_far", asked=result.asked, parties=result.settings.parties)
    runs_at = dict(zip(grid.at, grid.runs, strict=True))
    runs_at[getattr(result.settings, over)] = result.chosen_accuracy
    values = sorted(runs_at)
    cases = [result.compare_with_local(runs_at[value]) for value in values]
    return finding(SAYS.cases("finding"), cases, values)


# Map


def decision_map(result: PartiesResult) -> dict:
    """Draw what the runs of the chosen method decide by majority, and the boundary of each."""
    method = result.settings.method
    runs = runs_to_draw(result.chosen_accuracy, len(result.classes))
    weights = result.released.weights_of(method)[runs]
    # The input of 1 that plane and map have in place of the constant of the parties' rows.
    weights = np.concatenate([weights[..., :-1], weights[..., -1:] * CONSTANT], axis=-1)
    plane = result.settings.plane
    winner, share = votes(weights, plane, size=_MAP_SIZE)
    label, colour = STYLES[method]
    boundary = decision_maps.boundary(plane, boundaries(weights, plane), colour=colour, width=1.1)
    boundary["name"] = theme.PINNED
    return decision_maps.decision_map(
        result.map_rows,
        plane,
        winner,
        share,
        boundaries=[boundary],
        title=capitalise(label),
        finding=accuracy_text(result, result.summary[method].median),
    )
