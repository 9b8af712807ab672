"""Uploads that no page has read: how many there may be, how large together, and who is refused."""

import asyncio
from types import SimpleNamespace

import pytest
from starlette.requests import ClientDisconnect
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from ui.server import upload_limits
from ui.server.upload_limits import Uploads, limit_mb

MB = b"x" * 10**6


class Server:
    """An upload address that keeps what it is sent, as Streamlit's does, behind the middleware."""

    def __init__(self):
        self.manager = MemoryUploadedFileManager("/_stcore/upload_file")
        self.gone: set[str] = set()
        runtime = SimpleNamespace(
            uploaded_file_mgr=self.manager, is_active_session=lambda one: one not in self.gone
        )
        self.app = Uploads(self._keep, lambda: runtime)
        self.most_at_once = self._at_once = 0

    async def _keep(self, scope, receive, send):
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        body, more = b"", True
        try:
            while more:
                await asyncio.sleep(0)
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                body, more = body + message["body"], message["more_body"]
        finally:
            self._at_once -= 1
        session, file = scope["path"].split("/")[-2:]
        record = UploadedFileRec(file_id=file, name="own.csv", type="text/csv", data=body)
        self.manager.add_file(session, record)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def put(
        self, session: str, file: str, pieces: int, *, declared: bool = True
    ) -> tuple[int, str]:
        """What a browser is answered that sends these pieces; one without any leaves while it
        sends.
        """
        said, rest = [], [MB] * pieces

        async def receive():
            if not rest:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": rest.pop(), "more_body": bool(rest)}

        async def send(message):
            said.append(message)

        headers = [(b"content-length", str(pieces * len(MB)).encode())] if declared else []
        scope = {
            "type": "http",
            "method": "PUT",
            "path": f"/_stcore/upload_file/{session}/{file}",
            "headers": headers,
        }
        await self.app(scope, receive, send)
        assert rest == [], "a browser that still sends does not read the answer"
        return said[0]["status"], said[1]["body"].decode()

    def all_at_once(self, *files: tuple[str, str, int]) -> list[int]:
        """The sorted statuses of uploads that begin together."""

        async def put_all():
            return await asyncio.gather(*(self.put(*one) for one in files))

        return sorted(status for status, _ in asyncio.run(put_all()))

    def held(self) -> dict[str, list[str]]:
        return {session: [*files] for session, files in self.manager.file_storage.items() if files}


@pytest.fixture
def server(monkeypatch) -> Server:
    monkeypatch.setenv("LAB_UPLOADS_MB", "5")
    return Server()


def test_uploads_of_one_session_are_received_one_after_another_and_replace_each_other(server):
    assert {*server.all_at_once(*(("one", name, 4) for name in "abcdef"))} == {204}
    assert (server.most_at_once, server.held()) == (1, {"one": ["f"]})


def test_an_upload_without_a_declared_size_is_refused(server):
    status, _ = asyncio.run(server.put("one", "a", 1, declared=False))

    assert status == 503
    assert server.held() == {}


def test_sessions_together_are_bounded_until_one_ends_or_its_upload_is_read(server):
    def put(*file) -> tuple[int, str]:
        return asyncio.run(server.put(*file))

    assert put("one", "a", 3)[0] == 204
    status, words = put("two", "b", 3)
    assert status == 503
    assert "5 MB together" in words
    assert server.held() == {"one": ["a"]}
    assert put("two", "c", 2)[0] == 204
    server.manager.remove_session_files("one")
    assert put("two", "b", 5)[0] == 204
    (record,) = server.manager.get_files("two", ["b"])
    server.manager.add_file("two", record._replace(data=b""))  # as `release` does
    assert put("one", "a", 5)[0] == 204
    assert server.held() == {"one": ["a"], "two": ["b"]}


def test_uploads_that_are_being_received_count_and_those_that_end_early_do_not(server):
    assert server.all_at_once(("one", "a", 3), ("two", "a", 3)) == [204, 503]
    assert server.all_at_once(("three", "a", 2)) == [204], "a refused upload takes no room"
    server.manager.remove_session_files("three")
    with pytest.raises(ClientDisconnect):
        server.all_at_once(("four", "a", 0))
    assert server.all_at_once(("four", "a", 2)) == [204]


def test_an_upload_that_no_page_reads_makes_room_after_a_while_and_at_once_if_its_page_is_gone(
    server, monkeypatch
):
    now = 1000.0
    monkeypatch.setattr(upload_limits.time, "monotonic", lambda: now)
    assert server.all_at_once(("one", "a", 5)) == [204]
    now += upload_limits.UNREAD - 1
    assert server.all_at_once(("two", "b", 1)) == [503]
    now += 2
    assert server.all_at_once(("two", "b", 5)) == [204]
    server.gone.add("two")
    assert server.all_at_once(("three", "c", 1)) == [204]
    assert server.held() == {"three": ["c"]}


def test_the_limit_is_in_the_environment():
    assert [limit_mb({"LAB_UPLOADS_MB": said}) for said in ("", " 0.5 ")] == [300.0, 0.5]
    for said in ("0", "-1", "nan", "inf", "5 MB"):
        with pytest.raises(
            ValueError, match="LAB_UPLOADS_MB is .* must be a number of megabytes above 0"
        ):
            limit_mb({"LAB_UPLOADS_MB": said})


class StalledSender:
    """A browser that declares a body of two pieces, sends one, and then nothing."""

    def __init__(self):
        self.answer = []
        self._pieces = [MB]

    async def receive(self):
        if self._pieces:
            return {"type": "http.request", "body": self._pieces.pop(), "more_body": True}
        return await asyncio.Event().wait()

    async def send(self, message):
        self.answer.append(message)


@pytest.mark.parametrize("limit", ["STALLED", "LONGEST_UPLOAD"])
def test_an_upload_that_stops_ends_and_gives_its_room_back(server, monkeypatch, limit):
    monkeypatch.setattr(upload_limits, limit, 0.05)
    sender = StalledSender()
    headers = [(b"content-length", b"5000000")]
    scope = {
        "type": "http",
        "method": "PUT",
        "path": "/_stcore/upload_file/one/a",
        "headers": headers,
    }

    asyncio.run(asyncio.wait_for(server.app(scope, sender.receive, sender.send), 5))

    assert sender.answer[0]["status"] == 408
    assert server.all_at_once(("two", "b", 5)) == [204]
