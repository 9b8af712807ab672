"""The ledger's pictures: epsilon over steps, over noise, and what else changes the bill."""

import numpy as np

from pages.ledger.experiment import ROWS, LedgerResult
from ui.plot import theme

EFFECTS = {
    "run": "this run",
    "unsampled": "without sampling",
    "group": "{people} together",
    "afterwards": "processed afterwards",
    "tuned": "{settings_tried} tried",
    "replaced": "replace-one neighbours",
}
_LOW, _HIGH = 0.01, 3000.0
# A disc of 8 pixels. (Plotly's own circle is drawn askew on a log axis.)
_DISC = "M-4,0C-4,-2.2,-2.2,-4,0,-4C2.2,-4,4,-2.2,4,0C4,2.2,2.2,4,0,4C-2.2,4,-4,2.2,-4,0Z"


def over_steps(result: LedgerResult) -> dict:
    """Epsilon as the run goes on, by each theorem."""
    return _curves(result, result.over_steps, now=result.settings.steps, field="steps", text="steps (log scale)")


def over_noise(result: LedgerResult) -> dict:
    """Epsilon of a run of this length over the noise multiplier, by each theorem."""
    now = result.settings.noise_multiplier
    return _curves(result, result.over_noise, now=now, field="noise_multiplier", text="noise multiplier (log scale)")


def _curves(result: LedgerResult, points, *, now: float, field: str, text: str) -> dict:
    traces = []
    for row in ROWS:
        name, colour, dash = theme.THEOREMS[row]
        at, epsilon = points(row)
        style = {"line": {"color": colour, "width": 3 if row == "pld" else 2, "dash": dash}}
        hover = f"{field.replace('_', ' ')} %{{x:.4~g}}: epsilon %{{y:.3~g}}<extra>{name}</extra>"
        traces.append(theme.line(at, epsilon, colour=colour, name=name, hovertemplate=hover, **style))
    low, high = result.settings.LIMITS[field]
    today = [(row, result.epsilon(row)) for row in ROWS]
    target = result.settings.target_epsilon
    return theme.figure(
        *traces,
        title=theme.title("Epsilon by theorem, over " + field.replace("_", " ")),
        xaxis=_log_axis(text, low, high),
        yaxis=_log_axis("epsilon (log scale)", _LOW, _HIGH),
        shapes=[
            _rule(now, "x", colour=theme.NOW),
            _rule(target, "y", colour=theme.BOUND),
            *(_dot(row, now, epsilon) for row, epsilon in today if 0 < epsilon < np.inf),
        ],
        annotations=[_note("today", np.log10(now), 1, "x"), _note("target", 0.005, np.log10(target), "y")],
    )


def _log_axis(text: str, low: float, high: float) -> dict:
    ticks = [10.0**power for power in range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)]
    return {
        "title": {"text": text},
        "type": "log",
        "range": [np.log10(low) - 0.06, np.log10(high) + 0.06],
        "tickvals": ticks,
        "ticktext": [f"{tick:,.4f}".rstrip("0").rstrip(".") for tick in ticks],
    }


def _rule(at: float, axis: str, *, colour: str) -> dict:
    """A line across the whole picture at a value of one axis."""
    other = "y" if axis == "x" else "x"
    ends = {f"{axis}0": at, f"{axis}1": at, f"{other}0": 0, f"{other}1": 1, f"{other}ref": "paper"}
    return {"type": "line", "line": {"color": colour, "width": 1.5, "dash": theme.DASHES[colour]}} | ends


def _dot(row: str, x: float, y: float) -> dict:
    """What this run costs by one row: a shape and no trace, so that curves that stay are not drawn again."""
    colour, place = theme.THEOREMS[row][1], {"xref": "x", "yref": "y", "xanchor": float(x), "yanchor": float(y)}
    place |= {"xsizemode": "pixel", "ysizemode": "pixel", "line": {"color": colour, "width": 2}}
    if row == "published":
        return place | {"type": "path", "path": "M-4,-4L4,4M-4,4L4,-4"}
    return place | {"type": "path", "path": _DISC, "fillcolor": colour}


def _note(text: str, x: float, y: float, axis: str) -> dict:
    """The word beside a rule."""
    place = {"xref": "x", "yref": "paper"} if axis == "x" else {"xref": "paper", "yref": "y"}
    anchor = {"xanchor": "left", "yanchor": "top" if axis == "x" else "bottom"}
    return theme.word(text, x=x, y=y, **place, **anchor)


def effects(result: LedgerResult) -> dict:
    """The same noise seen from elsewhere: each epsilon beside that of this run."""
    found = result.effects()
    names = [effect_name(one.name, result) for one in found]
    start = found[0].guarantee
    places = [
        (place, one.guarantee) for place, one in enumerate(found) if one.guarantee is not None and start is not None
    ]
    places = [(place, held) for place, held in places if 0 < held.epsilon < np.inf]
    at, epsilon = np.array([place for place, _ in places]), np.array([held.epsilon for _, held in places])
    # One broken line for all the links between this run's epsilon and the others'.
    first = start.epsilon if start is not None else np.nan
    gap = np.full(len(at), np.nan)
    links = np.column_stack([np.full(len(at), first), epsilon, gap]).ravel(), np.column_stack([at, at, gap]).ravel()
    return theme.figure(
        theme.line(*links, colour=theme.NON_PRIVATE, name="", dash="solid", hoverinfo="skip"),
        theme.scatter(
            epsilon,
            at,
            mode="markers+text",
            text=[_label(held, result.settings.delta) for _, held in places],
            textposition="top center",
            marker={"color": theme.THEOREMS["pld"][1], "size": 11},
            customdata=[f"delta {held.delta:.2g}, {held.adjacency}, {held.unit}" for _, held in places],
            hovertemplate="epsilon %{x:.3~g}; %{customdata}<extra></extra>",
            cliponaxis=False,
        ),
        title=theme.title("Epsilon of the same noise"),
        margin={"l": 150, "r": 16, "t": 34, "b": 44},
        xaxis=_log_axis("epsilon (log scale)", _LOW, _HIGH),
        yaxis={
            "tickvals": list(range(len(names))),
            "ticktext": names,
            "range": [len(names) - 0.5, -0.75],
            "zeroline": False,
        },
    )


def _label(held, delta: float) -> str:
    """Epsilon, and delta where it is another one than the run's."""
    epsilon = f"{held.epsilon:.3g}" if held.epsilon < 1000 else f"{held.epsilon:,.0f}"
    return epsilon if held.delta == delta else f"{epsilon} (delta {held.delta:.1g})"


def effect_name(name: str, result: LedgerResult) -> str:
    """What an effect is called: with how many people, and how many settings."""
    people, tried = result.settings.people, result.settings.settings_tried
    return EFFECTS[name].format(
        people="one person" if people == 1 else f"{people} people",
        settings_tried="one setting" if tried == 1 else f"{tried} settings",
    )
