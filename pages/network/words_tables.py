"""Tables of the network page: batches and noise compared, and accuracy during training."""

from lab.claims import Case
from lab.settings import Spread
from pages.network.figures import MECHANISMS, SAYS, arm_name
from pages.network.result import NetworkResult
from ui import outcomes, panels
from ui.outcomes import percent
from ui.panels import number


def mechanisms(result: NetworkResult) -> str:
    settings = result.settings
    if not settings.mechanisms:
        return panels.note(SAYS["mechanisms.none"])
    left, right = result.noise_left.iloc[-1], result.at_the_end
    rows = [
        {"mechanism": MECHANISMS[name][0], "sigma": one.sigma, "left": float(left[name]), "right": right.get(name)}
        for name, one in settings.mechanisms.items()
    ]
    others = f" {SAYS['mechanisms.others']}" if settings.by_chance else ""
    return panels.note(bought(result)) + panels.table(
        rows,
        title=SAYS("mechanisms.title", epsilon=number(settings.left)),
        caption=SAYS["mechanisms.caption"] + others,
        now=MECHANISMS[settings.mechanism][0],
        heads=SAYS.heads("mechanisms", rows[0], now=panels.badge("trained now")),
        formats={
            "sigma": number,
            "left": number,
            "right": lambda right: "…" if right is None else percent(Spread.of(right).median),
        },
    )


def table(result: NetworkResult) -> str:
    frame, arms = result.table(), {arm: arm_name(result, arm) for arm in ("private", "plain")}
    ends = zip(frame["low"].map(outcomes.tenths), frame["high"].map(outcomes.tenths), strict=True)
    band = [low if low == high else SAYS("table.band", low=low, high=high) for low, high in ends]
    spent = panels.badge(SAYS["table.bound" if result.holds and not result.settings.void else "table.claimed"])
    columns = "step", "epochs", "epsilon", "private", "band", "plain"
    return panels.table(
        frame.assign(band=band),
        title=SAYS["table.title"],
        caption=SAYS["table.caption"],
        heads=SAYS.heads("table", columns, spent=spent, now=panels.badge("trained now"), **arms),
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
    sampled, ordered, correlated = (float(result.noise_left[name].iloc[-1]) for name in MECHANISMS)
    first, second = (f"<b>{panels.multiple(number(correlated / other))}</b>" for other in (ordered, sampled))
    said, found = SAYS("mechanisms.noise", first=first, second=second), result.at_the_end
    if len(found) < len(MECHANISMS):
        return said
    case, adds = result.correlation
    text = {Case.AHEAD: "mechanisms.more", Case.BEHIND: "mechanisms.less"}.get(case, "mechanisms.even")
    return f"{said} {SAYS(text, pairs=len(found['toeplitz']), points=outcomes.points(adds))}"
