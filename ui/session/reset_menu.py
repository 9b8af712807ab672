"""Show a menu that restores the defaults and draws new noise.

The browser's way back undoes a change, because the address holds the settings.
"""

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
        st.button(
            "Reset",
            key=f"{state.page}/reset",
            icon=":material/restart_alt:",
            help="Restore the default settings",
            on_click=reset,
            disabled=state.settings == defaults,
            type="tertiary",
            width="stretch",
        )
        if "seed" in state.settings.limits:
            st.button(
                "Resample",
                key=f"{state.page}/resample",
                icon=":material/casino:",
                help=SAYS["resample"],
                on_click=resample,
                type="tertiary",
                width="stretch",
            )
