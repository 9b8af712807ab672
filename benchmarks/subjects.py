"""The pages whose redraws are timed."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A page to measure: its script and path, its slider, its charts, and which of them depend on the slider.

    ``query`` is the setting that all begins at, ``unseen`` one field with a value for each drag and, the last, for
    what is at hand.
    """

    script: str
    path: str
    charts: tuple[str, ...]
    moving: tuple[int, ...]
    slider: str = "Epsilon"
    query: str = ""
    unseen: tuple[str, tuple[float, ...]] = ("seed", (100, 101, 102, 103))


SUBJECTS = {
    "bare": Subject(script="benchmarks/bare/bare.py", path="", charts=(".st-key-line",), moving=(0,)),
    "classifier": Subject(
        script="app.py",
        path="classifier",
        charts=(
            '[data-chart="map.reference"]',  # without privacy: it depends on nothing that epsilon moves
            '[data-chart="map.scratch"]',
            '[data-chart="map.public"]',
            "[data-chart=accuracy]",
            "[data-chart=loss]",
        ),
        moving=(1, 2, 3, 4),
    ),
    "ledger": Subject(
        script="app.py",
        path="ledger",
        slider="Noise multiplier",
        query="noise_multiplier=1.0",  # from here there are as many stops upwards as keys are pressed
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
        charts=tuple(f"[data-chart={name}]" for name in ("errors", "lines", "noisy")),
        moving=(0, 1, 2),
    ),
    "transfer": Subject(
        script="app.py",
        path="transfer",
        query="epsilon=0.2",  # from here there are as many stops upwards as keys are pressed
        charts=tuple(f"[data-chart={name}]" for name in ("epsilon", "migrated", "walk", "sources")),
        moving=(0, 1, 2),  # which sources are near is known, whatever epsilon is
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
        query="parties=20000&epsilon=0.2",  # from here there are as many stops upwards as keys are pressed
        unseen=("seed", (400, 401, 402, 403)),
        charts=tuple(
            f'[data-chart="{name}"]'
            for name in ("epsilon", "parties", "map.soft", "map.vote", "map.average", "noise", "map.batch")
        ),
        moving=(0, 1, 2, 3, 4, 5),  # the model without privacy knows no epsilon
    ),
    # Text of 5,588 words, from five sources.
    "hypotheses": Subject(
        script="app.py",
        path="hypotheses",
        query="data=topics",
        unseen=("seed", (300, 301, 302, 303)),
        charts=tuple(
            f"[data-chart={name}]"
            for name in ("weights", "gain", "epsilon", "share", "error", "plane", "noise", "dimension")
        ),
        moving=(0, 1, 2, 3, 4, 5),  # those over the number of features follow slice by slice
    ),
}
# Of these the redraws of a drag are counted.
DRAGGED = ("classifier", "ledger", "mechanisms", "regression", "network", "transfer", "parties", "hypotheses", "attack")
# The first six; of the others a redraw costs the server more.
QUICK = DRAGGED[:6]
