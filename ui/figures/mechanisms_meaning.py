"""What a release means: posterior, tests, delta and errors over epsilon, and who wins a choice."""

import math

import numpy as np

from dpcore.experiments.mechanisms import LIMITS, MECHANISMS, MechanismsResult
from ui.figures import theme
from ui.figures.mechanisms import MARGIN, WORLDS

_LEAST_DELTA = 1e-12
_DASHES = {"laplace": "solid", "gaussian": "dash", "classical": "dot"}
_SHARE = {"range": [0, 1], "tickvals": [0, 0.25, 0.5, 0.75, 1], "ticktext": ["0", "25", "50", "75", "100"]}
_EPSILONS = {
    "title": {"text": "epsilon (log scale)", "standoff": 8},
    "type": "log",
    "range": [math.log10(LIMITS["epsilon"][0]) - 0.08, math.log10(LIMITS["epsilon"][1]) + 0.08],
    "tickvals": [0.01, 0.1, 1, 10, 100],
    "ticktext": ["0.01", "0.1", "1", "10", "100"],
}


def posterior(result: MechanismsResult) -> dict:
    """What one release may do to a prior: the promised band, and what this release did."""
    prior = result.settings.prior
    grid = np.linspace(0.001, 0.999, 99)
    low, high = result.posterior_range(grid)
    low_end, high_end = (float(end) for end in result.posterior_range(prior))
    after = float(result.sequence["posterior"].iloc[-1])
    return theme.figure(
        _diagonal(rising=True),
        margin=MARGIN,
        title=theme.title(f"Your {100 * prior:.3g} in 100 becomes {100 * after:.3g}"),
        xaxis=_SHARE | {"title": {"text": "you are in: before, in 100", "standoff": 8}},
        yaxis=_SHARE | {"title": {"text": "after this release, in 100"}},
        shapes=[
            *_promised_band(grid, low, high),
            theme.rule(prior) | {"yref": "y", "y0": low_end, "y1": high_end},
            theme.diamond(prior, after),
        ],
    )


def _promised_band(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[dict]:
    """The area between two curves, and both as lines: shapes, because they move with every epsilon."""
    ways = ["L".join(f"{at:.4g},{y:.5g}" for at, y in zip(x, curve, strict=True)) for curve in (low, high)]
    back = "L".join(reversed(ways[1].split("L")))
    base = {"type": "path", "xref": "x", "yref": "y", "layer": "below"}
    line = {"color": theme.BOUND, "width": 2, "dash": "dash"}
    area = base | {"path": f"M{ways[0]}L{back}Z", "fillcolor": theme.rgba(theme.BOUND, 0.18), "line": {"width": 0}}
    return [area, *(base | {"path": f"M{way}", "line": line} for way in ways)]


def _diagonal(*, rising: bool) -> dict:
    """Where nothing is learnt."""
    ends = np.array([0.0, 1.0])
    style = {"colour": theme.NON_PRIVATE, "dash": "dot", "hoverinfo": "skip"}
    return theme.line(ends, ends if rising else 1 - ends, name="nothing learnt", **style)


def trade_off(result: MechanismsResult) -> dict:
    """Misses against false alarms of the best tests, what the promise leaves at least, and the reader's best point."""
    frame = result.trade_off
    alpha, misses, promised = (frame[name].to_numpy() for name in ("false alarms", "misses", "promised"))
    alarms, missed, right = result.attacker(result.settings.prior)
    curve = "of those out, accused: %{x:.3f}<br>of those in, missed: %{y:.3f}<extra></extra>"
    return theme.figure(
        _diagonal(rising=False),
        theme.line(alpha, promised, colour=theme.BOUND, name="promised", dash="dash", hoverinfo="skip"),
        theme.line(alpha, misses, colour=theme.PRIVATE, name="this noise", hovertemplate=curve),
        margin=MARGIN,
        title=theme.title(f"Best attacker: right {_in_hundred(right)} in 100"),
        xaxis=_SHARE | {"range": [-0.02, 1.02], "title": {"text": "false alarms, in 100", "standoff": 8}},
        yaxis=_SHARE | {"range": [-0.02, 1.02], "title": {"text": "misses, in 100"}},
        shapes=[theme.diamond(alarms, missed)],
    )


def _in_hundred(share: float) -> str:
    return f"{100 * share:.1f}" if share > 0.99 else f"{100 * share:.0f}"


def profile(result: MechanismsResult) -> dict:
    """The delta that this noise needs at each epsilon, and the pair that was promised."""
    frame, epsilon = result.profile, result.settings.epsilon
    epsilons, deltas = frame["epsilon"].to_numpy(), frame["delta"].to_numpy()
    promised = max(result.claimed_delta, 2 * _LEAST_DELTA)
    cross = {"symbol": "x", "size": 10, "color": theme.BOUND}
    needed = f"{result.needed_delta:.2g}" if result.needed_delta >= _LEAST_DELTA else "0"
    return theme.figure(
        theme.line(
            epsilons,
            np.maximum(deltas, _LEAST_DELTA / 10),
            colour=theme.PRIVATE,
            name="needed",
            hovertemplate="epsilon %{x:.3g} needs delta %{y:.2g}<extra></extra>",
        ),
        theme.scatter(
            np.array([epsilon]),
            np.array([promised]),
            mode="markers",
            marker=cross,
            cliponaxis=False,
            hovertemplate=f"promised: epsilon %{{x:.3g}}, delta {result.claimed_delta:.2g}<extra></extra>",
        ),
        margin=MARGIN,
        title=theme.title(f"Epsilon {epsilon:.3g} needs delta {needed}"),
        xaxis=_EPSILONS,
        yaxis={
            "type": "log",
            "range": [math.log10(_LEAST_DELTA), 0.3],
            "tickvals": [1e-12, 1e-9, 1e-6, 1e-3, 1],
            "ticktext": ["10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "1"],
            "title": {"text": "delta (log scale)"},
        },
        shapes=[theme.rule(epsilon)],
    )


def errors(result: MechanismsResult) -> dict:
    """Nine releases in ten fall within plus or minus this, over epsilon; vermilion where a claim does not hold."""
    settings, curves = result.settings, result.errors
    unit, epsilons = settings.sensitivity, result.errors.epsilons
    traces = []
    for name, within in curves.within.items():
        broken = (epsilons >= curves.crossing) & (name == "classical")
        style = {"dash": _DASHES[name], "opacity": 1.0 if name == settings.mechanism else 0.5}
        hover = f"epsilon %{{x:.3g}}: ±%{{y:.3g}}<extra>{MECHANISMS[name]}</extra>"
        style |= {"name": MECHANISMS[name], "hovertemplate": hover}
        traces.append(theme.line(epsilons, unit * np.where(broken, np.nan, within), colour=theme.PRIVATE, **style))
        if name == "classical":
            traces.append(theme.line(epsilons, unit * np.where(broken, within, np.nan), colour=theme.BOUND, **style))
    middle = math.floor(2 * math.log10(unit)) / 2
    return theme.figure(
        *traces,
        margin=MARGIN,
        title=theme.title(f"Nine releases in ten fall within ±{result.within:.3g}"),
        xaxis=_EPSILONS,
        yaxis={"type": "log", "range": [middle - 2.1, middle + 3.6], "dtick": 1, "tickformat": "~g"},
        shapes=[theme.rule(settings.epsilon), theme.diamond(settings.epsilon, result.within)],
        annotations=[_label(result, name, place) for place, name in enumerate(MECHANISMS)],
    )


def _label(result: MechanismsResult, name: str, place: int) -> dict:
    """A curve's name, listed with its dash at the top right."""
    dash = {"laplace": "—", "gaussian": "– –", "classical": "···"}[name]
    text = f"{dash} {MECHANISMS[name]}"
    text = f"<b>{text}</b>" if name == result.settings.mechanism else text
    corner = {"x": 1, "xref": "paper", "xanchor": "right", "y": 1 - 0.085 * place, "yref": "paper", "yanchor": "top"}
    return {"text": text, "showarrow": False, "font": {"size": 12}} | corner


def choice(result: MechanismsResult) -> dict:
    """Who wins report-noisy-max, in both worlds."""
    frame, voted = result.choice, result.settings.voted
    names = [
        f"{option}: {answers:.0f}" + (" (+ you)" if place == voted else "")
        for place, (option, answers) in enumerate(zip(frame["option"], frame["answers"], strict=True))
    ]
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "x": theme.array(frame[world].to_numpy()),
            "y": names,
            "name": world,
            "marker": {"color": colour},
            "texttemplate": "%{x:.1%}",
            "textposition": "outside",
            "constraintext": "none",
            "textfont": {"size": 11},
            "cliponaxis": False,
            "hovertemplate": f"wins with chance %{{x:.3g}}<extra>{world}</extra>",
        }
        for colour, world in WORLDS
    ]
    return theme.figure(
        *bars,
        title=theme.title("Who wins the choice?"),
        barmode="group",
        bargap=0.25,
        margin=MARGIN | {"l": 92},
        xaxis=_SHARE | {"title": {"text": "wins, in 100 releases", "standoff": 8}, "range": [0, 1.2]},
        yaxis={"autorange": "reversed", "title": {"text": ""}},
    )
