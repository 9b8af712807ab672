"""The server of Epsilon Lab. `streamlit run app.py` finds it; what it shows begins in pages/frame.py."""

import streamlit as st
from starlette.middleware import Middleware

from pages.home import front
from pages.table import HEADS, PAGES
from ui.live.channel import Channel
from ui.metrics import Watch
from ui.security_headers import Guard
from ui.start import lifespan
from ui.static_files import Delivery
from ui.uploads import Uploads
from ui.waiting_room import Admission

channel = Channel((front(PAGES), *PAGES)).route()
delivery = Middleware(Delivery, heads=HEADS)
middleware = [Middleware(Guard), Middleware(Watch), Middleware(Admission), Middleware(Uploads), delivery]
app = st.App("pages/frame.py", routes=[channel], lifespan=lifespan, middleware=middleware)
