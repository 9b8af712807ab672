"""Draw the parties page: accuracy over epsilon and over parties, what each release decides in a
plane, what one party moves, noise against parties, and the published bound.
"""

from typing import Any

import numpy as np

from lab.data.party_kinds import CONSTANT
from lab.statistics.decision_regions import boundaries, drawn, votes
from pages.parties import tasks
from pages.parties.result import NOISE_AT, PartiesResult
from pages.parties.settings import PartiesParameters
from ui.charts import bars, maps, theme
from ui.charts.curves import (
    Curve,
    Level,
    accuracy_chart,
    accuracy_line,
    curve_chart,
    finding,
    grid_progress,
    quantile_curve,
)
from ui.text.numbers import number, percent
from ui.text.texts import Texts

SAYS = Texts(__file__)
LIMITS = PartiesParameters.LIMITS

# Method -> (name, colour), as what stands beside the methods. The page speaks of one of them; all
# are drawn.
STYLES = {
    "soft": ("soft labels", theme.PRIVATE),
    "vote": ("majority vote", theme.MAUVE),
    "average": ("averaged weights", theme.SAGE),
    "pate": ("PATE", theme.PINE),
}
WITHOUT = {
    "batch": ("non-private", theme.NON_PRIVATE),
    "local": ("single party", theme.GOLD),
}
# In a legend, about as they usually end.
_ORDER = ("batch", "pate", "soft", "average", "local", "vote")
# Room for the longest numbers on the axis upwards, in pixels.
_WIDER = 76
_LEAST_RISK, _LEAST_MOVE = 1e-4, 1e-5
# Parts of the bound -> names.
_PARTS = {
    "total": "Theorem 4, upper bound",
    "noise": "its noise part",
    "rows": "its public-row part",
}


def over_epsilon(result: PartiesResult) -> dict:
    low, high = LIMITS["epsilon"]
    return _accuracy(result, "epsilon", axis=theme.epsilon_axis(low, high))


def over_parties(result: PartiesResult) -> dict:
    return _accuracy(result, "parties", axis=_parties_axis(result.settings.places[-1]))


def _parties_axis(most: float = LIMITS["parties"][1]) -> dict:
    """Return an axis up to ``most`` parties, with ticks at 2, 5, 10 where there are few."""
    text, low, high = "parties (log scale)", LIMITS["parties"][0] / 1.15, most * 1.15
    if most > 100:
        return theme.log_axis(text, low, high)
    return theme.axis(
        text, low, high, log=True, ticks=[tick for tick in (2, 3, 5, 10, 20, 50) if tick <= most]
    )


def _accuracy(result: PartiesResult, along: str, *, axis: dict) -> dict:
    """Draw the chosen release with 90 % of its runs, a stroke for each run at what is now, and what
    else there is.
    """
    chance = Level(y=100 * result.chance, name="chance", dash="dash", width=1, below=True)
    return accuracy_chart(
        *(_curve(result, name, along) for name in _ORDER if name in (*WITHOUT, *result.methods)),
        current=getattr(result.settings, along),
        levels=[chance],
        title=SAYS[f"chart.{along}"],
        finding=_finding(result, along),
        xaxis=axis,
    )


def _curve(result: PartiesResult, name: str, along: str) -> Curve:
    """Return the median of a release over epsilon or parties; or what is the same whatever they
    are.
    """
    if name in WITHOUT:
        level = result.batch_accuracy if name == "batch" else result.local.median
        text, colour = WITHOUT[name]
        return accuracy_line(text, level, colour)
    points = result.arm(name, along).over()
    if name == result.settings.method:
        return quantile_curve(
            *STYLES[name], points, result.summary[name], band=True, strokes=result.chosen, width=3
        )
    return quantile_curve(*STYLES[name], points, result.summary[name], band=False, width=1.6)


def _finding(result: PartiesResult, along: str) -> str:
    """Return from where on the chosen release is shown to beat a party alone; or how far the curve
    has come.
    """
    grid = result.arm(result.settings.method, along)
    if part := grid_progress(grid):
        return part
    if not result.complete:
        return SAYS("chart.so_far", asked=result.asked, parties=result.settings.parties)
    found = dict(zip(grid.at, grid.runs, strict=True)) | {
        getattr(result.settings, along): result.chosen
    }
    values = sorted(found)
    return finding(
        SAYS.cases("finding"), [result.beside_alone(found[value]) for value in values], values
    )


def decisions(result: PartiesResult, name: str) -> dict:
    """Draw what a method's ``drawn`` repeats decide, with the boundary of each; or what the parties
    decide one by one.
    """
    plane = result.settings.plane
    if name == "local":
        found, level, lines = result.locals_agree, result.local.median, np.empty((0, 2, 2))
    else:
        shown = drawn(result.now.of(name), len(result.classes))
        weights = result.batch[None] if name == "batch" else result.now.models(name)[shown]
        weights = np.concatenate(
            [weights[..., :-1], weights[..., -1:] * CONSTANT], axis=-1
        )  # of a constant 1
        found, lines = votes(weights, plane, size=48), boundaries(weights, plane)
        level = result.batch_accuracy if name == "batch" else result.summary[name].median
    text, colour = WITHOUT.get(name) or STYLES[name]
    return maps.decision_map(
        result.shown,
        plane,
        *found,
        boundaries=[maps.boundary(plane, lines, colour=colour, width=1.1) | {"name": theme.PINNED}],
        title=text[0].upper() + text[1:],
        finding=percent(level),
    )


def one_party(result: PartiesResult) -> dict:
    """Draw how far one party that turns around moves the weights: tried here, in the worst case,
    and by the bounds.
    """
    traces, shapes, words = [], [], []
    for place, (y, row) in enumerate(
        zip((1.0, 0.0), result.moved().to_dict("records"), strict=True)
    ):
        text, colour = STYLES[row["release"]]
        for bound, dash in (("bound", "dash"), ("published bound", "dot")):
            ends = (row[bound], row[bound]), (y - 0.24, y + 0.24)
            shapes.append(bars.stroke(*ends, colour=theme.BOUND, width=2.2, dash=dash))
        words.append(
            theme.annotation(text, x=0.01, y=y + 0.36, size=13, xref="paper", xanchor="left")
        )
        if result.moves is None:
            continue
        here, tied = np.maximum(result.moves.here[place], _LEAST_MOVE), [row["all rows tied"]]
        for x, symbol, said in (
            (here, "circle", "one of the parties"),
            (tied, "diamond-open", "all rows tied"),
        ):
            hover = f"{said}: %{{x:.3~g}}<extra>{text}</extra>"
            at = np.full(len(x), y)
            traces += [
                theme.markers(
                    x, at, colour=colour, size=10, hover=hover, symbol=symbol, opacity=0.75
                )
            ]
    # How many times less one party can move soft labels than a majority vote; "not at all" is at
    # the axis's left end
    times = result.sensitivity("vote") / result.sensitivity("soft")
    axis = theme.log_axis("change of the weights (log scale)", _LEAST_MOVE / 1.5, 3e4)
    bound = theme.coloured("╏ upper bound", theme.BOUND)
    published = theme.coloured("┇ as published", theme.BOUND)
    legend = f"● some of these parties   ◇ with all rows tied<br>{bound}   {published}"
    return theme.figure(
        *(traces or [theme.axis_anchor(1.0, -9.0)]),
        left=16,
        title=SAYS["chart.one_party"],
        finding=SAYS("chart.steadier", times=times) if times >= 2 else "",
        shapes=shapes,
        annotations=[*words, theme.note(legend, "lower left", size=12, align="left")],
        xaxis=axis | {"ticktext": ["none", *axis["ticktext"][1:]]},
        yaxis={
            "range": [-0.95, 1.6],
            "showticklabels": False,
            "showgrid": False,
            "zeroline": False,
        },
    )


def _over_parties(
    result: PartiesResult, curves: list[Curve], title: str, shown: str, axis: dict
) -> dict:
    """Draw curves over the number of parties with a logarithmic ``axis`` upwards."""
    return curve_chart(
        *curves,
        current=result.settings.parties,
        left=_WIDER,
        title=title,
        finding=shown,
        xaxis=_parties_axis(),
        yaxis=axis,
    )


def noise(result: PartiesResult) -> dict:
    """Draw the mean norm of the noise over the number of parties, beside the weights that it is
    added to.
    """
    curves = []
    for name in (name for name in ("vote", "average", "soft") if name in result.methods):
        text, colour = STYLES[name]
        value = number(result.noise_norm(name))
        sensitivities = tasks.sensitivities(result.settings.model, name, NOISE_AT)
        norms = result.dimensions * sensitivities / result.settings.epsilon
        curves.append(Curve(name=text, x=NOISE_AT, y=norms, value=value, colour=colour))
        signal = np.full(len(NOISE_AT), result.signal_norm(name))
        curves.append(
            Curve(
                name=f"weights, {text}",
                x=NOISE_AT,
                y=signal,
                colour=colour,
                dash="dot",
                listed=False,
            )
        )
    axis = theme.log_axis("length (log scale)", 1e-4, 3e7)
    return _over_parties(result, curves, SAYS["chart.noise"], SAYS["chart.dotted"], axis)


def local_noise(result: PartiesResult) -> dict:
    """Draw the noise on averaged weights over the number of parties, added by them, beside that of
    an aggregator.
    """
    counts = [round(count) for count in NOISE_AT]
    curves = []
    for name, colour, central in (
        ("each party", theme.PRIVATE, False),
        ("trusted aggregator", theme.SAGE, True),
    ):
        y = [result.weight_sd(central=central, parties=count) for count in counts]
        value = number(result.weight_sd(central=central))
        curves.append(Curve(name=name, x=counts, y=y, value=value, colour=colour))
    times = number(result.settings.parties / result.few)
    axis = theme.log_axis("standard deviation (log scale)", 1e-5, 1e7)
    return _over_parties(
        result, curves, SAYS["chart.local_noise"], SAYS("chart.times", times=times), axis
    )


def bound(result: PartiesResult) -> dict:
    """Draw the published bound on the soft release's excess risk and its two parts, beside the
    measured one.
    """
    at, spread = result.excess.over()
    curves = [
        Curve(name="measured", x=at, y=np.maximum(spread, _LEAST_RISK), colour=STYLES["soft"][1])
    ]
    two = result.ensemble.classes == 2
    for part, text in _PARTS.items() if two else ():
        y = np.clip(result.bound[part], _LEAST_RISK, 1e12)
        style: dict[str, Any] = (
            {"width": 2} if part == "total" else {"width": 1.2, "dash": "dot", "listed": False}
        )
        curves.append(Curve(name=text, x=NOISE_AT, y=y, colour=theme.BOUND, **style))
    shown = SAYS["chart.two_classes"]
    if two:
        shown = ""
    axis = theme.log_axis("nats (log scale)", _LEAST_RISK, 1e9)
    return _over_parties(result, curves, SAYS["chart.bound"], shown, axis)
