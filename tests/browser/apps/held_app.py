"""The lab on a server that a test holds up by files in the folder $LAB_HELD: no work that can wait, or no answers."""

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
    if (HELD / "work").exists():
        time.sleep(min(seconds, computing.SLICE_SECONDS))
        seconds = 0
    return _compute(experiment, seconds=seconds)


computing.compute = compute  # before it is imported by name

import app as lab  # noqa: E402
from ui.live import channel  # noqa: E402

_shown = channel.shown


def shown(question: channel.Question, seconds: float) -> channel.Shown | None:
    while (HELD / "answers").exists():
        time.sleep(0.02)
    return _shown(question, seconds)


channel.shown = shown
app = st.App(
    Path(lab.__file__).parent / "pages/frame.py", routes=[lab.channel], lifespan=lab.lifespan, middleware=lab.middleware
)
