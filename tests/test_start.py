"""What the server does before its first visitor: imports what pages need, lets answers out, keeps memory together."""

import json
import subprocess
import sys
from pathlib import Path

from tests.test_house import imports, within

ROOT = Path(__file__).parents[1]
START = """
import asyncio, ctypes, json, platform, re, socket, sys, tempfile, threading
from pathlib import Path
from ui import start as ui_start
from ui.start import lifespan

ui_start._TRIMS = 0.1

def hurries(one):
    return one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

def arenas():
    if platform.libc_ver()[0] != "glibc":  # the arenas of another allocator are not counted here
        return 0
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    libc.fclose.argtypes = [ctypes.c_void_p]
    libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
    with tempfile.NamedTemporaryFile() as told:
        file = libc.fopen(told.name.encode(), b"w")
        libc.malloc_info(0, file)
        libc.fclose(file)
        return told.read().count(b"<heap nr=")

def works():
    kept = [bytes(3000) for _ in range(1000)]
    together.wait()

def held():  # MB of memory that no file holds
    return int(re.search(r"RssAnon:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1000

async def given_back():  # whether free pages between others go back
    if platform.libc_ver()[0] != "glibc":
        return True
    blocks = [bytes([1]) * 100_000 for _ in range(2000)]
    most = held()
    kept = blocks[::2]
    del blocks
    for _ in range(600):
        if held() < most - 80:
            return len(kept) == 1000
        await asyncio.sleep(0.1)
    return False

async def start():
    async with lifespan(None):
        known, before = list(sys.modules), hurries(listening)
        accepted, _ = listening.accept()
        early, few = hurries(accepted), arenas()
        many = [threading.Thread(target=works) for _ in range(12)]
        for one in many:
            one.start()
        for one in many:
            one.join()
        more = arenas()
        for _ in range(600):
            if hurries(accepted):
                break
            await asyncio.sleep(0.1)
        return known, few, more, await given_back(), before, early, hurries(accepted)

together = threading.Barrier(12)
with socket.socket() as listening:
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    with socket.create_connection(listening.getsockname()):
        print(json.dumps(asyncio.run(start())))
"""


def test_first_visitor_waits_for_no_import_and_no_packet_and_memory_is_shared_and_given_back():
    ran = subprocess.run([sys.executable, "-c", START], cwd=ROOT, capture_output=True, text=True, check=True)
    known, few, more, given_back, *hurries = json.loads(ran.stdout)
    assert more <= max(few, 2)
    assert given_back
    asked = {name for page in (ROOT / "pages").rglob("page.py") for name in imports(page.read_text("utf-8"))}
    rooms = ("dpcore", "lab", "pages", "ui.plot")
    needed = {module(name) for name in asked if any(within(name, room) for room in rooms)}
    assert len(needed) > 30
    assert needed - set(known) == set()
    assert "dp_accounting.pld.privacy_loss_distribution" in known
    assert hurries == [1, 0, 1], "what listens; who came before the imports were done, then and a little later"


def module(name: str) -> str:
    """The module of this name, or the one that has something of this name."""
    return name if (ROOT / name.replace(".", "/")).with_suffix(".py").exists() else name.rpartition(".")[0]
