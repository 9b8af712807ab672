"""The page of hypotheses in a real browser."""

import re
import time

import pytest
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.person import PATIENCE, distinct, drag_until, drawn, field, slider
from tests.hostile_files import ordinary
from tests.test_own_texts import written

CHARTS = 2
SMALL = "repeats=4&source_rows=200&unlabelled_rows=200&target_rows=400&public_rows=300"


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
def test_what_is_borrowed_moves_while_epsilon_is_dragged(page, serve, width, dark):
    opened = page(f"{serve('app.py')}/hypotheses?{SMALL}", width=width, height=900, dark=dark, touch=width < 500)
    drawn(opened, CHARTS)
    said = opened.locator(".lab-verdict")
    expect(said).to_contain_text("labels alone", timeout=PATIENCE)
    drag_until(opened, distinct(said.inner_text), 3)


def test_a_weight_takes_from_the_others_and_the_link_remembers(page, serve):
    opened = page(f"{serve('app.py')}/hypotheses?{SMALL}")
    drawn(opened, CHARTS)
    opened.get_by_text("More settings", exact=True).click()
    own = field(opened, "Mixture weight of source 2")
    own.fill("0.5")
    own.press("Enter")
    expect(field(opened, "Mixture weight of source 1")).to_have_value("0.3", timeout=PATIENCE)
    expect(field(opened, "Mixture weight of source 4")).to_have_value("0.2")
    opened.wait_for_url("**mixture=0.3-0.5-0-0.2-0*")


def test_the_link_is_of_what_one_sees_long_before_all_is_computed(page, slow):
    opened = page(f"{slow.address}/hypotheses?epsilon=1")
    drawn(opened, CHARTS)
    slider(opened).press("End")
    opened.wait_for_function("() => !location.search.includes('epsilon=1.0&')")
    expect(opened.get_by_role("progressbar")).to_be_visible()
    done = int(opened.get_by_role("progressbar").get_attribute("aria-valuenow"))
    assert done < 90
    there = float(field(opened).input_value())
    assert float(re.search(r"epsilon=([\d.]+)", opened.url)[1]) == there
    opened.get_by_role("tab", name="Share").click()
    expect(opened.locator("[data-testid=stCode]").first).to_contain_text(f"epsilon={there}")


def test_the_table_fills_itself(page, serve):
    opened = page(f"{serve('app.py')}/hypotheses?{SMALL}")
    drawn(opened, CHARTS)
    opened.get_by_role("tab", name="Table").click()
    table = opened.locator(".lab-table").first
    expect(table).not_to_contain_text("…", timeout=PATIENCE)
    assert table.locator("tbody tr").count() == 20


def brought(page, file):
    page.locator("input[type=file]").set_input_files(file)


def unfold(page):
    """The box of the file, which folds itself when the file is accepted."""
    expect(page.get_by_role("combobox", name="Source", exact=True)).to_be_hidden()
    page.get_by_text("Your file", exact=True).click()


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "reviews.csv"
    file.write_bytes(written())
    return file


def test_a_file_of_ones_own_is_brought_and_its_link_holds_nothing_of_it(page, serve, tmp_path, file):
    broken = tmp_path / "broken.csv"
    broken.write_text("review,stars\none,1\nonly\n")
    opened = page(f"{serve('app.py')}/hypotheses?data=own&repeats=2&epsilon=20")
    expect(opened.get_by_text("who knows the seed can subtract the noise")).to_be_visible(timeout=PATIENCE)
    brought(opened, broken)
    expect(opened.get_by_text("1 field in line 3")).to_be_visible(timeout=PATIENCE)
    brought(opened, file)
    drawn(opened, CHARTS)
    expect(opened.get_by_text("who knows the seed can subtract the noise")).to_be_hidden()
    unfold(opened)
    opened.get_by_role("combobox", name="Source", exact=True).click()
    opened.get_by_role("option", name="shop", exact=True).click()
    expect(opened.get_by_text("4 shop 3")).to_be_visible(timeout=PATIENCE)
    expect(opened.get_by_role("combobox", name="Source", exact=True)).to_be_visible()
    opened.wait_for_url("**sources=4**", timeout=PATIENCE)
    assert not any(part in opened.url for part in ("shop", "review", "stars", "1600"))
    link = opened.url
    opened.reload()
    expect(opened.get_by_text("Only the session that uploaded it can open it")).to_be_visible(timeout=PATIENCE)
    brought(opened, file)
    drawn(opened, CHARTS)
    expect(opened.get_by_text("guessed from this file")).to_be_visible(timeout=PATIENCE)
    expect(field(opened)).to_have_value("20")
    assert opened.url.partition("own=")[0] == link.partition("own=")[0]


def test_a_shared_link_opens_the_file_in_no_other_session(page, serve, file):
    """Not politely, nor by a live part that is run on the link of another session."""
    opened = page(f"{serve('app.py')}/hypotheses?data=own&repeats=2")
    brought(opened, file)
    drawn(opened, CHARTS)
    opened.wait_for_url("**own=*repeats=2*", timeout=PATIENCE)
    forged = []

    def forge(socket):
        server = socket.connect_to_server()

        def send(message):
            asked = BackMsg.FromString(message)
            if forged and asked.rerun_script.fragment_id:
                asked.rerun_script.query_string = forged[0]
                message = asked.SerializeToString()
            server.send(message)

        socket.on_message(send)

    other = page(f"{serve('app.py')}/hypotheses?{SMALL}")
    other.route_web_socket("**/_stcore/stream", forge)
    other.reload()
    drawn(other, CHARTS)
    forged.append(opened.url.partition("?")[2])
    slider(other).press("End")
    expect(other.get_by_text("Only the session that uploaded it can open it")).to_be_visible(timeout=PATIENCE)
    expect(other.locator(".lab-verdict")).to_have_count(0)
    other.close()  # its connection stays forged


def test_a_file_of_two_sources_shows_their_number_as_a_value(page, serve, tmp_path):
    small = tmp_path / "two.csv"
    small.write_bytes(ordinary(600, sources=2))
    opened = page(f"{serve('app.py')}/hypotheses?data=own&repeats=2")
    brought(opened, small)
    drawn(opened, CHARTS)
    unfold(opened)
    opened.get_by_role("combobox", name="Source", exact=True).click()
    opened.get_by_role("option", name="shop", exact=True).click()
    expect(opened.get_by_text("2 shop1")).to_be_visible(timeout=PATIENCE)
    opened.get_by_text("More settings", exact=True).click()
    for name, value in (("Sources", "2"), ("Target rows", "40")):
        expect(field(opened, name)).to_have_value(value)
        expect(field(opened, name)).to_be_disabled()
        expect(slider(opened, name)).to_be_hidden()
    slider(opened).press("End")
    expect(field(opened)).to_have_value("1000", timeout=PATIENCE)


def test_a_file_goes_soon_after_its_page(page, serve, file):
    address = serve("tests/browser/apps/own_demo.py")
    opened, watch = page(f"{address}?data=own"), page(f"{address}?count")
    brought(opened, file)
    expect(opened.get_by_text("ready", exact=True)).to_be_visible(timeout=PATIENCE)
    watch.reload()
    expect(watch.get_by_text("1 tables 1 uploads 1 worlds")).to_be_visible(timeout=PATIENCE)
    opened.close()
    held, end = "", time.monotonic() + PATIENCE / 1000
    while held != "0 tables 0 uploads 0 worlds" and time.monotonic() < end:
        watch.wait_for_timeout(1000)
        watch.reload()
        held = watch.get_by_test_id("stText").inner_text()
    assert held == "0 tables 0 uploads 0 worlds"
