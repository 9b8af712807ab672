"""One released number in words: verdict, the release at hand, diagnostics, guarantee, table, method."""

from pathlib import Path

import numpy as np
import streamlit as st

from dpcore.experiments.mechanisms import MECHANISMS, NOISES, MechanismsResult
from ui import panels
from ui.panels import in_hundred, number

MECHANISMS_HELP = (
    "**Laplace**: two-sided exponential noise; needs no delta. **Gaussian**: the least normal noise that keeps "
    "epsilon and delta, exactly. **Textbook**: Gaussian noise by the formula sqrt(2 ln(1.25/delta))/epsilon, proved "
    "for epsilon below 1."
)


def verdict(result: MechanismsResult) -> str:
    """What is promised, what it does to the reader's own prior, and what it costs."""
    return " ".join((_promise(result), _prior(result), _cost(result)))


def _promise(result: MechanismsResult) -> str:
    settings = result.settings
    if not result.holds:
        return (
            f"The textbook formula claims <b>epsilon {number(settings.epsilon)}</b>, but this noise <b>gives only "
            f"epsilon {number(result.guarantee.epsilon)}</b>, a weaker promise, at delta {settings.delta:g}: "
            f"{panels.odds(result.guarantee)}."
        )
    if settings.mechanism == "classical":
        return (
            f"The textbook formula is asked for <b>epsilon {number(settings.epsilon)}</b>, and its noise gives epsilon "
            f"{number(result.guarantee.epsilon)}, a stronger promise: {panels.odds(result.guarantee)}."
        )
    weak = " That is hardly a promise any more." if settings.epsilon > 10 else ""
    return f"With <b>epsilon {number(settings.epsilon)}</b>, {panels.odds(result.guarantee)}.{weak}"


def _prior(result: MechanismsResult) -> str:
    prior = result.settings.prior
    low, high = (float(end) for end in result.posterior_range(prior))
    outside = result.worlds.outside(result.settings.epsilon)
    but = f" (but for a chance of {panels.small(outside)})" if outside else ""
    if result.settings.mechanism == "classical":
        return (
            f"The claim would keep your own first guess of {in_hundred(prior)} in 100 between {in_hundred(low)} and "
            f"{in_hundred(high)}{but}."
        )
    return (
        f"Your own first guess of {in_hundred(prior)} in 100 can fall to {in_hundred(low)} or rise to "
        f"{in_hundred(high)} after one release{but}."
    )


def _cost(result: MechanismsResult) -> str:
    return f"The price: nine releases in ten fall within <b>±{number(result.within)}</b> of the truth."


def this_release(result: MechanismsResult) -> str:
    """The release at hand, and why it is not one of a series."""
    settings, last = result.settings, result.sequence.iloc[-1]
    truth = settings.value + settings.sensitivity
    ratio = float(np.exp(np.clip(last["log ratio"], -700, 700)))
    odds = f"{number(ratio)} times as" if ratio >= 1 else f"1/{number(1 / ratio)} as"
    count = settings.release
    series = (
        f"Each of these {count} could have been the one. To publish all of them would spend epsilon up to "
        f"{count} times: their average would give you away."
        if count > 1
        else "Step the release number with the arrow keys: each is another number that might have been published."
    )
    return (
        f"Release {count} says <b>{last['output']:.5g}</b> (the truth with you: {number(truth)}), which is {odds} "
        f"likely with you as without you: {in_hundred(settings.prior)} in 100 becomes "
        f"<b>{in_hundred(last['posterior'])}</b>. {series}"
    )


def diagnostics(result: MechanismsResult) -> list[str]:
    """What the knobs do, and do not, and why."""
    settings = result.settings
    sentences = [
        f"The noise is made for the sensitivity {number(settings.sensitivity)} and not for the truth: at a total of 10 "
        "or of 1,000 the error is the same, and the attacker learns the same. That is why large groups pay little.",
        "More sensitivity makes more noise in step: the error grows, and what an attacker learns stays as it is.",
    ]
    sentences.append(_attack(result))
    if settings.mechanism == "laplace":
        sentences.append(
            "Delta changes nothing here: Laplace noise keeps the log-ratio between the lines <b>for every output</b>."
        )
        return sentences
    _, beyond = result.worlds.beyond(settings.epsilon)
    sentences.append(
        "Normal noise crosses the lines: with you, the output lies beyond the upper one with chance "
        f"<b>{panels.small(beyond)}</b>. What counts is by how much: the part above e to the epsilon times the other "
        f"world is <b>{panels.small(result.needed_delta)}</b>, the delta that this noise needs, against "
        f"{settings.delta:g} promised."
    )
    if settings.mechanism == "classical":
        sentences.append(_formula(result))
    return sentences


def _attack(result: MechanismsResult) -> str:
    """What the best attacker with the reader's prior does."""
    prior = result.settings.prior
    alarms, misses, right = result.attacker(prior)
    if min(alarms, misses) < 1e-12 and max(alarms, misses) > 0.5:
        says = "out" if misses > alarms else "in"
        return (
            f"With a prior of {in_hundred(prior)} in 100 no output changes the best attacker's mind: always to say "
            f'"{says}" is right {in_hundred(right)} times in 100.'
        )
    return (
        f'With your prior the best attacker says "in" above {result.cut:.5g}: right {in_hundred(right)} times in 100, '
        f"with {in_hundred(alarms)} of 100 outsiders accused and {in_hundred(misses)} of 100 members missed."
    )


def _formula(result: MechanismsResult) -> str:
    """The textbook formula against the exact calibration."""
    settings, crossing = result.settings, result.errors.crossing
    extra = result.worlds.scale / settings.change(mechanism="gaussian").made.sd
    where = f"at delta {settings.delta:g} the two meet at epsilon {number(crossing)}"
    if not result.holds:
        return (
            f"The formula's noise is {number(100 * (1 - extra))} % too small here: <b>it promises more than it "
            f"gives</b>. It was proved for epsilon below 1; {where}."
        )
    return f"The formula's noise is {number(100 * (extra - 1))} % more than is needed here; {where}."


def choosing(result: MechanismsResult) -> str:
    """Report-noisy-max in words."""
    settings, ratio = result.settings, result.choice_ratio
    frame = result.choice
    best, voted = frame.iloc[0], frame.iloc[settings.voted]
    most = float(np.nanmax(np.abs(ratio)))
    return panels.note(
        f"Noise is added to each count, and <b>only the winner's name</b> is published, with {NOISES[settings.noise]} "
        f"noise. {best['option']}, which leads by {settings.lead}, wins {in_hundred(best['without you'])} times in 100 "
        f"without you and {in_hundred(best['with you'])} with you. Your answer for {voted['option']} moves its chance "
        f"from {panels.small(voted['without you'])} to {panels.small(voted['with you'])}. No option's chance changes "
        f"by more than a factor of {number(float(np.exp(min(most, 700))))}; promised: at most "
        f"{number(float(np.exp(settings.epsilon)))}."
    ) + panels.note(f"One release of its own, at epsilon {number(settings.epsilon)}, however many options there are.")


def guarantee(result: MechanismsResult) -> str:
    """What is promised, under which assumptions, and what is not."""
    settings, held = result.settings, result.guarantee
    text = ""
    if settings.mechanism == "classical":
        text += panels.note(
            f"Claimed: epsilon {number(settings.epsilon)} at delta {settings.delta:g}. What the noise really gives:"
        )
    text += panels.guarantee(here=held)
    text += panels.note(
        f"Any mechanism with this epsilon and delta: a 50:50 attacker is right at most "
        f"{in_hundred(held.attacker_accuracy)} times in 100. This very noise: "
        f"{in_hundred(result.balanced_accuracy)} times, and no attack does better."
    )
    return text + panels.note(
        "Assumed: nobody adds more than the sensitivity; one release. <b>Not</b> protected: what others' answers tell "
        "about you, and the last binary digits, since this is ordinary floating-point noise."
    )


def table(result: MechanismsResult) -> None:
    """The three mechanisms at these settings."""
    frame = result.table()
    shown = frame.assign(
        **{
            "mechanism": frame["mechanism"].map(MECHANISMS),
            "within": frame["within"].map(lambda value: f"±{number(value)}"),
            "claimed": [f"{number(row['claimed epsilon'])}, {row['claimed delta']:g}" for _, row in frame.iterrows()],
            "real epsilon": frame["real epsilon"].map(number),
            "needed delta": frame["needed delta"].map(panels.small),
            "attacker": frame["attacker"].map(in_hundred),
            "holds": frame["holds"].map({True: "kept", False: "<b>broken</b>"}),
        }
    )
    st.markdown("**The three mechanisms at these settings**")
    panels.table(
        shown,
        caption="Within: nine releases in ten. Real epsilon: at the delta of the claim. Needed delta: at the epsilon "
        "of the claim. Attacker: best share of right answers against this very noise, first guess 50:50. All exact.",
        heads={
            "mechanism": "mechanism",
            "within": "within",
            "claimed": "claimed epsilon, delta",
            "real epsilon": "real epsilon",
            "needed delta": "needed delta",
            "attacker": "attacker right, in 100",
            "holds": "promise",
        },
        now=MECHANISMS[result.settings.mechanism],
    )


def alts(result: MechanismsResult) -> dict[str, str]:
    """What a screen reader says in place of each picture."""
    settings, last = result.settings, result.sequence.iloc[-1]
    low, high = (float(end) for end in result.posterior_range(settings.prior))
    alarms, misses, right = result.attacker(settings.prior)
    winners = ", ".join(
        f"{row['option']} {in_hundred(row['without you'])} without you and {in_hundred(row['with you'])} with you"
        for _, row in result.choice.iterrows()
    )
    return {
        "release": f"Densities of the published number around {settings.value} without you and "
        f"{number(settings.value + settings.sensitivity)} with you, and their log-ratio against epsilon "
        f"{number(settings.epsilon)}. Release {settings.release} says {last['output']:.5g}.",
        "dots": "Fifty equally likely releases in either world; 45 of 50 within plus or minus "
        f"{number(result.within)}.",
        "posterior": f"Posterior over prior: a prior of {in_hundred(settings.prior)} in 100 stays between "
        f"{in_hundred(low)} and {in_hundred(high)}; this release makes it {in_hundred(last['posterior'])}.",
        "trade": f"Misses over false alarms. The best attacker with this prior is right {in_hundred(right)} times in "
        f"100, with {in_hundred(alarms)} false alarms and {in_hundred(misses)} misses in 100.",
        "profile": f"Delta over epsilon: at epsilon {number(settings.epsilon)} this noise needs delta "
        f"{panels.small(result.needed_delta)}; promised is {result.claimed_delta:g}.",
        "errors": f"Error over epsilon for three mechanisms: at epsilon {number(settings.epsilon)}, nine releases in "
        f"ten fall within plus or minus {number(result.within)}.",
        "choice": f"Chances to win, in 100: {winners}.",
    }


def how_it_works() -> None:
    """The definitions, the mechanisms and the attacks."""
    st.markdown(Path(__file__).with_suffix(".md").read_text(encoding="utf-8"))
