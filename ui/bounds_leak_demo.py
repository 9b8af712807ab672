"""What would go wrong if bounds were read off the private rows: an audit, run now, that catches it."""

import numpy as np
import streamlit as st

from dpcore.attacks import read_off
from dpcore.privacy import LowerBound
from ui import live
from ui.outcomes import percent
from ui.panels import number
from ui.plot import theme
from ui.texts import SAYS

_KEY = "data.wrong"
_WORLDS = ((theme.WITHOUT_YOU, "ordinary"), (theme.WITH_YOU, "far outside"))
_NAMES = {"read off": "Bounds read off the rows", "public": "Public bounds, 0 to 100"}


def panel() -> None:
    """Show the demo: one click, and what an attacker finds out."""
    with st.container(border=True):
        st.markdown(
            SAYS(
                "leak.asked",
                rows=read_off.ROWS,
                ordinary=read_off.ORDINARY,
                outside=read_off.OUTSIDE,
                runs=read_off.RUNS,
                epsilon=read_off.EPSILON,
            )
        )
        if st.button("Show the attack", key="data.show", icon=":material/bug_report:"):
            st.session_state[_KEY] = _attacked()
        if _KEY in st.session_state:
            found = st.session_state[_KEY]
            bounds = {way: read_off.shown(scores) for way, scores in found.items()}
            live.board([[_picture(way, scores, found) for way, scores in found.items()]], key="data.wrong.board")
            for place, way in zip(st.columns(len(found)), found, strict=True):
                place.markdown(said(way, bounds[way]))


def _attacked() -> dict[str, np.ndarray]:
    """Return way -> scores (2, R); a bar says how far it is."""
    work = [(way, part) for way in read_off.WAYS for part in read_off.PARTS]
    done: dict[str, list[np.ndarray]] = {way: [] for way in read_off.WAYS}
    bar = st.progress(0.0)
    for place, (way, part) in enumerate(work):
        bar.progress(place / len(work), f"Training. {_NAMES[way]}")
        done[way].append(read_off.scored(way, part))
    bar.empty()
    return {way: np.concatenate(scores, axis=1) for way, scores in done.items()}


def said(way: str, found: LowerBound) -> str:
    """Return what the audit shows, by its outcome."""
    case = "refuted" if found.epsilon > read_off.EPSILON else "shown" if found.epsilon else "none"
    numbers = {"least": number(found.epsilon), "claim": number(read_off.EPSILON), "sure": percent(found.confidence)}
    return f"**{_NAMES[way]}.** {SAYS[f'leak.{way.replace(chr(32), chr(45))}']} {SAYS(f'leak.{case}', **numbers)}"


def _picture(way: str, scores: np.ndarray, found: dict[str, np.ndarray]) -> live.Picture:
    """Return both worlds' scores as hills, on one scale for all ways."""
    every = np.concatenate([one.ravel() for one in found.values()])
    edges = np.linspace(every.min(), every.max(), 60)
    middles, hills = (edges[1:] + edges[:-1]) / 2, [np.histogram(one, edges)[0] for one in scores]
    traces = [
        theme.line(
            middles,
            hill,
            colour=colour,
            name=theme.key(name),
            fill="tozeroy",
            fillcolor=theme.rgba(colour, 0.16),
            hovertemplate=f"%{{y}} models<extra>{name}</extra>",
        )
        for (colour, name), hill in zip(_WORLDS, hills, strict=True)
    ]
    least = read_off.shown(scores).epsilon
    figure = theme.figure(
        *traces,
        title=theme.title(_NAMES[way], f"epsilon at least {number(least)}"),
        legend=True,
        xaxis={"title": {"text": "attacker's score"}, "range": [edges[0], edges[-1]]},
        yaxis={"title": {"text": "models"}, "range": [0, 1.05 * max(hill.max() for hill in hills)]},
    )
    alt = SAYS("leak.alt", way=_NAMES[way], runs=scores.shape[1], least=number(least))
    return live.Picture(name=f"wrong.{way}", figure=figure, alt=alt, about=SAYS["leak.about"], height=260)
