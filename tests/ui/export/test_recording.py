"""Recorded pages, first pictures and the lab as static files show what the live page shows, and ask
nobody.
"""

import asyncio
import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from pages import topics
from pages.home import page as home
from pages.lessons.lessons import LESSONS
from pages.topics import FIRSTS, HEADS
from scripts import make_site
from scripts.snapshot import random_link
from tests import own_files
from tests.app import QUICK, opened
from tests.asgi import ask, inside
from tests.handouts import asks_nobody, stands_alone
from tests.hostile import HOSTILE
from ui.export import prerender
from ui.export.recording import (
    STOPS,
    Recording,
    coarsen,
    decode_stop,
    encode_stops,
    slider_values,
    without_live_requests,
)
from ui.live.frames import Frame, make_frame
from ui.live.messages import parse_message
from ui.page.page import Page
from ui.server import head_tags, static_files
from ui.session.entries import from_link
from ui.text import glossary, markdown
from ui.text.numbers import number

PAGES = (home.PAGE, *topics.PAGES)
# The pages that are recorded at each commit; all others at night.
SHORT = ("classifier", "mechanisms", "parties")
# Enough to finish all work of a page.
SECONDS = 1e9
# Any seed of a random link.
LINK_SEED = 37


def recording(page: Page, link: dict[str, str] | None = None, **changes: Any) -> Recording:
    """Return the recording of a page at this link, or at settings that are computed quickly."""
    if link is None:
        link = QUICK.get(page.name, {})
    settings, notices = from_link(page.settings, link)
    assert not notices
    about = {
        "settings_text": "Data Iris",
        "date": "2026-01-31",
        "link": "https://lab.example.org/lab/classifier?seed=3",
    }
    return Recording(page=page, settings=settings, **(about | changes))


def first_recording(page: Page) -> Recording:
    """Return the recording of a page's first picture, which is at the default settings."""
    return Recording(page=page, settings=page.settings(), settings_text="", date="")


def data_of_script(html: str, element_id: str) -> Any:
    """Return the JSON that a script element of a file holds."""
    (data,) = re.findall(rf"<script[^>]*id={element_id}>(.*?)</script>", html, re.DOTALL)
    return json.loads(data)


def without_code(html: str) -> str:
    """Return HTML without its scripts and styles."""
    return re.sub(r"<(script|style).*?</\1>", "", html, flags=re.DOTALL)


class TestPacking:
    """Frames share most of their parts, which are written once."""

    @staticmethod
    def random_part(rng: np.random.Generator, depth: int) -> Any:
        """Return a random JSON value with dictionaries up to this depth."""
        leaves = [None, 1, "a", [], [1, 2]]
        largest_dictionary = 3 if depth else 0
        kind = rng.integers(len(leaves) + largest_dictionary)
        if kind < len(leaves):
            return leaves[kind]
        size = kind - len(leaves) + 1
        return {name: TestPacking.random_part(rng, depth - 1) for name in "xyz"[:size]}

    @staticmethod
    def random_frame(rng: np.random.Generator) -> dict[str, Any]:
        """Return a random frame: name -> part of two to four parts."""
        size = rng.integers(2, 5)
        return {name: TestPacking.random_part(rng, depth=3) for name in "abcd"[:size]}

    @pytest.mark.parametrize("seed", range(300))
    def test_frames_are_the_same_after_packing_and_unpacking(self, seed):
        rng = np.random.default_rng(seed)
        frames = [self.random_frame(rng) for _ in range(rng.integers(1, 5))]

        packed = json.loads(json.dumps(encode_stops(frames)))

        assert [decode_stop(packed, stop) for stop in range(len(frames))] == frames

    def test_only_parts_that_differ_are_packed_more_than_once(self):
        def frame(y: int) -> dict[str, Any]:
            return {"title": "loss", "data": [{"x": [1, 2], "y": [y, 0]}]}

        packed = encode_stops([frame(y=1), frame(y=2), frame(y=1)])

        different_y = {"$": [[1, 0], [2, 0]], "at": [0, 1, 0]}
        assert packed == {"title": "loss", "data": [{"x": [1, 2], "y": different_y}]}


class TestStops:
    @pytest.fixture(params=PAGES, ids=lambda page: page.name)
    def recorded(self, request) -> Recording:
        """Return the recording of a page; the tests that use it run for each page."""
        return recording(request.param)

    def test_the_stops_are_few_and_reach_both_ends_of_the_slider(self, recorded):
        stops = slider_values(recorded.slider)

        # Both ends and a rounded step may add up to three stops.
        assert STOPS / 2 < len(stops) <= STOPS + 3
        assert (stops[0], stops[-1]) == recorded.settings.limits[recorded.slider.name]

    def test_the_current_value_is_one_of_the_stops(self, recorded):
        current = getattr(recorded.settings, recorded.slider.name)

        assert current in recorded.values

    def test_a_slider_with_few_stops_stays_as_it_is(self, recorded):
        assert coarsen(recorded.slider) == recorded.slider


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        pytest.param(
            "<p>Half of 0.5 train. Choose “every step” to compare.</p>",
            "<p>Half of 0.5 train.</p>",
            id="a choice of the live page",
        ),
        pytest.param(
            "Each bar is a run. Click on a bar to ask about 0.5 of it.",
            "Each bar is a run.",
            id="a click",
        ),
        pytest.param(
            "<b>Choose</b> a far smaller delta. Trying several would cost extra.",
            "<b>Choose</b> a far smaller delta. Trying several would cost extra.",
            id="advice that needs no live page",
        ),
    ],
)
def test_sentences_about_what_only_the_live_page_has_are_left_out(html, kept):
    assert without_live_requests(html) == kept


def live_frame(recorded: Recording, value: float, tab: str) -> Frame:
    """Return what the live page shows with its first slider at a value and this tab open."""
    settings = recorded.settings.change(**{recorded.slider.name: value})
    message = {
        "number": 1,
        "page": recorded.page.name,
        "settings": {name: str(setting) for name, setting in asdict(settings).items()},
        "moves": [],
        "tab": tab,
    }
    request, _ = parse_message(json.dumps(message), {recorded.page.name: recorded.page})
    return make_frame(request, SECONDS)


def assert_shows_texts(recorded_frame: Mapping[str, Any], frame: Frame) -> None:
    """Compare the texts of a recorded frame with those of the live page."""
    texts = {}
    for selector, html in frame.texts.items():
        texts[selector] = without_live_requests(html)
    assert {selector: recorded_frame["words"][selector] for selector in texts} == texts


def assert_shows_charts(recorded_frame: Mapping[str, Any], frame: Frame) -> None:
    """Compare the charts of a recorded frame with those of the live page."""
    for name, (extras, parts) in frame.charts.items():
        chart = recorded_frame["charts"][name]
        recorded_parts = {"data": chart["data"]}
        for part, value in chart["layout"].items():
            recorded_parts[f"layout.{part}"] = value
        assert chart["alt"] == extras["alt"]
        assert recorded_parts == {part: json.loads(text) for part, text in parts.items()}


def pages_to_record() -> list[Any]:
    """Return parameters of tests, of which those of long recordings are for the night."""
    parameters = []
    for page in PAGES:
        marks = [] if page.name in SHORT else [pytest.mark.soak]
        parameters.append(pytest.param(page, id=page.name, marks=marks))
    return parameters


def link_to_record(page: Page, *, is_random: bool) -> dict[str, str] | None:
    """Return the link of a recording; None for settings that are computed quickly."""
    has_short_search = page.name != "what-if"
    if is_random and has_short_search:
        app = opened("" if page.name == "home" else page.name)
        return random_link(app.session_state[f"{page.name}.state"], LINK_SEED)
    if page.name in SHORT:
        return None
    return {}


@pytest.mark.parametrize(
    "is_random",
    [
        pytest.param(False, id="usual link"),
        pytest.param(True, id="random link", marks=pytest.mark.soak),
    ],
)
@pytest.mark.parametrize("page", pages_to_record())
def test_every_stop_is_what_the_live_page_shows(page, is_random):
    recorded = recording(page, link_to_record(page, is_random=is_random))
    tabs = [tab.name for tab in recorded.tabs] or [""]

    played = recorded.record()

    current = getattr(recorded.settings, recorded.slider.name)
    assert played["values"][played["at"]] == current
    for stop, value in enumerate(played["values"]):
        recorded_frame = decode_stop(played["frames"], stop)
        for tab in tabs:
            frame = live_frame(recorded, value, tab)
            assert_shows_texts(recorded_frame, frame)
            assert_shows_charts(recorded_frame, frame)


class TestForeignText:
    @pytest.fixture(scope="class")
    @classmethod
    def recorded(cls) -> Recording:
        """Return the recording of the page of mechanisms."""
        return recording(FIRSTS["mechanisms"].page)

    @pytest.fixture(scope="class")
    @classmethod
    def played(cls, recorded) -> dict[str, Any]:
        """Return all that a file of the recording plays."""
        return recorded.record()

    @staticmethod
    def count_elements(html: str) -> int:
        """Return the number of elements in HTML, but for scripts."""
        return len(re.findall(r"<\w", re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)))

    @pytest.mark.parametrize("text", HOSTILE)
    def test_hostile_text_adds_no_element_to_a_file(self, recorded, played, text):
        harmless = recorded.document(played)
        page = replace(recorded.page, info=recorded.page.info._replace(question=text))
        hostile = replace(recorded, settings_text=text, link=text, page=page)

        html = hostile.document(played)

        assert self.count_elements(html) == self.count_elements(harmless)
        asks_nobody(html)

    def test_settings_with_an_uploaded_file_are_not_recorded(self):
        settings = own_files.settings("classifier")
        recorded = replace(recording(FIRSTS["classifier"].page), settings=settings)

        frame = recorded.frame(settings.epsilon)

        own_files.HELD.clear()
        assert frame is None


# Names of pages that are recorded quickly; "" is the home page.
RECORDED = ("", "classifier", "mechanisms")


@pytest.fixture(scope="module")
def first_pictures() -> dict[str, str]:
    """Return name of a page -> HTML of its first picture."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prerender, "START_DELAY", 0)
        patch.setattr(prerender, "FOUND", {})
        patch.delenv("LAB_FIRST_PICTURE", raising=False)
        asyncio.run(prerender.record({name: FIRSTS[name] for name in RECORDED}))
        return dict(prerender.FOUND)


@pytest.mark.parametrize("name", RECORDED)
class TestStopsOfAFirstPicture:
    @pytest.fixture
    def recorded(self, name) -> Recording:
        """Return the recording from which the page's first picture is made."""
        return first_recording(FIRSTS[name].page)

    @pytest.fixture
    def played(self, first_pictures, name) -> dict[str, Any]:
        """Return all that the page's first picture plays."""
        return data_of_script(first_pictures[name], "lab-recorded")

    def test_a_first_picture_begins_at_the_current_value(self, recorded, played):
        current = getattr(recorded.settings, recorded.slider.name)

        assert played["values"][played["at"]] == current
        assert prerender.LEAST_STOPS <= len(played["values"]) <= len(recorded.values)

    def test_every_stop_of_a_first_picture_is_what_the_live_page_shows(self, recorded, played):
        for stop, value in enumerate(played["values"]):
            recorded_frame = decode_stop(played["frames"], stop)
            frame = live_frame(recorded, value, tab="")
            texts = {selector: frame.texts[selector] for selector in recorded_frame["words"]}
            assert recorded_frame["words"] == texts
            for chart, (extras, parts) in frame.charts.items():
                assert recorded_frame["charts"][chart]["data"] == json.loads(parts["data"])
                assert recorded_frame["charts"][chart]["alt"] == extras["alt"]

    def test_a_first_picture_has_a_place_for_each_chart_of_the_page(self, recorded, played):
        frame = live_frame(recorded, played["values"][0], tab="")
        charts = []
        for row in frame.rows["board"]:
            charts.extend(row)

        recorded_frame = decode_stop(played["frames"], 0)

        assert list(recorded_frame["charts"]) == charts
        assert played["html"].count("data-chart") == len(charts)

    def test_the_address_of_each_stop_leads_to_its_settings(self, recorded, played):
        for stop, value in enumerate(played["values"]):
            address = decode_stop(played["frames"], stop)["address"]
            settings, notices = from_link(type(recorded.settings), dict(parse_qsl(address)))
            assert settings == recorded.settings.change(**{recorded.slider.name: value})
            assert notices == []


class TestSizeOfAFirstPicture:
    @pytest.mark.parametrize("name", RECORDED)
    def test_a_first_picture_makes_a_page_little_longer(self, first_pictures, name):
        compressed = gzip.compress(first_pictures[name].encode())

        # The limit is on the data; the element around them takes some bytes more.
        assert len(compressed) < prerender.MOST_BYTES + 500

    def test_a_first_picture_that_is_too_large_is_left_out(self):
        recorded = first_recording(FIRSTS["mechanisms"].page)
        frames = {}
        for value in recorded.values:
            many_numbers = [value * factor for factor in range(4000)]
            frames[value] = {"words": {}, "charts": {"a": many_numbers}}

        assert prerender.html(recorded, "", frames) == ""

    def test_first_pictures_can_be_switched_off(self, monkeypatch):
        monkeypatch.setenv("LAB_FIRST_PICTURE", "off")
        monkeypatch.setattr(prerender, "FOUND", {})

        asyncio.run(prerender.record(FIRSTS))

        assert prerender.FOUND == {}


class TestSentFirstPicture:
    ADDRESS, PROGRAM = prerender.script()

    @pytest.fixture
    def pictures(self, first_pictures) -> dict[str, str]:
        """A copy that a test may change."""
        return dict(first_pictures)

    @pytest.fixture
    def answer(self, pictures):
        """Returns a function from a path to the text that the server answers with."""
        heads = {name: HEADS[name] for name in ("classifier", "data")}
        server = static_files.StaticFiles(inside, heads, pictures, {self.ADDRESS: self.PROGRAM})

        def answer_to(path: str) -> str:
            """Return the text that the server answers with at a path, uncompressed."""
            body = ask(server, path, accept_encoding="gzip").body
            return gzip.decompress(body).decode()

        return answer_to

    def test_a_page_without_a_query_has_its_first_picture(self, pictures, answer):
        assert pictures["classifier"] in answer("/classifier")

    def test_the_program_of_first_pictures_is_linked_first(self, answer):
        """Before all that Streamlit needs, and once more where it is run."""
        links = re.findall(r'(?:href|src)="\.(/[^"]*)"', answer("/classifier"))

        assert links[0] == self.ADDRESS
        assert links[-2] == self.ADDRESS

    def test_the_program_of_first_pictures_is_sent(self, answer):
        assert answer(self.ADDRESS) == self.PROGRAM

    @pytest.mark.parametrize(
        "path",
        [
            pytest.param("/classifier?epsilon=2&v=3", id="a page with a query"),
            pytest.param("/data", id="a page without a recording"),
        ],
    )
    def test_other_pages_have_no_first_picture(self, answer, path):
        page = answer(path)

        assert "lab-recorded" not in page
        assert self.ADDRESS not in page

    def test_a_page_has_no_first_picture_until_it_is_recorded(self, pictures, answer):
        pictures.clear()

        assert "lab-recorded" not in answer("/classifier")


LIVE = "https://lab.example.edu/lab"
SITE = "https://site.example.edu/lab"
SOURCE = "https://code.example.edu/lab"
# Search engines and chats cut what is much longer.
LONGEST_TITLE = 100
LONGEST_DESCRIPTION = 200
# Pages that are recorded quickly.
QUICKLY = [page for page in topics.PAGES if page.name in ("classifier", "mechanisms")]


@pytest.fixture(scope="module", params=["", LIVE], ids=["alone", "beside the lab"])
def live(request) -> str:
    """The address of the live lab, or "" if there is none."""
    return request.param


@pytest.fixture(scope="module")
def files(live) -> dict[str, str]:
    """Return name -> HTML of each file of the site."""
    addresses = make_site.Addresses()
    if live:
        addresses = make_site.Addresses(live=live, site=SITE, source=SOURCE)
    return dict(make_site.files(addresses, pages=QUICKLY))


def assert_links_lead_somewhere(files: Mapping[str, str]) -> None:
    """Assert that links lead to a place in the files, to the lab, to its source or to a paper."""
    known_sites = (LIVE, SOURCE, "https://arxiv.org/", "https://doi.org/")
    not_recorded = {f"{page.name}.html" for page in topics.PAGES} - files.keys()
    for name, html in files.items():
        for escaped in re.findall(r'<a [^>]*href="([^"]*)"', html):
            link = unescape(escaped)
            parts = urlsplit(link)
            if parts.scheme:
                assert link.startswith(known_sites), (name, link)
            elif parts.path not in not_recorded:
                target = files[parts.path or name]
                assert not parts.fragment or f'id="{parts.fragment}"' in target, (name, link)


def assert_links_to_live_lab(files: Mapping[str, str], live: str) -> None:
    """Assert that all files but lessons lead to the live lab if there is one."""
    for name, html in files.items():
        if not name.startswith("lesson-"):
            assert ("Open in the live lab" in html) == bool(live), name


class TestSite:
    def test_links_lead_somewhere(self, files):
        assert_links_lead_somewhere(files)

    def test_pages_lead_to_the_live_lab_if_there_is_one(self, files, live):
        assert_links_to_live_lab(files, live)

    def test_every_lesson_has_a_file(self, files):
        assert {f"lesson-{lesson.name}.html" for lesson in LESSONS} < files.keys()

    def test_every_file_stands_alone(self, files):
        for html in files.values():
            stands_alone(html)


def meta(html: str, name: str) -> str:
    """Return the content of the only tag of this name in the head of a file."""
    head, _, _ = html.partition("</head>")
    (content,) = re.findall(rf'<meta (?:name|property)="{name}" content="([^"]*)">', head)
    return unescape(content)


class TestHeads:
    def test_every_file_has_a_title_of_its_own_of_some_words(self, files):
        for name, html in files.items():
            (title,) = re.findall(r"<title>(.*?)</title>", html)
            assert len("Epsilon Lab") < len(title) <= LONGEST_TITLE, name

    def test_every_file_has_a_description_of_its_own(self, files):
        descriptions = {name: meta(html, "description") for name, html in files.items()}

        for name, description in descriptions.items():
            assert 20 <= len(description) <= LONGEST_DESCRIPTION, name
        assert len(set(descriptions.values())) == len(files)

    def test_every_file_has_a_preview_with_a_picture(self, files, live):
        start = f"{SITE}/" if live else ""

        for name, html in files.items():
            assert meta(html, "og:description") == meta(html, "description"), name
            assert meta(html, "og:title"), name
            assert meta(html, "og:image") == f"{start}{head_tags.PREVIEW}", name

    def test_the_preview_has_the_address_of_its_file_if_it_is_known(self, files, live):
        addresses = {}
        for name, html in files.items():
            if 'property="og:url"' in html:
                addresses[name] = meta(html, "og:url")

        expected = {}
        if live:
            expected = {name: f"{SITE}/{name}" for name in files}
        assert addresses == expected


def test_the_landing_page_says_what_it_is_what_moves_and_how_to_run_the_whole(files, live):
    introduction, _, _ = files["index.html"].partition("<h1>")

    assert "what differential privacy costs" in introduction
    assert "moves without a server" in introduction
    assert "<code>make run</code>" in introduction
    assert (f'<a href="{SOURCE}">source code</a>' in introduction) == bool(live)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
class TestRecordedLesson:
    @pytest.fixture
    def frames(self, files, lesson) -> dict[Any, dict[str, Any]]:
        """Return guess -> what the lesson shows."""
        played = data_of_script(files[f"lesson-{lesson.name}.html"], "recording")
        frames = {}
        for stop, value in enumerate(played["values"]):
            frames[value] = decode_stop(played["frames"], stop)
        return frames

    def test_a_lesson_has_several_guesses(self, frames):
        assert len(frames) >= 3

    def test_a_lesson_covers_its_chart_until_the_guess(self, frames):
        for frame in frames.values():
            (cover,) = frame["covered"]["data"]
            assert cover["fillpattern"]["shape"] == "/"

    def test_a_lesson_reveals_the_outcome_beside_the_guess(self, frames):
        for frame in frames.values():
            outcome = frame["reveal"]
            # More than the guess and the cover.
            assert len(outcome["data"]) + len(outcome["layout"]["shapes"]) > 2

    def test_the_heading_of_the_outcome_names_the_guess_or_calls_it_right(self, frames, lesson):
        for guess, frame in frames.items():
            guess_text = number(guess)
            if lesson.number is None:
                guess_text = lesson.options("Guess")[guess]
            heading = frame["heading"]
            assert guess_text in heading or heading.startswith("You were right")


class TestTextsOfTheSite:
    def test_the_glossary_has_all_terms(self, files):
        missing = [key for key in glossary.TERMS if f'id="{key}"' not in files["glossary.html"]]

        assert missing == []

    def test_formulas_of_the_works_are_written_without_markup(self, files):
        html = files["works.html"]

        assert "<span class=formula>C(2k, k)/4<sup>k</sup></span>" in html
        assert "\\" not in without_code(html)

    def test_markdown_becomes_escaped_html(self):
        text = "**a < b**, *c*, `<d>`, [e](f?g=1) and $\\frac{2C}{n\\varepsilon} \\ge c_1^2$"

        html = markdown.html(text, lambda link: f"to/{link}")

        assert html == (
            '<p><b>a &lt; b</b>, <i>c</i>, <code>&lt;d&gt;</code>, <a href="to/f?g=1">e</a> and '
            "<span class=formula>(2C)/(nε) ≥ c<sub>1</sub><sup>2</sup></span></p>"
        )

    def test_a_link_without_an_address_is_its_text(self):
        assert markdown.html("[e](f)", lambda _: "") == "<p>e</p>"


@pytest.mark.soak
def test_the_whole_site_is_small_and_holds_together():
    files = dict(make_site.files(make_site.Addresses(live=LIVE)))

    assert_links_lead_somewhere(files)
    assert_links_to_live_lab(files, LIVE)
    assert {f"{page.name}.html" for page in topics.PAGES} < files.keys()
    compressed_bytes = sum(len(gzip.compress(html.encode())) for html in files.values())
    assert compressed_bytes + head_tags.PICTURE.stat().st_size < make_site.MOST_BYTES
