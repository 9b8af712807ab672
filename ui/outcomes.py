"""Sentences that several pages say, each chosen by the numbers that it is about, and never by a knob.

Accuracies are shares, said in percent; differences are in points, and those of the numbers as they are shown.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape

import numpy as np

from dpcore.accountants.attacker import best_attacker
from dpcore.confusion import ByClass
from dpcore.data.own_rows import Roles
from dpcore.privacy import Guarantee
from lab import claims
from lab.claims import Case
from lab.own_settings import RowsSettings
from ui import panels
from ui.panels import Number, apart, at_most, digits_apart, in_hundred, number, percent
from ui.plot.columns import Leading
from ui.texts import count

# A difference that is worth a sentence: this far above the best answer that is always the same, a model has learnt.
LEARNT = 0.05
# From here on a single run says little: the width of nine runs in ten.
WIDE = 0.15
# From here on accuracy and balanced accuracy are two stories.
FEW_POINTS = 0.03


def tenths(value: float) -> str:
    """A number with a decimal, or dots where it is still to be computed."""
    return "…" if value != value else f"{value:.1f}"


def times(share: float) -> str:
    """A share as "30 times in 100", "1 time in 100"."""
    shown = in_hundred(share)
    return f"{shown} time{'' if shown == '1' else 's'} in 100"


def points(difference: float) -> str:
    """A difference of shares as "4.2 points", without its sign."""
    shown = f"{abs(100 * difference):.1f}"
    return f"{shown} point" + ("" if shown == "1.0" else "s")


def signed(difference: float) -> str:
    """A difference of shares in points with its sign, a true minus."""
    shown = f"{abs(100 * difference):.1f}"
    return shown if shown == "0.0" else ("+" if difference > 0 else "−") + shown


def so_far(runs: int, of: int, unit: str = "run") -> str:
    """ "So far, 3 of 24 runs": how a sentence starts that claims nothing yet."""
    return f"<b>So far</b>, {runs:,} of {count(of, unit)}"


def beside(case: Case, said: str, *, runs: int, of: int | None = None, none: str = "no difference") -> str:
    """Return ``said`` where a difference is shown, else in a few words why nothing is claimed. ``none``: what is not
    shown; ``of``: how many runs there will be."""
    if case == Case.SO_FAR:
        return f"so far {runs:,} of {of or runs:,} runs"
    if case == Case.CONSTANT:
        return "no better than one answer"
    return said if case in (Case.AHEAD, Case.BEHIND) else f"{none} shown"


def cost(
    private: np.ndarray,
    reference: np.ndarray | float,
    *,
    baseline: tuple[str, float],
    runs: int,
    model: str = "model",
) -> str:
    """Return what privacy costs: the accuracies of the private models against those without privacy.

    baseline: the best constant answer, and its share of right answers. runs: how many private models there will be.
    """
    always, base = baseline
    middle, without = float(np.median(private)), float(np.median(reference))
    if base == 1:
        return f"<b>There is nothing to learn</b>: all held-out rows have the answer “{always}”."
    mine, plain = apart(middle, without)
    if len(private) < runs:
        return f"{so_far(len(private), runs, model)}: median accuracy {mine}, without privacy {plain}."
    if middle <= base:
        others = f"a {model} without privacy" if without > base else f"even a {model} without privacy only"
        return (
            f"The private {model}s have <b>learnt nothing yet</b>: the middle one is right {percent(middle)} of the "
            f"time, always answering “{always}” {percent(base)}, {others} {percent(without)}."
        )
    if claims.compare(private, reference, constant=base) != Case.BEHIND:
        return (
            f"<b>No cost can be shown</b> in {count(runs, 'run')}: median accuracy {mine} with privacy, {plain} "
            "without."
        )
    return (
        f"Privacy costs <b>{_lost(middle, without)}</b> here: the middle {model} is right <b>{mine}</b> of the time "
        f"instead of {plain}."
    )


def _lost(private: float, reference: float) -> str:
    """The difference of the two numbers as they are shown."""
    places = digits_apart(private, reference)
    difference = f"{round(100 * reference, places) - round(100 * private, places):.{places}f}"
    return f"{difference} point" + ("" if difference == "1" else "s")


def one_answer(
    accuracy: np.ndarray, labels: np.ndarray, found: Callable[[], ByClass], names: Sequence[str], *, model: str
) -> str:
    """That models give all held-out rows one answer, where they do; "" else.

    accuracy: (R,) on the held-out rows, whose classes are ``labels``. Only where one of them is the share of a class,
    as it then must be, what ``found`` finds is asked for.
    """
    shares = np.bincount(labels, minlength=len(names)) / len(labels)
    always = found().always if np.isclose(np.subtract.outer(accuracy, shares), 0, atol=1e-9).any() else {}
    many, models = sum(always.values()), len(accuracy)
    if not many:
        return ""
    most = escape(names[next(iter(always))])
    answer = f"always answer “{most}”" if len(always) == 1 else f"always give one answer, most often “{most}”"
    if many == models:
        return f"<b>All {count(models, f'private {model}')} {answer}</b>, whoever asks."
    answer = answer if many > 1 else answer.replace("answer", "answers", 1).replace("give", "gives", 1)
    return f"Of {count(models, f'private {model}')}, {many} {answer}, whoever asks."


def disguised(best: float, base: float) -> str:
    """That a column may be the answer, where without privacy nobody is wrong, and always saying one thing is."""
    if not base < 1 == best:
        return ""
    return (
        "Without privacy <b>every answer is right</b>: does a column give the answer away, such as one that is written "
        "down after it is known? Then all of this is about nothing."
    )


def price(private: np.ndarray, reference: np.ndarray | float, *, base: float, runs: int) -> str:
    """Return what privacy costs in a few words; ``base`` and ``runs`` as in ``cost``."""
    case = claims.compare(private, reference, constant=base, complete=len(private) == runs)
    lost = f"price: {_lost(float(np.median(private)), float(np.median(reference)))}"
    return beside(case if case != Case.AHEAD else Case.ALIKE, lost, runs=len(private), of=runs, none="no cost")


def landing(low: float, high: float) -> str:
    """Return between which accuracies 90 % of runs lie, from the 5 % and the 95 % quantile."""
    left, right = (text.removesuffix("\u00a0%") for text in apart(low, high))
    if left == right:
        return f"90\u00a0% of runs reach {left}\u00a0%."
    return f"90\u00a0% of runs fall between {left} and {right}\u00a0%."


def start(rows: int, started: np.ndarray, scratch: np.ndarray, *, base: float, runs: int) -> str:
    """Return what a start from public rows adds: accuracies of the runs with it, and of the same runs without."""
    case = claims.compare(started, scratch, constant=base, complete=len(started) == runs)
    added, start = points(float(np.median(started - scratch))), f"start from {count(rows, 'public row')}"
    match case:
        case Case.AHEAD:
            return f"A {start} adds <b>{added}</b> in the median pair of runs."
        case Case.BEHIND:
            return f"A {start} <b>harms</b>: {added} less in the median pair of runs."
        case Case.CONSTANT:
            return f"A {start} does no better than one constant answer."
        case Case.SO_FAR:
            return ""
    return f"No difference can be shown for a {start}."


def confidence(gain: tuple[float, float, float], *, pairs: int) -> str:
    """How sure ``start`` is; nothing where all pairs agree."""
    median, low, high = gain
    if low == high:
        return ""
    if math.inf in (-low, high):
        ends = "too few for a 95&nbsp;% confidence interval"
    else:
        ends = f"95&nbsp;% confidence interval (sign test) {signed(low)} to {signed(high)}"
    return (
        f"The median paired difference that the public start makes is {signed(median)} points here, from "
        f"{count(pairs, 'pair')} of runs with the same noise: {ends}."
    )


def noise(ratio: float, *, steps: int, accuracy: float, base: float) -> str:
    """One step's noise against its signal, and whether all ``steps`` make up for it."""
    size = f"<b>{number(ratio)} times</b>" if number(ratio) != "1" else "as long as"
    ahead = f"One step's noise is {size} its signal"
    if ratio <= 1 or not steps:
        return ahead
    if accuracy > base + LEARNT:
        return f"{ahead}; {count(steps, 'step')} together still find the way" if steps > 1 else ahead
    return f"{ahead}, and {count(steps, 'step')} {'do' if steps > 1 else 'does'} not make up for it"


def limit(held: Guarantee) -> str:
    """The best attacker's number, and beside it what epsilon and delta alone would allow."""
    found, most = best_attacker(held), at_most(held.attacker_accuracy)
    mine, least = at_most(found.right), "epsilon and delta" if held.delta else "epsilon"
    if found.right > 0.9995:
        return "There is so little noise that the best attacker is right practically every time."
    if found.known == "epsilon":
        return f"The best attacker is right at most {mine} times in 100: the limit for any mechanism with this {least}."
    against = "Against this noise" if found.known == "noise" else "Counted by the noise or epsilon of each part"
    if mine == most:
        return f"{against}, the best attacker is right {mine} times in 100, the limit for any mechanism."
    most = "practically 100" if held.attacker_accuracy > 0.9995 else most
    return (
        f"{against}, even the best attacker is right only <b>{mine} times in 100</b>; {most} is the limit for any "
        f"mechanism with this {least}."
    )


def void(settings: RowsSettings) -> str:
    """That nothing is promised, where bounds were read off the rows; else ""."""
    if not settings.void:
        return ""
    return f"<b>The guarantee is void</b>: {settings.void}, so epsilon {number(settings.epsilon)} promises nothing."


def void_attacker(settings: RowsSettings) -> Number:
    """The attacker whom nothing limits."""
    return Number("Best attacker", "no limit", settings.void, tone="void")


def void_guarantee(settings: RowsSettings) -> str:
    """Why there is no guarantee to show, and what would restore it; HTML."""
    return panels.note(
        f"<b>Void: {settings.void}.</b> Their lowest and highest values are given away without noise, and no epsilon "
        "limits what an attacker may learn. Look, but do not release: type bounds that anybody could know."
    )


def paid(settings: RowsSettings) -> str:
    """How much of epsilon went for bounds, where it did; HTML."""
    if not settings.paid:
        return ""
    return (
        f"Of epsilon {number(settings.epsilon)}, <b>{number(settings.spent)}</b> paid for bounds "
        f"({count(len(settings.paid), 'release')}, Laplace noise), kept or not; training has the other "
        f"{number(settings.left)}. "
    )


def learned_from(settings: RowsSettings, *, tested: int, along: str = "", several: bool = False, most: int = 0) -> str:
    """How much of a file is used, and what the rest would do to the noise; ``along``: what must go with it;
    ``several``: whether all rows of a person are learned from, or ``most`` at most."""
    by_person = settings.own.roles.person and several
    others = f"one row each of {tested:,} others" if by_person else f"{tested:,}"
    used = used_of(settings, along=along, several=several, most=most)
    return f"Learned from {used}; tested on {others}, for the analyst only. No row is drawn."


def used_of(settings: RowsSettings, *, along: str = "", several: bool = False, most: int = 0) -> str:
    """How much of a file is used, with ``along``, ``several`` and ``most`` as in ``learned_from``."""
    own, unit, each = settings.own, "rows", ""
    if own.roles.person:
        rows = f"up to {most}" if most else "all"
        unit, each = "people", f", {rows} rows of each" if several else ""
    if settings.rows >= own.private:
        return f"{settings.rows:,} {unit}{each}"
    more = own.private / settings.rows
    less = f"; with all{along}, the noise would weigh {number(more)} times less" * (more >= 1.05)
    return f"{settings.rows:,} of {own.private:,} {unit}, picked at random{each}{less}"


def each_column(found: Leading) -> str:
    """What runs go by, column by column, in words."""
    said = ", ".join(
        f"{escape(name)}: {number(middle)}, without privacy {number(plain) if math.isfinite(plain) else 'none'}"
        for name, middle, plain in zip(found.names, found.middle, found.plain.tolist(), strict=True)
    )
    return f"the middle one of each: {said}"


def of_own(roles: Roles, *, public: str, several: bool = False, most: int = 0) -> str:
    """Who is protected where rows are a visitor's own, and what is taken as ``public`` beside declarations; HTML.

    several: whether all rows of a person are learned from, or ``most`` at most.
    """
    who, how_many, stays = "one row", "number of rows", "stays and adds nothing"
    one = " If a person has several, each is protected by itself only."
    if roles.person:
        who, how_many = "one person, all of their rows", "number of people"
        one = " Of each person one row is used, picked by chance."
    if roles.person and several:
        rows = "All of a person's rows are used"
        rows = f"Of a person's rows up to {most} are used, picked by chance" if most else rows
        one = (
            f" {rows}: their gradients are averaged, and the average is clipped. So a person "
            "costs what a single row does, however many they have."
        )
        stays = "is none of theirs, and a person without another adds nothing"
    return panels.note(
        f"{protected(roles)} <b>{who}</b>.{one} Assumed public: the bounds, categories and answers that were typed, "
        f"the {how_many}, {public}. A row whose answer is missing, or is none of these, {stays}. <b>Not</b> protected: "
        "the losses and accuracies on this page, which are for the analyst only, and what other people's data reveals "
        "about you."
    )


def protected(roles: Roles) -> str:
    """How a sentence begins that says who is protected: nobody, where bounds were read off the rows."""
    return "With bounds that were public, protected would be" if roles.void else "Protected is"


def by_class(mine: ByClass, others: Mapping[str, ByClass], names: Sequence[str], *, models: str) -> str:
    """Who is taken for whom by ``models``, beside the ``others`` (what they are called -> theirs); HTML."""
    return panels.by_class(mine, others, names, models=models, caption=" ".join(beyond_accuracy(mine, others, names)))


def beyond_accuracy(mine: ByClass, others: Mapping[str, ByClass], names: Sequence[str]) -> list[str]:
    """What accuracy hides: classes that are hardly found, and how sure models are."""
    right, best = mine.middle["balanced accuracy"], mine.commonest
    theirs = {name: one.middle["balanced accuracy"] for name, one in others.items()}
    digits = max((digits_apart(right, other) for other in theirs.values()), default=0)
    beside = ", ".join(f"{name} {percent(share, digits=digits)}" for name, share in theirs.items())
    losses = ", ".join(f"{name} {_nats(one)}" for name, one in others.items())
    return [
        "Each number is a median, so those of a class need not add up to 100.",
        f"On average over the classes, each counting the same, the middle run is right {percent(right, digits=digits)} "
        f"of the time (balanced accuracy; {beside}).",
        *_two_stories(mine, names, digits=digits),
        f"Always answering “{escape(names[best[0]])}” is right {percent(best[1])} of the time, and "
        f"{percent(1 / len(names))} on average over the classes.",
        f"Loss on held-out rows, in nats: {_nats(mine)} ({losses}).",
    ]


def _two_stories(mine: ByClass, names: Sequence[str], *, digits: int) -> list[str]:
    """Where accuracy is far from balanced accuracy: by how much, and which classes are found most and least often."""
    accuracy, balanced = mine.middle["accuracy"], mine.middle["balanced accuracy"]
    if abs(accuracy - balanced) < FEW_POINTS:
        return []
    apart = abs(round(100 * accuracy, digits) - round(100 * balanced, digits))
    said = f"Accuracy is {percent(accuracy, digits=digits)}, {apart:.{digits}f} points "
    said += "more" if accuracy > balanced else "less"
    found = sorted(
        (recall, name) for recall, name in zip(mine.shares.diagonal(), names, strict=True) if recall == recall
    )
    (least, rare), *_, (most, often) = *found, found[-1]
    if in_hundred(least) == in_hundred(most):
        return [f"{said}."]
    return [
        f"{said}: of 100 rows of “{escape(often)}” the middle run finds {in_hundred(most)}, of 100 of “{escape(rare)}” "
        f"{in_hundred(least)}."
    ]


def _nats(one: ByClass) -> str:
    loss = one.middle["loss"]
    return number(loss) if math.isfinite(loss) else "no finite number"
