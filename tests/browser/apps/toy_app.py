"""The toy page on a server that has the channel; `toy_page.py` alone is the same page
without one.
"""

from functools import partial
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from tests.toy.page import TOY
from ui.live.channel import Channel
from ui.server.security_headers import HostFilter
from ui.server.startup import lifespan

channel = Channel([TOY]).route()
app = st.App(
    Path(__file__).with_name("toy_page.py"),
    routes=[channel],
    lifespan=partial(lifespan, later=()),
    middleware=[Middleware(HostFilter)],
)
