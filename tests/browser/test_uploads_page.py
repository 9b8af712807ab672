"""Uploads in a real browser: who is refused reads why beside the uploader, and may upload another file."""

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import pytest
from playwright.sync_api import expect

from benchmarks import people

LIMIT = 1  # megabytes for all uploads that wait
REFUSED = re.compile(r"no room for this file now: .* may take 1 MB together")


@pytest.fixture(scope="module")
def small(serve) -> str:
    """A lab with little room for uploads."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LAB_UPLOADS_MB", str(LIMIT))
        return serve("app.py", "--server.maxUploadSize", "100")  # an option of its own: a server of its own


def table(rows: int) -> dict:
    return {"name": f"{rows}.csv", "mimeType": "text/csv", "buffer": b"age,answer\n" + b"31,yes\n" * rows}


def forgive(page, *told: str) -> None:
    """The console tells of the upload that failed, and of nothing else."""
    for watch in page.watches:
        watch.faults = [fault for fault in watch.faults if not any(one in fault for one in told)]


@contextmanager
def somebody(address: str, sizes: list[int]) -> Iterator[list[int]]:
    """Somebody whose page never reads what they upload; the statuses of the answers."""
    loop = asyncio.new_event_loop()
    crowd = people.members(address, 1, seed=7)

    async def upload() -> list[int]:
        await people.come(crowd)
        return [await crowd[0].uploads(b"x" * size) for size in sizes]

    with ThreadPoolExecutor(1) as beside, closing(loop):  # the browser's driver has a loop of its own in this thread
        try:
            yield beside.submit(loop.run_until_complete, upload()).result()
        finally:
            beside.submit(loop.run_until_complete, people.go(crowd)).result()


def test_who_is_refused_reads_why_and_a_smaller_file_is_read(page, small):
    opened = page(f"{small}/data")
    notice, box = opened.locator(".lab-upload"), opened.locator("input[type=file]")
    with somebody(small, [900_000] * 6) as statuses:
        assert statuses == [204] * 6, "each takes the place of the one before"
        box.set_input_files(table(50_000))
        expect(notice).to_have_text(REFUSED)
        expect(notice).to_be_in_viewport()
        box.set_input_files(table(2_000))
        expect(opened.get_by_text("2,000 rows")).to_be_visible()
        expect(notice).to_be_hidden()
        expect(opened.locator("[aria-invalid=true]")).to_have_count(0)
    forgive(page, "503")


def test_one_file_after_another_is_read_and_takes_no_room_for_the_next(page, small):
    opened = page(f"{small}/data")
    for rows in (100_000, 110_000, 120_000):  # two of them together are beyond the limit
        opened.locator("input[type=file]").set_input_files(table(rows))
        expect(opened.get_by_text(f"{rows:,} rows")).to_be_visible()


def test_a_lost_connection_is_told_in_words(page, serve):
    opened = page(f"{serve('app.py')}/data")
    opened.route("**/upload_file/**", lambda route: route.abort())
    opened.locator("input[type=file]").set_input_files(table(5))
    expect(opened.locator(".lab-upload")).to_contain_text("The connection was lost while the file was sent.")
    opened.unroute("**/upload_file/**")
    opened.locator("input[type=file]").set_input_files(table(6))
    expect(opened.get_by_text("6 rows")).to_be_visible()
    expect(opened.locator(".lab-upload")).to_be_hidden()
    forgive(page, "ERR_FAILED", "Network Error")
