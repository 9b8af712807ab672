"""Charts of the noise: what one party moves, noise over parties, and the bound on excess risk."""

from typing import Any

import numpy as np

from pages.parties.charts import SAYS, STYLES, parties_axis
from pages.parties.mechanisms import sensitivities
from pages.parties.result import PartiesResult
from pages.parties.theorems import PARTY_COUNTS, risk_bound_curves
from ui.charts import bars, theme
from ui.charts.curves import Curve, curve_chart
from ui.text.numbers import number

# Room for the longest numbers on the vertical axis, in pixels.
_LEFT_MARGIN = 76
# Smaller values are drawn at the ends of the axes.
_LEAST_RISK = 1e-4
_MOST_RISK = 1e12
_LEAST_MOVE = 1e-5
# Height of the row of each release in the chart of one party, half the height of a bound's line,
# and how far the name of the release is above the row.
_ROWS = {"vote": 1.0, "soft": 0.0}
_HALF_LINE = 0.24
_NAME_ABOVE = 0.36
# A ratio of sensitivities below this is not mentioned.
_LEAST_RATIO = 2
# Names of the bound and of its two largest parts.
_BOUND_NAMES = {
    "total": "Theorem 4, upper bound",
    "noise": "its noise part",
    "rows": "its public-row part",
}


def one_party(result: PartiesResult) -> dict:
    """Draw how far one changed party moves the weights: as measured, and by the bounds."""
    traces: list[dict] = []
    shapes: list[dict] = []
    annotations: list[dict] = []
    moved = result.one_party_changes().set_index("release").to_dict("index")
    for index, (release, height) in enumerate(_ROWS.items()):
        bounds = moved[release]
        shapes.append(_bound_line(bounds["bound"], height, dash="dash"))
        shapes.append(_bound_line(bounds["published bound"], height, dash="dot"))
        annotations.append(_row_name(release, height))
        if result.changes is not None:
            distances = np.maximum(result.changes.of_parties[index], _LEAST_MOVE)
            worst_case = np.array([bounds["all rows tied"]])
            traces.append(_dots(release, height, distances, "one of the parties", "circle"))
            traces.append(_dots(release, height, worst_case, "all rows tied", "diamond-open"))
    if not traces:
        traces.append(theme.axis_anchor(1.0, -9.0))
    annotations.append(_one_party_legend())

    # The left end of the axis stands for no change.
    axis = theme.log_axis("change of the weights (log scale)", _LEAST_MOVE / 1.5, 3e4)
    axis["ticktext"] = ["none", *axis["ticktext"][1:]]
    return theme.figure(
        *traces,
        left=16,
        title=SAYS["chart.one_party"],
        finding=_one_party_finding(result),
        shapes=shapes,
        annotations=annotations,
        xaxis=axis,
        yaxis={
            "range": [-0.95, 1.6],
            "showticklabels": False,
            "showgrid": False,
            "zeroline": False,
        },
    )


def _one_party_finding(result: PartiesResult) -> str:
    """Return by how many times less one party moves soft labels than a majority vote."""
    ratio = result.sensitivity("vote") / result.sensitivity("soft")
    if ratio < _LEAST_RATIO:
        return ""
    return SAYS("chart.steadier", times=ratio)


def _bound_line(bound: float, height: float, *, dash: str) -> dict:
    """Return the vertical line of a bound in the row at this height."""
    ends = (height - _HALF_LINE, height + _HALF_LINE)
    return bars.stroke((bound, bound), ends, colour=theme.BOUND, width=2.2, dash=dash)


def _row_name(release: str, height: float) -> dict:
    """Return the name of a release above its row."""
    name, _ = STYLES[release]
    return theme.annotation(
        name, x=0.01, y=height + _NAME_ABOVE, size=13, xref="paper", xanchor="left"
    )


def _dots(release: str, height: float, distances: np.ndarray, meaning: str, symbol: str) -> dict:
    """Return a dot for each distance (n,) that the weights of a release have moved."""
    name, colour = STYLES[release]
    return theme.markers(
        distances,
        np.full(len(distances), height),
        colour=colour,
        size=10,
        hover=f"{meaning}: %{{x:.3~g}}<extra>{name}</extra>",
        symbol=symbol,
        opacity=0.75,
    )


def _one_party_legend() -> dict:
    """Return the legend of dots and lines."""
    bound = theme.coloured("╏ upper bound", theme.BOUND)
    published = theme.coloured("┇ as published", theme.BOUND)
    dots = "● some of these parties   ◇ with all rows tied"
    return theme.note(f"{dots}<br>{bound}   {published}", "lower left", size=12, align="left")


def noise(result: PartiesResult) -> dict:
    """Draw the mean norm of the noise over parties, and that of the weights it is added to."""
    curves = []
    for release in ("vote", "average", "soft"):
        if release not in result.methods:
            continue
        name, colour = STYLES[release]
        release_sensitivities = sensitivities(result.mechanisms, release, PARTY_COUNTS)
        norms = result.dimensions * release_sensitivities / result.settings.epsilon
        noise_curve = Curve(
            name=name,
            x=PARTY_COUNTS,
            y=norms,
            value=number(result.noise_norm(release)),
            colour=colour,
        )
        weights_curve = Curve(
            name=f"weights, {name}",
            x=PARTY_COUNTS,
            y=np.full(len(PARTY_COUNTS), result.signal_norm(release)),
            colour=colour,
            dash="dot",
            listed=False,
        )
        curves += [noise_curve, weights_curve]
    return _chart_over_parties(
        result,
        curves,
        title=SAYS["chart.noise"],
        finding=SAYS["chart.dotted"],
        yaxis=theme.log_axis("length (log scale)", 1e-4, 3e7),
    )


def local_noise(result: PartiesResult) -> dict:
    """Draw the noise on averaged weights over parties: added by them, and by an aggregator."""
    ratio = number(result.settings.parties / result.equivalent_parties)
    return _chart_over_parties(
        result,
        [
            _weight_noise_curve(result, "each party", theme.PRIVATE, central=False),
            _weight_noise_curve(result, "trusted aggregator", theme.SAGE, central=True),
        ],
        title=SAYS["chart.local_noise"],
        finding=SAYS("chart.times", times=ratio),
        yaxis=theme.log_axis("standard deviation (log scale)", 1e-5, 1e7),
    )


def _weight_noise_curve(result: PartiesResult, name: str, colour: str, *, central: bool) -> Curve:
    """Return the standard deviation of the noise on averaged weights over parties."""
    counts = [round(count) for count in PARTY_COUNTS]
    noise_sds = [result.weight_sd(central=central, parties=count) for count in counts]
    return Curve(
        name=name,
        x=counts,
        y=noise_sds,
        value=number(result.weight_sd(central=central)),
        colour=colour,
    )


def bound(result: PartiesResult) -> dict:
    """Draw the published bound on the excess risk of soft labels, and the measured risk."""
    counts, quantiles = result.excess_risk.over()
    _, soft_colour = STYLES["soft"]
    measured = Curve(
        name="measured",
        x=counts,
        y=np.maximum(quantiles, _LEAST_RISK),
        colour=soft_colour,
    )
    curves = [measured]
    is_stated = result.ensemble.classes == 2
    if is_stated:
        curves += _bound_curves(result)
    finding = SAYS["chart.two_classes"]
    if is_stated:
        finding = ""
    return _chart_over_parties(
        result,
        curves,
        title=SAYS["chart.bound"],
        finding=finding,
        yaxis=theme.log_axis("nats (log scale)", _LEAST_RISK, 1e9),
    )


def _bound_curves(result: PartiesResult) -> list[Curve]:
    """Return the bound on the excess risk, and its two largest parts as dotted lines."""
    bounds = risk_bound_curves(result)
    curves = []
    for part, name in _BOUND_NAMES.items():
        style: dict[str, Any] = {"width": 1.2, "dash": "dot", "listed": False}
        if part == "total":
            style = {"width": 2}
        y = np.clip(bounds[part], _LEAST_RISK, _MOST_RISK)
        curves.append(Curve(name=name, x=PARTY_COUNTS, y=y, colour=theme.BOUND, **style))
    return curves


def _chart_over_parties(
    result: PartiesResult, curves: list[Curve], *, title: str, finding: str, yaxis: dict
) -> dict:
    """Draw curves over the number of parties."""
    return curve_chart(
        *curves,
        current=result.settings.parties,
        left=_LEFT_MARGIN,
        title=title,
        finding=finding,
        xaxis=parties_axis(),
        yaxis=yaxis,
    )
