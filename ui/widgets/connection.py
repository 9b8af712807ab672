"""What a page does when its connection to the server is lost, or the server was started anew."""

from ui.widgets import assets


def connection(*, uploads: float) -> None:
    """Watch the connection, from outside of all fragments: once a run, before the page.

    While it is lost the page says so; when it is back, the browser asks for a run of the whole
    page. ``uploads``: the megabytes that uploads may take, for who is refused.
    """
    assets.mount(
        "connection",
        css="page/connection.css",
        key="connection",
        data={"uploads": uploads},
        keeps="back",
    )
