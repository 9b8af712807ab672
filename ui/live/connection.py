"""What a page does when its connection to the server is lost, or the server was started anew."""

from ui.live import serving


def connection(*, uploads: float) -> None:
    """Watch the connection, from outside of all fragments: once a run, before the page.

    While it is lost the page says so; when it is back, the browser asks for a run of the whole page. ``uploads``: the
    megabytes that uploads may take, for who is refused.
    """
    data = {"uploads": uploads}
    serving.mount("connection", css="connection.css", key="connection", data=data, on_back_change=_nothing)


def _nothing() -> None:
    """Streamlit keeps a trigger only if a callback is named for it; the run is all that is asked for."""
