"""How long a private file lives: as long as the page of who brought it, and a moment more.

Streamlit keeps a session for two minutes after its page is gone, so that a broken connection can come back, and drops
it when it next has to do with others; its reference cycles go later still. A file must not wait for that: as soon as
the page is gone its upload is deleted, and a timer lets go of its rows and of what is remembered of them.
"""

import threading
import weakref
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileManager

from lab.files.file_handles import Own, forget
from lab.files.own_table import Table

# Seconds that a page has to come back in.
GRACE = 120.0


Handle = TypeVar("Handle", bound=Own)
Draft = TypeVar("Draft")


@dataclass(eq=False, repr=False)
class Brought(Generic[Handle, Draft]):
    """A file in its session. draft: what the boxes say. owns: what was chosen so far, by name. timer: runs while
    the page is gone."""

    table: Table
    draft: Draft
    owns: dict[str, Handle] = field(default_factory=dict)
    timer: threading.Timer | None = None

    def has(self, own: str) -> bool:
        """Return whether this is a choice of this file, which is still here."""
        return isinstance(own, Own) and own in self.owns and bool(self.table.columns)


@dataclass(eq=False, repr=False)
class _Visit:
    """A page while it is there. upload: what it has uploaded last; brought: its files."""

    session_id: str
    uploads: UploadedFileManager
    upload: UploadedFile | None = None
    brought: "weakref.WeakSet[Brought]" = field(default_factory=weakref.WeakSet)

    def end(self) -> None:
        self.uploads.remove_session_files(self.session_id)
        if self.upload is not None:
            self.upload.close()
        for brought in self.brought:
            brought.timer = threading.Timer(GRACE, forget, [brought.table])
            brought.timer.daemon = True
            brought.timer.start()


@st.cache_resource(scope="session", show_spinner=False, on_release=_Visit.end)
def _visit() -> _Visit:
    """Return this page's visit; a connection that comes back is another."""
    run: Any = get_script_run_ctx()  # not None, as this is called in the run of a page
    return _Visit(session_id=run.session_id, uploads=run.uploaded_file_mgr)


def present(upload: UploadedFile | None, brought: Brought[Handle, Draft] | None) -> Brought[Handle, Draft] | None:
    """Say that the page is here, to be asked in each run; its file, if it has not been let go meanwhile."""
    visit = _visit()
    visit.upload = upload or visit.upload
    if brought is None:
        return None
    if brought.timer is not None:
        brought.timer.cancel()
        brought.timer = None
    visit.brought.add(brought)
    return brought if brought.table.columns else None
