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
    heard = {"on_back_change": _nothing, "on_travelled_change": _nothing}
    serving.mount("connection", css="connection.css", key=_KEY, data={"uploads": uploads}, **heard)


def travelled() -> object:
    """Return when the browser went back or forward in its history last, as far as its newest message says."""
    state = st.session_state.get(_KEY)
    return state.get("travelled") if isinstance(state, Mapping) else None


def _nothing() -> None:
    """Streamlit keeps a trigger or a state only if a callback is named for it; the run is all that is asked for."""
