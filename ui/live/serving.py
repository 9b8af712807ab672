"""Serve the browser half of the live widgets, and Plotly itself, from files of this checkout.

Streamlit serves a folder at `_stcore/bidi-components/<component>/` for every component that has declared one. An
installed package declares it in its own pyproject; a plain checkout does so here, in code.

- Inline JavaScript is sent again with every message; a file is fetched once.
- A module asks for its neighbours relative to `import.meta.url`: no base path, proxy or deep link can mislead it.
- The components' names hold a hash of their files: a browser keeps each file for good, and never mixes two versions.
- `plotly/` is the smallest bundle that Plotly publishes (scatter, bar, pie), of the version of the installed package.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

HERE = Path(__file__).parent
WIDGETS = ("knobs", "connection", "chart", "present")
FOLDERS = dict.fromkeys(WIDGETS, "assets") | {"plotly": "plotly"}
SLIDER_RULES = HERE / "assets" / "knobs.css"
PLOTLY = HERE / "plotly" / "plotly-basic.min.js"

_registering = threading.Lock()


def _hash() -> str:
    files = sorted(file for folder in set(FOLDERS.values()) for file in (HERE / folder).iterdir())
    told = (part for file in files for part in (file.name.encode(), hashlib.sha256(file.read_bytes()).digest()))
    return hashlib.sha256(b"".join(told)).hexdigest()[:12]


PACKAGE = f"epsilon_lab_{_hash()}"


def address(component: str, file: str) -> str:
    """Return where Streamlit serves a file of a component, below its base path."""
    return f"/_stcore/bidi-components/{PACKAGE}.{component}/{file}"


def base() -> str:
    """Return the path that the app is served at, such as "/lab", or "" at the root."""
    path = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def files() -> dict[str, Path]:
    """Return all that the widgets load, by ``address``."""
    return {address(name, file.name): file for name, folder in FOLDERS.items() for file in (HERE / folder).iterdir()}


def _declare_folders() -> None:
    """Tell the running Streamlit, once, which folder belongs to which component: each AppTest is another one."""
    register = get_bidi_component_manager()
    with _registering:
        for name, folder in FOLDERS.items():
            if register.get_component_asset_root(f"{PACKAGE}.{name}") is None:
                components = [ComponentConfig(name=name, asset_dir=folder)]
                register.register_from_manifest(ComponentManifest(PACKAGE, "1", components), HERE)


@cache
def _renderer(name: str, css: str | None) -> Callable[..., Any]:
    """Return the mounting command of one component, made at its first use: files need a runtime to serve them."""
    # Plotly writes its style rules into the page, which do not reach into a shadow root: styles are isolated
    # only for a component that brings its own
    return st.components.v2.component(f"{PACKAGE}.{name}", js=f"{name}.js", css=css, isolate_styles=css is not None)


def mount(
    name: str,
    callbacks: Mapping[str, Callable[[], None]] = MappingProxyType({}),
    *,
    key: str,
    css: str | None = None,
    data: Mapping[str, Any] | bytes | None = None,
    keeps: str = "",
) -> None:
    """Mount the component of `assets/<name>.js`. `data` may be JSON already. Raise TypeError or ValueError else.

    Streamlit keeps a state or a trigger of the component only if a callback is named for it: `callbacks` are such, and
    `keeps` names one that the next run reads by itself.
    """
    if isinstance(data, Mapping):
        json.dumps(data, allow_nan=False)
    _declare_folders()
    kept = {f"on_{keeps}_change": lambda: None} if keeps else {}
    _renderer(name, css)(key=key, data=data, **kept, **callbacks)
