"""Serve the browser part of the widgets from this checkout, and plotly.js from its package.

Streamlit serves a folder at `_stcore/bidi-components/<component>/` for every component that has
declared one. An installed package declares it in its own pyproject; a plain checkout does so here,
in code.

- Inline JavaScript is sent again with every message; a file is fetched once.
- A module imports its neighbours relative to `import.meta.url`, so that no base path, proxy or deep
  link can mislead it.
- The components' names hold a hash of their files, so that a browser keeps each file for good, and
  never mixes two versions.
- plotly.js has an address of its own, which changes only with the version of the package.
"""

import hashlib
import importlib.metadata
import importlib.util
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
ASSETS = HERE / "frontend"
SLIDER_RULES = ASSETS / "sliders" / "panel.css"
# The first module of each component.
ENTRIES = {
    "sliders": "sliders/panel.js",
    "connection": "page/connection.js",
    "chart": "charts/board.js",
    "present": "page/presenter.js",
}

_registering = threading.Lock()


def _asset_files() -> list[Path]:
    """Return all files below the folder of assets, sorted."""
    return sorted(file for file in ASSETS.rglob("*") if file.is_file())


def _hash() -> str:
    """Return a hash of the names and contents of all assets."""
    digest = hashlib.sha256()
    for file in _asset_files():
        digest.update(file.relative_to(ASSETS).as_posix().encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]


def _package_folder(name: str) -> Path:
    """Return the folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{name} is not installed")
    return Path(spec.origin).parent


PACKAGE = f"epsilon_lab_{_hash()}"
PLOTLY_PACKAGE = "plotly_" + importlib.metadata.version("plotly").replace(".", "_")
PLOTLY = _package_folder("plotly") / "package_data" / "plotly.min.js"


def address(component: str, file: str) -> str:
    """Return where Streamlit serves a file of a component, below its base path."""
    return f"/_stcore/bidi-components/{PACKAGE}.{component}/{file}"


def plotly_address() -> str:
    """Return where Streamlit serves plotly.js, below its base path."""
    return f"/_stcore/bidi-components/{PLOTLY_PACKAGE}.plotly/{PLOTLY.name}"


def base() -> str:
    """Return the path that the app is served at, such as "/lab", or "" at the root."""
    path = (st.get_option("server.baseUrlPath") or "").strip("/")
    if not path:
        return ""
    return f"/{path}"


def files() -> dict[str, Path]:
    """Return all files that the widgets load, by their addresses."""
    assets = {}
    for component in ENTRIES:
        for file in _asset_files():
            assets[address(component, file.relative_to(ASSETS).as_posix())] = file
    assets[plotly_address()] = PLOTLY
    return assets


def _declare_folders() -> None:
    """Tell the running Streamlit, or AppTest, which folder belongs to which component."""
    with _registering:
        for name in ENTRIES:
            _declare(PACKAGE, name, ASSETS)
        _declare(PLOTLY_PACKAGE, "plotly", PLOTLY.parent)


def _declare(package: str, name: str, folder: Path) -> None:
    register = get_bidi_component_manager()
    if register.get_component_asset_root(f"{package}.{name}") is not None:
        return
    components = [ComponentConfig(name=name, asset_dir=folder.name)]
    register.register_from_manifest(ComponentManifest(package, "1", components), folder.parent)


@cache
def _renderer(name: str, css: str | None) -> Callable[..., Any]:
    """Return the function that mounts a component.

    It is made at its first use, because files need a running Streamlit to serve them.
    """
    # Plotly writes its style rules into the page, which do not reach into a shadow root. So styles
    # are isolated only for a component that brings its own.
    return st.components.v2.component(
        f"{PACKAGE}.{name}", js=ENTRIES[name], css=css, isolate_styles=css is not None
    )


def mount(
    name: str,
    callbacks: Mapping[str, Callable[[], None]] = MappingProxyType({}),
    *,
    key: str,
    css: str | None = None,
    data: Mapping[str, Any] | bytes | None = None,
    keeps: str = "",
) -> None:
    """Mount the component ``ENTRIES[name]``.

    Args:
        name: The component.
        callbacks: "on_NAME_change" -> callback of a state or trigger that the component sends.
            Streamlit keeps no other ones.
        key: The key of the component.
        css: The file of its style rules.
        data: What the component gets, also as JSON.
        keeps: A state without a callback, which the next run reads by itself.

    Raises:
        TypeError, ValueError: If the data cannot be JSON.
    """
    if isinstance(data, Mapping):
        json.dumps(data, allow_nan=False)
    _declare_folders()
    all_callbacks = dict(callbacks)
    if keeps:
        all_callbacks[f"on_{keeps}_change"] = _do_nothing
    _renderer(name, css)(key=key, data=data, **all_callbacks)


def _do_nothing() -> None:
    pass
