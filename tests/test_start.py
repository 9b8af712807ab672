"""What the server does before its first visitor: it knows the pages' modules, and its answers do not wait."""

import json
import subprocess
import sys
from pathlib import Path

from tests.test_house import imports, within

ROOT = Path(__file__).parents[1]
START = """
import asyncio, json, socket, sys
from ui.start import lifespan

def hurries(one):
    return one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

async def start():
    async with lifespan(None):
        known, before = list(sys.modules), hurries(listening)
        accepted, _ = listening.accept()
        early = hurries(accepted)
        for _ in range(600):
            if hurries(accepted):
                break
            await asyncio.sleep(0.1)
        return known, before, early, hurries(accepted)

with socket.socket() as listening:
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    with socket.create_connection(listening.getsockname()):
        print(json.dumps(asyncio.run(start())))
"""


def test_the_first_visitor_waits_for_no_import_and_no_packet():
    ran = subprocess.run([sys.executable, "-c", START], cwd=ROOT, capture_output=True, text=True, check=True)
    known, *hurries = json.loads(ran.stdout)
    asked = {name for page in (ROOT / "pages").rglob("page.py") for name in imports(page.read_text("utf-8"))}
    rooms = ("dpcore", "pages", "ui.plot")
    needed = {module(name) for name in asked if any(within(name, room) for room in rooms)}
    assert len(needed) > 30
    assert needed - set(known) == set()
    assert "dp_accounting.pld.privacy_loss_distribution" in known
    assert hurries == [1, 0, 1], "what listens; who came before the imports were done, then and a little later"


def module(name: str) -> str:
    """The module of this name, or the one that has something of this name."""
    return name if (ROOT / name.replace(".", "/")).with_suffix(".py").exists() else name.rpartition(".")[0]
