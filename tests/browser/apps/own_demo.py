"""A page that takes a file of one's own, with a second's grace after it is gone; ?count tells what the server holds."""

import gc

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpcore.data import domains
from lab.files import own_table
from pages.hypotheses.experiment import HypothesesSettings
from ui import controls, own_file, own_session

own_session.GRACE = 1.0


if "count" in st.query_params:
    gc.collect()  # what nobody holds is not held
    objects = gc.get_objects()
    tables = sum(isinstance(one, own_table.Table) and bool(one.columns) for one in objects)
    worlds = sum(isinstance(one, domains.World) for one in objects)
    uploads = get_script_run_ctx().uploaded_file_mgr.file_storage.values()
    st.text(f"{tables} tables {sum(map(len, uploads))} uploads {worlds} worlds")
else:
    desk = controls.desk("hypotheses", HypothesesSettings)
    if own_file.ready(desk, public_rows=lambda settings: len(domains.world(settings.model.where).public)):
        st.text("ready")
        desk.tell(done=1)
