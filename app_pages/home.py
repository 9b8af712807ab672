"""What this is, and where to start."""

import streamlit as st

st.title("What does privacy cost a machine that learns?")
st.html(
    '<p class="lab-verdict">Train on people\'s data, and the model remembers people. <b>Differential privacy</b> adds '
    "just enough noise that nobody can tell whether <i>you</i> were in the data. The noise has a price: the model "
    "makes more mistakes. One number, <b>epsilon</b>, sets both. Move it and watch.</p>"
)
DOORS = (
    ("app_pages/classifier.py", "**Open the classifier and drag epsilon**", "What does privacy cost a classifier?"),
    ("app_pages/mechanisms.py", "**Begin with one number**", "What does one published number give away?"),
    ("app_pages/ledger.py", "**Count the budget**", "What does a run cost, and by which proof?"),
)
for column, (page, label, question) in zip(st.columns(3, gap="large"), DOORS, strict=True):
    with column.container(border=True):
        st.page_link(page, label=label, icon=":material/arrow_forward:")
        st.caption(question)

see, honest, yours = st.columns(3, gap="large")
see.markdown(
    """#### What you will see
Dozens of private models, **really trained** while you move a slider. Each one has noise of its own, so you see not one
lucky run but how far the runs differ: every boundary is drawn, every figure has its spread."""
)
honest.markdown(
    """#### What you can trust
Each guarantee stands with its delta, its neighbours and the theorem behind it. Published methods run **as published**,
and where their guarantee does not hold the page says so and shows what they really give, beside the sound version."""
)
yours.markdown(
    """#### What you can take away
The address of a page holds every setting, the seed included: send the link, and the same numbers appear. Figures,
tables and a script that computes them again can be downloaded. Nothing leaves this machine."""
)

st.subheader("Three things to try")
TRIES = (
    (
        "Squeeze",
        "At epsilon 0.05 the noise drowns the data: the boundaries fly apart, and the model guesses.",
        "classifier?epsilon=0.05",
    ),
    (
        "Get help",
        "Handwritten digits at epsilon 0.5: learnt privately from zero, about half are read right. Started from 300 "
        "public examples, nine in ten.",
        "classifier?dataset=digits&epsilon=0.5&public_rows=300&shift=0&public_steps=100&steps=10&learning_rate=1",
    ),
    (
        "Doubt",
        "The published recipe clips the average instead of each person. See what its noise really promises.",
        "classifier?version=published&epsilon=1&clip_norm=0.1",
    ),
)
for column, (name, text, link) in zip(st.columns(3, gap="large"), TRIES, strict=True):
    column.markdown(f"**{name}.** {text}")
    column.link_button("Show me", link, icon=":material/play_arrow:")
st.caption(
    "For teaching, demonstrations and what-if questions. The noise is ordinary floating-point noise: to publish a "
    "model of real people's data, use a library made for releases."
)
