"""The network's pictures: decision regions, trajectories over epochs, and gradient norms."""

from dataclasses import replace
from typing import Any

import numpy as np

from lab.statistics.claims import Case
from pages.network.result import EDGES, NetworkResult, columns_of
from pages.network.tasks import FRAMES
from ui.charts import bars, coefficients, maps, theme
from ui.charts.curves import Curve, accuracy_chart, accuracy_line, count_progress, curve_chart
from ui.text.numbers import percent
from ui.text.texts import Texts

SAYS = Texts(__file__)

COLOURS = {"private": theme.PRIVATE, "plain": theme.NON_PRIVATE}
NAMES = {
    "correct": "private",
    "realised": "actual batch size",
    "shuffled": "shuffled batches",
}
PLAIN = "non-private"
# Layers, from the first to the last.
LAYERS = (theme.MAUVE, theme.SAGE, theme.PINE, theme.GOLD)
# The histogram's height: a share of all gradients in one bar.
_TALLEST = 0.25
# How far an axis goes on beyond the end of the training.
_BESIDE = 1.02


def arm_name(result: NetworkResult, arm: str) -> str:
    return PLAIN if arm == "plain" else NAMES[result.settings.variant]


def regions(result: NetworkResult, arm: str) -> dict:
    """Draw what the ensemble of an arm decides at the drawn moment, with the boundary of every
    network.
    """
    width = 1.2 if arm == "private" else 1.6
    winner, share, boundaries = result.regions(arm)
    boundary = maps.boundary(result.plane, boundaries, colour=COLOURS[arm], width=width)
    return maps.decision_map(
        result.split,
        result.plane,
        winner,
        share,
        boundaries=[boundary | {"name": theme.PINNED}],
        title=arm_name(result, arm).capitalize(),
        finding=percent(result.summary(arm).median),
    )


def inputs(result: NetworkResult) -> dict:
    """Draw how far training has moved what each input enters by, beside what noise alone would do:
    a dot a network.
    """
    return coefficients.dots(
        leading(result),
        model="network",
        title=SAYS["figures.inputs"],
        finding=SAYS["figures.inputs_noise"],
        axis="distance its weights moved",
        rangemode="tozero",
        noise_alone=result.moved_by_noise,
    )


def leading(result: NetworkResult) -> coefficients.LargestInputs:
    """Return the inputs whose weights have moved most; without privacy, in the median finite
    network.
    """
    plain = result.moved("plain")
    plain = plain[np.isfinite(plain).all(axis=1)]
    middle = np.median(plain, axis=0) if len(plain) else np.full(plain.shape[1], np.nan)
    return coefficients.largest_inputs(
        result.split.source.features, result.moved("private"), middle
    )


def accuracy(result: NetworkResult) -> dict:
    """Draw the right answers on held-out rows in training, above those of always giving the same
    answer.

    What moves while it plays are shapes, so that the curves need not be drawn again; the values
    stand over the maps.
    """
    return accuracy_chart(
        *_trajectory(result, "accuracy", 100, at_current=100 * np.array(result.summary("private"))),
        accuracy_line(SAYS["figures.baseline"], result.split.best_constant[1], dash="dash"),
        current=result.epochs,
        title=SAYS["figures.accuracy"],
        finding=_finding(result),
        xaxis=_epochs_axis(result),
    )


def _finding(result: NetworkResult) -> str:
    """Return what the second half of the training adds to the median network, or how far training
    has come.
    """
    if part := count_progress(result.reached, FRAMES, "checkpoints trained"):
        return part
    if result.second_half is None:
        return ""
    case, gain = result.second_half
    if case == Case.FEW:
        return SAYS["figures.few"]
    name, sign = {Case.AHEAD: ("adds", 1), Case.BEHIND: ("loses", -1)}.get(case, ("unchanged", 0))
    points = int(f"{100 * sign * gain:.0f}")
    return SAYS(f"figures.{name}", points=points) if points > 0 else SAYS["figures.unchanged"]


def loss(result: NetworkResult) -> dict:
    seen = np.concatenate(
        [one[columns_of("loss")].to_numpy().ravel() for one in result.trajectories.values()]
    )
    seen = seen[np.isfinite(seen)]
    low, high = theme.stable_log_range(
        max(seen.min(initial=1), 1e-3) / 2, min(seen.max(initial=1), 1e3)
    )
    (tested,) = (one for one in _trajectory(result, "tested") if one.pinned)
    return curve_chart(
        *_trajectory(result, "loss"),
        replace(
            tested,
            name=SAYS("figures.held_out", model=tested.name),
            y=tested.y[1],
            dash="dash",
            width=2,
            pinned=False,
        ),
        current=result.epochs,
        title=SAYS["figures.loss"],
        finding="not released",
        xaxis=_epochs_axis(result),
        yaxis=theme.detailed_log_axis("mean loss (nats, log scale)", low, high),
    )


def _trajectory(
    result: NetworkResult, what: str, scale: float = 1, at_current: Any = None
) -> list[Curve]:
    """Return the median and 90 % of the networks in training, and the median without privacy."""
    curves = []
    for arm, trajectory in result.trajectories.items():
        x, y = trajectory["epochs"].to_numpy(), scale * trajectory[columns_of(what)].to_numpy().T
        one = Curve(name=arm_name(result, arm), x=x, y=y[1], colour=COLOURS[arm])
        curves.append(
            replace(one, y=y, at_current=at_current, pinned=True) if arm == "private" else one
        )
    return curves


def _epochs_axis(result: NetworkResult) -> dict:
    """Return the axis of the epochs, a little longer than the training."""
    settings = result.settings
    epochs = max(settings.steps * settings.rate, 1e-9)
    return theme.axis("epochs", 0, epochs * _BESIDE)


def norms(result: NetworkResult) -> dict:
    """Draw how long the gradients of single rows are at the drawn moment, with the bounds that clip
    them.
    """
    bounds, (*layers, whole) = result.bounds, result.histogram.to_numpy().T[2:]
    who = "person" if result.settings.by_person else "row"
    each, at = len(bounds) > 1, float(bounds[0])
    shares = dict(zip(LAYERS, layers, strict=False)) if each else {theme.PRIVATE: whole}
    line = {"color": theme.BOUND, "width": 2, "dash": theme.DASHES[theme.BOUND]}
    place = {"yref": "paper", "xanchor": "center", "yanchor": "middle"}
    words = [
        theme.annotation(
            theme.coloured(f"C = {at:.3g}", theme.BOUND), x=np.log10(at), y=0.86, size=13, **place
        )
    ]
    named = " ".join(
        theme.coloured(f"■ layer {place}", colour) for place, colour in enumerate(shares, 1)
    )
    words += [theme.note(named, "upper left")] if each else []
    return bars.histogram(
        EDGES,
        shares,
        filled=not each,
        title=SAYS["figures.norms"],
        finding=SAYS("figures.too_long", share=percent(result.clipped[-1])),
        shapes=[theme.vertical_line(at) | {"y1": 0.82, "line": line}],
        annotations=words,
        xaxis=theme.axis(
            f"norm of a {who}'s gradient (log scale)",
            EDGES[0],
            EDGES[-1],
            log=True,
            ticks=(1e-4, 1e-2, 1, 100),
        ),
        yaxis=theme.share_axis(
            "share of " + ("people" if who == "person" else "rows"), _TALLEST, step=0.05
        ),
    )


def clipped(result: NetworkResult) -> dict:
    """Draw the share of gradients that the bound clips, over the epochs: of each layer where each
    has a bound.
    """
    (epochs, *layers, whole), each = result.clipping.to_numpy().T, len(result.recipe.bounds) > 1
    named = [(f"layer {place}", share, LAYERS[place - 1]) for place, share in enumerate(layers, 1)]
    shown = [*(named if each else []), ("any layer" if each else "gradients", whole, theme.PRIVATE)]
    first, last = (f"{100 * share:.0f}" for share in (whole[0], whole[-1]))
    change = SAYS("figures.clipped_range", first=first, last=last) if first != last else ""
    return curve_chart(
        *(
            Curve(name=name, x=epochs, y=100 * share, colour=colour)
            for name, share, colour in shown
        ),
        current=result.epochs,
        title=SAYS["figures.clipped"],
        finding=change,
        legend=each,
        xaxis=_epochs_axis(result),
        yaxis=theme.axis("gradients clipped, %", 0, 108),
    )
