"""A file of one's own in a real browser: brought, declared, used on every page, told to nobody,
refused in words.
"""

import re

from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.person import button, choose, drag_until, enter, slider, until
from tests.browser.sight import VERDICT, drawn, obeys, says, still
from ui.uploads.samples import FOLDER

FORBIDDEN = "Only the session that uploaded it can open it"
# The box to drop files on, Streamlit's: it is called a presentation, and can have the focus.
NOT_OURS = "presentation-role-conflict"


def test_from_home_to_a_classifier_of_ones_own_rows(lab):
    """A sample of customers, and a prediction who leaves. My data breaks no rule of axe."""
    page = lab(charts=1)
    page.get_by_test_id("stMain").get_by_role("link", name="My data").first.click()
    button(page, "Use the customers table").click()
    choose(page, "churned is used as", "To predict")
    for value in ("no", "yes"):
        box = page.get_by_role("combobox", name="Classes of churned")
        box.click()
        still(page)  # a run of the page that ends while one types empties the box
        box.press_sequentially(value)
        expect(page.get_by_role("option", name=f"Add: {value}")).to_be_visible()
        box.press("Enter")
        expect(
            page.locator(f'[data-tag][aria-label="{value}"]').locator("visible=true")
        ).to_be_visible()
    page.keyboard.press("Escape")
    go, heads = button(page, "Classifier with these rows"), page.locator(".st-key-heads")
    for name, high in (("tenure_years", "30"), ("support_calls", "20")):
        choose(page, f"{name} is used as", "Number")
        expect(page.get_by_text("Bounds needed.")).to_be_visible()
        expect(go).to_be_disabled()
        if name == "tenure_years":
            expect(heads).to_be_visible()
            obeys(page, NOT_OURS)
            expect(heads).to_be_hidden()  # on a phone
        for end, value in (("lowest", "0"), ("highest", high)):
            enter(box := page.get_by_label(f"{name}, {end}"), value)
            expect(box).to_have_value(value)
    go.click()
    drawn(page)
    says(page, re.compile("trained on 2,400 rows", re.IGNORECASE), ".lab-words-caption")
    drag_until(page, page.locator(VERDICT).inner_text, 3)
    assert "C-57312" not in page.locator("body").inner_text() + page.url
    assert "tenure" not in page.url


def test_an_officer_finds_an_epsilon_in_six_clicks_and_can_pin_nothing(lab):
    page = lab(charts=1)
    page.get_by_test_id("stMain").get_by_role("link", name="My data").first.click()
    button(page, "Use the customers table").click()
    button(page, "Use the bounds from the sample's notes").click()
    expect(button(page, "Which epsilon does it take?")).to_be_enabled()
    expect(page.get_by_label("support_calls, highest")).to_have_value("20")
    page.get_by_text("One row each", exact=True).click()
    expect(page.get_by_text("One person is one row")).to_be_visible()

    button(page, "Which epsilon does it take?").click()

    says(page, re.compile(r"Take epsilon [\d.]+"), ".lab-words-answer")
    says(page, "No value of your file is read for this answer", ".lab-words-answer")
    assert "target" not in page.url, "it is computed from the rows"
    expect(page.locator(".lab-tile.void")).to_have_count(0)

    expect(button(page, "Pin for comparison")).to_have_count(0)


def brought(page, file) -> None:
    """Put a file into the page's upload field: a path, or name, type and content."""
    page.locator("input[type=file]").set_input_files(file)


def test_a_shared_link_opens_the_file_in_no_other_session(lab):
    """Not politely, nor by a live part that is run on the link of another session."""
    page = lab("data", charts=0)
    button(page, "Use the customers table").click()
    button(page, "Use the bounds from the sample's notes").click()
    page.get_by_text("One row each", exact=True).click()
    button(page, "Classifier with these rows").click()
    drawn(page)
    page.wait_for_url("**own=*")
    forged = []

    def forge(socket):
        """Connect a page's socket to the server, and put the forged link into its messages."""
        server = socket.connect_to_server()

        def send(message):
            """Send a message on; one that runs a live part gets the forged link, if it is there."""
            asked = BackMsg.FromString(message)
            if forged and asked.rerun_script.fragment_id:
                asked.rerun_script.query_string = forged[0]
                message = asked.SerializeToString()
            server.send(message)

        socket.on_message(send)

    other = lab("classifier?repeats=4")
    other.route_web_socket("**/_stcore/stream", forge)
    other.reload()
    drawn(other)
    forged.append(page.url.partition("?")[2])
    slider(other).press("End")
    expect(other.get_by_text(FORBIDDEN)).to_be_visible()
    expect(other.locator(VERDICT)).to_have_count(0)
    other.close()  # its connection stays forged


def test_a_file_goes_soon_after_its_page(page, serve):
    address = serve("tests/browser/apps/own_demo.py")
    opened, watch = page(address), page(f"{address}?count")
    brought(opened, FOLDER / "customers.csv")
    expect(opened.get_by_role("combobox", name="churned is used as")).to_be_visible()
    watch.reload()
    expect(watch.get_by_text("1 tables 1 uploads")).to_be_visible()
    opened.close()

    def gone() -> bool:
        """Reload the counting page, and return whether the server holds no file any more."""
        watch.reload()
        return watch.get_by_test_id("stText").inner_text() == "0 tables 0 uploads"

    until(gone, watch)


def rows(count: int) -> dict:
    """Return a CSV file of so many equal rows: its name, type and content."""
    return {
        "name": f"{count}.csv",
        "mimeType": "text/csv",
        "buffer": b"age,answer\n" + b"31,yes\n" * count,
    }


def test_a_file_that_is_not_taken_is_told_until_the_next_file_is_read(lab, page):
    opened = lab("data", charts=0)
    page.watches[-1].expected = ("503", "ERR_FAILED", "Network Error")
    failed, notice = (
        opened.locator("[data-testid=stFileChip][aria-invalid=true]"),
        opened.locator(".lab-upload"),
    )
    ends = (lambda route: route.fulfill(status=503), lambda route: route.abort())
    for end, words in zip(
        ends, ("no room for this file now", "The connection was lost"), strict=True
    ):
        opened.route("**/upload_file/**", end)
        brought(opened, rows(5))
        expect(notice).to_contain_text(words)
        expect(notice).to_be_in_viewport()
        expect(failed).to_be_visible()
        opened.unroute_all()
    brought(opened, rows(6))
    expect(opened.get_by_text("6 rows")).to_be_visible()
    expect(notice).to_be_hidden()
    expect(failed).to_be_hidden()
    expect(opened.get_by_test_id("stFileChip").filter(visible=True)).to_have_text(
        [re.compile("6.csv")]
    )
