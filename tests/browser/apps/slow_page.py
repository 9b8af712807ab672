"""A page whose whole run takes a second, with a button in its live part."""

import time

import streamlit as st

from ui.compute import debounce


@debounce.page_run()
def show_page() -> None:
    """Show a button at once, and the live part after a second."""
    st.button("Run the whole page")
    time.sleep(1)
    show_live_part()


@st.fragment
@debounce.page_run()
def show_live_part() -> None:
    """Show a button and a text, in a fragment that can run alone."""
    st.button("Run the live part")
    st.text("The result")


show_page()
