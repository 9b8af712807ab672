"""The table of the classifier: public pre-training, trained now and as published."""

from lab.models.classifier_versions import EPSILONS, PUBLISHED, misprinted_gains
from pages.classifier.charts import SAYS
from pages.classifier.result import ClassifierResult
from ui.text import sentences, tiles
from ui.text.tiles import number


def table(result: ClassifierResult) -> str:
    frame, slips = result.table(), misprinted_gains()
    printed = zip(frame["epsilon"], frame["published gain"], strict=True)
    frame["published gain"] = [
        f"{gain:.2f}{'&nbsp;*' * (epsilon in slips)}" for epsilon, gain in printed
    ]
    return tiles.table(
        frame,
        title=SAYS["table.title"],
        caption=f"{SAYS('table.caption', slips=_listed(slips))} {insight(result)}",
        heads=SAYS.heads(
            "table",
            frame.columns.tolist(),
            now=tiles.badge("trained now"),
            then=tiles.badge("published"),
        ),
        now=number(result.settings.epsilon),
        formats={
            "epsilon": number,
            "without": sentences.tenths,
            "with": sentences.tenths,
            "gain": _signed,
        }
        | dict.fromkeys(
            ("published without", "published with", "published gain computed"), "{:.2f}".format
        ),
    )


def insight(result: ClassifierResult) -> str:
    """Return where pre-training adds most, once all is trained, and whether it lasts as it did in
    the slides.
    """
    gains, printed = result.gains, _signed(list(PUBLISHED.values())[-1][2])
    if gains is None or result.settings.version == "none":
        return ""
    most, at, last = gains
    if most is None:
        case = "few" if result.too_few_for_gains else "none"
        return SAYS(f"insight.{case}", runs=result.settings.repeats)
    holes = {
        "most": _signed(most),
        "at": number(at),
        "end": number(EPSILONS[-1]),
        "printed": printed,
    }
    return (
        SAYS("insight.ends", **holes)
        if last is None
        else SAYS("insight.lasts", last=_signed(last), **holes)
    )


def _listed(values) -> str:
    *first, last = map(number, values)
    return f"{', '.join(first)} and {last}" if first else last


def _signed(value: float) -> str:
    return "…" if value != value else sentences.signed(value / 100)
