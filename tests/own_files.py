"""A visitor's own file on every page that takes one, and the same with bounds that were read off its rows."""

from dataclasses import replace

import numpy as np
import pandas as pd

from lab.files import own_rows, own_table
from lab.files.own_rows import Column, Roles
from lab.settings import Settings
from pages.table import PAGES

KINDS = ("classifier", "network", "regression", "transfer", "parties", "attack")
# Bounds as nobody would type them, and what they look like in whatever way they are written.
OFF = {"low": -137519.0, "high": 973158.0, "read_off": True}
DIGITS = ("137519", "137,519", "137 519", "973158", "973,158", "1.38e+05", "9.73e+05")
COLUMNS = (
    Column(name="age", low=18, high=100),
    Column(name="hours", low=0, high=48),
    Column(name="plan", kind="category", values=("basic", "plus")),
)
CLASSES = Roles(answer="left", classes=("no", "yes"), columns=COLUMNS)
NUMBER = Roles(answer="pay", classes=(), target=Column(name="pay", low=0, high=80), columns=COLUMNS)
ROLES = {
    "classifier": CLASSES,
    "network": CLASSES,
    "regression": NUMBER,
    "transfer": replace(NUMBER, source="town", own_source="Ashford", sources=("Brookside",)),
    "parties": replace(CLASSES, person="who"),
    "attack": CLASSES,
}
QUICK = {
    "classifier": {"repeats": 4, "steps": 5},
    "network": {"repeats": 2, "epochs": 2, "width": 4, "layers": 1},
    "regression": {"repeats": 4, "draw": 1, "epsilon": 1.0, "mechanism": "gaussian"},
    "transfer": {"repeats": 3},
    "parties": {"public_rows": 50, "queries": 20, "repeats": 3, "parties": 40},
    "attack": {"repeats": 100, "steps": 5},
}

# As a session does: what nobody holds is gone.
HELD = []


def frame(rows: int = 900) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age, hours = rng.integers(18, 90, rows), rng.uniform(0, 48, rows).round(1)
    return pd.DataFrame(
        {
            "who": [f"P{place % 60:05}" for place in range(rows)],
            "age": age,
            "hours": hours,
            "plan": rng.choice(["basic", "plus", "family"], rows),
            "town": rng.choice(["Ashford", "Brookside", "Cedar Hill"], rows),
            "pay": (hours * age / 60 + rng.normal(0, 6, rows)).round(1),
            "left": np.where(hours - age / 2 + rng.normal(0, 9, rows) > 0, "yes", "no"),
        }
    )


def settings(kind: str, roles: Roles | None = None, *, off: bool = False) -> Settings:
    """Of the page ``kind``. off: with the bounds of the second column read off."""
    roles = roles or ROLES[kind]
    if off:
        first, second, *others = roles.columns
        roles = replace(roles, columns=(first, replace(second, **OFF), *others))
    HELD.append(own_table.read(frame().to_csv(index=False).encode()))
    own = own_rows.choose(HELD[-1], roles, least=own_rows.LEAST_PARTIES)
    page = next(page for page in PAGES if page.name == kind)
    return page.settings().change(dataset="own").change(own=own).change(**QUICK[kind])
