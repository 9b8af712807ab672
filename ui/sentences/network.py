"""The networks in words: verdict, diagnostics, table, guarantee, method."""

from pathlib import Path

import numpy as np
import streamlit as st

from dpcore.experiments.network_result import NetworkResult
from dpcore.experiments.network_training import FRAMES
from ui import panels
from ui.figures.network import arm_name
from ui.panels import in_hundred, number

VARIANTS_HELP = (
    "**Sound**: Poisson lots, noise once a lot, division by the constant L. **Noise inside**: the noise stands inside "
    "of the sum over the rows, as one report prints it. **Realised lot**: division by the size that the lot happens to "
    "have. **Shuffled**: lots cut from a shuffle of the rows, as most training code does."
)
ACCOUNTANTS = {"renyi": "Rényi orders", "moments": "moments accountant", "pld": "loss distribution (slower)"}
KNOBS = {
    "epsilon": {"help": "The budget of the whole training. It is spent step by step."},
    "shown": {"label": "Moment shown", "unit": f"/ {FRAMES}", "pace": 80},
    "learning_rate": {"help": "How far a step goes; it falls to the share under More. Gradients are at most C long."},
    "noise_multiplier": {"help": "sigma, the noise's standard deviation over C in each step."},
}


def verdict(result: NetworkResult) -> str:
    """What is spent and promised at the drawn moment, and what it costs."""
    return " ".join((_when(result), _cost(result)))


def _when(result: NetworkResult) -> str:
    steps = f"{_steps(result.step)} of {result.settings.steps:,}"
    if not result.step:
        return f"Before the first of {_steps(result.settings.steps)} nothing is spent: these networks are random."
    spent = result.guarantee
    if not result.holds:
        return (
            f"After {steps} the accountant says epsilon {_epsilon(result)}, but <b>its theorem is not about this "
            f"loop</b>: {_departure(result)}"
        )
    weak = " That is hardly a promise any more." if np.isfinite(spent.epsilon) and spent.epsilon > 10 else ""
    if not np.isfinite(spent.epsilon):
        return f"After {steps} the budget is still being counted."
    return f"After {steps} <b>epsilon {number(spent.epsilon)}</b> is spent: {panels.odds(spent)}.{weak}"


def _steps(count: int) -> str:
    return f"{count:,} step" + ("" if count == 1 else "s")


def _departure(result: NetworkResult) -> str:
    """Where a training loop departs from what the theorem is about."""
    settings = result.settings
    match settings.variant:
        case "inside":
            return (
                f"with noise for every row of a lot there is about {number(settings.lot_size**0.5)} times the noise "
                "that was paid for, and an empty lot has none."
            )
        case "realised":
            return "one person also changes what everybody's sum is divided by, and the noise is not made for that."
        case _:
            return (
                "each row is in exactly one lot of an epoch, so no chance hides who was looked at. What is proved is "
                f"epsilon {number(result.by_epochs.epsilon)} (replace-one, counted by epochs)."
            )


def _cost(result: NetworkResult) -> str:
    private, plain = result.summary("private"), result.summary("plain")
    near = private.high - private.low < 0.02
    low, high = (f"{100 * end:.1f}" if near else in_hundred(end) for end in (private.low, private.high))
    return (
        f"The networks are right <b>{in_hundred(private.median)} times in 100</b> on new people, between {low} and "
        f"{high} in nine runs of ten; without privacy {in_hundred(plain.median)} times at the same moment."
    )


def diagnostics(result: NetworkResult) -> list[str]:
    """Why the picture looks as it does: clipping, noise, budget, lots."""
    sentences = [_clipping(result), _noise(result), _budget(result)]
    delta = panels.large_delta(result.settings.delta, result.settings.rows)
    more = (_lots(result), _diverged(result), _plain(result), delta)
    return sentences + [sentence for sentence in more if sentence]


def _clipping(result: NetworkResult) -> str:
    settings, shares = result.settings, result.clipped
    bounds = settings.recipes["private"].bounds
    if len(bounds) > 1:
        layers = ", ".join(f"{in_hundred(share)} in layer {place}" for place, share in enumerate(shares[:-1], 1))
        return (
            f"Each of {len(bounds)} layers has the bound C/&radic;{len(bounds)} = {number(bounds[0])}, so together "
            f"they move no more than C: of 100 gradients it shortens {layers}. The noise is the same as with one bound."
        )
    text = f"The bound {number(settings.clip_norm)} shortens <b>{in_hundred(shares[-1])} in 100</b> gradients now"
    if shares[-1] < 0.01:
        return (
            text + ", and the noise is made for it all the same: a lower bound would cost nothing and need less noise."
        )
    if shares[-1] > 0.9:
        return (
            text + ", nearly all: noise and signal shrink together, so only the learning rate decides how far it goes."
        )
    return text + "."


def _noise(result: NetworkResult) -> str:
    ratio = result.noise / max(result.signal, 1e-12)
    parameters = result.settings.architecture.parameters
    return (
        f"Noise against signal: each of {parameters:,} weights gets its own noise. Together it is "
        f"<b>{number(ratio)} times</b> as long as the mean gradient ({number(result.noise)} against "
        f"{number(result.signal)}). Wider networks raise it, larger lots lower it."
    )


def _budget(result: NetworkResult) -> str:
    settings, spent = result.settings, result.spent
    if settings.plan == "noise":
        ends = (
            "the budget ends the training there"
            if settings.used_up
            else f"the training ends after {settings.epochs} epochs with budget left"
        )
        start = f"With noise multiplier {number(settings.sigma)}, {_steps(settings.steps)} fit into the budget: {ends}."
    else:
        start = (
            f"{_steps(settings.steps)} with lots of {settings.lot_size} out of {settings.rows:,} rows need noise "
            f"multiplier <b>{number(settings.sigma)}</b> for epsilon {number(settings.epsilon)}."
        )
    half = np.flatnonzero(spent >= spent[-1] / 2)
    if len(half) and np.isfinite(spent[-1]):
        start += (
            f" Half of the epsilon is gone after {_steps(int(settings.marks[half[0]]))}: the first steps cost most."
        )
    return start


def _lots(result: NetworkResult) -> str:
    found = result.noise_by_lot
    (least, *_, most), noise, steps = found.size, found.noise_on_the_mean, found.steps
    if not np.isfinite(noise).all() or result.settings.plan == "noise":
        return ""
    return (
        f"For the same epochs and budget, lots of {least:.0f} would put noise of {number(noise[0])} on the mean "
        f"gradient in each of {steps[0]:,} steps, lots of {most:,.0f} only {number(noise[-1])} in {steps[-1]:,}."
    )


def _diverged(result: NetworkResult) -> str:
    lost = int((~np.isfinite(result.weights("plain")).all(axis=1)).sum())
    return f"{lost} of the networks without privacy have diverged: lower their rate under More." if lost else ""


def _plain(result: NetworkResult) -> str:
    private, plain = result.summary("private"), result.summary("plain")
    if private.median > plain.median + 0.02:
        return (
            "The networks without privacy do worse here: clipping also steadies the steps, and theirs are not clipped. "
            "A lower rate for them (under More) or more epochs close the gap."
        )
    best = result.ways["plain"].accuracy[1].max()
    if result.reached == FRAMES and best < 0.9 and result.settings.layers:
        return "Part of the loss is not privacy: even without it the training is not done. Try more epochs or units."
    if not result.settings.layers:
        return "Without a hidden layer every boundary is straight, with or without privacy."
    return ""


def guarantee(result: NetworkResult) -> str:
    """What is promised, under which assumptions, and what is not."""
    if result.holds:
        text = panels.guarantee(here=result.guarantee) if np.isfinite(result.guarantee.epsilon) else panels.note("…")
        text += panels.note(
            "It covers the weights after <b>every</b> step, so watching the training costs nothing more. "
            + ("It is what the steps so far have spent." if result.frame < FRAMES else "")
        )
    elif result.settings.variant == "shuffled":
        text = panels.note(f"Claimed by the accountant: epsilon {_epsilon(result)}. Proved without any sampling:")
        text += panels.guarantee(here=result.by_epochs)
    else:
        text = panels.note(f"Claimed by the accountant: epsilon {_epsilon(result)}. No theorem gives it for this loop.")
    return text + panels.note(
        "Assumed: number of rows, lot size, bounds and all settings are public; who was in a lot stays secret; one row "
        "a person. <b>Not</b> protected: points, losses, gradient norms and accuracies on this page (analyst only), "
        "nor the price of trying settings until they look good: count it on the ledger page."
    )


def _epsilon(result: NetworkResult) -> str:
    found = result.guarantee.epsilon
    return number(found) if np.isfinite(found) else "…"


def table(result: NetworkResult) -> None:
    """The training at four moments."""
    frame = result.table()
    percent = {name: frame[name].map(_percent) for name in ("private", "plain")}
    ends = zip(frame["low"], frame["high"], strict=True)
    band = [f"{low:.1f} to {high:.1f}" if low == low else "…" for low, high in ends]
    shown = frame.assign(
        step=frame["step"].map("{:,}".format),
        epochs=frame["epochs"].map(number),
        epsilon=["…" if value != value else number(value) for value in frame["epsilon"]],
        band=band,
        **percent,
    )
    st.markdown("**The training at four moments** (right answers in 100, held-out rows)")
    now = panels.badge("trained now")
    spent = panels.badge("bound") if result.holds else panels.badge("claimed, not proved")
    panels.table(
        shown,
        caption="Median of the networks, and nine in ten of them.",
        heads={
            "step": "after step",
            "epochs": "epochs",
            "epsilon": f"epsilon spent<br>{spent}",
            "private": f"{arm_name(result, 'private')}<br>{now}",
            "band": "nine in ten",
            "plain": f"without privacy<br>{now}",
        },
    )


def _percent(value: float) -> str:
    return "…" if value != value else f"{value:.1f}"


def map_alt(result: NetworkResult, arm: str) -> str:
    """What a screen reader says in place of a map."""
    right = in_hundred(result.summary(arm).median)
    return f"Decision regions, {arm_name(result, arm)}, after {_steps(result.step)}; median accuracy {right} in 100."


def way_alt(result: NetworkResult, what: str, over: str) -> str:
    """The curves in words."""
    ends = {arm: getattr(way, what)[1, -1] for arm, way in result.ways.items()}
    axis = "epochs" if over == "epochs" else "epsilon spent"
    return f"Median {what} over {axis}: ends at {ends['private']:.3g} with privacy and {ends['plain']:.3g} without."


def norms_alt(result: NetworkResult) -> str:
    """The histogram in words."""
    share = in_hundred(result.clipped[-1])
    return f"Gradient norms of private rows, median {number(result.usual_norm)}; {share} in 100 are shortened."


def clipped_alt(result: NetworkResult) -> str:
    """Shares of shortened gradients in words."""
    first, last = result.clipped_on_the_way[1][-1, [0, -1]]
    return f"Gradients that the bound shortens: {in_hundred(first)} in 100 at first, {in_hundred(last)} at the end."


def lots_alt(result: NetworkResult) -> str:
    """Noise over lot sizes in words."""
    found = zip(result.noise_by_lot.size, result.noise_by_lot.noise_on_the_mean, strict=True)
    pairs = ", ".join(f"{size:.0f}: {number(noise)}" for size, noise in found if np.isfinite(noise))
    return f"Noise on the mean gradient by lot size, for the same epochs and budget: {pairs or 'still being computed'}."


def how_it_works() -> None:
    """The algorithm in steps, and what goes wrong in loops that look like it."""
    st.markdown(Path(__file__).with_suffix(".md").read_text(encoding="utf-8"))
