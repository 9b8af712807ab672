"""Choose the unit, delta and accountant"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from ui.session import page_links
from ui.text.glossary import link_terms
from ui.text.texts import Texts

QUESTION = "Choose the unit, delta and accountant"
_TEXTS = Texts(__file__)


class Example(NamedTuple):
    """A page of the lab at settings that show one choice.

    Attributes:
        label: Key of its text.
        page: Name of the page.
        settings: Settings of the page, as a link has them.
    """

    label: str
    page: str
    settings: Mapping[str, str]


# Section of the page -> examples below its text.
SECTIONS: Mapping[str, Sequence[Example]] = {
    "unit": (
        Example("one-row", "classifier", {}),
        Example("several-rows", "accounting", {"people": "3"}),
        Example("party", "parties", {"method": "soft"}),
    ),
    "uses": (Example("tries", "accounting", {"settings_tried": "10"}),),
    "mechanism": (
        Example("laplace", "mechanisms", {"mechanism": "laplace"}),
        Example("gaussian", "mechanisms", {"mechanism": "gaussian"}),
    ),
    "delta": (Example("delta", "accounting", {"delta": "1e-05"}),),
    "accountant": (
        Example(
            "all-rows",
            "accounting",
            {"sampling_rate": "1", "noise_multiplier": "30", "steps": "50"},
        ),
        Example(
            "sampled",
            "accounting",
            {"sampling_rate": "0.01", "noise_multiplier": "1", "steps": "1000"},
        ),
    ),
    "epsilon": (
        Example("planner", "what-if", {}),
        Example("in-use", "deployments", {}),
    ),
    "federated": (Example("rounds", "parties", {"method": "federated", "tab": "rounds"}),),
}


def show() -> None:
    """Render what to choose, in order, with links to settings that show each choice."""
    st.title(QUESTION)
    st.caption(_TEXTS["choosing"])
    for section, examples in SECTIONS.items():
        st.header(_TEXTS[f"heading.{section}"], anchor=section)
        st.markdown(link_terms(_TEXTS[f"choose-{section}"]))
        for example in examples:
            page_links.query_link(
                example.page, _TEXTS[f"example.{example.label}"], example.settings
            )
