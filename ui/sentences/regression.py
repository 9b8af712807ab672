"""The regression in words: verdict, diagnostics, tables, guarantee, method."""

import math
from pathlib import Path

import streamlit as st

from dpcore.experiments.regression import SPLITTERS
from dpcore.experiments.regression_result import RegressionResult
from ui import panels
from ui.figures import theme
from ui.panels import in_hundred, number

MECHANISMS_HELP = (
    "**As published**: a student report adds Laplace noise to the quadratic and takes -b/2a. **Sharp**: the same idea "
    "with exact sensitivities, one draw for each pair of symmetric entries, and a repair. **Gaussian**, **AdaSSP**: "
    "Gaussian noise on the statistics. **Answer**: noise on the fitted model. **Descent**: noise on each step."
)
SPLIT_HELP = (
    "How epsilon is divided between the products of features and their products with the label, for *As published* "
    "and *Sharp*. Best: the division with the least noise, each method's own."
)
REPAIR_HELP = (
    "What is done with a noisy quadratic that has no minimum, for *Sharp* and *Gaussian*. It reads the released "
    "numbers alone, so it costs no privacy."
)
# What a method adds noise to, after "noise on".
_ON = {
    "published": "each product of features, drawn twice for a pair",
    "functional": "each product of features, drawn once for a pair",
    "gaussian": "the products, of Gaussian kind",
    "adassp": "the products and the least eigenvalue, of Gaussian kind",
}


def _amount(result: RegressionResult, value: float) -> str:
    return f"{number(value)} {result.settings.source.unit}" if math.isfinite(value) else "…"


def verdict(result: RegressionResult) -> str:
    """What these settings promise, and what they cost."""
    settings, found = result.settings, result.summary()
    weak = " That is hardly a promise any more." if settings.epsilon > 10 else ""
    text = (
        f"With <b>epsilon {number(settings.epsilon)}</b>, {panels.odds(result.guarantee)}.{weak} A prediction is "
        f"off by <b>{_amount(result, found.median)}</b>, against {number(result.least_squares)} without privacy and "
        f"{number(result.mean_error)} if one always says the mean; in nine runs of ten by {number(found.low)} to "
        f"{number(found.high)}."
    )
    return f"{text} {_ending(result)}"


def _ending(result: RegressionResult) -> str:
    """What went wrong, or that nothing did."""
    found, share = result.summary(), result.focus.no_minimum
    if result.settings.mechanism == "published" and share >= 0.005:
        return (
            f"In <b>{in_hundred(share)} of 100 draws the noisy quadratic has no minimum</b>, and what is published "
            "there is a saddle point."
        )
    if found.median >= result.mean_error:
        return "<b>Saying the mean would have been better</b>: the noise is larger than what the data have to say."
    if found.median < 1.02 * result.least_squares:
        return "Privacy costs next to nothing here."
    return ""


def diagnostics(result: RegressionResult) -> list[str]:
    """Why the picture looks as it does: noise against data, runs that blow up, the split, the label."""
    settings, found = result.settings, result.summary()
    sentences = []
    if settings.mechanism in _ON:
        sentences.append(_noise(result))
    if found.mean > 1.15 * found.median:
        sentences.append(
            f"The <b>mean</b> of the runs is {_amount(result, found.mean)}, the median {number(found.median)}: a few "
            "draws come near a matrix without an inverse, with huge answers. So medians and quantiles are drawn."
        )
    if settings.mechanism in SPLITTERS:
        sentences.append(_split(result))
    if settings.mechanism in ("output", "descent"):
        sentences.append(_elsewhere(result))
    if result.cut > 0.001:
        sentences.append(
            f"The label bound {number(settings.label_top)} cuts {number(100 * result.cut)} in 100 labels. The error is "
            "that of the true labels."
        )
    rows = "Ten times the rows" if settings.rows * 10 <= settings.source.train_rows else "Fewer rows"
    sentences.append(
        f"The noise does not know how many people there are ({settings.rows:,} now). {rows} would make it weigh "
        f"{'a tenth' if rows.startswith('Ten') else 'more'}."
    )
    return sentences


def _noise(result: RegressionResult) -> str:
    """The noise beside the direction of which the data say least."""
    ratio = result.noise_sd / result.weakest
    end = (
        "Noise of this size can turn a direction over: what curved up curves down."
        if ratio > 0.25
        else "The data are firm in every direction."
    )
    return (
        f"Noise on {_ON[result.settings.mechanism]}: standard deviation <b>{number(result.noise_sd)}</b>. In the "
        f"direction of which the data say least they add up to {number(result.weakest)} (analyst only). {end}"
    )


def _split(result: RegressionResult) -> str:
    name = result.settings.mechanism
    share, best = result.settings.share_of(name), SPLITTERS[name](result.problem.inputs)
    text = f"{in_hundred(share)} % of epsilon goes to the quadratic"
    return text + (
        ", where the noise is least."
        if abs(share - best) < 0.005
        else f"; the noise would be least with {in_hundred(best)} %."
    )


def _elsewhere(result: RegressionResult) -> str:
    if result.settings.mechanism == "output":
        return (
            "Noise is added to the fitted model, so no quadratic is released. A penalty, chosen from public numbers, "
            "keeps one person's influence small; it also pulls the model towards zero."
        )
    return (
        "Sixty noisy steps; nothing is clipped, as the bounds of the data bound every gradient. What the steps have "
        "not reached by then is missing, even without noise."
    )


def guarantee(result: RegressionResult) -> str:
    """What is promised, under which assumptions, and what is not."""
    text = panels.guarantee(here=result.guarantee)
    if result.settings.mechanism == "published":
        text += panels.note(
            "The claim holds, and more: counted exactly, the same noise gives epsilon "
            f"<b>{number(result.noise_gives)}</b>. The report's sensitivity of the quadratic, 2(d+1)<sup>2</sup>, is "
            "twice the exact one. What fails is not the promise but the answer."
        )
    return text + panels.note(
        "Assumed: bounds of features and label, the number of rows and everything on this page's knobs are public; one "
        "row a person. <b>Not</b> protected: the points, lines and errors shown here, the true surface and least "
        "squares (analyst only), and what can be learnt about you from others."
    )


def tables(result: RegressionResult) -> None:
    """All methods at today's epsilon, and the coefficients of the chosen one."""
    now, analyst = panels.badge("trained now"), panels.badge("analyst only")
    frame, unit = result.table(), result.settings.source.unit
    shown = frame.assign(
        name=[theme.REGRESSIONS[name][0] for name in frame["mechanism"]],
        delta=[f"{delta:g}" for delta in frame["delta"]],
        median=[f"<b>{number(value)}</b>" for value in frame["median"]],
        range=[f"{number(low)} to {number(high)}" for low, high in zip(frame["low"], frame["high"], strict=True)],
        mean=frame["mean"].map(number),
        over=[f"{value:.2f}" for value in frame["over least squares"]],
        worse=[in_hundred(value) for value in frame["worse than the mean"]],
        none=["–" if value != value else in_hundred(value) for value in frame["no minimum"]],
    )
    st.markdown(f"**All methods at epsilon {number(result.settings.epsilon)}** (error in {unit})")
    panels.table(
        shown,
        caption=(
            f"{result.settings.repeats} runs each. Without privacy: least squares {number(result.least_squares)}, "
            f"always the mean {number(result.mean_error)}. The mean of the runs is often quoted; one draw "
            "near a matrix without an inverse decides it. Without a minimum: before any repair."
        ),
        heads={
            "name": "method",
            "delta": "delta",
            "median": f"median error<br>{now}{analyst}",
            "range": "nine runs in ten",
            "mean": "mean of the runs",
            "over": "times least squares",
            "worse": "worse than the mean,<br>in 100",
            "none": "without a minimum,<br>in 100",
        },
        now=theme.REGRESSIONS[result.settings.mechanism][0],
    )
    _coefficients(result)


def _coefficients(result: RegressionResult) -> None:
    frame, settings = result.coefficients(), result.settings
    shown = frame.assign(
        exact=[f"{value:+.3g}" for value in frame["least squares"]],
        middle=[f"<b>{value:+.3g}</b>" for value in frame["median"]],
        range=[f"{low:+.3g} to {high:+.3g}" for low, high in zip(frame["low"], frame["high"], strict=True)],
        right=[in_hundred(value) for value in frame["sign"]],
    )
    st.markdown(
        f"**Coefficients, {theme.REGRESSIONS[settings.mechanism][0]}** ({settings.source.unit}, from the lowest to the "
        "highest value of the feature)"
    )
    panels.table(
        shown,
        caption="The intervals hold what the noise does over the repeats; they say nothing about sampling error.",
        heads={
            "feature": "feature",
            "exact": f"least squares<br>{panels.badge('analyst only')}",
            "middle": f"median<br>{panels.badge('trained now')}",
            "range": "nine runs in ten",
            "right": "right sign, in 100",
        },
    )


def alts(result: RegressionResult) -> dict[str, str]:
    """Each picture in words."""
    name, found = theme.REGRESSIONS[result.settings.mechanism][0], result.summary()
    feature = result.settings.source.features[result.settings.feature]
    at = f"at epsilon {number(result.settings.epsilon)}"
    noisy = result.noisy_surface
    return {
        "errors": (
            f"Median held-out error over epsilon of six methods; {name} {at}: {_amount(result, found.median)}, least "
            f"squares {number(result.least_squares)}, always the mean {number(result.mean_error)}."
        ),
        "no_minimum": (
            f"Share of draws whose noisy quadratic has no minimum, over epsilon; {name} {at}: "
            + ("none is released." if noisy is None else f"{in_hundred(result.focus.no_minimum)} in 100.")
        ),
        "lines": f"Lines of {result.settings.repeats} runs over {feature}, with held-out rows and least squares.",
        "true": "True error over two coefficients, with the end of every run.",
        "noisy": "" if noisy is None else f"Quadratic of one draw; {noisy.negative} directions curve down.",
        "coefficients": f"Coefficients of least squares, and where nine runs in ten of {name} fall.",
        "split": "Median error over the share of epsilon for the quadratic, as published and sharp.",
    }


def how_it_works() -> None:
    """The methods in steps, and what the report leaves open or gets wrong."""
    st.markdown(Path(__file__).with_suffix(".md").read_text(encoding="utf-8"))
