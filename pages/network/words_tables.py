"""Tables of the network page: batches and noise compared, and accuracy during training."""

from lab.claims import Case
from lab.settings import Spread
from pages.network.figures import MECHANISMS, SAYS, arm_name
from pages.network.result import NetworkResult
from ui import outcomes, panels
from ui.outcomes import percent
from ui.panels import number


def mechanisms(result: NetworkResult) -> str:
    """Return the three ways to make batches and noise at the same epsilon, as a table."""
    settings = result.settings
    if not settings.mechanisms:
        return panels.note(SAYS["mechanisms.none"])
    rows = [
        {
            "mechanism": MECHANISMS[name][0],
            "sigma": one.sigma,
            "left": float(result.noise_left[name].iloc[-1]),
            "right": result.at_the_end.get(name),
        }
        for name, one in settings.mechanisms.items()
    ]
    others = f" {SAYS['mechanisms.others']}" if settings.by_chance else ""
    heads = dict(zip(rows[0], SAYS["mechanisms.heads"].split(", "), strict=True))
    return panels.note(bought(result)) + panels.table(
        rows,
        title=SAYS("mechanisms.title", epsilon=number(settings.left)),
        caption=SAYS["mechanisms.caption"] + others,
        now=MECHANISMS[settings.mechanism][0],
        heads=heads | {"right": f"{heads['right']}<br>{panels.badge('trained now')}"},
        formats={
            "sigma": number,
            "left": number,
            "right": lambda right: "…" if right is None else percent(Spread.of(right).median),
        },
    )


def table(result: NetworkResult) -> str:
    """Return the training at four steps, as a table."""
    frame, now = result.table(), panels.badge("trained now")
    ends = zip(frame["low"].map(outcomes.tenths), frame["high"].map(outcomes.tenths), strict=True)
    band = [low if low == high else SAYS("table.band", low=low, high=high) for low, high in ends]
    step, epochs, epsilon, between = SAYS["table.heads"].split(", ")
    spent = panels.badge(SAYS["table.bound" if result.holds and not result.settings.void else "table.claimed"])
    arms = {arm: f"{arm_name(result, arm)}<br>{now}" for arm in ("private", "plain")}
    return panels.table(
        frame.assign(band=band),
        title=SAYS["table.title"],
        caption=SAYS["table.caption"],
        heads={"step": step, "epochs": epochs, "epsilon": f"{epsilon}<br>{spent}", "private": arms["private"]}
        | {"band": between, "plain": arms["plain"]},
        formats={
            "step": "{:,}".format,
            "epochs": number,
            "epsilon": lambda value: "…" if value != value else number(value),
            "private": outcomes.tenths,
            "plain": outcomes.tenths,
        },
    )


def bought(result: NetworkResult) -> str:
    """Return what correlated noise buys in a fixed order, against independent noise and against Poisson sampling."""
    if not result.settings.mechanisms:
        return ""
    sampled, ordered, tree = (float(result.noise_left[name].iloc[-1]) for name in MECHANISMS)
    first, second = (f"<b>{panels.multiple(number(tree / other))}</b>" for other in (ordered, sampled))
    said, found = SAYS("mechanisms.noise", first=first, second=second), result.at_the_end
    if len(found) < len(MECHANISMS):
        return said
    case, adds = result.correlation
    text = {Case.AHEAD: "mechanisms.more", Case.BEHIND: "mechanisms.less"}.get(case, "mechanisms.even")
    return f"{said} {SAYS(text, pairs=len(found['tree']), points=outcomes.points(adds))}"
