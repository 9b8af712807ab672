"""Serve the browser half of the live widgets, and Plotly itself, from files on this machine.

Streamlit serves a folder at `_stcore/bidi-components/<component>/` for every component that has declared one.
An installed package declares it in its own pyproject; a plain checkout cannot, so the same declaration is
made here, in code. Why this way and not another:

- Inline JavaScript is sent again with every message; a file is fetched once, and a message is then only its
  data.
- The address is Streamlit's own business: a module asks for its neighbours relative to `import.meta.url`, so
  a base path, a proxy or a deep link such as `/classifier` cannot mislead it.
- Plotly is served out of the installed wheel: nothing is copied, no folder must be writable, no option must
  be set, and the JavaScript always has the version that the Python half was written for.
- The server compresses these files (4.8 MB of Plotly travel as 1.5 MB), which it does not do for its static
  files.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import plotly
import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

PACKAGE = "epsilon_lab"
FOLDERS = {
    "knobs": (Path(__file__).parent, "assets"),
    "connection": (Path(__file__).parent, "assets"),
    "chart": (Path(__file__).parent, "assets"),
    "plotly": (Path(plotly.__file__).parent, "package_data"),
}

_registering = threading.Lock()


def _declare_folders() -> None:
    """Tell the running Streamlit, once, which folder belongs to which component.

    Asked before every mount, because each Streamlit runtime (each AppTest is one) has its own register.
    """
    register = get_bidi_component_manager()
    with _registering:
        for name, (root, folder) in FOLDERS.items():
            if register.get_component_asset_root(f"{PACKAGE}.{name}") is None:
                components = [ComponentConfig(name=name, asset_dir=folder)]
                register.register_from_manifest(ComponentManifest(PACKAGE, "1", components), root)


@cache
def _renderer(name: str, css: str | None) -> Callable[..., Any]:
    """The mounting command of one component, made at its first use: files need a runtime to serve them."""
    # Plotly writes its style rules into the page, which do not reach into a shadow root: styles are isolated
    # only for a component that brings its own
    return st.components.v2.component(f"{PACKAGE}.{name}", js=f"{name}.js", css=css, isolate_styles=css is not None)


def mount(name: str, *, css: str | None = None, **how: Any) -> None:
    """Mount the component of `assets/<name>.js`; `how` goes to Streamlit: key, data, height."""
    _declare_folders()
    _renderer(name, css)(**how)
