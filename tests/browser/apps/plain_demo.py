"""Every hostile text, made plain, in each way in which a page may show it."""

import streamlit as st

from tests.hostile import HOSTILE
from ui.text.escaping import plain, quoted

for place, text in enumerate(HOSTILE):
    with st.container(key=f"one{place}"):
        st.warning(plain(text))
        st.caption(plain(text))
        st.markdown(f"It is {plain(text)}")
        st.html(f'<p title="{plain(text)}">{plain(text)}</p>')
    with st.container(key=f"code{place}"):
        st.error(f"In the link, {quoted(text)}")
