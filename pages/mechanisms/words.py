"""One released number in words: verdict, the release at hand, diagnostics, guarantee, table."""

import math
from typing import Any

from pages.mechanisms.experiment import COUNT_NOISES, NUMBER_MECHANISMS, MechanismsResult
from ui import outcomes, panels
from ui.panels import in_hundred, number

MECHANISMS_HELP = (
    "**Laplace**: two-sided exponential noise; needs no delta. **Gaussian**: the least Gaussian noise that keeps "
    "epsilon and delta. **Textbook**: Gaussian noise by the formula sqrt(2 ln(1.25/delta))/epsilon, proved for epsilon "
    "below 1."
)


def verdict(result: MechanismsResult) -> str:
    """What is promised, what it does to the reader's own prior, and what it costs."""
    return " ".join((_promise(result), _prior(result), _cost(result)))


def _promise(result: MechanismsResult) -> str:
    settings, right = result.settings, result.worlds.balanced_accuracy
    odds = f"{panels.odds(result.claim.guarantee, exact=right)}.{panels.weak(right)}"
    claimed, real = number(settings.epsilon), number(result.claim.guarantee.epsilon)
    if not result.claim.holds and real == claimed:
        claimed, real = f"{settings.epsilon:.8g}", f"{result.claim.guarantee.epsilon:.8g}"
    if not result.claim.holds:
        return (
            f"The textbook formula claims <b>epsilon {claimed}</b>, but its noise <b>gives only epsilon "
            f"{real}</b>, a weaker promise, at delta "
            f"{settings.delta:g}: {odds}"
        )
    if settings.mechanism == "classical" and real != claimed:
        return (
            f"The textbook formula is asked for <b>epsilon {claimed}</b>, and its noise gives epsilon {real}, a "
            f"stronger promise: {odds}"
        )
    return f"With <b>epsilon {claimed}</b>, {odds}"


def _prior(result: MechanismsResult) -> str:
    """How far a release may move the reader's first guess."""
    prior = result.settings.prior
    low, high = (float(end) for end in result.posterior_range(prior))
    outside = result.worlds.outside(result.settings.epsilon)
    but = f", except with a chance of {panels.small(outside)}" if outside else ""
    guess, ends = f"our own first guess of {in_hundred(prior)} in 100", (_far(low, prior), _far(high, prior))
    if result.settings.mechanism == "classical":
        return f"The claim would keep y{guess} between {ends[0]} and {ends[1]}{but}."
    return f"Y{guess} can fall to {ends[0]} or rise to {ends[1]} after one release{but}."


def _far(after: float, prior: float) -> str:
    """A chance after a release, in 100, with as many decimals as tell it from the ``prior``, and never certain."""
    if after < 0.0005:
        return "below 0.1"
    if after > 0.9995:
        return "above 99.9"
    digits = max(1 if min(after, 1 - after) < 0.01 else 0, outcomes.digits_apart(after, prior))
    return f"{100 * after:.{digits}f}"


def _cost(result: MechanismsResult) -> str:
    return f"The price: nine releases in ten fall within <b>±{number(result.worlds.within)}</b> of the truth."


def this_release(result: MechanismsResult) -> str:
    """The release at hand, and why it is not one of a series."""
    settings, last = result.settings, result.last
    truth, count = settings.value + settings.sensitivity, settings.release
    series = (
        f"Each of these {count} could have been the one. Publishing all {count} would cost up to {count} times epsilon "
        f"{number(settings.epsilon)}."
        if count > 1
        else "Step the release number with the arrow keys: each is another number that might have been published."
    )
    return (
        f"Release {count} says <b>{last['output']:.5g}</b> (the truth with you: {truth:.5g}). {_likely(last)}: "
        f"{in_hundred(settings.prior)} in 100 becomes <b>{_far(last['posterior'], settings.prior)}</b>. {series}"
    )


def _likely(release) -> str:
    """In which world a release is the likelier, and by how much."""
    size = abs(release["log ratio"])
    ratio = number(math.exp(size)) if size < math.log(1e9) else "more than a billion"
    if ratio == "1":
        return "That is about as likely with you as without you"
    one, other = ("with", "without") if release["log ratio"] > 0 else ("without", "with")
    return f"That is {ratio} times as likely {one} you as {other} you"


def diagnostics(result: MechanismsResult) -> list[str]:
    """What the knobs do, and do not, and why."""
    settings = result.settings
    sentences = [
        f"The noise is made for the sensitivity, {number(settings.sensitivity)}, and not for the truth: at a total of "
        "10 or of 1,000 the error is the same, and so is what the attacker learns. This is why large groups pay "
        "little.",
        "Twice the sensitivity takes twice the noise: the error doubles, and the attacker learns no more.",
    ]
    sentences.append(_attack(result))
    if settings.mechanism == "laplace":
        sentences.append(
            "Delta changes nothing here: Laplace noise keeps the log-ratio between the lines <b>for every output</b>."
        )
        return sentences
    _, beyond = result.worlds.beyond(settings.epsilon)
    sentences.append(
        "Gaussian noise crosses the lines: with you in the data, the output lies beyond the upper one with chance "
        f"<b>{panels.small(beyond)}</b>. What counts is by how much: the mass above e to the epsilon times that "
        f"without you is <b>{panels.small(result.claim.needed_delta)}</b>. This is the delta that the noise needs; "
        f"{settings.delta:g} is promised."
    )
    if settings.mechanism == "classical":
        sentences.append(_formula(result))
    return sentences


def _attack(result: MechanismsResult) -> str:
    """What the best attacker with the reader's prior does."""
    prior = result.settings.prior
    alarms, misses, right = result.worlds.attacker(prior)
    if min(alarms, misses) < 1e-12 and max(alarms, misses) > 0.5:
        says = "out" if misses > alarms else "in"
        no = "hardly any output" if math.isfinite(result.cut) else "no output"
        return (
            f"With a prior of {in_hundred(prior)} in 100 {no} changes the best attacker's mind: always saying "
            f"“{says}” is right {in_hundred(right)} times in 100."
        )
    return (
        f"With your prior of {in_hundred(prior)} in 100 the best attacker says “in” above {result.cut:.5g}, and is "
        f"right {in_hundred(right)} times in 100: {in_hundred(alarms)} of 100 outsiders are accused, "
        f"{in_hundred(misses)} of 100 members missed."
    )


def _formula(result: MechanismsResult) -> str:
    """The textbook formula against the exact calibration."""
    settings, crossing = result.settings, result.errors.crossing
    extra = result.over_exact
    where = f"at delta {settings.delta:g} the two meet at epsilon {number(crossing)}"
    if not result.claim.holds:
        return (
            f"The formula's noise is {number(100 * (1 - extra))}&nbsp;% too small here: <b>it promises more than it "
            f"gives</b>. It was proved for epsilon below 1; {where}."
        )
    return f"The formula's noise is {number(100 * (extra - 1))}&nbsp;% more than is needed here; {where}."


def choosing(result: MechanismsResult) -> str:
    """Report-noisy-max in words."""
    settings, rows = result.settings, _options(result)
    best, voted = rows[0], rows[settings.voted]
    ahead = f"{settings.lead} ahead" if settings.lead else "level with the next"
    before, after = panels.small(voted["without you"]), panels.small(voted["with you"])
    moves = f"moves its chance from {before} to {after}" if before != after else f"leaves its chance at {before}"
    return panels.note(
        f"{COUNT_NOISES[settings.noise]} noise is added to each count, and <b>only the winner's name</b> is published. "
        f"{best['option']}, {ahead} without you, then wins {outcomes.times(best['without you'])}; with you, "
        f"{outcomes.times(best['with you'])}. Your answer for {voted['option']} {moves}. {_factor(result)}"
    ) + panels.note(
        f"This is a release of its own, at epsilon {number(settings.epsilon)}, however many options there are."
    )


def _options(result: MechanismsResult) -> list[dict[str, Any]]:
    """The rows of the choice."""
    return [dict(zip(result.choice, row, strict=True)) for row in zip(*result.choice.values(), strict=True)]


def _factor(result: MechanismsResult) -> str:
    """How much the chance of any option changes, against what is promised."""
    most = result.largest_change
    if most >= 700:
        return "No option's chance changes by more than promised."
    return (
        f"No option's chance changes by more than a factor of {number(math.exp(most))}; epsilon "
        f"{number(result.settings.epsilon)} allows {number(math.exp(result.settings.epsilon))}."
    )


def guarantee(result: MechanismsResult) -> str:
    """What is promised, under which assumptions, and what is not."""
    settings, held = result.settings, result.claim.guarantee
    laplace = settings.mechanism == "laplace"
    text = ""
    if settings.mechanism == "classical":
        text += panels.note(
            f"Claimed: epsilon {number(settings.epsilon)} at delta {settings.delta:g}. What the noise really gives:"
        )
    text += panels.guarantee(here=held)
    named = {"noise": "Laplace", "least": "epsilon"} if laplace else {"noise": "Gaussian"}
    text += panels.note(outcomes.limit(result.worlds.balanced_accuracy, held.attacker_accuracy, **named))
    return text + panels.note(
        "Assumed: nobody adds more than the sensitivity; one release. <b>Not</b> protected: what other people's "
        "answers reveal about you, and the last binary digits, since this is ordinary floating-point noise."
    )


def table(result: MechanismsResult) -> str:
    """The three mechanisms at these settings."""
    frame = result.table()
    shown = frame.assign(
        **{
            "mechanism": frame["mechanism"].map(NUMBER_MECHANISMS),
            "within": frame["within"].map(lambda value: f"±{number(value)}"),
            "claimed": [f"{number(row['claimed epsilon'])}, {row['claimed delta']:g}" for _, row in frame.iterrows()],
            "real epsilon": frame["real epsilon"].map(number),
            "needed delta": frame["needed delta"].map(panels.small),
            "attacker": frame["attacker"].map(panels.at_most),
            "holds": frame["holds"].map({True: "kept", False: "<b>broken</b>"}),
        }
    )
    return panels.table(
        shown,
        title="<b>The three mechanisms at these settings</b>",
        caption="Within: nine releases in ten. Real epsilon: at the claimed delta. Needed delta: at the claimed "
        "epsilon. Attacker: the best one against this very noise (a coin: 50). All exact.",
        heads={
            "mechanism": "mechanism",
            "within": "within",
            "claimed": "claimed epsilon, delta",
            "real epsilon": "real epsilon",
            "needed delta": "needed delta",
            "attacker": "attacker right, in 100",
            "holds": "promise",
        },
        now=NUMBER_MECHANISMS[result.settings.mechanism],
    )


def alts(result: MechanismsResult) -> dict[str, str]:
    """What a screen reader says in place of each picture."""
    settings, last = result.settings, result.last
    low, high = (float(end) for end in result.posterior_range(settings.prior))
    alarms, misses, right = result.worlds.attacker(settings.prior)
    winners = ", ".join(
        f"{row['option']} {in_hundred(row['without you'])} without you and {in_hundred(row['with you'])} with you"
        for row in _options(result)
    )
    return {
        "release": f"Densities of the published number around {settings.value} without you and "
        f"{settings.value + settings.sensitivity:.5g} with you, and their log-ratio against epsilon "
        f"{number(settings.epsilon)}. Release {settings.release} says {last['output']:.5g}.",
        "dots": "Fifty equally likely releases in either world; 45 of them are within plus or minus "
        f"{number(result.worlds.within)} of the truth.",
        "posterior": f"What you think afterwards over what you thought before: within epsilon "
        f"{number(settings.epsilon)}, {in_hundred(settings.prior)} in 100 becomes {_far(low, settings.prior)} to "
        f"{_far(high, settings.prior)}; this release makes it {_far(last['posterior'], settings.prior)}.",
        "trade": f"Misses over false alarms. The best attacker with your prior is right {in_hundred(right)} times in "
        f"100, with {in_hundred(alarms)} false alarms and {in_hundred(misses)} misses in 100.",
        "profile": f"Delta over epsilon: at epsilon {number(settings.epsilon)} this noise needs delta "
        f"{panels.small(result.claim.needed_delta)}, and {result.claim.delta:g} is promised.",
        "errors": f"Error over epsilon for three mechanisms: at epsilon {number(settings.epsilon)}, nine releases in "
        f"ten fall within plus or minus {number(result.worlds.within)}.",
        "choice": f"Chances to win, in 100: {winners}.",
    }
