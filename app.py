"""The server of Epsilon Lab. `streamlit run app.py` finds it; what it shows begins in ui/frame.py."""

import streamlit as st
from starlette.middleware import Middleware

from pages.home import QUESTION, front
from pages.table import PAGES
from ui.admission import Admission
from ui.delivery import Delivery
from ui.guard import Guard
from ui.live.channel import Channel
from ui.start import lifespan
from ui.uploads import Uploads
from ui.watch import Watch

channel = Channel((front(PAGES), *PAGES)).route(st.get_option("server.baseUrlPath"))
questions = {"": QUESTION} | {page.name: page.question for page in PAGES}
delivery = Middleware(Delivery, questions=questions)
middleware = [Middleware(Guard), Middleware(Watch), Middleware(Admission), Middleware(Uploads), delivery]
app = st.App("ui/frame.py", routes=[channel], lifespan=lifespan, middleware=middleware)
