"""Uploads that no page has read: how many there may be, how large together, and who is refused."""

import asyncio
from types import SimpleNamespace

import pytest
from starlette.requests import ClientDisconnect
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from ui.server import upload_limits
from ui.server.upload_limits import Uploads, limit_mb

MEGABYTE = b"x" * 10**6
LIMIT_MB = 5
# Seconds; a test that waits longer for a server has failed.
PATIENCE = 5
ACCEPTED = 204
STOPPED = 408
REFUSED = 503


def put_scope(session: str, file: str, *, length: int | None = None) -> dict:
    """Return the scope of an upload, with a declared length if there is one."""
    headers = []
    if length is not None:
        headers.append((b"content-length", str(length).encode()))
    return {
        "type": "http",
        "method": "PUT",
        "path": f"/_stcore/upload_file/{session}/{file}",
        "headers": headers,
    }


class Server:
    """An upload address that keeps what it is sent, as Streamlit's does, behind the middleware."""

    def __init__(self):
        self.manager = MemoryUploadedFileManager("/_stcore/upload_file")
        self.ended_sessions: set[str] = set()
        self.most_at_once = 0
        self._at_once = 0
        runtime = SimpleNamespace(
            uploaded_file_mgr=self.manager,
            is_active_session=lambda session: session not in self.ended_sessions,
        )
        self.app = Uploads(self._keep, lambda: runtime)

    async def _keep(self, scope, receive, send):
        """Receive an upload, keep it, and answer."""
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            body = await self._body(receive)
        finally:
            self._at_once -= 1
        *_, session, file = scope["path"].split("/")
        record = UploadedFileRec(file_id=file, name="own.csv", type="text/csv", data=body)
        self.manager.add_file(session, record)
        await send({"type": "http.response.start", "status": ACCEPTED, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def _body(self, receive) -> bytes:
        """Return the body of an upload; raise ClientDisconnect if the browser leaves early."""
        body = b""
        has_more = True
        while has_more:
            await asyncio.sleep(0)
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message["body"]
            has_more = message["more_body"]
        return body

    async def put_later(
        self, session: str, file: str, megabytes: int, *, declared: bool
    ) -> tuple[int, str]:
        """Return the status and the text that answer an upload.

        One without any megabytes leaves while it sends.
        """
        pieces = [MEGABYTE] * megabytes
        answer = []

        async def receive():
            """Return the next megabyte; without any left, say that the browser has left."""
            if not pieces:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": pieces.pop(), "more_body": bool(pieces)}

        async def send(message):
            answer.append(message)

        length = None
        if declared:
            length = megabytes * len(MEGABYTE)
        await self.app(put_scope(session, file, length=length), receive, send)
        assert pieces == [], "a browser that still sends does not read the answer"
        start, body = answer
        return start["status"], body["body"].decode()

    def put(
        self, session: str, file: str, megabytes: int, *, declared: bool = True
    ) -> tuple[int, str]:
        """Upload a file, and return the status and the text of the answer.

        declared: Whether the browser declares the size.
        """
        return asyncio.run(self.put_later(session, file, megabytes, declared=declared))

    def status_of(self, session: str, file: str, megabytes: int, *, declared: bool = True) -> int:
        """Upload a file as ``put`` does, and return the status of the answer."""
        status, _ = self.put(session, file, megabytes, declared=declared)
        return status

    def statuses_at_once(self, *files: tuple[str, str, int]) -> list[int]:
        """Return the sorted statuses of uploads (session, file, megabytes) that begin together."""

        async def put_all():
            """Return the status and the text that answer each upload, in the order of files."""
            uploads = [self.put_later(*file, declared=True) for file in files]
            return await asyncio.gather(*uploads)

        return sorted(status for status, _ in asyncio.run(put_all()))

    def files(self) -> dict[str, list[str]]:
        """Return the files that each session has."""
        files_of_sessions = {}
        for session, files in self.manager.file_storage.items():
            if files:
                files_of_sessions[session] = list(files)
        return files_of_sessions


@pytest.fixture
def server(monkeypatch) -> Server:
    """Return a server with a limit of five megabytes for all uploads together."""
    monkeypatch.setenv("LAB_UPLOADS_MB", str(LIMIT_MB))
    return Server()


def test_uploads_of_one_session_are_received_one_after_another_and_replace_each_other(server):
    uploads = [("one", file, 4) for file in "abcdef"]

    statuses = server.statuses_at_once(*uploads)

    assert statuses == [ACCEPTED] * 6
    assert server.most_at_once == 1
    assert server.files() == {"one": ["f"]}


def test_an_upload_without_a_declared_size_is_refused(server):
    status = server.status_of("one", "a", 1, declared=False)

    assert status == REFUSED
    assert server.files() == {}


class TestLimitOfAllSessions:
    def test_an_upload_beyond_the_limit_of_all_sessions_is_refused_with_the_limit(self, server):
        server.put("one", "a", 3)

        status, text = server.put("two", "b", 3)

        assert status == REFUSED
        assert f"{LIMIT_MB} MB together" in text
        assert server.files() == {"one": ["a"]}

    def test_an_upload_that_just_fits_is_accepted(self, server):
        server.put("one", "a", 3)

        assert server.status_of("two", "c", 2) == ACCEPTED

    def test_a_session_that_ends_makes_room(self, server):
        server.put("one", "a", 3)

        server.manager.remove_session_files("one")

        assert server.status_of("two", "b", 5) == ACCEPTED

    def test_an_upload_that_is_read_makes_room(self, server):
        server.put("two", "b", 5)
        (record,) = server.manager.get_files("two", ["b"])

        # As a page does that has read it.
        server.manager.add_file("two", record._replace(data=b""))

        assert server.status_of("one", "a", 5) == ACCEPTED
        assert server.files() == {"one": ["a"], "two": ["b"]}


class TestUploadsThatAreBeingReceived:
    def test_uploads_that_are_being_received_count_towards_the_limit(self, server):
        assert server.statuses_at_once(("one", "a", 3), ("two", "a", 3)) == [ACCEPTED, REFUSED]

    def test_a_refused_upload_takes_no_room(self, server):
        server.statuses_at_once(("one", "a", 3), ("two", "a", 3))

        assert server.status_of("three", "a", 2) == ACCEPTED

    def test_an_upload_that_ends_early_takes_no_room(self, server):
        server.put("one", "a", 3)

        with pytest.raises(ClientDisconnect):
            server.put("four", "a", 0)

        assert server.status_of("four", "a", 2) == ACCEPTED


class TestUploadsThatNoPageReads:
    @pytest.fixture
    def pass_time(self, monkeypatch):
        """Returns a function that lets seconds pass."""
        clock = SimpleNamespace(seconds=1000.0)
        monkeypatch.setattr(upload_limits.time, "monotonic", lambda: clock.seconds)

        def pass_time(seconds: float) -> None:
            clock.seconds += seconds

        return pass_time

    def test_uploads_that_no_page_reads_keep_their_room_for_a_while(self, server, pass_time):
        server.put("one", "a", 5)

        pass_time(upload_limits.UNREAD - 1)

        assert server.status_of("two", "b", 1) == REFUSED

    def test_uploads_that_no_page_reads_make_room_after_a_while(self, server, pass_time):
        server.put("one", "a", 5)

        pass_time(upload_limits.UNREAD + 1)

        assert server.status_of("two", "b", 5) == ACCEPTED

    def test_uploads_make_room_at_once_if_their_page_is_gone(self, server, pass_time):
        server.put("two", "b", 5)

        server.ended_sessions.add("two")

        assert server.status_of("three", "c", 1) == ACCEPTED
        assert server.files() == {"three": ["c"]}


class TestLimitInTheEnvironment:
    @pytest.mark.parametrize(
        ("value", "megabytes"),
        [pytest.param("", 300.0, id="default"), pytest.param(" 0.5 ", 0.5, id="set")],
    )
    def test_the_limit_in_the_environment_is_a_number_of_megabytes(self, value, megabytes):
        assert limit_mb({"LAB_UPLOADS_MB": value}) == megabytes

    @pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "5 MB"])
    def test_a_limit_that_is_no_number_of_megabytes_is_refused(self, value):
        with pytest.raises(
            ValueError, match="LAB_UPLOADS_MB is .* must be a number of megabytes above 0"
        ):
            limit_mb({"LAB_UPLOADS_MB": value})


class StalledSender:
    """A browser that declares a longer body, sends a piece, and then nothing."""

    def __init__(self):
        self.answer = []
        self._pieces = [MEGABYTE]

    async def receive(self):
        """Return the first piece of the body, and wait for ever after it."""
        if self._pieces:
            return {"type": "http.request", "body": self._pieces.pop(), "more_body": True}
        return await asyncio.Event().wait()

    async def send(self, message):
        """Keep a message of the server's answer."""
        self.answer.append(message)


def status_of_sender(server: Server, sender: StalledSender, *, length: int) -> int:
    """Return the status that answers an upload of session "one"."""
    scope = put_scope("one", "a", length=length)
    upload = server.app(scope, sender.receive, sender.send)
    asyncio.run(asyncio.wait_for(upload, PATIENCE))
    start, *_ = sender.answer
    return start["status"]


@pytest.mark.parametrize("limit", ["STALLED", "LONGEST_UPLOAD"])
def test_an_upload_that_stops_ends_and_gives_its_room_back(server, monkeypatch, limit):
    monkeypatch.setattr(upload_limits, limit, 0.05)

    status = status_of_sender(server, StalledSender(), length=LIMIT_MB * 10**6)

    assert status == STOPPED
    assert server.status_of("two", "b", LIMIT_MB) == ACCEPTED
