"""The server of Epsilon Lab.

`streamlit run app.py` finds it; what it shows begins in pages/main.py.
"""

import os
import sys
from functools import partial

import streamlit as st
from starlette.middleware import Middleware

from pages import environment_check
from pages.topics import FIRSTS, HEADS, HOME, PAGES
from ui.classroom.visitor import VisitorCookie
from ui.export import prerender
from ui.live.channel import Channel
from ui.server.security_headers import HostFilter
from ui.server.startup import lifespan
from ui.server.static_files import StaticFiles, compress_plotly
from ui.server.upload_limits import Uploads

refusal = environment_check.refusal(os.environ)
if refusal:
    sys.exit(refusal)

channel = Channel((HOME, *PAGES)).route()
files = Middleware(
    StaticFiles, heads=HEADS, recordings=prerender.FOUND, scripts=dict([prerender.script()])
)
middleware = [Middleware(HostFilter), Middleware(VisitorCookie), Middleware(Uploads), files]
life = partial(lifespan, later=(compress_plotly, partial(prerender.record, FIRSTS)))
app = st.App("pages/main.py", routes=[channel], lifespan=life, middleware=middleware)
