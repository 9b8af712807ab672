"""One released number in words: verdict, the release at hand, diagnostics, guarantee, table."""

import math
from collections.abc import Mapping
from typing import Any

from dpcore.privacy import delta_rounded_up
from lab.papers import short
from pages.mechanisms.experiment import COUNT_NOISES, NUMBER_MECHANISMS, MechanismsResult
from pages.mechanisms.figures import FORMULA_NAMES
from ui import outcomes, panels
from ui.outcomes import percent
from ui.panels import Number, in_hundred, number
from ui.plot import theme

MECHANISMS_HELP = (
    "**Laplace**: two-sided exponential noise, which needs no delta (pure DP). **Gaussian**: the least Gaussian "
    "noise that satisfies epsilon and delta. **Textbook**: Gaussian noise by the formula sqrt(2 "
    "ln(1.25/delta))/epsilon, proved for epsilon below 1."
)


INTRODUCTION = (
    "A group is asked, and the number of those who say yes is published with noise. Are **you** in the group? There "
    "are two worlds, one with you and one without you, and one published number. **Drag epsilon** to see how well "
    "anybody can tell the two worlds apart."
)
# What one sees, and what to look for, by picture.
ABOUT = {
    "release": (
        "How likely each number is to be published, in the world with you and in the world without you; below, the "
        "logarithm of how much likelier it is with you. The diamond is this release. Look for how far the two hills "
        "overlap: where they do, nobody can tell the worlds apart."
    ),
    "posterior": (
        "Somebody has a first guess that you are in the data (across) and sees one release: what they think then "
        "(up). The grey diagonal is a release that teaches nothing; the orange lines are as far as epsilon alone lets "
        "a guess move, and the diamond is this release. Look for how the band opens as epsilon grows."
    ),
    "trade": (
        "Whoever says “in” more often accuses more people who are out (across) and misses fewer who are in (up). The "
        "blue line is the best that any attacker can do against this noise, the orange one what the promise leaves at "
        "least, the grey one guessing. Look for how far blue stays above orange: there the noise gives more than it "
        "promises."
    ),
    "profile": (
        "The same noise keeps a smaller epsilon if more is left out of the promise (delta). The blue line is what it "
        "needs at each epsilon, the cross what was promised. A cross below the line is a broken promise."
    ),
    "errors": (
        "How far off nine releases in ten are at most, for each mechanism. Look for where Laplace and Gaussian noise "
        "meet, and for where the textbook formula turns orange: from there on its promise does not hold."
    ),
    "dots": (
        "The same two worlds as a hundred releases that one can count: each dot is as likely as any other. The hollow "
        "ones are five of the outermost. Look for how many dots stand where only one world has any."
    ),
    "formulas": (
        "Which epsilon the noise of two published formulas really gives, over the one that is claimed; at the dotted "
        "level 1 both are the same, as by the exact calibration. Look for where a line turns orange: from there on the "
        "formula promises more than it gives; and for how much the L1 norm of several numbers wastes."
    ),
    "choice": (
        "How often each option wins when only the winner is published, with your vote and without it. Look for how "
        "much your vote changes when the race is close (a lead of 0)."
    ),
}


def numbers(result: MechanismsResult) -> list[Number]:
    """How far a release is off, what this one says, what it makes of a guess, and how well anybody can tell."""
    last, prior = result.last, result.settings.prior
    off, after = number(result.worlds.within), float(last["posterior"])
    then = _far(after, prior)
    return [
        Number("Nine releases in ten", f"±{off}", "of the truth", tone="private", amount=_amount(off)),
        Number("This release says", _published(last["output"]), f"odds of “in” {_odds(last)}"),
        Number(
            "Your guess becomes",
            then,
            f"your {_far(prior, after)}: {_between(result)}",
            amount=_amount(then),
            unit="points",
        ),
        panels.attacker(result.worlds.balanced_accuracy),
    ]


def _amount(shown: str) -> float | None:
    """The number that is shown; None where that is "below" or "above" one."""
    bare = shown.replace(",", "").removesuffix("\u00a0%")
    return None if bare.startswith(("below", "above")) else float(bare)


def _needs(delta: float) -> str:
    """The delta that noise needs, rounded up."""
    return panels.small(delta_rounded_up(delta, digits=2))


def _published(output: float) -> str:
    """The number that is published."""
    return f"{output:,.0f}" if abs(output) >= 1e4 else f"{output:.5g}"


def _odds(release: Mapping[str, Any]) -> str:
    """By what a release multiplies the odds that somebody is in."""
    size = release["log ratio"]
    return f"× {number(math.exp(size))}" if size < math.log(1e9) else "× more than a billion"


def _between(result: MechanismsResult) -> str:
    """Within what the promise keeps the reader's guess."""
    prior, outside = result.settings.prior, result.worlds.outside(result.settings.epsilon)
    low, high = (_far(float(end), prior).removesuffix("\u00a0%") for end in result.posterior_range(prior))
    if low.startswith("below") and high.startswith("above"):
        return "may become anything"
    often = "always" if not outside else "mostly" if outside < _OFTEN else "often not"
    often = often if result.claim.holds else "claimed"
    return f"{often} {low} to {high}"


def verdict(result: MechanismsResult) -> str:
    """How much of a person one number gives away, and where that is more, or less, than was asked for, that first."""
    gives = _formula_gives(result)
    return " ".join((gives, _told(result)) if gives else (_told(result), _prior(result)))


def _formula_gives(result: MechanismsResult) -> str:
    """What the textbook formula's noise gives, where that is another epsilon than was asked for."""
    settings = result.settings
    claimed, real = number(settings.epsilon), number(result.claim.guarantee.epsilon)
    if not result.claim.holds:
        if real == claimed:
            claimed, real = f"{settings.epsilon:.8g}", f"{result.claim.guarantee.epsilon:.8g}"
        return (
            f"The textbook formula claims epsilon {claimed}, but its noise <b>gives only epsilon {real}</b>, a weaker "
            "promise."
        )
    if settings.mechanism == "classical" and real != claimed:
        return (
            f"The textbook formula is asked for epsilon {claimed}, and its noise gives epsilon {real}, a stronger "
            "promise."
        )
    return ""


def _told(result: MechanismsResult) -> str:
    """How well one number tells whether somebody is in, beside how far it is off."""
    right = result.worlds.balanced_accuracy
    says = next(said for most, said in _TELLS if right <= most)
    times = number(result.worlds.within / result.worlds.sensitivity)
    far = "what" if times == "1" else f"{times} times what"
    return f"One number <b>{says}</b>: nine releases in ten are off by up to {far} you add to the total."


# From this chance on, a release that moves a guess farther than epsilon alone would let it is nothing rare.
_OFTEN = 0.1
# The best attacker is right this often at most -> what one number does.
_TELLS = (
    (0.55, "says next to nothing about you"),
    (0.75, "is a hint about you, not a proof"),
    (0.95, "is strong evidence about you"),
    (1.0, "gives you away"),
)


def _prior(result: MechanismsResult) -> str:
    """How far a release may move anybody's odds."""
    epsilon = result.settings.epsilon
    if epsilon >= math.log(1e9):
        return f"Epsilon {number(epsilon)} sets no limit that matters to what somebody may then think."
    outside, factor = result.worlds.outside(epsilon), number(math.exp(epsilon))
    if outside >= _OFTEN:
        return (
            "It is delta that allows this: with a chance of "
            f"{panels.small(outside)} a release changes anybody's odds by more than a factor of {factor}."
        )
    but = f", except with a chance of {panels.small(outside)}" if outside else ""
    return f"It changes anybody's odds that you are in by a factor of at most {factor}{but}."


def _far(after: float, prior: float) -> str:
    """A chance after a release, in percent, with as many decimals as tell it from the ``prior``, and never certain."""
    if after < 0.0005:
        return "below 0.1\u00a0%"
    if after > 0.9995:
        return "above 99.9\u00a0%"
    digits = max(1 if min(after, 1 - after) < 0.01 else 0, outcomes.digits_apart(after, prior))
    return percent(after, digits=digits)


def caption(result: MechanismsResult) -> str:
    """What the marks are."""
    epsilon = result.settings.epsilon
    beyond = "; shaded, the numbers that lie beyond it" if math.isfinite(result.worlds.threshold(epsilon)) else ""
    return (
        f"Diamonds: release {result.settings.release}. Orange: what epsilon {number(epsilon)} "
        f"{'promises' if result.claim.holds else 'claims'}{beyond}. Grey: nothing learnt."
    )


def this_release(result: MechanismsResult) -> str:
    """The release at hand, and why it is not one of a series."""
    settings, last = result.settings, result.last
    truth, count, after = settings.value + settings.sensitivity, settings.release, float(last["posterior"])
    series = (
        f"Each of these {count} could have been the one. Publishing all {count} would cost up to {count} times epsilon "
        f"{number(settings.epsilon)}."
        if count > 1
        else "Step the release number with the arrow keys: each is another number that might have been published."
    )
    return (
        f"Release {count} says <b>{_published(last['output'])}</b> (the truth with you: {truth:.5g}). That is "
        f"{_likely(last)}: a guess of {_far(settings.prior, after)} becomes <b>{_far(after, settings.prior)}</b>. "
        f"{series}"
    )


def _likely(release: Mapping[str, Any]) -> str:
    """In which world a release is the likelier, and by how much."""
    size = abs(release["log ratio"])
    ratio = number(math.exp(size)) if size < math.log(1e9) else "more than a billion"
    if ratio == "1":
        return "about equally likely with you and without you"
    one, other = ("with", "without") if release["log ratio"] > 0 else ("without", "with")
    return f"{ratio} times as likely {one} you as {other} you"


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
        f"without you is <b>{_needs(result.claim.needed_delta)}</b>. This is the delta that the noise needs; "
        f"{theme.delta(settings.delta)} is promised."
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
            f"With a prior of {percent(prior)}, {no} changes the best attacker's mind: always saying "
            f"“{says}” is right {in_hundred(right)} times in 100."
        )
    return (
        f"With your prior of {percent(prior)}, the best attacker says “in” above {result.cut:.5g}, and is "
        f"right {in_hundred(right)} times in 100: {in_hundred(alarms)} of 100 outsiders are accused, "
        f"{in_hundred(misses)} of 100 members missed."
    )


def _formula(result: MechanismsResult) -> str:
    """The textbook formula against the exact calibration."""
    settings, crossing = result.settings, result.errors.crossing
    extra = result.over_exact
    where = f"at delta {theme.delta(settings.delta)} the two meet at epsilon {number(crossing)}"
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


def _promise(result: MechanismsResult) -> str:
    """What it means for a person."""
    right = result.worlds.balanced_accuracy
    odds = f"{panels.odds(result.claim.guarantee, exact=right)}.{panels.weak(right)}"
    return f"With epsilon {number(result.claim.guarantee.epsilon)}, {odds}"


def guarantee(result: MechanismsResult) -> str:
    """What is promised, under which assumptions, and what is not."""
    settings, held = result.settings, result.claim.guarantee
    laplace = settings.mechanism == "laplace"
    text = ""
    if settings.mechanism == "classical":
        text += panels.note(
            f"Claimed: epsilon {number(settings.epsilon)} at delta {theme.delta(settings.delta)}. What the noise "
            "really gives:"
        )
    text += panels.guarantee(here=held) + panels.note(_promise(result))
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
            "claimed": [
                f"{number(row['claimed epsilon'])}, {theme.delta(row['claimed delta'])}" for _, row in frame.iterrows()
            ],
            "real epsilon": frame["real epsilon"].map(number),
            "needed delta": frame["needed delta"].map(_needs),
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


def formulas(result: MechanismsResult) -> str:
    """The formulas of one deck beside the exact calibration: for one number, and for several with the L1 norm."""
    settings, several = result.settings, result.answers
    rows = [
        {
            "formula": f"&radic;(2 {FORMULA_NAMES[name]})/&epsilon;, for {_NORMS[name]}",
            "noise": number(settings.sensitivity * one.sd),
            "real": number(one.real),
            "needed": _needs(one.needed),
            "until": number(one.until),
            "holds": "kept" if one.real <= settings.epsilon else "<b>broken</b>",
        }
        for name, one in result.formulas.items()
        if name in _NORMS
    ]
    exact = {"formula": "exact, for L2 norm", "noise": number(settings.sensitivity * result.exact_noise)}
    exact |= {"real": number(settings.epsilon), "needed": theme.delta(settings.delta), "until": "all", "holds": "kept"}
    names = ("answers", "slide", "real epsilon", "exact", "laplace")
    counts = [dict(zip(names, map(number, row), strict=True)) for row in zip(*map(several.get, names), strict=True)]
    return panels.table(
        [*rows, exact],
        title=f"<b>One number</b>, claimed: epsilon {number(settings.epsilon)}, delta {theme.delta(settings.delta)}",
        caption=f"The first two are of one deck ({short('hoseinpour2023')}). Of one number both "
        "norms are the same. Real epsilon: at this delta. Needed "
        "delta: at this epsilon. Kept up to: the largest claim that the noise keeps at this delta, found as a root "
        "of the exact formula; both are proved for claims below 1 only.",
        heads={
            "formula": "noise sd over sensitivity",
            "noise": "noise sd",
            "real": "real epsilon",
            "needed": "needed delta",
            "until": "kept up to claim",
            "holds": "promise",
        },
    ) + panels.table(
        counts,
        title="<b>Several numbers</b>, each moved by up to the sensitivity: sd of the noise on each",
        caption=_norms(result),
        heads={
            "answers": "numbers",
            "slide": "ln(2/&delta;), L1 norm",
            "real epsilon": "its real epsilon",
            "exact": "exact, L2 norm",
            "laplace": "Laplace, L1 norm",
        },
    )


_NORMS = {"slide": "L1 norm", "classical": "L2 norm"}


def _norms(result: MechanismsResult) -> str:
    """What the L1 norm costs Gaussian noise, and what else there is for it."""
    several, most = result.answers, int(result.answers["answers"][-1])
    less = number(float(several["slide"][-1] / several["laplace"][-1]))
    return (
        "The slide's sensitivity is the L1 norm, never below the L2 norm that Gaussian noise is made for: never less "
        f"noise, and for k equal moves &radic;k times as much. With {most} numbers, the slide's claim of "
        f"{number(result.settings.epsilon)} gives epsilon {number(float(several['real epsilon'][-1]))}. Laplace noise "
        f"takes the L1 norm too, and then its sd is {less} times smaller, without a delta."
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
        f"{number(settings.epsilon)}, {percent(settings.prior)} becomes {_far(low, settings.prior)} to "
        f"{_far(high, settings.prior)}; this release makes it {_far(float(last['posterior']), settings.prior)}.",
        "trade": f"Misses over false alarms. The best attacker with your prior is right {in_hundred(right)} times in "
        f"100, with {in_hundred(alarms)} false alarms and {in_hundred(misses)} misses in 100.",
        "profile": f"Delta over epsilon: at epsilon {number(settings.epsilon)} this noise needs delta "
        f"{_needs(result.claim.needed_delta)}, and {theme.delta(result.claim.delta)} is promised.",
        "errors": f"Error over epsilon for three mechanisms: at epsilon {number(settings.epsilon)}, nine releases in "
        f"ten fall within plus or minus {number(result.worlds.within)}.",
        "formulas": f"Epsilon given over epsilon claimed: for a claim of {number(settings.epsilon)}, {_given(result)}.",
        "choice": f"Chances to win, in 100: {winners}.",
    }


def findings(result: MechanismsResult) -> dict[str, str]:
    """What is to be seen in each picture, for its title."""
    settings, last, delta = result.settings, result.last, result.claim.needed_delta
    prior, after = settings.prior, float(last["posterior"])
    kept = (claim for claim in map(settings.claim, NUMBER_MECHANISMS) if claim.holds)
    least = min(kept, key=lambda claim: claim.worlds.within).mechanism
    before, then = (float(chance) for chance in result.chances[:, settings.voted])
    return {
        "release": f"{_published(last['output'])} is {_likely(last).partition(' as with')[0]}",
        "posterior": f"{_far(prior, after)} becomes {_far(after, prior)}",
        "trade": f"right {in_hundred(result.worlds.attacker(prior)[2])} times in 100 with your guess",
        "profile": f"{_needs(delta) if delta else 'none'} needed, {theme.delta(result.claim.delta)} promised",
        "errors": f"least here with {NUMBER_MECHANISMS[least]}",
        "dots": f"45 are within ±{number(result.worlds.within)}",
        "formulas": f"a claim of {number(settings.epsilon)} gives {_given(result)}",
        "choice": f"your vote adds {outcomes.points(then - before)} to {result.choice['option'][settings.voted]}",
    }


def _given(result: MechanismsResult) -> str:
    """What each formula gives for today's claim."""
    return ", ".join(
        f"{number(one.real)} by {FORMULA_NAMES[name]}" for name, one in result.formulas.items() if name in _NORMS
    )
