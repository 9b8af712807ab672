"""Widgets that a run of a page sets, and what a browser sends of them that has not heard of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

# Widget -> (its value before, the value) set that the browser may not have heard of; whether the
# run was cut short.
_UNSENT, _CUT = "lab.unsent", "lab.cut"


def hold(key: str, value: Any) -> Any:
    """Set the widget with this ``key`` to ``value`` unless it has that value: one that is set again
    would replace what the person has typed or chosen since the run began.

    Return ``value``. Callers also pass it as the default of the widget, because a new run can drop
    the message that sets a new widget, and the browser then starts from the default.
    """
    if key not in st.session_state or st.session_state[key] != value:
        unsent = st.session_state.setdefault(_UNSENT, {})
        before, _ = unsent.get(key, (st.session_state.get(key), None))
        st.session_state[key], unsent[key] = value, (before, value)
    return value


@contextmanager
def whole_run() -> Iterator[None]:
    """Set widgets again that the browser has not heard of: it shows them as before, or would begin
    with empty ones.
    """
    unsent = st.session_state.setdefault(_UNSENT, {})
    if _unheard():
        for key, (before, value) in unsent.items():
            now = st.session_state.get(key)
            st.session_state[key] = value if now == before else now
    else:
        unsent.clear()
    st.session_state[_CUT] = True
    yield
    st.session_state[_CUT] = False


def heard(key: str, act: Callable[[Any], Any]) -> Callable[[], None]:
    """Return what a widget calls when it has changed: ``act`` on its value, but not on the one
    before it was set that a browser which has not heard of it sends with whatever else is pressed.
    """

    def changed() -> None:
        value = st.session_state[key]
        if not (
            _unheard()
            and key in st.session_state[_UNSENT]
            and st.session_state[_UNSENT][key][0] == value
        ):
            act(value)

    return changed


def _unheard() -> bool:
    """Return whether the browser does not know what was set: that run was cut short, or two widgets
    or more have the values of before, of which a person changes one at a time.
    """
    unsent = st.session_state.get(_UNSENT, {}).items()
    old = sum(
        before != value and st.session_state.get(key) == before for key, (before, value) in unsent
    )
    return st.session_state.get(_CUT, False) or old > 1
