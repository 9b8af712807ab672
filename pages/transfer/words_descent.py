"""Walk and noisy descent on the private rows alone, in words."""

from lab.claims import Case
from pages.transfer.descent import STEPS, Alone
from pages.transfer.figures import risk
from pages.transfer.result import TransferResult
from ui import panels
from ui.outcomes import count
from ui.panels import number

ABOUT = (
    "The private rows alone, without any source, by two methods over the number of coefficients, of which ten at most "
    "are not 0. Blue is the walk of this page, the other line noisy gradient descent over the same ball with the same "
    "penalty; bands hold nine runs in ten. Look for where one leaves the other behind, and for both to reach what "
    "predicting 0 would miss."
)


def coefficients(result: TransferResult) -> str:
    """Which method is ahead, with how many coefficients, why, and what descent promises. HTML."""
    now = result.alone.get(result.settings.dimension)
    if now is None:
        return panels.note("Being trained.")
    return panels.bullets(filter(None, [_now(result, now), _over(result), _noise(result)])) + _promises(result)


def beside(result: TransferResult) -> str:
    """Descent beside the walk and beside what the sources buy it, in a sentence; "" until it is trained."""
    now = result.alone.get(result.settings.dimension)
    if now is None:
        return ""
    (walk, descent), helped = now.medians, result.summary()["transfer"].median
    text = f"Noisy descent on the private rows alone misses by {risk(descent)}, the walk by {risk(walk)}"
    if result.descent_ahead:
        return f"{text}: <b>without any source it does better than the walk with them</b> ({risk(helped)})."
    return f"{text} (see Coefficients)."


def alt(result: TransferResult) -> str:
    """The chart in words."""
    said = [
        f"with {d}, the walk {risk(one.medians[0])}, descent {risk(one.medians[1])}"
        for d, one in sorted(result.alone.items())
    ]
    return "Excess risk of the private rows alone over the number of coefficients: " + "; ".join(said or ["…"]) + "."


def _now(result: TransferResult, now: Alone) -> str:
    """Who is ahead with today's coefficients, and whether either beats predicting 0."""
    walk, descent = now.medians
    here = f"with {count(result.settings.dimension, 'coefficient')} and {result.settings.target_rows:,} private rows"
    case, both = result.alone_beside(now), f"descent misses by {risk(descent)}, the walk by {risk(walk)}"
    if case == Case.CONSTANT:
        return f"Predicting 0 for everybody would do no worse ({risk(now.nothing)}) {here}: {both}."
    if case == Case.ALIKE:
        return f"No difference can be shown {here}, in {count(len(now.walk), 'run')}: {both}."
    first, second = ("Noisy descent", "the walk") if case == Case.AHEAD else ("The walk", "noisy descent")
    less, more = sorted((walk, descent))
    return f"<b>{first} is ahead</b> {here}: it misses by {risk(less)}, {second} by {risk(more)}."


def _over(result: TransferResult) -> str:
    """With how many coefficients each is ahead, once all are trained."""
    if len(result.alone) < len(result.settings.widths):
        return ""
    cases = {width: result.alone_beside(one) for width, one in sorted(result.alone.items())}
    sides = ((Case.BEHIND, "the walk"), (Case.AHEAD, "descent"))
    found = [(name, [str(width) for width, one in cases.items() if one == case]) for case, name in sides]
    said = [f"{name} with {', '.join(them)}" for name, them in found if them]
    return f"Of the numbers of coefficients in the picture, ahead is {'; '.join(said)}." if said else ""


def _noise(result: TransferResult) -> str:
    own = result.plan("target")
    return (
        f"Descent changes all {result.settings.dimension} coefficients in each of {STEPS} steps: its noise is made for "
        f"the length of a row's gradient, <b>{number(result.descent_noise)}</b> on each number, and grows with the "
        "root of how many there are. The walk tells only the number of a corner: noise of scale "
        f"<b>{number(own.scale)}</b> on each score, over {count(own.steps, 'step')}. More corners make the largest of "
        "these draws larger, and that by a logarithm."
    )


def _promises(result: TransferResult) -> str:
    text = panels.note("What <b>noisy descent</b> promises; for the walk, see Guarantee.")
    text += panels.guarantee(descent=result.descent_guarantee)
    if result.settings.noise == "printed":
        text += panels.note("The printed noise is for a nominal epsilon: the two do not promise the same.")
    return text
