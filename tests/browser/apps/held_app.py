"""The lab on a server that does no work that can wait while a test keeps the file "work" in the
folder $LAB_HELD.
"""

import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from lab.experiment.settings import Settings
from ui.compute import runner as computing

HELD = Path(os.environ["LAB_HELD"])
_compute = computing.compute


def compute(experiment: Settings, *, seconds: float = computing.SLICE_SECONDS) -> tuple[Any, float]:
    """Return the result so far and the share of tasks done, as the lab's ``compute`` does.

    While the file "work" is there, sleep for the slice and run essential tasks only.
    """
    if (HELD / "work").exists():
        time.sleep(min(seconds, computing.SLICE_SECONDS))
        seconds = 0
    return _compute(experiment, seconds=seconds)


computing.compute = compute  # before it is imported by name

import app as lab  # noqa: E402

app = st.App(
    Path(lab.__file__).parent / "pages/main.py",
    routes=[lab.channel],
    lifespan=partial(lab.lifespan, later=()),
    middleware=lab.middleware,
)
