"""The server as it starts, and the lab in containers: what the files say, and with ``make soak``
what comes of it.
"""

import gzip
import html
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import yaml

from pages.classifier.page import PAGE
from scripts.replicas import ended, free_ports
from tests.test_house import imports, within

ROOT = Path(__file__).parents[3]
# Folders of the checkout that no container needs.
LEFT_OUT = {".ci", ".github", "benchmarks", "docs", "scripts", "tests"}
PORT, OWNER = "8501", "10001"
# Seconds; a condition that holds ends the wait at once.
PATIENCE = 120


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def steps(instruction: str) -> list[str]:
    lines = re.sub(r"\\\n\s*", "", read("Dockerfile")).splitlines()
    return [line.partition(" ")[2] for line in lines if line.startswith(f"{instruction} ")]


def copied() -> set[str]:
    """Names at the top of the checkout that the Dockerfile copies."""
    return {word.rstrip("/") for step in steps("COPY") for word in shlex.split(step)[:-1]}


def test_container_holds_the_app_and_nothing_else():
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    folders = {name.partition("/")[0] for name in tracked.stdout.split("\0") if "/" in name}
    assert folders & copied() == folders - LEFT_OUT
    lines = [line for line in read(".dockerignore").splitlines() if not line.startswith("#")]
    assert lines[0] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == copied()
    assert ".streamlit/secrets.toml" in lines
    files = [file for name in copied() for file in [ROOT / name, *(ROOT / name).rglob("*.py")]]
    sources = [file.read_text("utf-8") for file in files if file.suffix == ".py"]
    assert {
        name.partition(".")[0] for source in sources for name in imports(source)
    } & LEFT_OUT == set()


def test_container_is_the_lab_of_the_readme_and_installs_hashed_pins():
    minor = re.fullmatch(r"python:(3\.\d+)-slim@sha256:[0-9a-f]{64}", *steps("FROM"))[1]
    assert minor in re.search(r"Python (3[\d., or]+)\.\s", read("README.md"))[1]
    (install,) = (step for step in steps("RUN") if "install" in step)
    assert install.endswith(" --require-hashes -r requirements.lock")
    lock = read("requirements.lock")
    pins, locked = (
        {
            name.lower().replace("_", "-"): version
            for name, version in re.findall(r"(?m)^([\w.-]+)==([^\s;\\#]+)", text)
        }
        for text in (read("requirements.txt"), lock)
    )
    assert pins.items() <= locked.items()
    entries = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^#.*\n", "", lock)).splitlines()
    assert len(entries) == len(locked) > len(pins) > 0
    whole = re.compile(r"[\w.-]+==\S+ (; .+? )?(--hash=sha256:[0-9a-f]{64} ?)+")
    assert [entry for entry in entries if not whole.fullmatch(entry)] == []
    assert f"--python-version {minor} --generate-hashes" in lock


def test_nobody_is_root_or_may_write_and_the_secret_stands_in_no_file():
    assert steps("USER") == [f"{OWNER}:{OWNER}"]
    services = yaml.safe_load(read("compose.yaml"))["services"]
    safe = {"read_only": True, "cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"]}
    assert all(safe.items() <= service.items() for service in services.values())
    assert services["caddy"]["user"] == f"{OWNER}:{OWNER}"
    assert not re.search("secret", read("Dockerfile"), re.IGNORECASE)
    lab = services["lab"]["environment"]
    assert re.fullmatch(r"\$\{LAB_COOKIE_SECRET:\?[^{}]+\}", lab["STREAMLIT_SERVER_COOKIE_SECRET"])
    assert services["lab"]["volumes"] == [f"rooms:{Path(lab['LAB_ROOMS']).parent}"]
    assert services["caddy"]["environment"]["REPLICAS"] == services["lab"]["deploy"]["replicas"]


SESSION = """
from streamlit.testing.v1 import AppTest
from pages.classifier.settings import ClassifierSettings
from ui.export import archive
from ui.uploads import samples

app = AppTest.from_file("pages/main.py", default_timeout=120).run()
assert not app.exception, app.exception
assert samples.FOLDER.is_dir()
assert archive.bundle(ClassifierSettings(), page="classifier", question="?", link="/", files={})
"""


@pytest.mark.soak
def test_what_a_container_holds_is_a_whole_lab(tmp_path):
    """Without Docker: its files alone, its command, its health check, and a visit."""
    for name in copied():
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    (port,) = free_ports(1)
    told = dict(pair.split("=") for step in steps("ENV") for pair in shlex.split(step))
    told |= {
        "STREAMLIT_SERVER_PORT": str(port),
        "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
        "HOME": str(tmp_path),
    }
    options = {"cwd": tmp_path, "env": {"PATH": os.environ["PATH"]} | told}

    def command(step: str) -> list[str]:
        first, *words = json.loads(step.replace(PORT, str(port)))
        assert first == "python"
        return [sys.executable, *words]

    check = command(steps("HEALTHCHECK")[0].partition("CMD ")[2])
    server = subprocess.Popen(command(steps("CMD")[0]), stdout=subprocess.DEVNULL, **options)
    with ended({"lab": server}):
        quiet = options | {"stderr": subprocess.DEVNULL}
        assert subprocess.run(check, **quiet, check=False).returncode == 1
        until = time.monotonic() + PATIENCE
        while subprocess.run(check, **quiet, check=False).returncode and time.monotonic() < until:
            time.sleep(0.1)
        asked = urllib.request.Request(
            f"http://127.0.0.1:{port}/classifier", headers={"Accept-Encoding": "gzip"}
        )
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            assert html.escape(PAGE.info.question) in gzip.decompress(answer.read()).decode()
    subprocess.run([sys.executable, "-c", SESSION], **options, check=True)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("Dockerfile", "hadolint"),
        ("compose.yaml", "check-jsonschema --builtin-schema vendor.compose-spec"),
    ],
)
def test_files_pass_their_linter(name, command):
    tool, *words = command.split()
    path = shutil.which(tool, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert path, f"{tool} is missing: pip install -r requirements-dev.txt"
    subprocess.run([path, *words, ROOT / name], check=True)


START = """
import asyncio, ctypes, json, platform, re, socket, sys, tempfile, threading
from pathlib import Path
from ui.server import startup

GLIBC = platform.libc_ver()[0] == "glibc"  # another allocator keeps memory as it likes
startup._TRIMS = 0.1

def hurries(one):
    return one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

def arenas():
    libc = ctypes.CDLL(None)
    libc.fopen.restype, libc.fclose.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
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

async def memory():  # arenas of twelve threads more than of one, whether free pages go back
    few = arenas()
    many = [threading.Thread(target=works) for _ in range(12)]
    [one.start() for one in many]
    [one.join() for one in many]
    more = arenas()
    blocks = [bytes([1]) * 100_000 for _ in range(2000)]
    most, kept = held(), blocks[::2]
    del blocks
    for _ in range(600):
        if held() < most - 80:
            break
        await asyncio.sleep(0.1)
    return more - max(few, 2), held() < most - 80

async def begin():
    async with startup.lifespan(None):
        known, before = list(sys.modules), hurries(listening)
        accepted, _ = listening.accept()
        early = hurries(accepted)
        found = await memory() if GLIBC else (0, True)
        for _ in range(600):
            if hurries(accepted):
                break
            await asyncio.sleep(0.1)
        return known, found, [before, early, hurries(accepted)]

together = threading.Barrier(12)
with socket.socket() as listening:
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    with socket.create_connection(listening.getsockname()):
        print(json.dumps(asyncio.run(begin())))
"""


def test_first_visitor_waits_for_no_import_and_no_packet_and_memory_is_shared_and_given_back():
    said = subprocess.check_output([sys.executable, "-c", START], cwd=ROOT, text=True)
    known, (arenas, given_back), hurries = json.loads(said)
    assert arenas <= 0
    assert given_back
    asked = {
        name
        for page in (ROOT / "pages").rglob("page.py")
        for name in imports(page.read_text("utf-8"))
    }
    rooms = ("dpcore", "lab", "pages", "ui.charts")
    needed = {module(name) for name in asked if any(within(name, room) for room in rooms)}
    assert len(needed) > 30
    assert needed - set(known) == set()
    assert "dp_accounting.pld.privacy_loss_distribution" in known
    assert hurries == [1, 0, 1], (
        "what listens; who came before the imports were done, then and a little later"
    )


def module(name: str) -> str:
    """The module of this name, or the one that has something of this name."""
    return (
        name
        if (ROOT / name.replace(".", "/")).with_suffix(".py").exists()
        else name.rpartition(".")[0]
    )
