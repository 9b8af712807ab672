"""The tab Share, and what a saved picture says of itself."""

import io
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlsplit

import pytest
import segno
import streamlit as st
import zxingcpp
from PIL import Image

from lab.links import VERSION
from pages.table import PAGES
from tests.app import opened
from ui import qr_code, share
from ui.controls import Desk, from_link

HERE = "http://localhost:8501/classifier"


@pytest.fixture
def at(monkeypatch):
    """at(address): a page is opened there."""
    return lambda url: monkeypatch.setattr(st, "context", SimpleNamespace(url=url))


def test_a_link_of_this_machine_is_told_to_the_network_too(monkeypatch):
    monkeypatch.setattr(qr_code, "own_address", lambda: "10.1.2.3")
    monkeypatch.setattr(st, "get_option", {"server.address": None}.get)
    assert qr_code.elsewhere(f"{HERE}?epsilon=1") == "http://10.1.2.3:8501/classifier?epsilon=1"
    assert qr_code.elsewhere("http://[::1]:8501/x") == "http://10.1.2.3:8501/x"
    assert qr_code.elsewhere("https://lab.example.org/classifier") == ""
    monkeypatch.setattr(qr_code, "own_address", lambda: "")
    assert qr_code.elsewhere(HERE) == ""
    monkeypatch.setattr(qr_code, "own_address", lambda: "10.1.2.3")
    monkeypatch.setattr(st, "get_option", {"server.address": "127.0.0.1"}.get)
    assert qr_code.elsewhere(HERE) == "", "the server hears nobody else"
    options = {"server.address": None, "server.allowedHosts": ["localhost", "lab.example.org"]}
    monkeypatch.setattr(st, "get_option", options.get)
    assert qr_code.elsewhere(HERE) == "", "the server answers nobody who asks for that address"
    options["server.allowedHosts"].append("10.1.2.3")
    assert qr_code.elsewhere(HERE) == "http://10.1.2.3:8501/classifier"


@pytest.mark.parametrize("query", ["", "?epsilon=0.3", "?" + "&".join(f"field_{n}=0.123456" for n in range(25))])
def test_a_phone_reads_the_link(query):
    """The modules of the drawing, as a picture, by another library."""
    link = HERE + query
    assert qr_code.qr(link).startswith(f'<svg role="img" aria-label="{qr_code.QR_ALT}" ')
    picture = io.BytesIO()
    segno.make(link, error="l").save(picture, kind="png", scale=4, border=3)
    (found,) = zxingcpp.read_barcodes(Image.open(picture).convert("L"))
    assert found.text == link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_shares_its_tables_and_programs(page):
    app = opened(page.name)
    app.session_state[f"{page.name}.tabs"] = "Share"
    app.run()
    assert not app.exception
    labels = [one.proto.label for one in app.get("download_button")]
    codes = [one.value for one in app.code]
    assert f"?v={VERSION}" in codes[0]
    (code,) = app.get("image")[0].proto.imgs
    assert code.alt == qr_code.QR_ALT
    assert labels[:2] == ["Handout (zip)", "Privacy label (HTML)"]
    assert sum("(CSV)" in label for label in labels) >= 1


def test_a_picture_says_what_it_is_of(at):
    at(HERE)
    page = PAGES[0]
    settings = page.settings(dataset="iris", epsilon=0.3, seed=9)
    desk = Desk(page=page.name, settings=settings)
    desk.choices = {"dataset": ("Data", {"iris": "Iris"}), "version": ("Mechanism", {"sound": "Correct"})}
    paper = share.paper(page, desk)
    about, words, link = paper["lines"]
    assert page.question in about
    for part in ("Data Iris", "Mechanism Correct", "Epsilon 0.3", "Repeats 24", "Seed 9"):
        assert part in words
    assert "Clipping norm" not in words, "as it is by default"
    query = dict(parse_qsl(urlsplit(link).query))
    assert link.startswith(HERE)
    assert query == {"dataset": "iris", "rows": "75", "epsilon": "0.3", "seed": "9", "v": str(VERSION)}
    assert from_link(page.settings, query) == (settings, [])
    assert paper["stem"] == share.paper(page, replace(desk))["stem"]
    assert "epsilon-0.3" in paper["stem"]
