"""The live demo as the second page of an app: for deep links, a base path, and a change of page."""

import streamlit as st


def start() -> None:
    """A first page with nothing live on it."""
    st.title("Start")


st.navigation([st.Page(start, title="Start"), st.Page("live_demo.py", title="Live", url_path="live")]).run()
