"""The table of the classifier: public pre-training, trained now and as published."""

from dpcore.estimators.recipes import EPSILONS, PUBLISHED, published_slips
from pages.classifier.figures import SAYS
from pages.classifier.result import ClassifierResult
from ui import outcomes, panels
from ui.panels import number


def table(result: ClassifierResult) -> str:
    """The nine epsilons of the slides, trained now beside the published figures."""
    frame, slips = result.table(), published_slips()
    printed = zip(frame["epsilon"], frame["published gain"], strict=True)
    frame["published gain"] = [f"{gain:.2f}{'&nbsp;*' * (epsilon in slips)}" for epsilon, gain in printed]
    twice = ("published without", "published with", "published gain computed")
    heads = {name: f"{SAYS[f'table.{name}']}<br>{panels.badge('trained now')}" for name in ("without", "with", "gain")}
    heads |= {f"published {name}": head.replace("trained now", "published") for name, head in heads.items()}
    return panels.table(
        frame,
        title=SAYS["table.title"],
        caption=f"{SAYS('table.caption', slips=_listed(slips))} {insight(result)}",
        heads={"epsilon": SAYS["table.epsilon"], **heads, "published gain computed": SAYS["table.computed"]},
        now=number(result.settings.epsilon),
        formats={"epsilon": number, "without": outcomes.tenths, "with": outcomes.tenths, "gain": _signed}
        | dict.fromkeys(twice, "{:.2f}".format),
    )


def insight(result: ClassifierResult) -> str:
    """Return where pre-training adds most, once all is trained, and whether it lasts as it did in the slides."""
    gains, printed = result.gains, _signed(list(PUBLISHED.values())[-1][2])
    if gains is None or result.settings.version == "none":
        return ""
    if gains.most is None:
        return SAYS("insight.none", runs=result.settings.repeats)
    holes = {"most": _signed(gains.most), "at": number(gains.at), "end": number(EPSILONS[-1]), "printed": printed}
    if gains.last is None:
        return SAYS("insight.ends", **holes)
    return SAYS("insight.lasts", last=_signed(gains.last), **holes)


def _listed(values) -> str:
    *first, last = map(number, values)
    return f"{', '.join(first)} and {last}" if first else last


def _signed(value: float) -> str:
    return "…" if value != value else outcomes.signed(value / 100)
