"""Audits in words: of every mechanism of the lab, and of one single training beside many."""

from dpcore.attacks.audit import worst_epsilon
from dpcore.regression.functional import published_epsilon
from pages.attack.audits.runs import FIRST, AuditResult
from pages.attack.audits.table import AUDITS, CONFIDENCE, TOGETHER
from pages.attack.audits.targets_regression import REPORT_SHARE as SHARE
from pages.attack.canaries import CONFIDENCE as SURE
from pages.attack.canaries import POINT, RETRAININGS, OnceResult
from pages.attack.words import IF_GAUSSIAN, NOBODY_PROVED
from ui import panels
from ui.panels import number

# The audit of a mechanism that gives less than it claims.
REPORT = "functional published"


def audit_verdict(result: AuditResult) -> str:
    """How many were caught, and which notable ones."""
    done, void = len(result.bounds), result.count("void")
    text = f"<b>{result.count('caught')} of {done}</b> mechanisms are caught spending more than they claim"
    text += f"; {void} {'audit is' if void == 1 else 'audits are'} void" if void else ""
    text += "." if done == len(AUDITS) else f"; {len(AUDITS) - done} audits are still running."
    if FIRST in result.bounds and result.verdicts[FIRST] == "caught":
        bound = result.bounds[FIRST]
        text += (
            f" The slides' classifier claims epsilon {number(AUDITS[FIRST].epsilon)} and spends at least "
            f"<b>{number(bound.epsilon)}</b>, whatever its noise: {bound.trials:,} trainings show it."
        )
    return text


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
    if result.surprises:
        names = "; ".join(f"{AUDITS[name].family}, {AUDITS[name].what}" for name in result.surprises)
        sentences.insert(0, f"<b>Not as expected with this seed</b>: {names}.")
    return sentences


def audit_guarantee(_: AuditResult) -> str:
    """What is claimed in each row."""
    return panels.note(
        "Each row has a claim of its own: epsilon and delta as in the table, for one record replaced (DP-SGD: one "
        "there or not; parties: all rows of one party). The neighbours are the worst that are known; they may lie "
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
            f"{number(e)}" + (f",&nbsp;{d:g}" if d else "")
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


def once_verdict(result: OnceResult) -> str:
    """What one training shows, and what many show."""
    right, guesses, bound = result.first
    settings = result.settings
    text = (
        f"One training with {settings.canaries:,} canaries: <b>{right} of {guesses}</b> guesses are right. With "
        f"{100 * SURE:.0f} % confidence, epsilon is at least <b>{number(bound.epsilon)}</b>"
    )
    if settings.version == "none":
        text += "; nothing was promised."
    elif result.caught:
        text += f"; the claim is {number(settings.epsilon)}. <b>Caught by a single training.</b>"
    else:
        text += f"; the claim is {number(settings.epsilon)}, and this training does not refute it."
    if not result.beside:
        return text
    found = {form: number(one.epsilon) for form, one in result.beside.items()}
    return (
        f"{text} {2 * RETRAININGS:,} trainings with one canary show at least <b>{found['count']}</b>, and "
        f"{found['gaussian']} {IF_GAUSSIAN}."
    )


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
    claim = {
        "sound": f"Claimed: epsilon {number(settings.epsilon)}, delta {settings.delta:g}, exact Gaussian composition.",
        "published": f"Claimed: epsilon {number(settings.epsilon)}, delta {settings.delta:g}; the average gradient is "
        "clipped, the noise is the textbook's.",
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
