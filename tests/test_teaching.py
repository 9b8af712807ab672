"""docs/teaching.md: what the exercises say is what the pages compute."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from dpcore.accountants.attacker import best_attacker
from pages.table import PAGES
from ui.controls import from_link

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "teaching.md").read_text("utf-8")
KINDS = {page.name: page.settings for page in PAGES}


@cache
def result_of(link: str):
    at = urlsplit(link)
    settings, notices = from_link(KINDS[at.path.strip("/")], dict(parse_qsl(at.query)))
    assert notices == []
    return settings.run()


def middle(link: str, name: str) -> float:
    summary = result_of(link).summary
    return (summary() if callable(summary) else summary)[name].median


# Link of a solution -> what it says, in the order of its words.
SOLUTIONS = {
    "/mechanisms?mechanism=laplace&epsilon=1": lambda one: [f"{100 * best_attacker(one.claim.guarantee).right:.0f}"],
    "/accounting?sampling_rate=0.01&noise_multiplier=4&steps=10000&delta=1e-05": lambda one: [
        f"{one.epsilon('strong'):.1f}",
        f"{one.epsilon('moments'):.2f}",
        f"{one.epsilon('pld'):.3f}",
    ],
    "/accounting?people=3": lambda one: [f"{one.effects()['group'].epsilon:.2f}"],
    "/accounting?settings_tried=10": lambda one: [
        f"{one.tuned.epsilon:.2f}",
        f"{one.searches['logarithmic'].epsilon:.2f}",
    ],
    "/mechanisms?mechanism=classical&epsilon=150&delta=1e-05": lambda one: [f"{one.claim.guarantee.epsilon:.0f}"],
    "/classifier?epsilon=0.1": lambda one: [f"{100 * one.gain[0]:.0f}"],
    "/attack?version=published&epsilon=1&clip_norm=0.05": lambda one: [f"{one.shown.epsilon:.2f}"],
    "/regression?mechanism=published&epsilon=0.2": lambda one: [f"{one.failed}"],
}


@pytest.mark.parametrize("link", SOLUTIONS)
def test_a_solution_is_what_the_page_computes(link: str):
    (said,) = re.findall(rf"\[([^\]]*)\]\({re.escape(link)}\)(?= \|\n)", TEXT.partition("## Exercises")[2])
    assert re.findall(r"\d[\d.]*\d|\d", said) == SOLUTIONS[link](result_of(link))


def test_the_settings_that_are_said_to_win_do():
    clip = {c: middle(f"/classifier?clip_norm={c}&public_rows=0", "scratch") for c in ("0.01", "1", "100")}
    assert max(clip, key=clip.get) == "1"
    assert middle("/parties?parties=10000", "soft") > middle("/parties?parties=100", "soft")


def test_every_solution_is_held_by_a_test():
    sheet = set(re.findall(r"\]\((/[^)]*)\)", TEXT.partition("## Exercises")[2]))
    held = {f"/classifier?clip_norm={c}&public_rows=0" for c in ("0.01", "1", "100")}
    assert sheet == {*SOLUTIONS, *held, "/parties?parties=10000", "/parties?parties=100"}


@pytest.mark.parametrize("name", ["LAB_FRAME_ANCESTORS", "server.xsrfCookieSameSite", "server.allowedHosts"])
def test_what_a_server_must_set_is_named_as_it_is(name: str):
    from streamlit import config

    assert name in TEXT
    options = config.get_config_options()
    assert name in options or name in (ROOT / "ui" / "security_headers.py").read_text("utf-8")
