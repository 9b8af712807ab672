"""The transfer page's words about an uploaded file, where held-out error takes the place of a known truth."""

from dpcore.transfer import RADIUS, RESIDUAL_BOUND
from pages.transfer import own
from pages.transfer import words as made
from pages.transfer.figures import error
from pages.transfer.result import TransferResult
from pages.transfer.words_descent import OWN
from ui import outcomes, panels
from ui.escaping import plain
from ui.panels import number

LEAD = OWN["lead"]
SELECTIONS = made.SELECTIONS | {"known": OWN["help.known"]}
SELECTIONS_HELP = OWN["help.selection"]
RISK_ABOUT, WALK_ABOUT, MIGRATED_ABOUT = (OWN[f"about.{name}"] for name in ("risk", "walk", "migrated"))


def caption(result: TransferResult) -> str:
    """Return how many rows are used, and what bands and lines are."""
    settings, most = result.settings, own.private_rows(result.settings.own)
    holes = {
        "rows": settings.target_rows,
        "all": most,
        "unit": "people" if settings.own.roles.person else "rows",
        "public": sum(settings.data.counts(settings.migrated)),
        "sources": settings.sources,
    }
    used = OWN("caption.some" if settings.target_rows < most else "caption.all", **holes)
    return f"{used} {OWN('caption.tested', tested=len(result.problem.y_test))}"


def diagnostics(result: TransferResult) -> list[str]:
    """Return why the charts look as they do: noise, sources, detection, scale, clipping."""
    settings, focus = result.settings, result.focus
    said = [made.noise(result), _sources(result)]
    if focus.detection is not None:
        said.append(made.detection(result))
    said.append(OWN("why.scale", radius=number(RADIUS), bound=number(RESIDUAL_BOUND)))
    if focus.clipped > 0.01:
        said.append(OWN("why.clipped", share=panels.in_hundred(focus.clipped)))
    return [*said, *filter(None, [panels.large_delta(settings.delta, settings.target_rows)])]


def _sources(result: TransferResult) -> str:
    """Return which sources are used, and in how many runs."""
    names = [*map(plain, result.settings.own.roles.sources)]
    if result.focus.detection is None:
        return OWN("why.all_sources", names=", ".join(names), risk=error(result.summary()["source"].median))
    times = zip(names, result.focus.kept.sum(axis=0), strict=True)
    used = ", ".join(OWN("why.used_source", name=name, times=runs) for name, runs in times)
    return OWN("why.used_sources", runs=result.settings.repeats, names=used)


def guarantee(result: TransferResult) -> str:
    """Return what each model guarantees to the target's rows, and what it leaves open."""
    settings, detected = result.settings, result.detection_guarantee
    if settings.void:
        return outcomes.void_guarantee(settings) + panels.note(_protected(result))
    held = {name: result.guarantee(name) for name in ("target", "pooled", "transfer")}
    text = panels.note(panels.meaning(held["transfer"]))
    text += panels.guarantee(target_only=held["target"], pooled=held["pooled"], with_sources=held["transfer"])
    text += panels.note(outcomes.limit(held["transfer"]))
    text += panels.note(outcomes.paid(settings)) if settings.paid else ""
    case = ("detected" if detected else "known") + "_paid" * bool(settings.paid)
    text += panels.note(OWN(f"guarantee.{case}", epsilon=number(detected.epsilon) if detected else ""))
    return text + panels.note(_protected(result))


def _protected(result: TransferResult) -> str:
    """Return whose rows are protected, and what is assumed public."""
    roles = result.settings.own.roles
    unit = "person" if roles.person else "record"
    cases = (unit, "each", "public", "gaps" if roles.gaps else "no_gaps", "open")
    holes = {"protected": outcomes.protected(roles), "size": "people" if roles.person else "rows"}
    return " ".join(OWN(f"guarantee.{case}", **holes) for case in cases)
