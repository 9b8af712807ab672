"""Who sees what, and who adds the noise: a small drawing that follows the method. Works on light and on dark ground."""

from pages.parties.figures import SAYS
from pages.parties.result import PartiesResult
from ui.plot import theme

_INK = 'fill="currentColor"'


def trust(result: PartiesResult) -> str:
    """The drawing as inline SVG, with the same in words for a screen reader."""
    settings = result.settings
    sends, does, noise, leaves = _steps(result)
    parts = [
        _parties(settings.parties, settings.rows),
        _arrow(198, 75, 318, SAYS("trust.sends", sends=sends)),
        _box(322, 14, 330, 130, SAYS["trust.aggregator"], does, solid=True),
        _noise(noise),
        _arrow(656, 75, 792, SAYS["trust.released"]),
        _box(796, 14, 168, 130, SAYS["trust.everybody"], leaves, solid=False),
    ]
    if settings.method != "average":
        pate, own = settings.method == "pate", settings.private
        case = ("asked_made_up" if own else "asked") if pate else "made_up" if own else "public"
        parts += [_public(SAYS(f"trust.{case}", queries=settings.model.queries, rows=settings.public_rows))]
    return (
        f'<div class="lab-scroll" tabindex="0"><svg viewBox="0 0 980 204" role="img" '
        f'aria-label="{spoken_trust(result)}" '
        'style="min-width:760px;width:100%;max-width:1080px;margin-bottom:1rem;display:block;'
        'font:13px system-ui,sans-serif">' + "".join(parts) + "</svg></div>"
    )


def spoken_trust(result: PartiesResult) -> str:
    """The drawing in words."""
    sends, does, noise, leaves = _steps(result)
    holes = {"sends": sends, "does": " ".join(does), "noise": noise, "leaves": " ".join(leaves)}
    return SAYS("trust.spoken", parties=result.settings.parties, **holes)


def _steps(result: PartiesResult) -> tuple[str, list[str], str, list[str]]:
    """Return what a party sends, what the aggregator does with it, where the noise goes, what leaves."""
    sends, does, noise, leaves = SAYS[f"trust.{result.settings.method}"].split(" / ")
    return sends, does.split(" | "), noise, leaves.split(" | ")


def _text(x: float, y: float, text: str, *, bold: bool = False, anchor: str = "start", more: str = _INK) -> str:
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{weight} {more}>{text}</text>'


def _box(x: float, y: float, width: float, height: float, title: str, lines: list[str], *, solid: bool) -> str:
    colour = theme.PRIVATE if solid else theme.PUBLIC
    box = (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{colour}" fill-opacity=".1" '
        f'stroke="{colour}" stroke-width="1.6"/>'
    )
    words = "".join(_text(x + 14, y + 46 + 19 * place, line) for place, line in enumerate(lines))
    return box + _text(x + 14, y + 24, title, bold=True) + words


def _parties(count: int, rows: int) -> str:
    """A pile of parties, each with its rows."""
    pile = "".join(
        f'<rect x="{14 + 8 * step}" y="{30 - 8 * step}" width="164" height="112" rx="8" fill="{theme.PRIVATE}" '
        f'fill-opacity=".07" stroke="{theme.PRIVATE}" stroke-width="1.3"/>'
        for step in (2, 1, 0)
    )
    name, *lines, hidden = SAYS("trust.parties", parties=count, rows=rows).split(" / ")
    words = _text(28, 55, name, bold=True) + "".join(_text(28, 75 + 18 * at, line) for at, line in enumerate(lines))
    return pile + words + _text(28, 114, hidden, bold=True)


def _arrow(x: float, y: float, end: float, text: str) -> str:
    line = f'<path d="M{x},{y}H{end - 7}" stroke="currentColor" stroke-width="1.6" fill="none"/>'
    head = f'<path d="M{end},{y}l-9,-5v10z" {_INK}/>'
    return line + head + _text((x + end) / 2, y - 9, text, anchor="middle")


def _noise(text: str) -> str:
    """Return what the aggregator adds before anything leaves."""
    badge = '<rect x="336" y="112" width="240" height="24" rx="12" fill="none" stroke="currentColor" stroke-width="2"/>'
    return badge + _text(456, 128, f"+ {text}", anchor="middle", bold=True)


def _public(text: str) -> str:
    box = (
        f'<rect x="362" y="168" width="250" height="30" rx="8" fill="{theme.PUBLIC}" fill-opacity=".1" '
        f'stroke="{theme.PUBLIC}" stroke-width="1.4"/>'
    )
    up = f'<path d="M487,167V154" stroke="currentColor" stroke-width="1.6"/><path d="M487,146l-5,9h10z" {_INK}/>'
    return box + up + _text(487, 188, text, anchor="middle")
