"""The lab in containers: what the files say, and with ``make soak`` what comes of it, also in Docker if it is there."""

import ast
import gzip
import html
import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
import yaml

from pages.classifier.page import PAGE
from scripts.replicas import ended, free_ports

ROOT = Path(__file__).parents[1]
# Folders of the checkout that no container needs.
LEFT_OUT = {".ci", ".github", "benchmarks", "docs", "scripts", "tests"}
PORT, OWNER = "8501", "10001"
# Seconds; a condition that holds ends the wait at once.
PATIENCE = 120


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def steps(instruction: str) -> list[str]:
    """What the Dockerfile says to an instruction, in order."""
    lines = re.sub(r"\\\n\s*", "", read("Dockerfile")).splitlines()
    return [line.partition(" ")[2] for line in lines if line.startswith(f"{instruction} ")]


def copied() -> set[str]:
    """Names at the top of the checkout that the Dockerfile copies."""
    return {word.rstrip("/") for step in steps("COPY") for word in shlex.split(step)[:-1]}


@cache
def compose() -> dict:
    return yaml.safe_load(read("compose.yaml"))


@pytest.mark.parametrize(
    ("name", "command", "right", "wrong"),
    [
        ("Dockerfile", "hadolint", "python:3.*", "python:latest"),
        ("compose.yaml", "check-jsonschema --builtin-schema vendor.compose-spec", "read_only", "reads_only"),
    ],
)
def test_files_pass_their_linter_and_broken_ones_do_not(name, command, right, wrong, tmp_path):
    tool, *words = command.split()
    path = shutil.which(tool, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert path, f"{tool} is missing: pip install -r requirements-dev.txt"
    (tmp_path / name).write_text(re.sub(right, wrong, read(name)))
    for folder, code in ((ROOT, 0), (tmp_path, 1)):
        assert subprocess.run([path, *words, folder / name], check=False).returncode == code


def test_container_holds_the_app_and_nothing_else():
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    folders = {name.partition("/")[0] for name in tracked.stdout.split("\0") if "/" in name}
    assert folders & copied() == folders - LEFT_OUT
    every, *others = (line for line in read(".dockerignore").splitlines() if not line.startswith("#"))
    assert every == "*"
    assert {line[1:] for line in others if line.startswith("!")} == copied()
    assert {line for line in others if not line.startswith("!")} == {".streamlit/secrets.toml", "**/__pycache__"}
    sources = [file for name in copied() for file in [ROOT / name, *(ROOT / name).rglob("*.py")]]
    trees = [ast.parse(file.read_text("utf-8")) for file in sources if file.suffix == ".py"]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = [name.name for node in nodes if isinstance(node, ast.Import) for name in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    assert {name.partition(".")[0] for name in names} & LEFT_OUT == set()


def test_container_is_the_lab_of_the_readme_and_installs_hashed_pins():
    (base,) = steps("FROM")
    minor = re.fullmatch(r"python:(3\.\d+)-slim@sha256:[0-9a-f]{64}", base)[1]
    assert minor in re.search(r"Python (3[\d., or]+)\.\s", read("README.md"))[1]
    (install,) = (step for step in steps("RUN") if "install" in step)
    assert install.endswith(" --require-hashes -r requirements.lock")
    assert "--no-cache-dir" in install
    assert steps("EXPOSE") == [PORT]
    assert f"STREAMLIT_SERVER_PORT={PORT}" in " ".join(steps("ENV"))
    assert f"127.0.0.1:{PORT}/_stcore/health" in steps("HEALTHCHECK")[0]

    def pins(text: str) -> dict[str, str]:
        found = re.findall(r"^([\w.-]+)==([^\s;\\#]+)", text, re.MULTILINE)
        return {name.lower().replace("_", "-"): version for name, version in found}

    direct, lock = pins(read("requirements.txt")), read("requirements.lock")
    locked = pins(lock)
    assert direct.items() <= locked.items()
    entries = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", lock, flags=re.MULTILINE)).splitlines()
    assert len(entries) == len(locked) > len(direct) > 0
    whole = re.compile(r"[\w.-]+==\S+ (; .+? )?(--hash=sha256:[0-9a-f]{64} ?)+")
    assert [entry for entry in entries if not whole.fullmatch(entry)] == []
    assert f"--python-version {minor} --generate-hashes" in lock


def test_nobody_is_root_or_may_write_and_the_secret_stands_in_no_file():
    assert steps("USER") == [f"{OWNER}:{OWNER}"]
    for service in compose()["services"].values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
    assert compose()["services"]["caddy"]["user"] == f"{OWNER}:{OWNER}"
    assert f"uid={OWNER},gid={OWNER}" in compose()["volumes"]["rooms"]["driver_opts"]["o"]
    assert not re.search("secret", read("Dockerfile"), re.IGNORECASE)
    secret = compose()["services"]["lab"]["environment"]["STREAMLIT_SERVER_COOKIE_SECRET"]
    assert re.fullmatch(r"\$\{LAB_COOKIE_SECRET:\?[^{}]+\}", secret)  # ":?": who has none is told so
    assert read("compose.yaml").count("COOKIE_SECRET") == 3  # here, in the container, and how to make one


def test_containers_share_rooms_and_caddy_is_told_each_name(tmp_path):
    lab, caddy = compose()["services"]["lab"], compose()["services"]["caddy"]
    assert lab["volumes"] == [f"rooms:{Path(lab['environment']['LAB_ROOMS']).parent}"]
    fake = tmp_path / "caddy"
    fake.write_text('#!/bin/sh\necho "$LAB_UPSTREAMS|$*"\n')
    fake.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PROJECT": "epsilon-lab", "REPLICAS": "3"}
    command = [*caddy["entrypoint"], caddy["command"][0].replace("$$", "$")]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    upstreams, words = said.stdout.strip().split("|")
    assert upstreams.split() == [f"epsilon-lab-lab-{number}:{PORT}" for number in (1, 2, 3)]
    assert caddy["configs"][0]["target"] in words
    assert compose()["configs"]["caddyfile"]["file"] == "scripts/Caddyfile"
    assert caddy["environment"]["REPLICAS"] == lab["deploy"]["replicas"]
    assert caddy["ports"] == [f"${{PORT:-{PORT}}}:{PORT}"]


def wait(condition: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            if condition():
                return
        except OSError:
            pass
        assert time.monotonic() < until
        time.sleep(0.1)


def question(port: int) -> bool:
    """Whether the page that answers is the classifier's."""
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/classifier", headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
        return html.escape(PAGE.question) in gzip.decompress(answer.read()).decode()


SESSION = """
from streamlit.testing.v1 import AppTest
from pages.classifier.experiment import ClassifierSettings
from ui import samples, takeaway

app = AppTest.from_file("pages/frame.py", default_timeout=120).run()
assert not app.exception, app.exception
assert samples.FOLDER.is_dir()
assert takeaway.bundle(ClassifierSettings(), page="classifier", question="?", link="/", files={})
"""


@pytest.mark.soak
def test_what_a_container_holds_is_a_whole_lab(tmp_path):
    """Without Docker: its files alone, its command, its health check, and a visit."""
    for name in copied():
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    (port,) = free_ports(1)
    told = dict(pair.split("=") for step in steps("ENV") for pair in shlex.split(step))
    told |= {"STREAMLIT_SERVER_PORT": str(port), "STREAMLIT_SERVER_ADDRESS": "127.0.0.1", "HOME": str(tmp_path)}
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
        wait(lambda: subprocess.run(check, **quiet, check=False).returncode == 0)
        assert question(port)
    said = subprocess.run([sys.executable, "-c", SESSION], **options, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr


def docker(*words: str, fail: bool = True, **options) -> subprocess.CompletedProcess:
    said = subprocess.run(["docker", *words], cwd=ROOT, capture_output=True, text=True, check=False, **options)
    assert not (fail and said.returncode), said.stderr
    return said


def needs(*commands: str) -> None:
    """Skip where Docker cannot answer one of these."""
    for words in commands:
        if not shutil.which("docker") or docker(*words.split(), fail=False).returncode:
            pytest.skip(f"docker {words} fails")


@contextmanager
def cleared(name: str, *words: str, **options) -> Iterator[None]:
    """Whatever happens inside: in the end Docker has nothing of this name."""
    try:
        yield
    finally:
        docker(*words, fail=False, **options)
    for kind in (["ps", "--all"], ["volume", "ls"], ["network", "ls"]):
        assert docker(*kind, "--quiet", "--filter", f"name={name}").stdout == ""


@pytest.mark.soak
def test_class_in_containers_runs_with_a_secret_only():
    needs("compose version")
    bare = {name: value for name, value in os.environ.items() if name != "LAB_COOKIE_SECRET"}
    said = docker("compose", "config", fail=False, env=bare)
    assert said.returncode != 0
    assert "LAB_COOKIE_SECRET" in said.stderr
    needs("info", *(f"image inspect {one}" for one in (*steps("FROM"), compose()["services"]["caddy"]["image"])))
    (port,), name = free_ports(1), f"epsilon-lab-{secrets.token_hex(4)}"
    own = {"COMPOSE_PROJECT_NAME": name, "LAB_COOKIE_SECRET": secrets.token_hex(32), "PORT": str(port), "REPLICAS": "2"}
    own = os.environ | own
    with cleared(name, "compose", "down", "--volumes", "--rmi=local", env=own):
        docker("compose", "up", "--build", "--detach", env=own)
        wait(lambda: question(port))
        came = set()
        for _ in range(40):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/classifier", timeout=PATIENCE) as answer:
                came.add(answer.headers["Set-Cookie"].partition(";")[0])
        assert len(came) == 2
        assert docker("compose", "exec", "lab", "id", "-u", env=own).stdout.strip() == OWNER
