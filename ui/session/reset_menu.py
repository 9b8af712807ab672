"""Show a menu that restores the defaults and draws new noise.

The browser's way back undoes a change, because the address holds the settings.
"""

from typing import Any

import streamlit as st

from ui.session.page_state import PageState
from ui.text.texts import SAYS


def reset_menu(state: PageState) -> None:
    """Show the menu of a page's state."""
    defaults = type(state.settings)()

    def reset() -> None:
        state.replace_settings(defaults)

    def resample() -> None:
        low, high = state.settings.limits["seed"]
        seed = state.settings.seed + 1
        if seed > high:
            seed = low
        state.change("seed", seed)

    with st.popover("Reset or resample", icon=":material/restart_alt:", key=f"{state.page}/resets"):
        _entry(
            state,
            "Reset",
            icon=":material/restart_alt:",
            help="Restore the default settings",
            on_click=reset,
            disabled=state.settings == defaults,
        )
        if "seed" in state.settings.limits:
            _entry(
                state,
                "Resample",
                icon=":material/casino:",
                help=SAYS["resample"],
                on_click=resample,
            )


def _entry(state: PageState, label: str, **fields: Any) -> None:
    """Show an entry of the menu; ``fields`` are as of ``st.button``."""
    key = f"{state.page}/{label.lower()}"
    st.button(label, key=key, type="tertiary", width="stretch", **fields)
