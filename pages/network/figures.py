"""The network's pictures: decision regions, trajectories over epochs and epsilon, gradient norms, lots and noise."""

import numpy as np

from lab.claims import Case
from pages.network.experiment import OVER
from pages.network.result import EDGES, NetworkResult
from pages.network.work import FRAMES
from ui.plot import columns, maps, theme
from ui.texts import Texts

SAYS = Texts(__file__)

COLOURS = {"private": theme.PRIVATE, "plain": theme.NON_PRIVATE}
NAMES = {
    "sound": "private",
    "inside": "noise per example",
    "realised": "actual batch size",
    "shuffled": "shuffled batches",
}
PLAIN = "non-private"
# How batches and noise are made: name and colour.
MECHANISMS = {
    "sampled": ("Poisson sampling", theme.SAGE),
    "ordered": ("fixed order", theme.MAUVE),
    "tree": ("fixed order, DP-FTRL", theme.PINE),
}
# Layers, from the first to the last.
LAYERS = (theme.MAUVE, theme.SAGE, theme.PINE, theme.GOLD)
# The histogram's height: a share of all gradients in one bar.
_TALLEST = 0.25
# The top of the axis of accuracy, in percent; and the height of the legend there, as a share of it.
_TOP, _LEGEND = 102, 0.25
# How far an axis goes on beyond the end of the training.
_BESIDE = 1.02


def arm_name(result: NetworkResult, arm: str) -> str:
    """Return what an arm is called."""
    return PLAIN if arm == "plain" else NAMES[result.settings.variant]


def regions(result: NetworkResult, arm: str) -> dict:
    """Draw what the ensemble of an arm decides at the drawn moment, with the boundary of every network."""
    width = 1.2 if arm == "private" else 1.6
    boundary = maps.boundary(result.plane, result.boundaries(arm), colour=COLOURS[arm], width=width)
    return maps.decided(
        result.split,
        result.plane,
        *result.regions(arm),
        boundaries=[boundary | {"name": theme.GHOST}],
        title=theme.title(arm_name(result, arm).capitalize(), theme.percent(result.summary(arm).median)),
    )


def inputs(result: NetworkResult) -> dict:
    """Draw how far training has moved what each input enters by, beside what noise alone would do: a dot a network."""
    return columns.dots(
        leading(result),
        model="network",
        title=theme.title(SAYS["figures.inputs"], SAYS["figures.inputs_noise"]),
        axis="distance its weights moved",
        rangemode="tozero",
        alone=result.moved_by_noise,
    )


def leading(result: NetworkResult) -> columns.Leading:
    """The inputs whose weights have moved most; without privacy, in the middle one of the networks that are finite."""
    plain = result.moved("plain")
    plain = plain[np.isfinite(plain).all(axis=1)]
    middle = np.median(plain, axis=0) if len(plain) else np.full(plain.shape[1], np.nan)
    return columns.leading(result.split.source.features, result.moved("private"), middle)


def accuracy(result: NetworkResult) -> dict:
    """Right answers on held-out rows in training, above those of always giving the same answer.

    What moves while it plays are shapes, so that the curves need not be drawn again; the values stand over the maps.
    """
    base, (end, label) = result.split.best_constant[1], _axis(result)
    now = moment(result), 100 * result.summary("private").median
    flat = theme.line(
        np.array([0.0, end]),
        np.full(2, 100 * base),
        colour=theme.NON_PRIVATE,
        name=theme.key(SAYS["figures.baseline"], theme.percent(base)),
        dash="dash",
        hovertemplate=f"%{{y:.1f}} %<extra>{SAYS['figures.baseline']}</extra>",
    )
    drawn = theme.figure(
        *_trajectory(result, "accuracy", scale=100, unit=" %"),
        flat,
        title=theme.title(SAYS("figures.accuracy", label=label), _finding(result)),
        legend="lower right",
        xaxis={"title": {"text": label}, "range": [0, end]},
        yaxis={"title": {"text": "test accuracy, %"}, "range": [0, _TOP]},
        shapes=[theme.rule(now[0]), theme.dot(*now, colour=theme.PRIVATE) | {"name": theme.GHOST}],
    )
    if place := _between(result, base):
        drawn["layout"]["legend"] |= {"x": 0.97, "y": place, "yanchor": "middle"}
    else:
        drawn["layout"]["shapes"][0]["y0"] = _LEGEND  # the rule ends above the corner
    return drawn


def _between(result: NetworkResult, base: float) -> float | None:
    """The middle between the curves' ends, as a share of the height, where the legend's corner is not free of them."""
    low, high = sorted(one.accuracy[1, -1] for one in result.trajectories.values())
    lowest = min(base, *(one.accuracy[0, len(one.frames) // 2 :].min() for one in result.trajectories.values()))
    if lowest * 100 / _TOP > _LEGEND or high - low < 2 * _LEGEND:
        return None
    return float(low + high) / 2 * 100 / _TOP


def _finding(result: NetworkResult) -> str:
    """Return what the second half of the axis adds to the middle private network; or how far the training has come."""
    if result.reached < FRAMES:
        return SAYS("figures.trained", reached=result.reached, all=FRAMES)
    if result.second_half is None:
        return ""
    case, gain = result.second_half
    if case not in (Case.AHEAD, Case.BEHIND):
        return SAYS["figures.unchanged"]
    return SAYS(f"figures.{'adds' if case == Case.AHEAD else 'loses'}", points=int(f"{abs(100 * gain):.0f}"))


def loss(result: NetworkResult) -> dict:
    """Loss on private rows in training."""
    seen = np.concatenate([one.loss.ravel() for one in result.trajectories.values()])
    seen = seen[np.isfinite(seen)]
    low, high = theme.steady_range(max(seen.min(initial=1), 1e-3) / 2, min(seen.max(initial=1), 1e3))
    end, label = _axis(result)
    return theme.figure(
        *_trajectory(result, "loss", scale=1, unit=" nats"),
        title=theme.title(SAYS["figures.loss"], "not released"),
        legend="lower left",
        xaxis={"title": {"text": label}, "range": [0, end]},
        yaxis=theme.steady_axis("mean loss (nats, log scale)", low, high),
        shapes=[theme.rule(moment(result))],
    )


def _trajectory(result: NetworkResult, what: str, *, scale: float, unit: str) -> list[dict]:
    """Median and nine in ten of the networks in training, and the median without privacy."""
    traces, over = [], result.settings.over
    for arm, trajectory in result.trajectories.items():
        x = getattr(trajectory, over)
        known = np.isfinite(x)
        low, median, high = scale * getattr(trajectory, what)[:, known]
        own = {"meta": theme.GHOST} if arm == "private" else {}
        if own:
            traces.append(theme.band(x[known], low, high, colour=COLOURS[arm]))
        name = arm_name(result, arm)
        own |= {"hovertemplate": f"{OVER[over]} %{{x:.3g}}: %{{y:.3g}}{unit}<extra>{name}</extra>"}
        traces.append(theme.line(x[known], median, colour=COLOURS[arm], name=name, **own))
    return traces


def moment(result: NetworkResult) -> float:
    """Return where the drawn moment lies on the axis that the curves run over."""
    return result.epochs if result.settings.over == "epochs" else float(np.nan_to_num(result.spent[result.frame]))


def _axis(result: NetworkResult) -> tuple[float, str]:
    """(the end of the axis that the curves run over, its label)."""
    settings = result.settings
    return _last_epoch(result) if settings.over == "epochs" else settings.epsilon * _BESIDE, OVER[settings.over]


def _last_epoch(result: NetworkResult) -> float:
    return max(result.settings.steps * result.settings.rate, 1e-9) * _BESIDE


def norms(result: NetworkResult) -> dict:
    """Draw how long the gradients of single rows are at the drawn moment, with the bounds that clip them."""
    bounds, (*layers, whole) = result.bounds, result.bars
    who = "person" if result.settings.by_person else "row"
    each = len(bounds) > 1
    if each:
        shapes = [_staircase(bars, colour=LAYERS[place]) for place, bars in enumerate(layers)]
    else:
        shapes = [_staircase(whole, colour=theme.PRIVATE, filled=True)]
    shapes.append(_bound(bounds[0]))
    share = result.clipped[-1]
    words = [_word(theme.ink(f"C = {bounds[0]:.3g}", theme.BOUND), x=np.log10(bounds[0]))]
    words += [_word(_layer_names(len(layers)), x=0.01, y=0.97, xref="paper", xanchor="left")] if each else []
    return theme.figure(
        theme.holder(1.0, -1.0),
        title=theme.title(SAYS["figures.norms"], SAYS("figures.too_long", share=theme.percent(share))),
        shapes=shapes,
        annotations=words,
        xaxis={
            "title": {"text": f"norm of a {who}'s gradient (log scale)"},
            "type": "log",
            "range": [np.log10(EDGES[0]), np.log10(EDGES[-1])],
            "tickvals": [1e-4, 1e-2, 1, 100],
            "ticktext": ["0.0001", "0.01", "1", "100"],
        },
        yaxis=theme.share_axis("share of " + ("people" if who == "person" else "rows"), _TALLEST, step=0.05),
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


def _word(text: str, *, x: float, y: float = 0.86, **place: object) -> dict:
    return theme.word(text, x=x, y=y, size=13, **{"xanchor": "center", "yref": "paper", "yanchor": "middle"} | place)


def _layer_names(layers: int) -> str:
    """A legend of the layers."""
    names = (theme.ink(f"■ layer {place + 1}", LAYERS[place]) for place in range(layers))
    return " ".join(names)


def clipped(result: NetworkResult) -> dict:
    """Share of gradients that the bound clips, over the epochs: of each layer where each has a bound."""
    (epochs, (*layers, whole)), each = result.clipped_over_epochs, len(result.recipe.bounds) > 1
    named = [(f"layer {place}", share, LAYERS[place - 1]) for place, share in enumerate(layers, 1)]
    shown = [*(named if each else []), ("any layer" if each else "gradients", whole, theme.PRIVATE)]
    traces = [
        theme.line(
            epochs,
            100 * share,
            colour=colour,
            name=name,
            hovertemplate=f"epoch %{{x:.3g}}: %{{y:.0f}} % clipped<extra>{name}</extra>",
        )
        for name, share, colour in shown
    ]
    first, last = (f"{100 * share:.0f}" for share in (whole[0], whole[-1]))
    change = SAYS("figures.clipped_range", first=first, last=last) if first != last else ""
    return theme.figure(
        *traces,
        title=theme.title(SAYS["figures.clipped"], change),
        legend="lower right" if each else None,
        xaxis={"title": {"text": "epochs"}, "range": [0, _last_epoch(result)]},
        yaxis={"title": {"text": "gradients clipped, %"}, "range": [0, 108]},
        shapes=[theme.rule(result.epochs) | ({"y0": 0.4} if each else {})],
    )


def lots(result: NetworkResult) -> dict:
    """Draw what a larger lot buys: the noise on the mean gradient, for the same epochs and the same budget."""
    found, settings = result.noise_by_lot, result.settings
    known = np.isfinite(found.noise_on_the_mean)
    now = settings.sigma * settings.clip_norm / settings.lot
    x, y = found.size[known], found.noise_on_the_mean[known]
    hover = "batches of %{x}: noise %{y:.3g} on the mean gradient<extra>for this budget</extra>"
    low, high = theme.steady_range(min([*y, now]), max([*y, now]))
    first = ", at first" if result.only_at_first else ""
    return theme.figure(
        theme.line(x, y, colour=theme.PRIVATE, name="noise on the mean", mode="lines+markers", hovertemplate=hover),
        margin={"l": 66, "r": 12, "t": 54, "b": 44},
        title=theme.title(SAYS["figures.lots"], _lots_finding(known, y)),
        shapes=[theme.rule(settings.lot), theme.diamond(settings.lot, now)],
        xaxis={
            "title": {"text": "batch size (log scale)"},
            "type": "log",
            "range": [np.log10(found.size[0] * 0.9), np.log10(found.size[-1] * 1.1)],
            "tickvals": [20, 50, 100, 200, 500, 1000],
            "ticktext": ["20", "50", "100", "200", "500", "1,000"],
        },
        yaxis=theme.steady_axis(f"sd of the noise on the mean gradient{first} (log scale)", low, high),
    )


def noise_left(result: NetworkResult) -> dict:
    """Draw what noise alone gives a weight in training by each mechanism, for the same epsilon."""
    found = result.noise_left
    x, drawn = found["epochs"].to_numpy()[1:], {name: found[name].to_numpy()[1:] for name in result.settings.mechanisms}
    traces = [
        theme.line(
            x,
            y,
            colour=MECHANISMS[name][1],
            name=MECHANISMS[name][0],
            hovertemplate=f"epoch %{{x:.3g}}: %{{y:.3g}}<extra>{MECHANISMS[name][0]}</extra>",
        )
        for name, y in drawn.items()
    ]
    seen = [sd for y in drawn.values() for sd in y if sd > 0]  # before the first step there is none
    low, high = theme.steady_range(min(seen), max(seen))
    epsilon = SAYS("figures.noise_left_epsilon", epsilon=f"{result.settings.left:.3g}")
    return theme.figure(
        *traces,
        margin={"l": 66, "r": 12, "t": 54, "b": 44},
        title=theme.title(SAYS["figures.noise_left"], epsilon),
        legend="lower right",
        shapes=[theme.rule(result.epochs) | {"y0": _LEGEND}],
        xaxis={"title": {"text": "epochs"}, "range": [0, _last_epoch(result)]},
        yaxis=theme.steady_axis("sd of the noise in a weight (log scale)", low, high),
    )


def _lots_finding(known: np.ndarray, noise: np.ndarray) -> str:
    """Return what the noise over lot sizes shows, as far as it is computed."""
    if not known.all():
        return SAYS("figures.lots_known", known=known.sum(), all=len(known))
    return SAYS["figures.lots_finding"] if (np.diff(noise) < 0).all() else ""
