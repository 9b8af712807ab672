"""What the server does before its first visitor: imports what pages need, lets answers out, keeps memory together."""

import json
import subprocess
import sys
from pathlib import Path

from tests.test_house import imports, within

ROOT = Path(__file__).parents[1]
START = """
import asyncio, json, socket, sys
from types import SimpleNamespace
from ui import start

class Libc:  # as glibc has it
    def mallopt(self, *of):
        limits.append(of)
    def malloc_trim(self, pad):
        trims.append(pad)

def hurries(one):
    return one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

async def begin():
    async with start.lifespan(None):
        known, before = list(sys.modules), hurries(listening)
        accepted, _ = listening.accept()
        early = hurries(accepted)
        for _ in range(600):
            if hurries(accepted) and len(trims) > 1:
                break
            await asyncio.sleep(0.1)
        return known, limits, len(trims), [before, early, hurries(accepted)]

limits, trims, start._TRIMS = [], [], 0.01
start.ctypes = SimpleNamespace(CDLL=lambda _: Libc())
with socket.socket() as listening:
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    with socket.create_connection(listening.getsockname()):
        print(json.dumps(asyncio.run(begin())))
"""


def test_first_visitor_waits_for_no_import_and_no_packet_and_memory_is_kept_together():
    said = subprocess.check_output([sys.executable, "-c", START], cwd=ROOT, text=True)
    known, limits, trims, hurries = json.loads(said)
    assert limits == [[-8, 1]]  # M_ARENA_MAX: all threads share one
    assert trims > 1  # free pages go back again and again
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
