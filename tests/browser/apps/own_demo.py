"""My data with a second's grace after its page is gone; ?count tells what the server holds."""

import gc

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lab.uploads import table
from pages.data import page
from ui.uploads import lifetime

lifetime.GRACE = 1.0


if "count" in st.query_params:
    gc.collect()  # what nobody holds is not held
    objects = gc.get_objects()
    tables = sum(isinstance(one, table.Table) and bool(one.columns) for one in objects)
    uploads = get_script_run_ctx().uploaded_file_mgr.file_storage.values()
    st.text(f"{tables} tables {sum(map(len, uploads))} uploads")
else:
    page.show()
