"""The network's pictures: decision regions, trajectories over epochs and epsilon, gradient norms, lots and noise."""

import numpy as np

from pages.network.result import EDGES, NetworkResult
from ui.plot import maps, theme

COLOURS = {"private": theme.PRIVATE, "plain": theme.NON_PRIVATE}
NAMES = {
    "sound": "private",
    "inside": "noise inside the sum",
    "realised": "divided by the realised lot",
    "shuffled": "shuffled lots",
}
PLAIN = "without privacy"
# Layers, from the first to the last.
LAYERS = (theme.MAUVE, theme.SAGE, theme.PINE, theme.GOLD)
# The histogram's height: a share of all gradients in one bar.
_TALLEST = 0.25


def arm_name(result: NetworkResult, arm: str) -> str:
    """What an arm is called."""
    return PLAIN if arm == "plain" else NAMES[result.settings.variant]


def regions(result: NetworkResult, arm: str) -> dict:
    """What the ensemble of an arm decides at the drawn moment, with the boundary of every network."""
    width = 1.2 if arm == "private" else 1.6
    return maps.decided(
        result.split,
        result.plane,
        *result.regions(arm),
        boundaries=[maps.boundary(result.plane, result.boundaries(arm), colour=COLOURS[arm], width=width)],
        title=f"{arm_name(result, arm).capitalize()}: {theme.percent(result.summary(arm).median)}",
    )


def accuracy(result: NetworkResult, over: str) -> dict:
    """Right answers on held-out rows over "epochs" or over the "epsilon" spent; what moves is a shape."""
    chance = 100 / len(result.split.source.classes)
    return _trajectory(
        result,
        "accuracy",
        over,
        scale=100,
        title="Accuracy on held-out rows",
        yaxis={"title": {"text": "right answers (%)"}, "range": [max(0, chance - 12), 102]},
    )


def loss(result: NetworkResult, over: str) -> dict:
    """Loss on private rows over "epochs" or over the "epsilon" spent."""
    seen = np.concatenate([one.loss.ravel() for one in result.trajectories.values()])
    seen = seen[np.isfinite(seen)]
    low, high = theme.steady_range(max(seen.min(initial=1), 1e-3), min(seen.max(initial=1), 1e3))
    return _trajectory(
        result,
        "loss",
        over,
        scale=1,
        title="Loss on private rows (not released)",
        yaxis=theme.steady_axis("nats, log scale", low, high),
    )


def _trajectory(result: NetworkResult, what: str, over: str, *, scale: float, title: str, yaxis: dict) -> dict:
    """Median and nine in ten of the networks in training, beside the networks without privacy."""
    traces = []
    for arm, trajectory in result.trajectories.items():
        x = getattr(trajectory, over)
        known = np.isfinite(x)
        low, median, high = scale * getattr(trajectory, what)[:, known]
        if arm == "private":
            traces.append(theme.band(x[known], low, high, colour=COLOURS[arm]))
        name = arm_name(result, arm)
        hover = f"{over} %{{x:.3g}}: %{{y:.3g}}<extra>{name}</extra>"
        traces.append(theme.line(x[known], median, colour=COLOURS[arm], name=name, hovertemplate=hover))
    end, label = _axis(result, over)
    return theme.figure(
        *traces,
        title=theme.title(title),
        xaxis={"title": {"text": label}, "range": [0, end]},
        yaxis=yaxis,
        shapes=[theme.rule(now(result, over))],
    )


def now(result: NetworkResult, over: str) -> float:
    """Where the drawn moment lies on an axis of epochs, or of the epsilon spent."""
    return result.epochs if over == "epochs" else float(np.nan_to_num(result.spent[result.frame]))


def _axis(result: NetworkResult, over: str) -> tuple[float, str]:
    """(the end of the axis, its label)."""
    settings = result.settings
    if over == "epochs":
        return max(settings.steps * settings.rate, 1e-9), "epochs"
    return settings.epsilon * 1.02, "epsilon spent"


def norms(result: NetworkResult) -> dict:
    """How long the gradients of single rows are at the drawn moment, with the bounds that clip them."""
    bounds, (*layers, whole) = result.recipe.bounds, result.bars
    each = len(bounds) > 1
    if each:
        shapes = [_staircase(bars, colour=LAYERS[place]) for place, bars in enumerate(layers)]
    else:
        shapes = [_staircase(whole, colour=theme.PRIVATE, filled=True)]
    shapes.append(_bound(bounds[0]))
    share, names = result.clipped[-1], _layer_names(len(layers))
    words = [_word(f"bound {bounds[0]:.3g}", x=np.log10(bounds[0]), y=0.86 if each else 0.97)]
    words += [_word(names, x=0, y=1.0, xref="paper")] if each else []
    return theme.figure(
        theme.holder(1.0, -1.0),
        title=theme.title(f"{share:.0%} of gradients are too long"),
        shapes=shapes,
        annotations=words,
        xaxis={
            "title": {"text": "norm of a row's gradient"},
            "type": "log",
            "range": [np.log10(EDGES[0]), np.log10(EDGES[-1])],
            "tickvals": [1e-4, 1e-2, 1, 100],
            "ticktext": ["0.0001", "0.01", "1", "100"],
        },
        yaxis={"title": {"text": "share of rows"}, "range": [0, _TALLEST], "tickformat": ".0%"},
    )


def _staircase(shares: np.ndarray, *, colour: str, filled: bool = False) -> dict:
    """The outline of a histogram, as a shape over the logarithms of the edges."""
    steps = zip(EDGES, EDGES[1:], np.minimum(shares, _TALLEST * 0.98), strict=False)
    path = f"M{EDGES[0]:.4g},0" + "".join(f"L{low:.4g},{h:.4g}L{high:.4g},{h:.4g}" for low, high, h in steps)
    style = {
        "line": {"color": colour, "width": 1.6, "dash": theme.DASHES[colour]},
        "fillcolor": theme.rgba(colour, 0.3) if filled else "rgba(0,0,0,0)",
    }
    return {"type": "path", "path": path + f"L{EDGES[-1]:.4g},0", "xref": "x", "yref": "y"} | style


def _bound(x: float) -> dict:
    style = {"color": theme.BOUND, "width": 2, "dash": theme.DASHES[theme.BOUND]}
    return {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 0.82, "line": style}


def _word(text: str, *, x: float, y: float, xref: str = "x") -> dict:
    place = {"xref": xref, "yref": "paper", "xanchor": "center" if xref == "x" else "left", "yanchor": "middle"}
    colour = {"color": theme.INKS[theme.BOUND]} if xref == "x" else {}
    return theme.word(text, x=x, y=y, font={"size": 12} | colour, **place)


def _layer_names(layers: int) -> str:
    """A legend of the layers."""
    names = (theme.ink(f"■ layer {place + 1}", LAYERS[place]) for place in range(layers))
    return " ".join(names)


def clipped(result: NetworkResult) -> dict:
    """Share of gradients that the bound clips, over the epochs: of each layer where each has a bound."""
    (epochs, (*layers, whole)), each = result.clipped_over_epochs, len(result.recipe.bounds) > 1
    traces = []
    if each:
        for place, share in enumerate(layers):
            traces.append(theme.line(epochs, 100 * share, colour=LAYERS[place], name=f"layer {place + 1}"))
    traces.append(theme.line(epochs, 100 * whole, name="any layer" if each else "all", colour=theme.PRIVATE))
    end, _ = _axis(result, "epochs")
    return theme.figure(
        *traces,
        title=theme.title("Gradients that the clip norm shortens"),
        annotations=[_word(_layer_names(len(layers)), x=0, y=1.0, xref="paper")] if each else [],
        xaxis={"title": {"text": "epochs"}, "range": [0, end]},
        yaxis={"title": {"text": "of 100 rows"}, "range": [0, 108]},
        shapes=[theme.rule(now(result, "epochs"))],
    )


def lots(result: NetworkResult) -> dict:
    """What a larger lot buys: the noise on the mean gradient, for the same epochs and the same budget."""
    found, settings = result.noise_by_lot, result.settings
    known = np.isfinite(found.noise_on_the_mean)
    now = settings.sigma * settings.clip_norm / settings.lot_size
    x, y = found.size[known], found.noise_on_the_mean[known]
    hover = "lots of %{x}: noise %{y:.3g}<extra>each step</extra>"
    low, high = theme.steady_range(min([*y, now]), max([*y, now]))
    return theme.figure(
        theme.line(x, y, colour=theme.PRIVATE, name="noise on the mean", mode="lines+markers", hovertemplate=hover),
        margin={"l": 66, "r": 12, "t": 34, "b": 44},
        title=theme.title(_lots_title(known, y)),
        shapes=[theme.rule(settings.lot_size), theme.diamond(settings.lot_size, now)],
        xaxis={
            "title": {"text": "lot size (log scale)"},
            "type": "log",
            "range": [np.log10(found.size[0] * 0.9), np.log10(found.size[-1] * 1.1)],
            "tickvals": [20, 50, 100, 200, 500, 1000],
            "ticktext": ["20", "50", "100", "200", "500", "1000"],
        },
        yaxis=theme.steady_axis("noise sd (log scale)", low, high),
    )


def _lots_title(known: np.ndarray, noise: np.ndarray) -> str:
    """What the noise over lot sizes shows, as far as it is computed."""
    if not known.all():
        return f"Noise by lot size: {known.sum()} of {len(known)} computed"
    return f"{'Larger lots, less noise' if (np.diff(noise) < 0).all() else 'Noise by lot size'} (same budget)"
