"""The tab Share, and what a saved picture says of itself."""

import io
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


@pytest.mark.parametrize(
    ("link", "server", "address", "told"),
    [
        (f"{HERE}?epsilon=1", {}, "10.1.2.3", "http://10.1.2.3:8501/classifier?epsilon=1"),
        ("http://[::1]:8501/x", {}, "10.1.2.3", "http://10.1.2.3:8501/x"),
        ("https://lab.example.org/classifier", {}, "10.1.2.3", ""),
        (HERE, {}, "", ""),
        (HERE, {"server.address": "127.0.0.1"}, "10.1.2.3", ""),  # it hears nobody else
        (HERE, {"server.allowedHosts": ["localhost"]}, "10.1.2.3", ""),  # it answers nobody who asks for that address
        (HERE, {"server.allowedHosts": ["localhost", "10.1.2.3"]}, "10.1.2.3", "http://10.1.2.3:8501/classifier"),
    ],
)
def test_a_link_of_this_machine_is_told_to_the_network_too(monkeypatch, link, server, address, told):
    monkeypatch.setattr(qr_code, "own_address", lambda: address)
    monkeypatch.setattr(st, "get_option", server.get)
    assert qr_code.elsewhere(link) == told


@pytest.mark.parametrize("query", ["", "?" + "&".join(f"field_{n}=0.123456" for n in range(25))])
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


def test_a_picture_says_what_it_is_of(monkeypatch):
    monkeypatch.setattr(st, "context", SimpleNamespace(url=HERE))
    page = PAGES[0]
    settings = page.settings(dataset="iris", epsilon=0.3, seed=9)
    desk = Desk(page=page.name, settings=settings)
    desk.choices = {"dataset": ("Data", {"iris": "Iris"}), "version": ("Mechanism", {"sound": "Correct"})}
    paper = share.paper(page, desk)
    about, words, link = paper["lines"]
    assert page.question in about
    assert all(part in words for part in ("Data Iris", "Mechanism Correct", "Epsilon 0.3", "Repeats 24", "Seed 9"))
    assert "Clipping norm" not in words, "as it is by default"
    query = dict(parse_qsl(urlsplit(link).query))
    assert link.startswith(HERE)
    assert query == {"dataset": "iris", "rows": "75", "epsilon": "0.3", "seed": "9", "v": str(VERSION)}
    assert from_link(page.settings, query) == (settings, [])
    assert "epsilon-0.3" in paper["stem"]
