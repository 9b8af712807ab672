"""The server of Epsilon Lab.

`streamlit run app.py` finds it; what it shows begins in pages/frame.py.
"""

import os
import sys
from functools import partial

import streamlit as st
from starlette.middleware import Middleware

from pages.table import FIRSTS, HEADS, HOME, PAGES
from ui import environment, first_picture
from ui.live.channel import Channel
from ui.security_headers import Guard
from ui.start import lifespan
from ui.static_files import Delivery, compress_plotly
from ui.uploads import Uploads
from ui.visitor import VisitorCookie

refusal = environment.refusal(os.environ)
if refusal:
    sys.exit(refusal)

channel = Channel((HOME, *PAGES)).route()
delivery = Middleware(
    Delivery, heads=HEADS, firsts=first_picture.FOUND, scripts=dict([first_picture.script()])
)
middleware = [Middleware(Guard), Middleware(VisitorCookie), Middleware(Uploads), delivery]
life = partial(lifespan, later=(compress_plotly, partial(first_picture.record, FIRSTS)))
app = st.App("pages/frame.py", routes=[channel], lifespan=life, middleware=middleware)
