"""Sentences that several pages say, each chosen by the numbers that it is about, and never by a
slider.

Accuracies are shares, said in percent; differences are in points, and those of the numbers as they
are shown.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape

import numpy as np

from dpcore.accountants.attacker import best_attacker
from dpcore.privacy import Guarantee
from lab.experiment.data_settings import RowsSettings, SourceSettings
from lab.statistics import claims
from lab.statistics.claims import Case
from lab.statistics.confusion import ByClass
from lab.uploads.column_roles import Roles
from ui.text import tiles
from ui.text.texts import SAYS, count
from ui.text.tiles import (
    Tile,
    apart,
    at_most,
    digits_apart,
    in_hundred,
    number,
    percent,
    points_apart,
)

# From here on accuracy and balanced accuracy are two stories.
FEW_POINTS = 0.03


def tenths(value: float) -> str:
    """Return a number with a decimal, or dots where it is still to be computed."""
    return "…" if value != value else f"{value:.1f}"


def times(share: float) -> str:
    """Return a share as "30 times in 100", "1 time in 100"."""
    shown = in_hundred(share)
    return f"{shown} time{'' if shown == '1' else 's'} in 100"


def points(difference: float) -> str:
    """Return a difference of shares as "4.2 points", without its sign."""
    shown = f"{abs(100 * difference):.1f}"
    return f"{shown} point" + ("" if shown == "1.0" else "s")


def signed(difference: float) -> str:
    """Return a difference of shares in points with its sign, a true minus."""
    shown = f"{abs(100 * difference):.1f}"
    return shown if shown == "0.0" else ("+" if difference > 0 else "−") + shown


def beside(
    case: Case, said: str, *, runs: int, of: int | None = None, none: str = "no difference"
) -> str:
    """Return ``said`` where a difference is shown, else in a few words why nothing is claimed.
    ``none``: what is not shown; ``of``: how many runs there will be.
    """
    if case in (Case.AHEAD, Case.BEHIND):
        return said
    name = {Case.SO_FAR: "so-far", Case.CONSTANT: "constant", Case.FEW: "few"}.get(case, "unshown")
    return SAYS(f"tile.{name}", runs=runs, of=of or runs, none=none)


def cost(
    private: np.ndarray,
    reference: np.ndarray | float,
    *,
    baseline: tuple[str, float],
    runs: int,
    model: str = "model",
    paired: bool = True,
) -> str:
    """Return what privacy costs: the accuracies of the private models against those without
    privacy.

    baseline: the best constant answer, and its share of right answers. runs: how many private
        models there will be.
    paired: as ``claims.compare`` has it.
    """
    always, base = baseline
    middle, without = float(np.median(private)), float(np.median(reference))
    mine, plain = apart(middle, without)
    if base == 1:
        case = "constant"
    elif len(private) < runs:
        case = "so-far"
    elif middle <= base:
        case = "unlearnt" if without > base else "unlearnt-both"
    else:
        found = claims.compare(private, reference, constant=base, paired=paired)
        case = {Case.BEHIND: "lost", Case.FEW: "few"}.get(found, "unshown")
        runs = _fewest(private, reference)
    shares = {"middle": percent(middle), "without": percent(without), "base": percent(base)}
    said = {"trained": len(private), "models": count(runs, model), "lost": _lost(middle, without)}
    return SAYS(
        f"cost.{case}",
        always=always,
        model=model,
        runs=runs,
        mine=mine,
        plain=plain,
        **shares,
        **said,
    )


def _fewest(private: np.ndarray, reference: np.ndarray | float) -> int:
    """Return the number of runs that a comparison rests on: that of the smaller group."""
    if np.ndim(reference) == 0:
        return len(private)
    return min(len(private), np.size(reference))


def _lost(private: float, reference: float) -> str:
    return points_apart(reference, private, digits=digits_apart(private, reference))


def one_answer(
    accuracy: np.ndarray,
    labels: np.ndarray,
    found: Callable[[], ByClass],
    names: Sequence[str],
    *,
    model: str,
) -> str:
    """Return a sentence that models give all held-out rows one answer, where they do; "" else.

    accuracy: (R,) on the held-out rows, whose classes are ``labels``. Only where one of them is the
    share of a class, as it then must be, what ``found`` finds is asked for.
    """
    shares = np.bincount(labels, minlength=len(names)) / len(labels)
    always = (
        found().constant_predictions
        if np.isclose(np.subtract.outer(accuracy, shares), 0, atol=1e-9).any()
        else {}
    )
    many, of = sum(always.values()), len(accuracy)
    if not many:
        return ""
    case = "all" if many == of else "some"
    if len(always) > 1:
        case += "-mixed"
    elif many == 1:
        case = "single" if of == 1 else "one"
    models, most = count(of, f"private {model}"), escape(names[next(iter(always))])
    return SAYS(f"one-answer.{case}", model=model, models=models, many=many, most=most)


def within_reach(reference: float, base: float, *, made_up: bool = False) -> float:
    """Return a target that a private model may reach, in percent: midway between the baseline and
    the accuracy of the non-private model, ``reference``, and two points or more below that.

    made_up: whether rows are made up, so that accuracy says little, and its loss to noise is asked
    for: the target is two points below ``reference``.
    """
    if made_up:
        return math.floor(100 * (reference - 0.02))
    return math.floor(100 * min(reference - 0.02, (reference + base) / 2))


def disguised(best: float, base: float) -> str:
    """Return a warning where a column may be the answer, as the non-private model makes no error;
    else nothing.
    """
    return SAYS["disguised"] if base < 1 == best else ""


def price(
    private: np.ndarray,
    reference: np.ndarray | float,
    *,
    base: float,
    runs: int,
    paired: bool = True,
) -> str:
    """Return what privacy costs in a few words; ``base``, ``runs`` and ``paired`` as in
    ``cost``.
    """
    case = claims.compare(
        private, reference, constant=base, complete=len(private) == runs, paired=paired
    )
    lost = SAYS("tile.lost", lost=_lost(float(np.median(private)), float(np.median(reference))))
    case = case if case != Case.AHEAD else Case.ALIKE
    done = len(private)
    if case == Case.FEW:
        done = _fewest(private, reference)
    return beside(case, lost, runs=done, of=runs, none=SAYS["tile.none"])


def start(rows: int, started: np.ndarray, scratch: np.ndarray, *, base: float, runs: int) -> str:
    """Return what a start from public rows adds: accuracies of the runs with it, and of the same
    runs without.
    """
    case = claims.compare(started, scratch, constant=base, complete=len(started) == runs)
    added = points(float(np.median(started - scratch)))
    return SAYS(f"start.{case}", rows=rows, added=added, runs=runs) if case != Case.SO_FAR else ""


def confidence(gain: tuple[float, float, float], *, pairs: int) -> str:
    """Return how sure ``start`` is; nothing where all pairs agree."""
    median, low, high = gain
    if low == high:
        return ""
    if math.inf in (-low, high):
        return SAYS("start.unsure", median=signed(median), pairs=pairs)
    return SAYS(
        "start.sure", median=signed(median), low=signed(low), high=signed(high), pairs=pairs
    )


def noise(ratio: float, *, steps: int) -> str:
    """Return one step's noise over its signal, and what independent noise in ``steps`` of them
    leaves of it.

    The signals of T steps add up to T times one, their noise to sqrt(T) times one.
    """
    after = ratio / math.sqrt(max(steps, 1))
    if ratio <= 1 or steps <= 1:
        case = "alone"
    elif after <= 1:
        case = "averaged"
    else:
        case = "left"
    times = _times(ratio, once="about")
    left = _times(float(f"{after:.2g}"), once="about the same length")
    return SAYS(f"noise.{case}", times=times, left=left, steps=steps)


def _times(ratio: float, *, once: str) -> str:
    """Return a ratio as "<b>3.5 times</b>", or ``once`` where it is shown as 1."""
    shown = number(ratio)
    return once if shown == "1" else f"<b>{shown} times</b>"


def limit(held: Guarantee) -> str:
    """Return the best attacker's accuracy, and what epsilon and delta alone would allow."""
    found, most = best_attacker(held), at_most(held.attacker_accuracy)
    mine = at_most(found.right)
    if found.right > 0.9995:
        return SAYS["limit.certain"]
    case = "any" if found.known == "epsilon" else found.known + ("-any" if mine == most else "")
    most = "practically 100" if held.attacker_accuracy > 0.9995 else most
    return SAYS(
        f"limit.{case}",
        mine=mine,
        most=most,
        given="epsilon and delta" if held.delta else "epsilon",
    )


def guaranteed(held: Guarantee, *, assumed: str) -> str:
    """Return a guarantee with its meaning, the best attacker and what is ``assumed``; HTML."""
    notes = (tiles.meaning(held), limit(held), assumed)
    return tiles.guarantee(here=held) + "".join(map(tiles.note, notes))


def void(settings: SourceSettings) -> str:
    """Return that nothing is guaranteed, where bounds were read off the rows; else ""."""
    return (
        SAYS("void.verdict", why=settings.void, epsilon=number(settings.epsilon))
        if settings.void
        else ""
    )


def void_attacker(settings: SourceSettings) -> Tile:
    """Return the number of an attacker whom nothing limits."""
    return Tile(SAYS["attacker.void-label"], SAYS["attacker.void"], settings.void, tone="void")


def void_guarantee(settings: SourceSettings) -> str:
    """Return why there is no guarantee to show, and what would restore it; HTML."""
    return tiles.note(SAYS("void.guarantee", why=settings.void))


def paid(settings: SourceSettings) -> str:
    """Return how much of epsilon paid for bounds, with a space behind it; HTML, or nothing."""
    if not settings.paid:
        return ""
    epsilon, spent, left = map(number, (settings.epsilon, settings.spent, settings.left))
    return SAYS("paid", epsilon=epsilon, spent=spent, left=left, releases=len(settings.paid)) + " "


def learned_from(
    settings: RowsSettings, *, tested: int, along: str = "", several: bool = False, most: int = 0
) -> str:
    """Return how much of a file is used, and what the rest would do to the noise; ``along``: what
    must go with it;
    ``several``: whether all rows of a person are learned from, or ``most`` at most.
    """
    others = SAYS("own.others", tested=tested) if settings.by_person and several else f"{tested:,}"
    used = used_of(settings, along=along, several=several, most=most)
    return SAYS("own.trained", used=used, tested=others)


def used_of(
    settings: RowsSettings, *, along: str = "", several: bool = False, most: int = 0
) -> str:
    """Return how much of a file is used, without a full stop; the arguments as in
    ``learned_from``.
    """
    rows, unit, each = settings.file.private, "rows", ""
    if settings.by_person:
        unit = "people"
        each = SAYS("own.most-each" if most else "own.all-each", most=most) if several else ""
    if settings.rows >= rows:
        return f"{settings.rows:,} {unit}{each}"
    used, more = (
        SAYS("own.used", used=settings.rows, rows=rows, unit=unit, each=each),
        rows / settings.rows,
    )
    return SAYS("own.noise", used=used, along=along, times=number(more)) if more >= 1.05 else used


def of_own(roles: Roles, *, public: str, several: bool = False, most: int = 0) -> str:
    """Return who is protected where rows are a visitor's own, and what is taken as ``public``
    beside declarations.

    several: whether all rows of a person are learned from, or ``most`` at most.
    """
    case = (
        "row"
        if not roles.person
        else "person"
        if not several
        else "person-most"
        if most
        else "person-all"
    )
    said = SAYS(f"own.{case}", protected=protected(roles), public=public, most=most)
    return tiles.note(f"{said} {SAYS['own.not-protected']}")


def protected(roles: Roles) -> str:
    """Return how a sentence begins that names the unit of privacy; conditional where bounds were
    read off the rows.
    """
    return SAYS["own.void" if roles.void else "own.protected"]


def by_class(
    mine: ByClass, others: Mapping[str, ByClass], names: Sequence[str], *, models: str
) -> str:
    """Return who is taken for whom: what ``models`` answer for each class, and how often the
    ``others`` (HTML -> theirs) are right; HTML.
    """
    rows = [
        {"class": escape(name)}
        | {f"as {place}": _of_hundred(share) for place, share in enumerate(mine.shares[own])}
        | {other: _of_hundred(one.shares[own, own]) for other, one in others.items()}
        for own, name in enumerate(names)
    ]
    return tiles.table(
        rows,
        title=SAYS("by-class.title", models=models),
        caption=" ".join(beyond_accuracy(mine, others, names)),
        heads={"class": "class"}
        | {f"as {place}": escape(name) for place, name in enumerate(names)}
        | {other: SAYS("by-class.correct", other=other) for other in others},
    )


def _of_hundred(share: float) -> str:
    return "-" if share != share else in_hundred(share)


def beyond_accuracy(
    mine: ByClass, others: Mapping[str, ByClass], names: Sequence[str]
) -> list[str]:
    """Return what accuracy hides: classes that are hardly found, and how sure models are."""
    right, best = mine.medians["balanced accuracy"], mine.largest_class
    theirs = {name: one.medians["balanced accuracy"] for name, one in others.items()}
    digits = max((digits_apart(right, other) for other in theirs.values()), default=0)
    beside = ", ".join(f"{name} {percent(share, digits=digits)}" for name, share in theirs.items())
    losses = ", ".join(f"{name} {_nats(one)}" for name, one in others.items())
    most, most_right = escape(names[best[0]]), percent(best[1])
    return [
        SAYS["by-class.medians"],
        SAYS("by-class.balanced", mine=percent(right, digits=digits), others=beside),
        *_two_stories(mine, names, digits=digits),
        SAYS("by-class.baseline", most=most, accuracy=most_right, balanced=percent(1 / len(names))),
        SAYS("by-class.loss", mine=_nats(mine), others=losses),
    ]


def _two_stories(mine: ByClass, names: Sequence[str], *, digits: int) -> list[str]:
    """Return where accuracy is far from balanced accuracy: by how much, and which classes are found
    most and least often.
    """
    accuracy, balanced = mine.medians["accuracy"], mine.medians["balanced accuracy"]
    if abs(accuracy - balanced) < FEW_POINTS:
        return []
    apart = abs(round(100 * accuracy, digits) - round(100 * balanced, digits))
    case = "above" if accuracy > balanced else "below"
    said = SAYS(
        f"by-class.{case}", accuracy=percent(accuracy, digits=digits), points=f"{apart:.{digits}f}"
    )
    found = sorted(
        (recall, name)
        for recall, name in zip(mine.shares.diagonal(), names, strict=True)
        if recall == recall
    )
    (least, rare), *_, (most, often) = *found, found[-1]
    if in_hundred(least) == in_hundred(most):
        return [said]
    ends = {
        "most": in_hundred(most),
        "often": escape(often),
        "least": in_hundred(least),
        "rare": escape(rare),
    }
    return [said, SAYS("by-class.found", **ends)]


def _nats(one: ByClass) -> str:
    loss = one.medians["loss"]
    return (
        SAYS("by-class.nats", loss=number(loss))
        if math.isfinite(loss)
        else SAYS["by-class.infinite"]
    )
