"""What a page says in words: verdict, diagnostics, guarantee, table, share.

No formulas; text from a result's numbers.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dpcore.privacy import Guarantee
from ui import controls, live
from ui.pins import pinned

STYLE = """
<style>
[data-testid="stMainBlockContainer"] {padding-top: 3.75rem; padding-bottom: 3rem; max-width: 100rem}
[data-testid="stMainBlockContainer"] h1 {padding-top: .25rem; font-size: 2.1rem}
@media (min-width: 900px) {
  .lab-verdict {min-height: 7.1rem} /* of four lines, so that the pictures stay where they are as the words change */
  [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"] .st-key-knobs) {flex-wrap: nowrap}
  [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"] .st-key-knobs) > [data-testid="stColumn"] {
    min-width: 0}
  [data-testid="stColumn"]:has(.st-key-knobs) {min-width: 16.5rem !important; position: sticky;
    top: 3.75rem; align-self: flex-start; max-height: calc(100vh - 4.5rem); overflow-y: auto}
}
@media (max-width: 899px) {
  /* On a phone the first knob stays in view above the pictures that it moves; the others are a scroll away. */
  [data-testid="stColumn"]:has(.st-key-knobs) {position: sticky; top: 3.75rem; z-index: 20; max-height: 9.5rem;
    overflow-y: auto; padding: .4rem .5rem; margin: 0 -.5rem; border-bottom: 1px solid rgba(128,128,128,.35);
    background: light-dark(LIGHT, DARK)}
  [data-testid="stColumn"]:has(.st-key-knobs [data-plays]) {max-height: 11.25rem} /* a row of buttons more */
  [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"] .st-key-knobs) {flex-wrap: wrap}
  [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"] .st-key-knobs) > [data-testid="stColumn"] {
    min-width: 100%}
  [data-testid="stHorizontalBlock"] [data-testid="stButtonGroup"] [role="radiogroup"] {flex-wrap: wrap}
}
[data-testid="stSelectbox"] input {text-overflow: ellipsis} /* a choice too long for a phone says that it goes on */
.lab-verdict {font-size: 1.18rem; line-height: 1.5; max-width: 62rem; margin: 0 0 .25rem 0}
.lab-cards {display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1rem}
.lab-card {border: 1px solid rgba(128,128,128,.3); border-radius: .5rem; padding: .9rem 1.1rem}
.lab-card h4 {margin: 0 0 .5rem 0; padding: 0; font-size: 1rem; font-weight: 600}
.lab-card ul {margin: 0; padding-left: 1.1rem} .lab-card li + li {margin-top: .45rem} .lab-card p {margin: .55rem 0 0 0}
.lab-note {opacity: .85; font-size: .92rem; line-height: 1.45}
.lab-badge {display: inline-block; font-size: .72rem; line-height: 1.2; padding: .1rem .45rem; border-radius: .6rem;
  border: 1px solid currentColor; opacity: .85; margin-left: .35rem; white-space: nowrap; vertical-align: middle}
.lab-scroll {overflow-x: auto}
.lab-table {border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; width: 100%}
.lab-table th, .lab-table td {padding: .28rem .6rem; text-align: right; border-bottom: 1px solid rgba(128,128,128,.25)}
.lab-table th {font-weight: 600; vertical-align: bottom}
.lab-table tr.now td {background: rgba(213,94,0,.12)}
.lab-facts {display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; font-size: .92rem; margin: 0}
.lab-facts dt {opacity: .75; font-weight: 400; margin: 0} .lab-facts dd {margin: 0}
.lab-key {display: inline-flex; align-items: center; gap: .4rem; margin-right: 1.1rem; font-size: .88rem;
  white-space: nowrap}
.lab-key i {display: inline-block; width: 1.3rem; height: 0; border-top: 3px solid}
</style>
"""


def style() -> None:
    """The few rules that the panels and the layout need, on the ground of the theme."""
    light, dark = (st.get_option(f"theme.{name}.backgroundColor") for name in ("light", "dark"))
    st.html(STYLE.replace("LIGHT", light or "white").replace("DARK", dark or "black"))


def number(value: float) -> str:
    """Three significant digits, with thousands: 0.5, 4.54, 1,880."""
    if value != value or value in (float("inf"), float("-inf")):
        return "unlimited" if value > 0 else "none"
    if value >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}"


def small(chance: float) -> str:
    """A chance that may be tiny: 0.12, 0.0041, 2.3e-07, below 1e-15."""
    return f"{chance:.2g}" if chance == 0 or chance >= 1e-15 else "below 1e-15"


def in_hundred(share: float) -> str:
    """A share as a count of 100, with a decimal where a whole number would say "always"."""
    percent = 100 * share
    return f"{percent:.1f}" if 99 < percent < 99.95 else f"{percent:.0f}"


def odds(guarantee: Guarantee) -> str:
    """What the guarantee means for a person, in a sentence's half."""
    right = guarantee.attacker_accuracy
    if right > 0.9995:
        return (
            "someone who could at best guess 50:50 whether your row is in the data may be right practically every time"
        )
    return (
        "someone who could at best guess 50:50 whether your row is in the data can be right <b>at most "
        f"{in_hundred(right)} times in 100</b>"
    )


def large_delta(delta: float, count: int, units: str = "rows") -> str:
    """A warning where delta would allow to publish one of ``count`` private units whole, else nothing."""
    if delta * count < 1:
        return ""
    return (
        f"Delta {delta:g} is no smaller than one over the {count:,} private {units}: publishing one of them whole, "
        "chosen at random, would be allowed. Choose it far smaller."
    )


def _verdict(text: str) -> None:
    """The sentence that changes with the slider; screen readers are told."""
    st.html(f'<div class="lab-verdict" role="status" aria-live="polite">{text}</div>')


def _cards(contents: Sequence[tuple[str, str]]) -> str:
    """Cards side by side, each (title, HTML); one element, because each costs a redraw its share."""
    return "".join(f'<section class="lab-card"><h4>{title}</h4>{content}</section>' for title, content in contents)


WHY = "Why did it change, or not?"
# What a run may spend on moments that a knob that plays comes to later, in seconds.
_AHEAD_SECONDS = 0.3


def stage(
    desk: controls.Desk,
    *,
    verdict: str,
    pictures: Sequence[Sequence[live.Picture]],
    cards: Sequence[tuple[str, str]],
    done: float,
    above: str = "",
    table: Callable[[], None] | None = None,
    ahead: Callable[[Any], Mapping[str, Any]] | None = None,
    **knobs: Any,
) -> None:
    """The live part of every page: the knobs (``Desk.panel``) beside the verdict, the pictures and the cards.

    ``above`` is HTML over the pictures, ``table`` shows one under them. The knobs are mounted last: their message tells
    the browser that all the rest has arrived. ``ahead``: other settings -> their verdict, pictures and cards, for a
    knob that plays, once all is computed.
    """
    reel = []
    if ahead is not None and done == 1 and desk.ahead:
        now = getattr(desk.settings, knobs["play"])
        reel = [_moment(now, verdict=verdict, pictures=pictures, cards=cards)]
        end = time.perf_counter() + _AHEAD_SECONDS
        for value, settings in desk.ahead:
            if len(reel) > 1 and time.perf_counter() > end:
                break
            reel.append(_moment(value, **ahead(settings)))
    left, right = st.columns([1, 3.1], gap="large")
    with right:
        _verdict(verdict)
        if above:
            st.html(above)
        live.board(pictures, key=f"{desk.page}.board", reel=reel, ack=desk.clicked)
        if table is not None:
            table()
        st.html(f'<div class="lab-cards">{_cards(cards)}</div>')
    with left.container(key="knobs"):
        desk.panel(done=done, **knobs)


def _moment(
    at: float, *, verdict: str, pictures: Sequence[Sequence[live.Picture]], cards: Sequence[tuple[str, str]]
) -> live.Moment:
    return live.Moment(at=at, pictures=pictures, words={".lab-verdict": verdict, ".lab-cards": _cards(cards)})


def notices(sentences: Iterable[str]) -> None:
    """What a link held that was ignored."""
    for sentence in sentences:
        st.warning(sentence, icon=":material/link_off:")


def key(entries: Iterable[tuple[str, str, str]]) -> None:
    """One legend for all charts: (name, colour, "solid" or "dotted")."""
    keys = "".join(
        f'<span class="lab-key"><i style="border-top-color:{colour};border-top-style:{dash}"></i>{name}</span>'
        for name, colour, dash in entries
    )
    st.html(f"<div>{keys}</div>")


def badge(text: str) -> str:
    """Where a number comes from: trained now, bound, published."""
    return f'<span class="lab-badge">{text}</span>'


def bullets(sentences: Iterable[str]) -> str:
    """A list of sentences."""
    return '<ul class="lab-note">' + "".join(f"<li>{sentence}</li>" for sentence in sentences) + "</ul>"


def note(text: str) -> str:
    """A paragraph beside the main thing."""
    return f'<p class="lab-note">{text}</p>'


def guarantee(**cases: Guarantee) -> str:
    """All that belongs to a guarantee, and never epsilon alone.

    Several cases of the same delta, neighbours and basis stand under each other, each by its name.
    """
    any_case = next(iter(cases.values()))
    epsilons = {f"epsilon, {name.replace('_', ' ')}": number(one.epsilon) for name, one in cases.items()}
    pairs = ({"epsilon": number(any_case.epsilon)} if len(cases) == 1 else epsilons) | {
        "delta": f"{any_case.delta:g}",
        "neighbours": f"{any_case.adjacency}, one {any_case.unit}",
        "counted by": any_case.basis,
    }
    rows = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in pairs.items())
    return f'<dl class="lab-facts">{rows}</dl>'


Rows = pd.DataFrame | Sequence[Mapping[str, Any]]


def table(shown: Rows, *, caption: str, heads: Mapping[str, str], now: float | str | None = None) -> None:
    """A table that can be read, copied and spoken; ``heads`` maps columns to their heading (HTML), in this order.

    ``shown``: a frame, or its rows, each by column. ``now`` marks the row whose first column has this value.
    """
    first = next(iter(heads))
    head = "".join(f'<th scope="col">{text}</th>' for text in heads.values())
    rows = "".join(
        f"<tr{' class=now' if now is not None and row[first] == now else ''}>"
        + "".join(f"<td>{row[column]}</td>" for column in heads)
        + "</tr>"
        for row in (shown.to_dict("records") if isinstance(shown, pd.DataFrame) else shown)
    )
    st.html(
        '<div class="lab-scroll" tabindex="0"><table '
        f'class="lab-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody>'
        f'</table></div><p class="lab-note">{caption}</p>'
    )


def share(settings: object, *, page: str, module: str, frames: Mapping[str, pd.DataFrame]) -> None:
    """Link, numbers and a script that makes them again."""
    link = f"{st.context.url or ''}".split("?")[0]
    query = urlencode(asdict(settings))
    st.markdown("This link opens the same settings and the same numbers:")
    st.code(f"{link}?{query}", language=None, wrap_lines=True)
    with st.container(horizontal=True):
        for name, frame in frames.items():
            st.download_button(
                f"{name} (CSV)",
                data=lambda frame=frame: frame.to_csv(index=False),
                file_name=f"{page}-{name.lower().replace(' ', '-')}.csv",
                mime="text/csv",
                on_click="ignore",
                icon=":material/download:",
            )
        st.download_button(
            "Script (Python)",
            data=script(settings, module=module),
            file_name=f"{page}.py",
            mime="text/x-python",
            on_click="ignore",
            icon=":material/code:",
        )
    st.caption(
        "With the mouse over a picture you find buttons that save it as PNG, as SVG, or as an HTML page that still "
        "zooms and tells its numbers."
    )


def foot(
    desk: controls.Desk,
    *,
    verdict: str,
    done: float,
    module: str,
    frames: Mapping[str, pd.DataFrame],
    how_it_works: Callable[[], None],
) -> None:
    """The end of every page: what was pinned, share and download, and how it works."""
    pinned(desk, verdict=verdict, done=done)
    with st.expander("Share and download", icon=":material/share:"):
        share(desk.settings, page=desk.page, module=module, frames=frames)
    with st.expander("How it works", icon=":material/school:"):
        how_it_works()


def script(settings: object, *, module: str) -> str:
    """A program that prints the numbers of these settings; run it in a checkout."""
    kind = type(settings).__name__
    given = "".join(f"    {name}={value!r},\n" for name, value in asdict(settings).items())
    first = getattr(settings, "preparation", "")  # what must be there before, such as a file
    return (
        f"{first}from {module} import {kind}\n\nresult = {kind}(\n{given}).run()\nprint(result.table().to_string())\n"
    )
