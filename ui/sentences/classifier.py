"""The classifier in words: verdict, diagnostics, table, guarantee, method."""

from pathlib import Path

import streamlit as st

from dpcore.experiments.classifier import ClassifierResult
from dpcore.experiments.classifier_claims import PUBLISHED, crossing, formula_epsilon, published_slips
from ui import panels
from ui.figures import theme
from ui.panels import in_hundred, number

VERSIONS_HELP = (
    "**Sound**: each person's gradient is clipped, the noise calibrated exactly. **As published**: the slides clip "
    "the average gradient and use the textbook's noise. **No privacy**: no clipping, no noise."
)


def verdict(result: ClassifierResult) -> str:
    """What these settings promise, and what they cost."""
    return " ".join((_promise(result), _cost(result)))


def _promise(result: ClassifierResult) -> str:
    settings, held = result.settings, result.guarantees
    match settings.version:
        case "sound":
            weak = " That is hardly a promise any more." if settings.epsilon > 10 else ""
            return f"With <b>epsilon {number(settings.epsilon)}</b>, {panels.odds(held.formula)}.{weak}"
        case "published":
            return (
                f"The slides' recipe claims epsilon {number(settings.epsilon)}, but <b>clipping the average does not "
                "give it</b>: one person can move the clipped average by up to 2C, and the noise is made for 2C/n. "
                f"What this noise supports is epsilon <b>{number(held.unbounded.epsilon)}</b> when nothing bounds a "
                f"row, and {number(held.bounded.epsilon)} with all rows inside of their public bounds, as here."
            )
        case _:
            return "<b>No privacy</b>: the weights follow the data exactly, and nothing is promised to anybody."


def _cost(result: ClassifierResult) -> str:
    summary = result.summary()
    scratch = summary["scratch"]
    if result.settings.version == "none":
        return f"The model is right {in_hundred(result.reference.accuracy)} times in 100 on new people."
    text = (
        f"The model is right <b>{in_hundred(scratch.median)} times in 100</b> on new people, against "
        f"{in_hundred(result.reference.accuracy)} without privacy, and between {in_hundred(scratch.low)} and "
        f"{in_hundred(scratch.high)} in nine runs of ten."
    )
    if "public" in summary:
        rows = result.settings.public_rows
        text += f" Started from {rows} public rows it is right {in_hundred(summary['public'].median)} times."
    return text


def diagnostics(result: ClassifierResult) -> list[str]:
    """Why the picture looks as it does: clipping, noise against signal, convergence."""
    settings, focus, reference = result.settings, result.focus, result.reference
    sentences = []
    if settings.version != "none":
        sentences.append(_clipping(result))
        ratio = focus.noise / max(float(focus.signal[0]), 1e-12)
        sentences.append(
            f"Noise against signal: at the first step the noise is <b>{number(ratio)} times</b> as long as the mean "
            f"gradient ({number(focus.noise)} against {number(float(focus.signal[0]))}), and there are "
            f"{settings.steps} steps. "
            + ("Noise leads; only the average over many steps still finds the way." if ratio > 1 else "The data lead.")
        )
    if reference.best_accuracy - reference.accuracy > 0.015:
        sentences.append(
            f"Part of the gap is not privacy: even without noise, {settings.steps} steps at learning rate "
            f"{number(settings.learning_rate)} are right {in_hundred(reference.accuracy)} times in 100, and a model "
            f"fitted to the end {in_hundred(reference.best_accuracy)}. More steps or a higher rate come first."
        )
    return [*sentences, *filter(None, [panels.large_delta(settings.delta, settings.rows)])]


def _clipping(result: ClassifierResult) -> str:
    bound, share = result.settings.clip_norm, float(result.focus.clipped[0])
    if result.settings.version == "published":
        return (
            f"The bound {number(bound)} is put on the <i>average</i> gradient, whose norm is "
            f"{number(float(result.focus.signal[0]))} at the start; {in_hundred(share)} in 100 gradients of single "
            "people are longer than it, and stay so."
        )
    text = f"The bound {number(bound)} shortens <b>{in_hundred(share)} in 100</b> gradients"
    if share < 0.01:
        return (
            text
            + ": it clips nothing, and the noise is made for it all the same. Half the bound would halve the noise."
        )
    if share > 0.9:
        return text + ": nearly all. Noise and signal shrink together now; a lower bound only makes the steps shorter."
    return text + "."


def table(result: ClassifierResult) -> None:
    """The nine epsilons of the slides, trained now beside the published figures."""
    frame, slips = result.table(), published_slips()
    shown = frame.assign(
        **{
            "epsilon": frame["epsilon"].map(number),
            **{name: frame[name].map(_percent) for name in ("without", "with")},
            **{name: frame[name].map("{:.2f}".format) for name in frame.columns if name.startswith("published")},
            "gain": frame["gain"].map(_signed),
        }
    )
    shown["published gain"] = [
        text + ("&nbsp;*" if epsilon in slips else "")
        for text, epsilon in zip(shown["published gain"], PUBLISHED, strict=True)
    ]
    now, printed = panels.badge("trained now"), panels.badge("published")
    st.markdown("**Public pre-training, here and in the slides** (accuracy in %)")
    panels.table(
        shown,
        caption=(
            "Trained now: median of the repeats on held-out rows. Published: one run on the training rows of the "
            "slides' own data. * The printed gain is not the difference of the printed accuracies (at "
            f"{', '.join(map(number, slips))}). " + _insight(frame, result)
        ),
        heads={
            "epsilon": "epsilon",
            "without": f"from zero<br>{now}",
            "with": f"public start<br>{now}",
            "gain": f"gain<br>{now}",
            "published without": f"without<br>{printed}",
            "published with": f"with<br>{printed}",
            "published gain": f"gain<br>{printed}",
            "published gain computed": "difference",
        },
        now=number(result.settings.epsilon),
    )


def _insight(frame, result: ClassifierResult) -> str:
    """Where the public start helped most, in the numbers at hand."""
    gains = frame.dropna(subset=["gain"])
    if gains.empty or result.settings.version == "none":
        return ""
    most, last = gains.loc[gains["gain"].idxmax()], gains.iloc[-1]
    if most["gain"] < 0.5:
        return "With these settings the public start helps nowhere."
    return (
        f"Here the public start is worth most at epsilon {number(most['epsilon'])} ({_signed(most['gain'])} points), "
        f"and {_signed(last['gain'])} at {number(last['epsilon'])}: it matters where noise drowns the private data, "
        "while in the slides' table the gain stays to the end."
    )


def guarantee(result: ClassifierResult) -> str:
    """What is promised, under which assumptions, and what is not."""
    held, settings = result.guarantees, result.settings
    match settings.version:
        case "sound":
            text = panels.guarantee(here=held.formula) + panels.note(
                "Exactly the claim. This mechanism's noise is Gaussian, so here the 50:50 attacker is right at most "
                f"{in_hundred(result.gaussian_attacker)} times in 100; the verdict's "
                f"{in_hundred(held.formula.attacker_accuracy)} holds for any mechanism with this epsilon and delta."
            )
        case "published":
            text = panels.note(f"Claimed: epsilon {number(held.claimed)}. What the same noise really gives:")
            text += panels.guarantee(
                rows_unbounded=held.unbounded, rows_in_their_bounds=held.bounded, each_gradient_clipped=held.formula
            )
            text += panels.note(_formula_note(settings.delta))
        case _:
            text = panels.note("None. There is no epsilon for a release without noise.")
    return text + panels.note(
        "Assumed: feature bounds, number of rows, steps and rates are public; one row a person. <b>Not</b> "
        "protected: points, losses and accuracies on this page (analyst only), the public rows, and what can be "
        "learnt about you from others."
    )


def _formula_note(delta: float) -> str:
    claims = (5, 10, 150)
    pairs = ", ".join(f"{claim} &rarr; {number(formula_epsilon(claim, delta=delta))}" for claim in claims)
    return (
        f"The noise formula alone, had each gradient been clipped: claimed &rarr; real epsilon {pairs} at delta "
        f"{delta:g}. Below {number(crossing(delta))} it wastes accuracy; above, it promises more than it gives. It is "
        "the one-shot textbook formula, not an advanced composition."
    )


def map_alt(result: ClassifierResult, arm: int | None) -> str:
    """What a screen reader says in place of a map."""
    if arm is None:
        return f"Decision regions without privacy; right {in_hundred(result.reference.accuracy)} times in 100."
    name = result.settings.arms[arm]
    part = result.summary()[name]
    title = theme.NAMES[result.settings.version][name]
    return (
        f"Decision regions, {title}: boundaries of {result.settings.repeats} models at epsilon "
        f"{number(result.settings.epsilon)}; median accuracy {in_hundred(part.median)} in 100."
    )


def accuracy_alt(result: ClassifierResult) -> str:
    """The accuracy curve in words."""
    epsilons, (_, medians, _) = result.quantiles(0)
    medians = ", ".join(
        f"{number(epsilon)}: {in_hundred(median)}" for epsilon, median in zip(epsilons, medians, strict=True)
    )
    return f"Median held-out accuracy in percent over epsilon, private from zero: {medians}."


def loss_alt(result: ClassifierResult) -> str:
    """The loss curves in words."""
    end = float(result.focus.loss[0, :, -1].mean())
    return (
        f"Loss over {result.settings.steps} steps: ends at {number(end)} on average with privacy, "
        f"{number(float(result.reference.loss[-1]))} without."
    )


def _percent(value: float) -> str:
    return "…" if value != value else f"{value:.1f}"


def _signed(value: float) -> str:
    return "…" if value != value else f"{value:+.1f}"


def how_it_works() -> None:
    """The algorithm in steps, and what the slides leave open or get wrong."""
    st.markdown(Path(__file__).with_suffix(".md").read_text(encoding="utf-8"))
