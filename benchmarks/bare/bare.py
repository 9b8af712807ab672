"""Show one native slider and one line chart: the bare page that the lab is compared with."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

value = st.slider("Epsilon", 0, 1000, 100)
x = np.linspace(0, 10, 200, dtype=np.float32)
with st.container(key="line"):  # a place that stays, for the benchmark to watch
    st.plotly_chart(go.Figure(go.Scatter(x=x, y=np.sin(x + value / 10))))
