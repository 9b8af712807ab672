"""The server as it starts: imports, packets, and memory."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_house import imports, within

ROOT = Path(__file__).parents[3]
# What a process does that starts the server, while a visitor connects; it prints what it measured.
START = """
import asyncio, ctypes, json, platform, re, socket, sys, tempfile, threading
from pathlib import Path
from ui.server import startup

GLIBC = platform.libc_ver()[0] == "glibc"  # another allocator keeps memory as it likes
THREADS = 12
FREED_MB = 80
startup._TRIMS = 0.1
all_threads = threading.Barrier(THREADS)

def sends_at_once(connection):
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

def arenas():
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    libc.fclose.argtypes = [ctypes.c_void_p]
    libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
    with tempfile.NamedTemporaryFile() as report:
        file = libc.fopen(report.name.encode(), b"w")
        libc.malloc_info(0, file)
        libc.fclose(file)
        return report.read().count(b"<heap nr=")

def allocate_together():
    blocks = [bytes(3000) for _ in range(1000)]
    all_threads.wait()

def anonymous_mb():  # memory that no file holds
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"RssAnon:\\s+(\\d+)", status)[1]) / 1000

def further_arenas():  # of twelve threads more than of one
    before = arenas()
    threads = [threading.Thread(target=allocate_together) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return arenas() - max(before, 2)

async def gives_back():  # whether free pages between used ones go back to the system
    blocks = [bytes([1]) * 100_000 for _ in range(2000)]
    most = anonymous_mb()
    used_blocks = blocks[::2]
    del blocks
    for _ in range(600):
        if anonymous_mb() < most - FREED_MB:
            return True
        await asyncio.sleep(0.1)
    return False

async def measure():
    async with startup.lifespan(None, later=[]):
        measured = {"modules": list(sys.modules), "listening": sends_at_once(listening)}
        accepted, _ = listening.accept()
        measured["accepted early"] = sends_at_once(accepted)
        measured["further arenas"] = 0
        measured["gives back"] = True
        if GLIBC:
            measured["further arenas"] = further_arenas()
            measured["gives back"] = await gives_back()
        for _ in range(600):
            if sends_at_once(accepted):
                break
            await asyncio.sleep(0.1)
        measured["accepted later"] = sends_at_once(accepted)
        return measured

with socket.socket() as listening:
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    with socket.create_connection(listening.getsockname()):
        print(json.dumps(asyncio.run(measure())))
"""


@pytest.fixture(scope="module")
def measured() -> dict:
    """Return what a process has measured while it started the server."""
    output = subprocess.check_output([sys.executable, "-c", START], cwd=ROOT, text=True)
    return json.loads(output)


def module_of(name: str) -> str:
    """Return the module of this name, or the one that has something of this name."""
    is_module = (ROOT / name.replace(".", "/")).with_suffix(".py").exists()
    if is_module:
        return name
    return name.rpartition(".")[0]


class TestImports:
    def test_pages_are_imported_before_the_first_visitor(self, measured):
        needed = set()
        for page in (ROOT / "pages").rglob("page.py"):
            for name in imports(page.read_text("utf-8")):
                if any(within(name, top) for top in ("dpcore", "lab", "pages", "ui.charts")):
                    needed.add(module_of(name))

        assert len(needed) > 30
        assert needed - set(measured["modules"]) == set()

    def test_the_slow_library_of_accounting_is_imported_before_the_first_visitor(self, measured):
        assert "dp_accounting.pld.privacy_loss_distribution" in measured["modules"]


class TestPackets:
    """Connections send each packet at once."""

    def test_connections_accepted_after_the_start_send_packets_at_once(self, measured):
        assert measured["listening"] == 1

    def test_a_connection_from_before_the_imports_sends_packets_at_once_a_little_later(
        self, measured
    ):
        assert measured["accepted early"] == 0
        assert measured["accepted later"] == 1


class TestMemory:
    def test_threads_share_one_memory_arena(self, measured):
        assert measured["further arenas"] <= 0

    def test_free_memory_is_given_back_to_the_system(self, measured):
        assert measured["gives back"]
