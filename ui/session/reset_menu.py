"""Show a menu that undoes the last change, restores the defaults and draws new noise."""

from collections.abc import Callable

import streamlit as st

from ui.session.page_state import PageState
from ui.text.texts import SAYS


def reset_menu(state: PageState) -> None:
    """Show the menu of a page's state."""

    def undo() -> None:
        state.apply_movement()
        state.push_undo()
        if state.undo.past:
            state.replace_settings(state.undo.pop())

    def reset() -> None:
        state.replace_settings(defaults)

    def resample() -> None:
        low, high = state.settings.limits["seed"]
        seed = state.settings.seed + 1
        if seed > high:
            seed = low
        state.change("seed", seed)

    defaults = type(state.settings)()
    with st.popover("Undo or reset", icon=":material/undo:", key=f"{state.page}/resets"):
        _item(state, "Undo", "undo", "Undo the last change", undo, disabled=not state.undo.past)
        _item(
            state,
            "Reset",
            "restart_alt",
            "Restore the default settings",
            reset,
            disabled=state.settings == defaults,
        )
        if "seed" in state.settings.limits:
            _item(state, "Resample", "casino", SAYS["resample"], resample)


def _item(
    state: PageState,
    label: str,
    icon: str,
    help: str,
    act: Callable[[], None],
    *,
    disabled: bool = False,
) -> None:
    st.button(
        label,
        key=f"{state.page}/{label.lower()}",
        icon=f":material/{icon}:",
        help=help,
        on_click=act,
        disabled=disabled,
        type="tertiary",
        width="stretch",
    )
