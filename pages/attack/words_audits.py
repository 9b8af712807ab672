"""Audits in words: of every mechanism of the lab, and of one single training beside many."""

from dpcore.attacks.audit import worst_epsilon
from dpcore.regression.functional import published_epsilon
from pages.attack.audits.rows import CAUGHT, CONSISTENT, VOID
from pages.attack.audits.runs import FIRST, AuditResult
from pages.attack.audits.table import AUDITS, CONFIDENCE, TOGETHER
from pages.attack.audits.targets_regression import REPORT_SHARE as SHARE
from pages.attack.canaries import CONFIDENCE as SURE
from pages.attack.canaries import FORMS, POINT, RETRAININGS, OnceResult
from pages.attack.figures_audits import BESIDE
from pages.attack.words import IF_GAUSSIAN, NOBODY_PROVED, claimed
from ui import panels
from ui.outcomes import count
from ui.panels import Number, number
from ui.plot import theme
from ui.plot.theme import written

# The audit of a mechanism that gives less than it claims.
REPORT = "functional published"


ABOUT = {
    "audits": (
        "Each dot is one audit: the epsilon that it shows at least, in units of what the mechanism claims. Right of "
        "the line more is spent than claimed. Look for dots on the wrong side: a sound one right of the line is bad "
        "luck, a broken one left of it is an attack that is too weak, or one whose canary never arrived."
    ),
    "every": (
        "Every audit with its name: the bar ends at the epsilon that is shown at least, the stroke is the claim. A bar "
        "that passes its stroke is caught."
    ),
    "canaries": (
        "Where the canaries of one training lie, in the colour of what their coin said. The attacker guesses only "
        "those in the shaded parts, of which they are surest. Look for the wrong colour there: those guesses are wrong."
    ),
    "beside": (
        "The epsilon that each audit shows at least, over the one that is claimed; shaded, nine single trainings in "
        "ten. Above the rising line a claim is refuted. Look for how far below it an honest audit stays."
    ),
}
AUDIT_CAPTION = (
    "A dot is an audit: left of the line it shows no more than is claimed, right of it the mechanism is caught. "
    "Hover for its name."
)
ONCE_CAPTION = (
    "Left: canaries by what their coin said; shaded, those that are guessed. Right: shaded, nine trainings in ten."
)


def audit_numbers(result: AuditResult) -> list[Number]:
    """How many broken mechanisms were caught and sound ones refuted, the slides' classifier, and all runs."""
    broken = [name for name in result.bounds if AUDITS[name].expected != CONSISTENT]
    sound = [name for name in result.bounds if name not in broken]
    caught, refuted = (sum(result.verdicts[name] == CAUGHT for name in names) for names in (broken, sound))
    void = result.count(VOID)
    runs = sum(bound.trials for bound in result.bounds.values())
    first = number(result.bounds[FIRST].epsilon) if FIRST in result.bounds else "…"
    return [
        Number(
            "Broken ones caught",
            f"{caught} <small>of {len(broken)}</small>",
            f"void: {void}",
            tone="private",
            amount=float(caught),
        ),
        Number("Sound ones refuted", f"{refuted} <small>of {len(sound)}</small>", "by bad luck: 1 table in 20"),
        Number(
            "Slides' classifier spends", f"≥ {first}", f"claimed: epsilon {number(AUDITS[FIRST].epsilon)}", tone="bound"
        ),
        Number("Runs", f"{runs:,}", f"{len(result.bounds)} of {len(AUDITS)} audits done"),
    ]


def audit_verdict(result: AuditResult) -> str:
    """Whether each audit came out as it must, and which did not."""
    left, void = len(AUDITS) - len(result.bounds), result.count(VOID)
    if not result.bounds:
        return f"All {left} audits are still running."
    invalid = f" {_invalid(void)}" if void else ""
    if result.surprises:
        first, *more = (f"{AUDITS[name].family}, {AUDITS[name].what}" for name in result.surprises)
        text = f"<b>Not as expected with this seed</b>: {first}{f', and {len(more)} more' if more else ''}."
    else:
        text = f"{'So far, ' * bool(left)}<b>{_as_expected(result)}</b>."
    text += invalid
    return text + (f" {count(left, 'audit')} {'is' if left == 1 else 'are'} still running." if left else "")


def _as_expected(result: AuditResult) -> str:
    """Return how many broken mechanisms were caught, and that no correct one was refuted, as far as any are done."""
    broken = [name for name in result.bounds if AUDITS[name].expected != CONSISTENT]
    caught, correct = sum(result.verdicts[name] == CAUGHT for name in broken), len(result.bounds) - len(broken)
    said = [f"{caught} of {len(broken)} broken mechanisms were caught"] * bool(broken)
    return " and ".join([*said, *[f"none of {correct} correct ones was refuted"] * bool(correct)])


def _invalid(void: int) -> str:
    """Return that so many audits say nothing, and why."""
    if void == 1:
        return "One audit is invalid because its canary was filtered out."
    return f"{void} audits are invalid because their canaries were filtered out."


def audit_alts(result: AuditResult) -> dict[str, str]:
    """The pictures in words."""
    said = {}
    for name, broken in (("sound", False), ("broken", True)):
        some = [one for one in result.bounds if (AUDITS[one].expected != CONSISTENT) == broken]
        caught = sum(result.verdicts[one] == CAUGHT for one in some)
        said[name] = f"Measured over claimed epsilon of {len(some)} {name} mechanisms, by family: {caught} are caught."
    return said | {"every": f"Claimed and measured epsilon of {len(result.bounds)} audits, each by its name."}


def audit_diagnostics(result: AuditResult) -> list[str]:
    """How to read the table."""
    sentences = [
        f"<b>Consistent</b> means that this attack, with this many runs, did not refute the claim: nothing more. "
        f"{NOBODY_PROVED}",
        "<b>Void</b> means that the canary never reached the mechanism: with the same noise, both worlds look the "
        "same. Such an audit says nothing. Before you trust an audit of your own, ask whether its canary arrives.",
        f"Each bound has {100 * CONFIDENCE:.2f} % confidence, so that the whole table has {100 * TOGETHER:.0f} %: if "
        "all claims held, at most 5 tables in 100 would show a false catch.",
        f"By counting, 1,000 right guesses of 1,000 show an epsilon of {number(worst_epsilon(CONFIDENCE, 2000))} and "
        "no more. Where a row says “Gaussian”, the two worlds are proved to differ as two normal distributions do, "
        "and both rates together show more.",
        "A mechanism that adds too much noise is consistent, however wrong its reasons are: the report's functional "
        f"mechanism claims {number(AUDITS[REPORT].epsilon)} and spends "
        f"{number(published_epsilon(AUDITS[REPORT].epsilon, share=SHARE))}.",
    ]
    if len(result.surprises) > 1:
        names = "; ".join(f"{AUDITS[name].family}, {AUDITS[name].what}" for name in result.surprises)
        sentences.insert(0, f"<b>Not as expected</b> with this seed: {names}.")
    return sentences


def audit_guarantee(_: AuditResult) -> str:
    """What is claimed in each row."""
    return panels.note(
        "Each row has a claim of its own: epsilon and delta as in the table, for one record replaced (DP-SGD, DP-FTRL "
        "and the best of many: one there or not; parties and people: all rows of one). The neighbours are the worst "
        "that are known; they may lie "
        "outside the public bounds that the classifier's page keeps. What is measured is a lower bound, never a "
        "guarantee."
    )


def audit_table(result: AuditResult) -> str:
    """Every audit with its verdict."""
    frame = result.table()
    if frame.empty:
        return ""
    shown = frame.assign(
        claimed=[
            f"{number(e)}" + (f",&nbsp;{written(d)}" if d else "")
            for e, d in zip(frame["claimed"], frame["delta"], strict=True)
        ],
        **{
            "at least": frame["at least"].map(number),
            "trainings": frame["trainings"].map("{:,}".format),
            "verdict": [v if v == "consistent" else f"<b>{v}</b>" for v in frame["verdict"]],
            "assumed": ["Gaussian, proved" if one else "nothing" for one in frame["assumed"]],
        },
    )
    names = {
        "claimed": "claimed epsilon, delta",
        "at least": f"measured, at least<br>(all together {100 * TOGETHER:.0f} %)",
        "trainings": "runs",
    }
    heads = ("mechanism", "version", "verdict", "claimed", "at least", "assumed", "trainings", "neighbours")
    return panels.table(
        shown,
        title="<b>Claimed and measured</b>",
        caption="Runs in both worlds together. The same table with more runs: make audit.",
        heads={head: names.get(head, head) for head in heads},
    )


def once_numbers(result: OnceResult) -> list[Number]:
    """What one training shows, from how many guesses, beside many trainings and the best attacker."""
    settings, (right, guesses, bound) = result.settings, result.first
    found = {form: number(one.epsilon) for form, one in result.beside.items()}
    claim = "nothing is claimed" if settings.version == "none" else f"claimed: epsilon {number(settings.epsilon)}"
    shown = number(bound.epsilon)
    return [
        Number("One training shows", f"≥ {shown}", claim, tone="private", amount=bound.epsilon),
        Number("Guesses that are right", f"{right} <small>of {guesses}</small>", f"{settings.canaries:,} canaries"),
        Number(
            f"{2 * RETRAININGS:,} trainings show",
            f"≥ {found.get('count', '…')}",
            f"if Gaussian: ≥ {found.get('gaussian', '…')}",
        ),
        claimed(settings, allows=result.claim.attacker_accuracy),
    ]


def once_verdict(result: OnceResult) -> str:
    """Whether one training refutes the claim, and whether many do."""
    settings, claim = result.settings, f"epsilon {number(result.settings.epsilon)}"
    if settings.version == "none":
        return "<b>Nothing was promised</b>: without clipping and noise there is no claim that a training could refute."
    if result.caught:
        text = f"<b>Caught by a single training</b>: with {100 * SURE:.0f} % confidence it spends more than {claim}."
    else:
        (right, guesses, _), most = result.first, number(result.ceiling.epsilon)
        limit = f"Were every guess right, it would show {most}."
        if right == guesses:
            limit = f"Every guess is right, and {guesses:,} right guesses cannot show more than {most}."
        text = f"This training <b>does not refute</b> the claim, {claim}. {limit}"
    if not result.beside:
        return text
    refute = [result.beside[form].epsilon > settings.epsilon for form in FORMS]
    match refute:
        case [True, _]:
            many = "refute it, by counting"
        case [False, True]:
            many = f"refute it only {IF_GAUSSIAN}"
        case _:
            many = "do not refute it" if result.caught else "do not refute it either"
    return f"{text} {2 * RETRAININGS:,} trainings with one canary {many}."


def once_alts(result: OnceResult) -> dict[str, str]:
    """The pictures in words."""
    right, guesses, bound = result.first
    shown = f"one training {number(bound.epsilon)}" + "".join(
        f", {BESIDE[form]} {number(one.epsilon)}" for form, one in result.beside.items()
    )
    return {
        "canaries": f"{result.settings.canaries:,} canaries of one training: {right} of {guesses} guesses are right.",
        "beside": f"Epsilon shown at least, over the claim. At {number(result.settings.epsilon)}: {shown}.",
    }


def once_diagnostics(result: OnceResult) -> list[str]:
    """What each audit can and cannot see."""
    _, guesses, _ = result.first
    low, high = result.luck
    return [
        "<b>One training</b> is all that can be paid for where training is dear. Each canary has a feature of its own "
        f"and a coin for its class, so one run holds {result.settings.canaries:,} experiments. The attacker guesses "
        "only the canaries of which they are surest; what counts is how many guesses are right.",
        f"It cannot show more than {number(result.ceiling.epsilon)} here: that is what {guesses} right guesses of "
        f"{guesses} give. More guesses raise this limit, but the attacker is less sure of them.",
        f"<b>Many trainings</b> attack one canary {2 * RETRAININGS:,} times. By counting they show at most "
        f"{number(worst_epsilon(SURE, RETRAININGS))}. If the noise is taken for Gaussian, that limit falls away; "
        "nobody has proved that it may be.",
        f"<b>Luck</b>: {len(result.audits)} trainings with the same coins and other noise, each an audit of its own, "
        f"show {number(low)} to {number(high)} (nine in ten). A sound recipe is refuted in at most "
        f"{100 - 100 * SURE:.0f} of 100 such audits. {NOBODY_PROVED}",
    ]


def once_guarantee(result: OnceResult) -> str:
    """What is claimed of a canary, and which bound is measured."""
    settings, (_, _, bound) = result.settings, result.first
    claimed = f"Claimed: epsilon {number(settings.epsilon)}, delta {theme.delta(settings.delta)}"
    claim = {
        "sound": f"{claimed}, exact Gaussian composition.",
        "published": f"{claimed}; the average gradient is clipped, the noise is the textbook's.",
        "none": "Nothing is claimed: no clipping, no noise.",
    }[settings.version]
    return panels.note(
        f"{claim} One record is replaced: a coin decides which class a canary has. The lower bound has "
        f"{100 * bound.confidence:.0f} % confidence and pays for delta once for each canary. A measured bound is no "
        "guarantee."
    )


def once_table(result: OnceResult) -> str:
    """The bounds over epsilon."""
    frame = result.curve
    if frame["median"].isna().all():
        return ""
    shown = frame.assign(
        **{name: frame[name].map(lambda one: "" if one != one else number(one)) for name in frame.columns}
    )
    shown["range"] = [
        f"{low}&nbsp;to&nbsp;{high}" if low else "" for low, high in zip(shown["low"], shown["high"], strict=True)
    ]
    now = panels.badge("trained now")
    heads = {
        "epsilon": "claimed",
        "median": f"one training, median{now}",
        "range": "nine in ten",
        "count": f"{2 * RETRAININGS:,} trainings, counting{now}",
        "gaussian": f"{2 * RETRAININGS:,} trainings, Gaussian form{now}",
    }
    return panels.table(
        shown,
        title=f"<b>Measured, at least</b> ({100 * SURE:.0f} % confidence each)",
        caption=f"One training: {POINT} at each claim, {len(result.audits)} at today's, each an audit of its own. "
        "Nine in ten lie in the range. The Gaussian form takes the noise for Gaussian; the others assume nothing.",
        heads=heads,
        now=number(result.settings.epsilon),
    )
