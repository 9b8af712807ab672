"""What this is, and where to start."""

from collections.abc import Mapping, Sequence

import streamlit as st

from ui.page import Page

QUESTION = "What does privacy cost a machine that learns?"
_LEAD = (
    '<p class="lab-verdict">Train on people\'s data, and the model remembers people. <b>Differential privacy</b> adds '
    "noise, so that even an attacker can hardly tell whether the data hold <i>you</i> or somebody else. The noise has "
    "a price: the model makes more mistakes. One number, <b>epsilon</b>, sets both: move it on any page and watch.</p>"
)
# A tour: (what to do, what is to be seen there, the page with settings that show it at once).
TOUR = (
    (
        "See it",
        "At epsilon 0.05 the noise drowns the data: the boundaries fly apart, and the model guesses. Drag epsilon to "
        "the right until they come together.",
        "classifier?epsilon=0.05",
    ),
    (
        "Count it",
        "One training, 10,000 noisy steps. One proof says it costs 26, another 1.26, the exact one 0.947: the noise "
        "did not change, the proof did.",
        "ledger?sampling_rate=0.01&noise_multiplier=4&steps=10000&delta=1e-05",
    ),
    (
        "Share it",
        "A thousand parties, each with ten rows and a model of its own. Together they teach one model that hardly "
        "shows whether a whole party, or another in its place, took part. Drag the number of parties down: the noise "
        "wins.",
        "parties?parties=1000&epsilon=1&rows=10",
    ),
    (
        "Attack it",
        "A published recipe claims epsilon 1. Thousands of trainings, with one person and with another in their place, "
        "show that it spends at least 2.33. Choose Sound, and the attacker is right 56 times in 100; a coin, 50.",
        "attack?version=published&epsilon=1&clip_norm=0.05",
    ),
)
TRIES = (
    (
        "Get help",
        "Handwritten digits at epsilon 0.5: learnt privately from zero, about half are read right. Started from 300 "
        "public examples, nine in ten.",
        "classifier?dataset=digits&epsilon=0.5&public_rows=300&shift=0&public_steps=100&steps=10&learning_rate=1",
    ),
    (
        "Watch it learn",
        "Two spirals and a network of three layers. Press play: the regions curl up while the budget is spent.",
        "network?dataset=spirals&epsilon=8&rows=3000&lot_size=200&layers=3&width=24&epochs=30&shown=0",
    ),
    (
        "Doubt",
        "The published recipe clips the average instead of each person. See what its noise really promises.",
        "classifier?version=published&epsilon=1&clip_norm=0.1",
    ),
)
# What one sees, can trust, and can take away.
_TEXTS = (
    """### What you will see
Dozens of private models, **really trained** while you move a slider. Each one has noise of its own, so you see not one
lucky run but how far the runs differ: every boundary is drawn, every figure has its spread.""",
    """### What you can trust
Each guarantee stands with its delta, its neighbours and the theorem behind it. Published methods run **as published**,
and where their guarantee does not hold the page says so and shows what they really give, beside the sound version.""",
    """### What you can take away
The address of a page holds every setting, the seed included: send the link, and the same numbers appear. Whoever has
the link can also compute the noise and **subtract it**: this noise is for showing, not for publishing. Figures, tables
and a script that computes them again can be downloaded. Nothing leaves this machine.""",
)
_NOTE = (
    "For teaching, demonstrations and what-if questions. The noise is ordinary floating-point noise: to publish a "
    "model of real people's data, use a library made for releases."
)


def show(pages: Sequence[Page], doors: Mapping[str, st.Page]) -> None:
    """The home page: a tour, all ``pages`` with their questions, and what to try. ``doors``: page -> where it opens."""
    st.title(QUESTION)
    st.html(_LEAD)
    st.header("A tour in four stops")
    for number, (column, (name, text, link)) in enumerate(zip(st.columns(4, gap="medium"), TOUR, strict=True), 1):
        with column.container(border=True, height="stretch", vertical_alignment="distribute"):
            st.markdown(f"**{number}. {name}.** {text}")
            st.link_button("Go there", link, icon=":material/play_arrow:")
    st.header("All pages")
    _all(pages, doors)
    for column, text in zip(st.columns(3, gap="large"), _TEXTS, strict=True):
        column.markdown(text)
    st.header("Three things to try")
    for column, (name, text, link) in zip(st.columns(3, gap="large"), TRIES, strict=True):
        column.markdown(f"**{name}.** {text}")
        column.link_button("Show me", link, icon=":material/play_arrow:")
    st.caption(_NOTE)


def _all(pages: Sequence[Page], doors: Mapping[str, st.Page]) -> None:
    """Every page by its group, with the question that it asks."""
    groups = list(dict.fromkeys(page.group for page in pages))
    for column, group in zip(st.columns(len(groups), gap="large"), groups, strict=True):
        column.markdown(f"**{group}**")
        for page in (one for one in pages if one.group == group):
            column.page_link(doors[page.name], icon=":material/arrow_forward:")
            column.caption(page.question)
