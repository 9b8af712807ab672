"""Describe the pages whose redraws are timed: address, slider, and charts that depend on it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A page whose redraws are timed.

    Attributes:
        script: The script that Streamlit serves.
        path: Of the page.
        charts: Selectors of its charts.
        moving: Indices of the charts that depend on the slider.
        slider: Label of the slider.
        query: Settings that all visits begin at, as in an address.
        unseen_field: A setting by which a visit differs from the ones before.
        unseen_values: Its values: one for each drag, and the last one for values at hand.
    """

    script: str = "app.py"
    path: str
    charts: tuple[str, ...]
    moving: tuple[int, ...]
    slider: str = "Epsilon"
    query: str = ""
    unseen_field: str = "seed"
    unseen_values: tuple[float, ...] = (100, 101, 102, 103)


def _charts(*names: str) -> tuple[str, ...]:
    """Return the selectors of charts of the lab."""
    return tuple(f'[data-chart="{name}"]' for name in names)


# The queries with an epsilon or a noise multiplier begin where as many stops are above the value as
# keys are pressed.
SUBJECTS = {
    "bare": Subject(
        script="benchmarks/bare/bare.py", path="", charts=(".st-key-line",), moving=(0,)
    ),
    "classifier": Subject(
        path="classifier",
        charts=_charts("accuracy", "map.scratch", "map.public"),
        moving=(0, 1, 2),
    ),
    "accounting": Subject(
        path="accounting",
        slider="Noise multiplier",
        query="noise_multiplier=1.0",
        unseen_field="delta",
        unseen_values=(2e-5, 3e-5, 4e-5, 5e-5),
        charts=_charts("steps", "effects"),
        moving=(0, 1),
    ),
    "mechanisms": Subject(
        path="mechanisms",
        unseen_values=(200, 201, 202, 203),
        charts=_charts("release", "posterior"),
        moving=(0, 1),
    ),
    # On 370,000 rows, of which 296,000 are private.
    "regression": Subject(
        path="regression",
        charts=_charts("errors", "lines"),
        moving=(0, 1),
    ),
    "transfer": Subject(
        path="transfer",
        query="epsilon=0.2",
        charts=_charts("epsilon", "walk"),
        moving=(0, 1),
    ),
    # The first picture is of 120 + 120 retrainings on 400 rows, which go on to 2,000 + 2,000.
    "attack": Subject(
        path="attack",
        query="epsilon=0.5",
        charts=_charts("map", "scores", "accuracy"),
        moving=(0, 1, 2),
    ),
    # The networks without privacy do not depend on epsilon.
    "network": Subject(
        path="network",
        query="epsilon=0.5",
        charts=_charts("accuracy", "map.private", "map.plain"),
        moving=(0, 1),
    ),
    # The votes of all 20,000 parties are in the cache when the slider moves.
    "parties": Subject(
        path="parties",
        query="parties=20000&epsilon=0.2",
        unseen_values=(400, 401, 402, 403),
        charts=_charts("epsilon", "parties", "map"),
        moving=(0, 1, 2),
    ),
    # Text of 5,588 words, from five sources.
    "hypotheses": Subject(
        path="hypotheses",
        query="data=topics",
        unseen_values=(300, 301, 302, 303),
        charts=_charts("epsilon", "weights"),
        moving=(0, 1),
    ),
}
# Topics whose redraws are quick.
QUICK = ("classifier", "accounting", "mechanisms", "regression", "network", "transfer")
# Topics whose sliders are dragged. A redraw of the last three costs the server more.
DRAGGED = (*QUICK, "parties", "hypotheses", "attack")
