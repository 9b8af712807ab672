"""Set widgets from code, also where a browser sends values from before it heard of that."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

# Key of a widget -> (its value before, its new value), for values that code has set since the
# browser was last up to date.
_UNSENT = "lab.unsent"
# Whether the last run was ended before its end, so that the browser missed some of it.
_CUT_SHORT = "lab.cut"


def set_widget(key: str, value: Any) -> Any:
    """Set the widget with this key, unless it has this value, and return the value.

    Setting it again would replace what the person has typed or chosen since the run began. Callers
    also pass the value as the widget's default: a new run can drop the message that sets a new
    widget, which then starts from its default.
    """
    if key in st.session_state and st.session_state[key] == value:
        return value
    unsent = st.session_state.setdefault(_UNSENT, {})
    if key in unsent:
        before, _ = unsent[key]
    else:
        before = st.session_state.get(key)
    st.session_state[key] = value
    unsent[key] = (before, value)
    return value


@contextmanager
def resend_unsent() -> Iterator[None]:
    """Run a whole page, after setting widgets again that the browser has not heard of.

    It would otherwise show their earlier values, or start with empty ones.
    """
    unsent = st.session_state.setdefault(_UNSENT, {})
    if _browser_outdated():
        for key, (before, value) in unsent.items():
            current = st.session_state.get(key)
            if current == before:
                st.session_state[key] = value
            else:
                st.session_state[key] = current
    else:
        unsent.clear()
    st.session_state[_CUT_SHORT] = True
    yield
    st.session_state[_CUT_SHORT] = False


def on_change(key: str, act: Callable[[Any], Any]) -> Callable[[], None]:
    """Return a widget's callback that calls ``act`` with its value.

    An outdated browser sends the value from before it was set, whatever else is pressed. Nobody has
    chosen that one, so it is ignored.
    """

    def call() -> None:
        value = st.session_state[key]
        if not _is_outdated_value(key, value):
            act(value)

    return call


def _is_outdated_value(key: str, value: Any) -> bool:
    if not _browser_outdated():
        return False
    unsent = _unsent()
    if key not in unsent:
        return False
    before, _ = unsent[key]
    return before == value


def _browser_outdated() -> bool:
    """Return whether the browser has not heard of values that were set.

    Either that run was cut short, or at least two widgets have their values from before. A person
    changes one at a time.
    """
    if st.session_state.get(_CUT_SHORT, False):
        return True
    outdated_widgets = 0
    for key, (before, value) in _unsent().items():
        if before != value and st.session_state.get(key) == before:
            outdated_widgets += 1
    return outdated_widgets > 1


def _unsent() -> Mapping[str, tuple[Any, Any]]:
    return st.session_state.get(_UNSENT, {})
