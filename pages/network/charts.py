"""Charts of the networks: decision regions, trajectories over epochs, and gradient norms."""

from typing import Any

import numpy as np

from pages.network.gradients import EDGES
from pages.network.result import NetworkResult
from pages.network.training import FRAMES
from pages.network.trajectories import columns_of
from ui.charts import bars, coefficients, decision_maps, theme
from ui.charts.curves import Curve, accuracy_chart, accuracy_line, count_progress, curve_chart
from ui.text.numbers import percent
from ui.text.texts import Texts
from ui.text.tiles import distinct_percents

SAYS = Texts(__file__)

COLOURS = {"private": theme.PRIVATE, "plain": theme.NON_PRIVATE}
# The name of the private networks by training loop, and that of the others.
NAMES = {
    "correct": "private",
    "realised": "actual batch size",
    "shuffled": "shuffled batches",
}
PLAIN = "non-private"
# Width of the boundary of a network. There are fewer non-private ones.
_BOUNDARY_WIDTHS = {"private": 1.2, "plain": 1.6}
# Range of the loss axis, in nats, if the curves go further.
_LOWEST_LOSS = 1e-3
_HIGHEST_LOSS = 1e3
# Height of the histogram: a share of all gradients in one bar.
_TALLEST_BAR = 0.25
# The epochs axis is this many times as long as the training.
_LONGER = 1.02


def arm_name(result: NetworkResult, arm: str) -> str:
    """Return the name of an arm in legends."""
    if arm == "plain":
        return PLAIN
    return NAMES[result.settings.variant]


def median_accuracies(result: NetworkResult) -> dict[str, str]:
    """Return the median accuracy of each arm, in percent, which look alike only if they are."""
    private, plain = distinct_percents(
        result.summary("private").median, result.summary("plain").median
    )
    return {"private": private, "plain": plain}


# What networks decide


def regions(result: NetworkResult, arm: str) -> dict:
    """Draw what the networks of an arm decide by majority, and the boundary of each of them."""
    winner, share, boundaries = result.regions(arm)
    boundary = decision_maps.boundary(
        result.plane,
        boundaries,
        colour=COLOURS[arm],
        width=_BOUNDARY_WIDTHS[arm],
    )
    boundary["name"] = theme.PINNED
    return decision_maps.decision_map(
        result.split,
        result.plane,
        winner,
        share,
        boundaries=[boundary],
        title=arm_name(result, arm).capitalize(),
        finding=median_accuracies(result)[arm],
    )


def inputs(result: NetworkResult) -> dict:
    """Draw how far training has moved the weights of each input, a dot per network.

    A line shows how far noise alone would move them.
    """
    return coefficients.dots(
        furthest_inputs(result),
        model="network",
        title=SAYS["figures.inputs"],
        finding=SAYS["figures.inputs_noise"],
        axis="distance its weights moved",
        rangemode="tozero",
        noise_alone=result.distance_by_noise,
    )


def furthest_inputs(result: NetworkResult) -> coefficients.LargestInputs:
    """Return the inputs whose weights have moved furthest.

    Non-private distances are the medians of the networks that have not diverged.
    """
    private = result.distance_moved("private")
    plain = result.distance_moved("plain")  # (R, d)
    converged = plain[np.isfinite(plain).all(axis=1)]
    plain_median = np.full(plain.shape[1], np.nan)
    if len(converged) > 0:
        plain_median = np.median(converged, axis=0)
    return coefficients.largest_inputs(result.split.source.features, private, plain_median)


# Curves over epochs


def accuracy(result: NetworkResult) -> dict:
    """Draw the held-out accuracy over the training, and that of the majority class.

    What moves while the training plays are shapes, so that the curves need not be drawn again. The
    values are in the titles of the maps.
    """
    _, baseline = result.split.best_constant
    at_frame = 100 * np.array(result.summary("private"))
    return accuracy_chart(
        *_arm_curves(result, "accuracy", scale=100, at_current=at_frame),
        accuracy_line(SAYS["figures.baseline"], baseline, dash="dash"),
        current=result.epochs,
        title=SAYS["figures.accuracy"],
        finding=count_progress(result.reached, FRAMES, "checkpoints trained"),
        xaxis=_epochs_axis(result),
    )


def loss(result: NetworkResult) -> dict:
    """Draw the loss of both arms on private rows."""
    low, high = _loss_range(result)
    return curve_chart(
        *_arm_curves(result, "loss"),
        current=result.epochs,
        title=SAYS["figures.loss"],
        finding="not released",
        xaxis=_epochs_axis(result),
        yaxis=theme.detailed_log_axis("mean loss (nats, log scale)", low, high),
    )


def _loss_range(result: NetworkResult) -> np.ndarray | list[float]:
    """Return the ends of the loss axis, which stay while the curves move a little."""
    columns = columns_of("loss")
    losses = [frame[columns].to_numpy().ravel() for frame in result.trajectories.values()]
    all_losses = np.concatenate(losses)
    all_losses = all_losses[np.isfinite(all_losses)]
    lowest = max(all_losses.min(initial=1), _LOWEST_LOSS)
    highest = min(all_losses.max(initial=1), _HIGHEST_LOSS)
    return theme.stable_log_range(lowest / 2, highest)


def _arm_curves(
    result: NetworkResult, quantity: str, *, scale: float = 1, at_current: Any = None
) -> list[Curve]:
    """Return the curve of a quantity for each arm, with a shaded area for the private one.

    at_current: the quantiles of the private networks at the frame that is shown.
    """
    _, median_column, _ = columns_of(quantity)
    plain = result.trajectories["plain"]
    plain_curve = Curve(
        name=arm_name(result, "plain"),
        x=plain["epochs"].to_numpy(),
        y=scale * plain[median_column].to_numpy(),
        colour=COLOURS["plain"],
    )
    private = result.trajectories["private"]
    private_curve = Curve(
        name=arm_name(result, "private"),
        x=private["epochs"].to_numpy(),
        y=scale * private[columns_of(quantity)].to_numpy().T,
        colour=COLOURS["private"],
        at_current=at_current,
        pinned=True,
    )
    return [plain_curve, private_curve]


def _epochs_axis(result: NetworkResult) -> dict:
    """Return the axis of the epochs, which goes on a little after the training."""
    epochs = result.settings.steps * result.settings.sampling_rate
    return theme.axis("epochs", 0, _LONGER * epochs)


# Clipping


def norms(result: NetworkResult) -> dict:
    """Draw the histogram of gradient norms, and a line at the clipping norm."""
    gradients = result.gradients
    clip_norm = result.settings.clip_norm
    unit = "row"
    units = "rows"
    if result.settings.by_person:
        unit = "person"
        units = "people"
    line_style = {"color": theme.BOUND, "width": 2, "dash": theme.DASHES[theme.BOUND]}
    return bars.histogram(
        EDGES,
        {theme.PRIVATE: gradients.histogram},
        title=SAYS["figures.norms"],
        finding=SAYS("figures.too_long", share=percent(gradients.clipped), norm=f"{clip_norm:.3g}"),
        shapes=[{**theme.vertical_line(clip_norm), "line": line_style}],
        xaxis=theme.axis(
            f"norm of a {unit}'s gradient (log scale)",
            EDGES[0],
            EDGES[-1],
            log=True,
            ticks=(1e-4, 1e-2, 1, 100),
        ),
        yaxis=theme.share_axis(f"share of {units}", _TALLEST_BAR, step=0.05),
    )
