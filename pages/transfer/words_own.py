"""The transfer page in words, with a file of the visitor's own: no truth is known, so what counts is held-out error."""

from collections.abc import Mapping

from dpcore.data.own_rows import Roles
from dpcore.transfer import RADIUS, RESIDUAL_BOUND
from lab.claims import Case, compare
from pages.transfer import own
from pages.transfer import words as made
from pages.transfer.figures import error
from pages.transfer.result import TransferResult
from ui import outcomes, panels
from ui.escaping import plain
from ui.outcomes import count
from ui.panels import Number, number

LEAD = (
    "A few private rows are to be learnt from: those of one value of your column. The rows of others are **public, as "
    "you declared**. Four ways to use them are trained, each within the same epsilon, and held against rows of the "
    "target that were held out. **Drag epsilon, then h**: how far private rows may correct what the public ones say."
)
SELECTIONS = {"known": "All sources", "detected": made.SELECTIONS["detected"]}
SELECTIONS_HELP = (
    "**All sources**: you declare that every source resembles the target. **Sources detected privately**: each "
    "source's loss on the private rows is released with noise, which uses part of epsilon."
)
RISK_ABOUT = (
    "How far each way is off on held-out rows of the target, in the answer's unit: lower is better. Blue sees only the "
    "private rows, green starts from the public sources and corrects them privately; bands hold nine runs in ten. "
    "Look for where green leaves blue behind, and where the sources as they are, which need no correction, are still "
    "below it."
)
WALK_ABOUT = (
    "The same training on your rows with two coefficients only, a constant and the slope of the first input, so that "
    "it can be seen: each thin line is one run. Blue starts at zero, green at what the sources say, and may go only as "
    "far as h. The cross is least squares of the private rows, without privacy: for the analyst only."
)
MIGRATED_ABOUT = (
    "The same errors over the number of public rows, the same share of each source. Look for pooling to get worse "
    "where public rows of another law outvote the private ones."
)


def numbers(result: TransferResult) -> list[Number]:
    """How far one is off with the sources' help, alone, and without privacy; and what is promised."""
    now, settings = result.summary(), result.settings
    helped, alone, plainly = now["transfer"].median, now["target"].median, result.focus.least_squares
    more = f"middle of {count(settings.repeats, 'run')}"
    return [
        Number(
            "Off by, with sources", error(helped), _beside(result, helped, alone), tone="public", amount=_amount(helped)
        ),
        Number("Off by, alone", error(alone), more, tone="private", amount=_amount(alone)),
        Number("Off by, no privacy", error(plainly), "private rows alone"),
        outcomes.void_attacker(settings) if settings.void else panels.attacker(result.guarantee("transfer")),
    ]


def _amount(value: float) -> float | None:
    return None if value != value else float(f"{value:.3g}")


def _beside(result: TransferResult, helped: float, alone: float) -> str:
    if helped != helped:
        return "no row to measure by"
    case, runs = result.compare("transfer", "target"), result.settings.repeats
    if case == Case.CONSTANT:
        return "no better than the middle"
    return outcomes.beside(case, "less than alone" if helped < alone else "more than alone", runs=runs)


def verdict(result: TransferResult) -> str:
    """Whether the sources help on held-out rows, what does better, and what is worse than nothing."""
    median = {name: spread.median for name, spread in result.summary().items()}
    if any(value != value for value in median.values()):
        return "<b>None of the held-out rows has an answer</b>, so no error can be measured."
    said = (
        outcomes.void(result.settings),
        _help(result, median),
        made.others(result, {name: error(one) for name, one in median.items()}),
        _nothing(result),
    )
    return " ".join(filter(None, said))


def _help(result: TransferResult, median: Mapping[str, float]) -> str:
    """The sources, corrected privately, against the private rows alone."""
    helped, alone = error(median["transfer"]), error(median["target"])
    if result.without_source == result.settings.repeats:
        return f"<b>No source is used</b>, so there is no head start: off by {alone} from the private rows alone."
    both = f"off by {helped} with the sources, {alone} without"
    match result.compare("transfer", "target"):
        case Case.CONSTANT:
            return f"<b>Saying the middle of the bounds would do no worse</b> ({error(result.nothing_learnt)}): {both}."
        case Case.AHEAD:
            return f"The sources <b>help</b>: off by {helped} instead of {alone} from the private rows alone."
        case Case.BEHIND:
            return f"The sources <b>harm here</b>: corrected privately one is off by {helped}, alone by {alone}."
    return f"<b>No difference can be shown</b> in {count(result.settings.repeats, 'run')}: {both}."


def _nothing(result: TransferResult) -> str:
    """Where the private rows alone are shown to be worse than the middle of the bounds for everybody."""
    worse = compare(result.runs("target"), result.nothing_learnt, better="lower") == Case.BEHIND
    return "The private rows alone do worse than the middle of the bounds." if worse else ""


def caption(result: TransferResult) -> str:
    """How much of the file is used, and what the strokes are."""
    settings, roles = result.settings, result.settings.own.roles
    unit, most = "people" if roles.person else "rows", own.private_rows(settings.own)
    used = f"{settings.target_rows:,} of {most:,} private {unit}, picked at random"
    used = used if settings.target_rows < most else f"{most:,} private {unit}"
    public, tested = sum(settings.data.counts(settings.migrated)), len(result.problem.y_test)
    return (
        f"Learned from {used}, and {count(public, 'public row')} of {count(settings.sources, 'source')}; tested "
        f"on {count(tested, 'row')}, for the analyst only. No row is drawn. Bands: nine runs in ten. Strokes: all runs."
    )


def diagnostics(result: TransferResult) -> list[str]:
    """Why the picture looks as it does: the noise, the sources, detection, what is cut."""
    settings = result.settings
    sentences = [made.noise(result), _sources(result)]
    if result.focus.detection is not None:
        sentences.append(made.detection(result))
    sentences.append(
        f"The highest answer becomes 1, the lowest -1. Coefficients from zero reach an L1 norm of {number(RADIUS)} "
        f"and residuals are cut to {number(RESIDUAL_BOUND)}: half of the answer's range. Wide bounds of the answer "
        "therefore cost accuracy."
    )
    if result.focus.clipped > 0.01:
        sentences.append(
            f"{panels.in_hundred(result.focus.clipped)} in 100 residuals of the private rows are longer than that "
            "around the sources (analyst only)."
        )
    return [*sentences, *filter(None, [panels.large_delta(settings.delta, settings.target_rows)])]


def _sources(result: TransferResult) -> str:
    """Which sources are used, in how many runs."""
    names = map(plain, result.settings.own.roles.sources)
    if result.focus.detection is None:
        return (
            f"All sources are taken to be near, as you say: {', '.join(names)}. Together, as they are, they are off by "
            f"{error(result.summary()['source'].median)}, whatever epsilon is."
        )
    runs = result.focus.kept.sum(axis=0)
    used = ", ".join(f"{name} in {times}" for name, times in zip(names, runs, strict=True))
    return f"Of {count(result.settings.repeats, 'run')}, sources are used so often: {used}."


def guarantee(result: TransferResult) -> str:
    """What each candidate promises to the target's rows, and what it leaves open."""
    settings = result.settings
    if settings.void:
        return outcomes.void_guarantee(settings) + panels.note(_protected(settings.own.roles))
    held = {name: result.guarantee(name) for name in ("target", "pooled", "transfer")}
    text = panels.note(f"With epsilon {number(held['transfer'].epsilon)}, {panels.odds(held['transfer'])}.")
    text += panels.guarantee(alone=held["target"], pooled=held["pooled"], with_sources=held["transfer"])
    text += panels.note(outcomes.limit(held["transfer"]))
    text += panels.note(outcomes.paid(settings)) if settings.paid else ""
    if result.detection_guarantee is None:
        needs = "sees nothing of a private row but the bounds" if settings.paid else "never sees a private row"
        text += panels.note(
            f"<b>Trusting the sources as they are</b> {needs} and needs no {'more ' * bool(settings.paid)}epsilon. But "
            "that they resemble the target must be known without the private rows."
        )
    else:
        text += panels.note(
            f"Of the transfer's epsilon, detection alone would be {number(result.detection_guarantee.epsilon)}; "
            f"<b>trusting the sources as they are</b> spends just that{', beside the bounds' * bool(settings.paid)}."
        )
    return text + panels.note(_protected(settings.own.roles))


def _protected(roles: Roles) -> str:
    """Whose rows are protected, and what is taken as public."""
    if roles.person:
        who, size = "one person of the target", "people"
        one = "Of each person one row of the target is used, picked by chance, whatever rows they have."
    else:
        who, size, one = "one row of the target", "rows", "If a person has several, each is protected by itself only."
    missing = (
        "A private row whose answer is missing stays and adds nothing."
        if roles.gaps
        else "No answer was said to be missing; a private one that is counts as the middle of its bounds."
    )
    return (
        f"{outcomes.protected(roles)} <b>{who}</b>, for each of the ways alone: publishing all four would add up. "
        f"{one} <b>Public, as you declared: every row of the sources</b>, with its answer; nothing protects them here. "
        f"Assumed public too: which source a row is of, the bounds, categories and sources that were typed, the number "
        f"of {size}. {missing} <b>Not</b> protected: the errors shown here and the walk's cross (analyst only), and "
        "what other people's data reveals about you."
    )
