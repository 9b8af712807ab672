"""The lab on a server that a test holds up by files in the folder $LAB_HELD.

While "work" is there, nothing is computed but what a first picture needs; while "answers" is there, no question on the
channel is answered.
"""

import os
import time
from pathlib import Path
from typing import Any

import streamlit as st

from lab.settings import Settings
from ui import compute as computing

HELD = Path(os.environ["LAB_HELD"])
_compute = computing.compute


def compute(experiment: Settings, *, seconds: float = computing.SLICE_SECONDS) -> tuple[Any, float]:
    """Take a slice's time, and do nothing of what can wait."""
    if (HELD / "work").exists():
        time.sleep(min(seconds, computing.SLICE_SECONDS))
        seconds = 0
    return _compute(experiment, seconds=seconds)


computing.compute = compute  # before it is imported by name

import app as lab  # noqa: E402
from ui.live import channel  # noqa: E402

_shown = channel.shown


def shown(question: channel.Question, seconds: float) -> channel.Shown | None:
    """Wait until the file is gone, then answer."""
    while (HELD / "answers").exists():
        time.sleep(0.02)
    return _shown(question, seconds)


channel.shown = shown
app = st.App(
    Path(lab.__file__).parent / "pages/frame.py",
    routes=[lab.channel],
    lifespan=lab.lifespan,
    middleware=lab.middleware,
)
