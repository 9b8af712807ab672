"""Show the uploader of a page, and free the bytes of an upload that the page has read."""

from typing import Literal
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

from ui.server.page_address import page_address
from ui.server.upload_limits import file_manager
from ui.text.texts import SAYS

_LAST_ID = "data.read"


def show_uploader(
    label: str, *, megabytes: int, number: int, hidden: bool
) -> tuple[UploadedFile | None, bool]:
    """Show the uploader, and return its file, and whether the file is new since the last run.

    Args:
        label: The label of the uploader.
        megabytes: The largest size of a file.
        number: The number of this uploader of the session. One with another number is empty.
        hidden: Whether to leave out the label.
    """
    if not _has_upload_cookie():
        _offer_own_tab()
        return None, False
    visibility: Literal["collapsed", "visible"] = "visible"
    if hidden:
        visibility = "collapsed"
    # Files of any type are taken: the page then names the type of a file that is no table, and says
    # what to do.
    file = st.file_uploader(
        label,
        key=f"data.file.{number}",
        max_upload_size=megabytes,
        label_visibility=visibility,
    )
    if file is None:
        return None, False
    is_new = st.session_state.get(_LAST_ID) != file.file_id
    st.session_state[_LAST_ID] = file.file_id
    return file, is_new


def _has_upload_cookie() -> bool:
    """Return whether this browser sends the cookie that an upload needs, as far as is known."""
    is_needed = st.context.headers and st.get_option("server.enableXsrfProtection")
    return not is_needed or XSRF_COOKIE_NAME in st.context.cookies


def _offer_own_tab() -> None:
    """Say that nothing can be uploaded here, and offer the page in a tab of its own."""
    link = f"{page_address()}?{urlencode(st.query_params.to_dict())}"
    with st.container(border=True):
        st.markdown(SAYS["upload.no-cookie"])
        st.link_button("Open this page in its own tab", link, icon=":material/open_in_new:")


def free_bytes(upload: UploadedFile) -> None:
    """Free the bytes of an upload; its name stays, so that it is not read again."""
    run = get_script_run_ctx()
    if run is not None:
        files = file_manager(run)
        for record in files.get_files(run.session_id, [upload.file_id]):
            files.add_file(run.session_id, record._replace(data=b""))
    upload.close()
