"""Tell a visitor when the connection to the server is lost, or the server was started anew."""

from ui.widgets import assets


def connection(*, uploads: float) -> None:
    """Watch the connection, from outside of all fragments, once a run and before the page.

    While it is lost the page says so. When it is back, the browser asks for a run of the whole
    page.

    uploads: Megabytes that uploads may take, for the text when one is refused.
    """
    assets.mount(
        "connection",
        css="page/connection.css",
        key="connection",
        data={"uploads": uploads},
        keeps="back",
    )
