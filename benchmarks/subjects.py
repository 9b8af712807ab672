"""Describe the pages whose redraws are timed: address, slider, and charts that depend on it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A page to measure: its script and path, its slider, its charts, and which of them depend on
    the slider.

    ``query`` is the setting that all begins at, ``unseen`` one field with a value for each drag
    and, the last, for what is at hand.
    """

    script: str
    path: str
    charts: tuple[str, ...]
    moving: tuple[int, ...]
    slider: str = "Epsilon"
    query: str = ""
    unseen: tuple[str, tuple[float, ...]] = ("seed", (100, 101, 102, 103))


SUBJECTS = {
    "bare": Subject(
        script="benchmarks/bare/bare.py", path="", charts=(".st-key-line",), moving=(0,)
    ),
    "classifier": Subject(
        script="app.py",
        path="classifier",
        charts=tuple(
            f'[data-chart="{name}"]' for name in ("accuracy", "map.scratch", "map.public")
        ),
        moving=(0, 1, 2),
    ),
    "accounting": Subject(
        script="app.py",
        path="accounting",
        slider="Noise multiplier",
        # from here there are as many stops upwards as keys are pressed
        query="noise_multiplier=1.0",
        unseen=("delta", (2e-5, 3e-5, 4e-5, 5e-5)),
        charts=("[data-chart=steps]", "[data-chart=effects]"),
        moving=(0, 1),
    ),
    "mechanisms": Subject(
        script="app.py",
        path="mechanisms",
        unseen=("seed", (200, 201, 202, 203)),
        charts=("[data-chart=release]", "[data-chart=posterior]"),
        moving=(0, 1),
    ),
    # On 370,000 rows, of which 296,000 are private.
    "regression": Subject(
        script="app.py",
        path="regression",
        charts=tuple(f"[data-chart={name}]" for name in ("errors", "lines")),
        moving=(0, 1),
    ),
    "transfer": Subject(
        script="app.py",
        path="transfer",
        query="epsilon=0.2",  # from here there are as many stops upwards as keys are pressed
        charts=("[data-chart=epsilon]", "[data-chart=walk]"),
        moving=(0, 1),
    ),
    # A first picture from 120 + 120 retrainings on 400 rows, which go on to 2,000 + 2,000.
    "attack": Subject(
        script="app.py",
        path="attack",
        query="epsilon=0.5",  # from here there are as many stops upwards as keys are pressed
        charts=tuple(f"[data-chart={name}]" for name in ("map", "scores", "accuracy")),
        moving=(0, 1, 2),
    ),
    "network": Subject(
        script="app.py",
        path="network",
        query="epsilon=0.5",
        charts=tuple(f'[data-chart="{name}"]' for name in ("accuracy", "map.private", "map.plain")),
        moving=(0, 1),  # the networks without privacy know no epsilon
    ),
    # 20,000 parties, all of whom have been asked when the slider moves.
    "parties": Subject(
        script="app.py",
        path="parties",
        # from here there are as many stops upwards as keys are pressed
        query="parties=20000&epsilon=0.2",
        unseen=("seed", (400, 401, 402, 403)),
        charts=tuple(f"[data-chart={name}]" for name in ("epsilon", "parties", "map")),
        moving=(0, 1, 2),
    ),
    # Text of 5,588 words, from five sources.
    "hypotheses": Subject(
        script="app.py",
        path="hypotheses",
        query="data=topics",
        unseen=("seed", (300, 301, 302, 303)),
        charts=("[data-chart=epsilon]", "[data-chart=weights]"),
        moving=(0, 1),
    ),
}
# Of these the redraws of a drag are counted.
DRAGGED = (
    "classifier",
    "accounting",
    "mechanisms",
    "regression",
    "network",
    "transfer",
    "parties",
    "hypotheses",
    "attack",
)
# The first six; of the others a redraw costs the server more.
QUICK = DRAGGED[:6]
