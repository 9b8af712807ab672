"""The lifetime of an uploaded file: as long as the page of its visitor, and a moment more.

Streamlit keeps a session for two minutes after its page is gone, so that a broken connection can
come back, and drops it when it next has to do with others; its reference cycles go later still. A
file must not wait for that: as soon as the page is gone its upload is deleted, and a timer lets go
of its rows and of what is remembered of them.
"""

import threading
import weakref
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileManager

from lab.uploads.handles import release
from lab.uploads.table import Table

# Seconds that a page has to come back in.
GRACE = 120.0


@dataclass(eq=False, repr=False, kw_only=True)
class SessionFile:
    """The rows of an uploaded file in its session.

    Attributes:
        table: The rows.
        timer: Releases them; it runs while the page is gone.
    """

    table: Table
    timer: threading.Timer | None = None


@dataclass(eq=False, repr=False)
class _Visit:
    """A page while it is connected.

    Attributes:
        session_id: The session of the page.
        uploads: Streamlit's store of uploads.
        upload: The last upload of the page.
        files: The files of the page.
    """

    session_id: str
    uploads: UploadedFileManager
    upload: UploadedFile | None = None
    files: "weakref.WeakSet[SessionFile]" = field(default_factory=weakref.WeakSet)

    def end(self) -> None:
        self.uploads.remove_session_files(self.session_id)
        if self.upload is not None:
            self.upload.close()
        for file in self.files:
            file.timer = threading.Timer(GRACE, release, [file.table])
            file.timer.daemon = True
            file.timer.start()


@st.cache_resource(scope="session", show_spinner=False, on_release=_Visit.end)
def _visit() -> _Visit:
    """Return the visit of this page; a new connection is a new visit."""
    run: Any = get_script_run_ctx()  # not None, as this is called in the run of a page
    return _Visit(session_id=run.session_id, uploads=run.uploaded_file_mgr)


def present(upload: UploadedFile | None, file: SessionFile | None) -> bool:
    """Keep the file of the session while its page is connected, and return whether it has rows.

    Each run has to call this.
    """
    visit = _visit()
    visit.upload = upload or visit.upload
    if file is None:
        return False
    if file.timer is not None:
        file.timer.cancel()
        file.timer = None
    visit.files.add(file)
    return bool(file.table.columns)
