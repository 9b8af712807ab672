"""What a page does when its connection to the server is lost, or the server was started anew."""

from collections.abc import Mapping

import streamlit as st

from ui.live import serving

_KEY = "connection"


def connection(*, uploads: float) -> None:
    """Watch the connection, from outside of all fragments: once a run, before the page.

    While it is lost the page says so; when it is back, the browser asks for a run of the whole page. ``uploads``: the
    megabytes that uploads may take, for who is refused.
    """
    heard = {"on_back_change": _nothing, "on_travels_change": _nothing}
    serving.mount("connection", css="connection.css", key=_KEY, data={"uploads": uploads}, **heard)


def travels() -> int:
    """Return how often the browser has gone back or forward in its history, as far as its newest message says."""
    state = st.session_state.get(_KEY)
    count = state.get("travels") if isinstance(state, Mapping) else 0
    return count if type(count) is int else 0


def _nothing() -> None:
    """Streamlit keeps a trigger or a state only if a callback is named for it; the run is all that is asked for."""
