"""Hypothesis transfer in words: verdict, stages, diagnostics, guarantee, table, method."""

import math
from pathlib import Path

import numpy as np
import streamlit as st

from dpcore.experiments.hypotheses_result import HypothesesResult
from dpcore.experiments.hypotheses_work import METHODS
from ui import panels
from ui.figures import theme
from ui.figures.hypotheses import SHORT
from ui.panels import in_hundred, number

DATA_HELP = (
    "**Generated domains**: clouds on a sphere, fresh rows in every repeat. **Topics**, **reviews**: generated texts "
    "of the paper's sizes. **20 Newsgroups**: real texts; nothing is fetched unless you ask for it. **A CSV file of "
    "your own**: you say which columns are text, label and source, and which rows are public."
)
NEWSGROUPS = (
    "20 Newsgroups, some 18,800 public letters of the 1990s, are not on this machine. scikit-learn can download them "
    "from figshare.com and keeps them for the next time. Nothing is fetched unless you press the button."
)
NO_DOWNLOAD = "Is there a way to the internet? Generated topics have the same layout and need none."
NOISES = {
    "exponential": "Noise on the answer (epsilon only)",
    "gaussian": "Gaussian noise (with delta)",
    "objective": "Noise in the objective (epsilon only)",
}
NOISES_HELP = (
    "How a source hides its rows. **Noise on the answer**: the exact minimum plus noise of uniform direction. "
    "**Gaussian**: less of it, at the price of delta. **Noise in the objective**: a random linear term before "
    "minimising, for hypotheses and importance weights. The rows' own curvature then damps it: try it at epsilon 3."
)
DIVERGENCES = {"kl": "least divergence (KL)", "squares": "least squares"}
PROJECTIONS = {"svd": "main directions of the public rows", "hashing": "random signs (hashing)"}
KNOBS = {
    "epsilon": {"help": "What one row of one source may cost. Each source adds its own noise."},
    "sources": {"label": "Sources", "help": "K, how many parties lend their hypotheses."},
    "dimension": {
        "label": "Features d'",
        "scale": "log",
        "stops": 12,
        "help": "How many features are left after the public projection. The noise grows with their number.",
    },
    "target_rows": {"label": "Target rows", "help": "All rows of the target; few of them have labels."},
    "public_rows": {"label": "Public rows", "help": "Rows that everybody sees, an even mixture of the domains."},
    "repeats": {"help": "How often all of it is done anew: other rows, other noise."},
    "seed": {"help": "Decides the domains, the rows and all of the noise. The same seed, the same numbers."},
}


def verdict(result: HypothesesResult) -> str:
    """What the target gets, what that is worth, and what it costs a row of a source."""
    return " ".join((_outcome(result), _weights(result), _promise(result)))


def _outcome(result: HypothesesResult) -> str:
    found, gain = result.summary, result.gain["transfer"].median
    start = (
        f"With {number(100 * result.settings.label_share)} labels in 100 rows the target is right "
        f"<b>{in_hundred(found['transfer'].median)} times in 100</b> with what the sources lend, "
        f"{in_hundred(found['weak'].median)} without, {in_hundred(found['target'].median)} with all labels."
    )
    if gain < 0:
        return start + " <b>Borrowing harms here.</b>"
    if result.harmed > 0.2:
        return start + f" In {in_hundred(result.harmed)} of 100 repeats borrowing <b>harms</b>."
    return start


def _weights(result: HypothesesResult) -> str:
    best, (_, median, _) = int(np.argmax(result.settings.shares)), result.weight_spread
    return (
        f"Source {best + 1}, {in_hundred(result.settings.shares[best])}&nbsp;% of the target, gets "
        f"{in_hundred(median[best])}&nbsp;% of the weight."
    )


def _promise(result: HypothesesResult) -> str:
    return f"One row of a source: {panels.odds(result.guarantee)}."


def stages(result: HypothesesResult) -> str:
    """The six steps as a strip: what each reads, what leaves it, what it costs. HTML."""
    settings = result.settings
    cost = f"spends &epsilon; {number(settings.epsilon)}"
    cost += f", &delta; {settings.delta:g}" if settings.noise == "gaussian" else ""
    margin, weight = (f"a vector, noise {number(one)} on" for one in result.noise_at(settings.dimension))
    how, tilt = f"{margin} a margin", f"{weight} a log-weight"
    if settings.noise == "objective":
        how, tilt = (
            f"a vector; its noise moves a margin by {number(result.measured_noise)}",
            "a vector of the same kind",
        )
    step = "by EM on the divergence" if settings.divergence == "kl" else "by least squares on the simplex"
    weights = f"a weight for each of {settings.sources} sources, {step}"
    labels = round(settings.label_share * settings.target_rows)
    private, own = "at each source", "at the target"
    steps = [
        ("1 Hypotheses", private, f"{settings.source_rows:,} labelled rows of a source", how, cost),
        (
            "2 Importance weights",
            private,
            f"{settings.unlabelled_rows:,} other rows, and {result.public_rows:,} public ones",
            tilt,
            f"{cost} of other rows: no row is in both 1 and 2",
        ),
        (
            "3 The target's weights",
            own,
            f"{settings.target_rows:,} target rows, public rows",
            "weights of public rows",
            _OWN,
        ),
        (
            "4 Hypothesis weights",
            own,
            "what 2 and 3 gave",
            weights,
            _AFTER,
        ),
        ("5 Prior", own, "what 1 and 4 gave", f"{result.dimension} means and spreads", _AFTER),
        ("6 Hypothesis", own, f"the prior, {labels:,} labelled target rows", "the target's model", _AFTER),
    ]
    colours = {private: theme.PRIVATE, own: theme.NON_PRIVATE}
    boxes = "".join(
        f'<div style="{_BOX};border-top-color:{colours[where]}"><b>{name}</b><br><i>{where}</i><br>reads {reads}<br>'
        f"gives {gives}<br>{costs}</div>"
        for name, where, reads, gives, costs in steps
    )
    return f'<div style="{_STRIP}">{boxes}</div>'


_OWN = "the target's own rows: no source is asked"
_AFTER = "uses only what was released: no more of the sources' budget is spent"
_STRIP = "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(48%,15rem),1fr));gap:.5rem"
_BOX = (
    "font-size:.8rem;line-height:1.35;padding:.45rem .6rem;border:1px solid rgba(128,128,128,.3);"
    "border-top-width:3px;border-radius:.4rem"
)


# Where a source's noise is.
_ADDED = {
    "exponential": "own noise on each answer",
    "gaussian": "own Gaussian noise on each answer",
    "objective": "own noise in each objective",
}


def trust(result: HypothesesResult) -> str:
    """Who sees what, and who adds which noise: a small diagram in HTML."""
    box = "display:inline-block;border:1px solid {};border-radius:.4rem;padding:.2rem .6rem;margin:.15rem"
    blue, grey, settings = box.format(theme.PRIVATE), box.format(theme.NON_PRIVATE), result.settings
    return (
        f'<p class="lab-note"><span style="{blue}">{settings.sources} sources: rows + <b>{_ADDED[settings.noise]}</b>'
        f'</span> &rarr; hypothesis and tilt of each &rarr; <span style="{grey}">anybody</span> &rarr; '
        f'<span style="{grey}">target</span>. Nobody is trusted with a source\'s rows, so nobody adds noise for all: '
        f"it is there {settings.sources} times.</p>"
    )


def guarantee(result: HypothesesResult) -> str:
    """What is promised, under which assumptions, and what is not."""
    fitted = "Vocabulary, idf and projection are from public texts only. " * (result.settings.data != "domains")
    fitted += "Which rows are public was said for the whole file. " * (result.settings.data == "own")
    return (
        panels.guarantee(here=result.guarantee)
        + trust(result)
        + panels.note(
            "Assumed: a person has one row, in one part of one source; the parts are divided without looking at the "
            "rows; rows are at most 1 long; each minimum is exact (to 1e-10). " + fitted
        )
        + panels.note(
            "<b>Not</b> protected: the target's rows (its own model, weights and accuracies show them), and on this "
            "page what stands before the noise (rings, true shares, accuracies: analyst only). The lambdas are not "
            "tuned here; choosing them by private rows, or the best source by the test, would cost extra."
        )
    )


def table(result: HypothesesResult) -> None:
    """Right answers by mixture and level of privacy."""
    frame = result.table()
    st.markdown(
        f"**Several targets, labels on {number(100 * result.settings.label_share)} in 100 rows** (median of right "
        "answers in 100)"
    )
    shown = frame.assign(
        mixture=["\u00a0/\u00a0".join(_percent(share) for share in one) for one in frame["mixture"]],
        epsilon=["no noise" if math.isinf(one) else number(one) for one in frame["epsilon"]],
    )
    for name in METHODS:
        pairs = zip(frame[name], frame["best"], strict=True)
        shown[name] = [_cell(value, best == name) for value, best in pairs]
    heads = {name: f"{SHORT[name]}<br>{panels.badge('trained now')}" for name in METHODS}
    panels.table(
        shown,
        caption="Bold: the best one, all labels aside. Best source is picked by the test rows, which nobody could do; "
        "few labels and all labels see no source and have no noise. Up to 12 repeats.",
        heads={"mixture": "target, % of each source", "epsilon": "epsilon"} | heads,
    )
    st.caption(
        "The paper's own table and figures could not be read for this page; its claims stand under How it works."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g}"


def _cell(value: float, best: bool) -> str:
    text = "…" if value != value else f"{value:.1f}"
    return f"<b>{text}</b>" if best else text


def alts(result: HypothesesResult) -> dict[str, str]:
    """What a screen reader says in place of each picture."""
    found = ", ".join(f"{SHORT[name]} {in_hundred(spread.median)}" for name, spread in result.summary.items())
    gains = ", ".join(
        f"{SHORT[name]} {100 * spread.median:+.1f}" for name, spread in result.gain.items() if name != "weak"
    )
    pairs = zip(result.settings.shares, result.weight_spread[1], strict=True)
    weights = "; ".join(f"{in_hundred(share)} true, {in_hundred(found)} found" for share, found in pairs)
    margin, weight = result.noise_at(result.settings.dimension)
    at, (_, medians, _) = result.dimension_curve("transfer")
    widths = "; ".join(f"{d:.0f} features: {in_hundred(right)}" for d, right in zip(at, medians, strict=True))
    return {
        "weights": f"Hypothesis weights in 100 by source: {weights}.",
        "gain": f"Right answers more in 100 than with few labels only: {gains}.",
        "epsilon": f"Right answers over epsilon; now {found} in 100.",
        "share": f"Right answers over the share of labels; now {found} in 100.",
        "error": f"Mean squared error of the weights over epsilon; now {number(result.error.median)}.",
        "dimension": f"Right answers over the number of features at this epsilon, and the noise's share. {widths}",
        "noise": f"Noise by number of features; now {number(margin)} on a margin and {number(weight)} on a log-weight.",
        "plane": "Released hypotheses, prior and posterior in the two coordinates in which the sources differ most.",
    }


def how_it_works() -> None:
    """The six steps, the proof, and what the paper leaves open."""
    st.markdown(Path(__file__).with_suffix(".md").read_text(encoding="utf-8"))
