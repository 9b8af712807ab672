"""The lab in containers: what its files say, and with ``make soak`` what comes of it."""

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
from tests.test_house import imports

ROOT = Path(__file__).parents[3]
# Folders of the checkout that no container needs.
LEFT_OUT = {".ci", ".github", "benchmarks", "docs", "scripts", "tests"}
PORT, OWNER = "8501", "10001"
# Seconds; a condition that holds ends the wait at once.
PATIENCE = 120


def read(name: str) -> str:
    """Return the text of a file in the root of the repository."""
    return (ROOT / name).read_text("utf-8")


def without_continuations(text: str) -> str:
    """Return a text in which a line that ends with a backslash is joined with the next."""
    return re.sub(r"\\\n\s*", "", text)


def arguments_of(instruction: str) -> list[str]:
    """Return the arguments of each line of the Dockerfile with an instruction."""
    arguments = []
    for line in without_continuations(read("Dockerfile")).splitlines():
        name, _, argument = line.partition(" ")
        if name == instruction:
            arguments.append(argument)
    return arguments


def copied() -> set[str]:
    """Return the names at the top of the checkout that the Dockerfile copies."""
    names = set()
    for argument in arguments_of("COPY"):
        *sources, _ = shlex.split(argument)
        names.update(source.rstrip("/") for source in sources)
    return names


class TestWhatIsCopied:
    def test_the_image_has_every_folder_that_the_app_needs(self):
        tracked = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        files = tracked.stdout.split("\0")
        folders = {name.partition("/")[0] for name in files if "/" in name}

        assert folders & copied() == folders - LEFT_OUT

    def test_the_image_has_nothing_else_of_the_checkout(self):
        lines = [line for line in read(".dockerignore").splitlines() if not line.startswith("#")]
        all_files, *others = lines
        exceptions = {line.removeprefix("!") for line in others if line.startswith("!")}

        assert all_files == "*"
        assert exceptions == copied()
        assert ".streamlit/secrets.toml" in others

    def test_copied_files_import_nothing_that_is_left_out(self):
        files = []
        for name in copied():
            path = ROOT / name
            files.extend(path.rglob("*.py"))
            if path.suffix == ".py":
                files.append(path)

        for file in files:
            tops = {name.partition(".")[0] for name in imports(file.read_text("utf-8"))}
            assert tops.isdisjoint(LEFT_OUT), file


def pinned(requirements: str) -> dict[str, str]:
    """Return package -> version of a text of requirements."""
    pins = {}
    for name, version in re.findall(r"(?m)^([\w.-]+)==([^\s;\\#]+)", requirements):
        pins[name.lower().replace("_", "-")] = version
    return pins


class TestInstallation:
    @pytest.fixture
    def python_version(self) -> str:
        """The minor version of the image, which is pinned by its hash."""
        (image,) = arguments_of("FROM")
        match = re.fullmatch(r"python:(3\.\d+)-slim@sha256:[0-9a-f]{64}", image)
        assert match
        return match[1]

    def test_python_is_one_of_the_readme(self, python_version):
        versions = re.search(r"Python (3[\d., or]+)\.\s", read("README.md"))

        assert python_version in versions[1]

    def test_packages_are_those_of_the_lock_with_their_hashes(self):
        (install,) = [step for step in arguments_of("RUN") if "install" in step]

        assert install.endswith(" --require-hashes -r requirements.lock")

    def test_the_lock_has_every_requirement_and_more(self):
        requirements = pinned(read("requirements.txt"))
        locked = pinned(read("requirements.lock"))

        assert requirements
        assert requirements.items() <= locked.items()
        assert len(locked) > len(requirements)

    def test_every_entry_of_the_lock_is_pinned_with_its_hashes(self):
        lock = read("requirements.lock")
        without_comments = re.sub(r"(?m)^#.*\n", "", lock)
        entries = without_continuations(without_comments).splitlines()
        entry_with_hashes = re.compile(r"[\w.-]+==\S+ (; .+? )?(--hash=sha256:[0-9a-f]{64} ?)+")

        assert len(entries) == len(pinned(lock))
        assert [entry for entry in entries if not entry_with_hashes.fullmatch(entry)] == []

    def test_the_lock_is_made_for_the_python_of_the_image(self, python_version):
        command = f"--python-version {python_version} --generate-hashes"

        assert command in read("requirements.lock")


class TestRights:
    @pytest.fixture
    def services(self) -> dict:
        """Return name -> description of each service in compose.yaml."""
        return yaml.safe_load(read("compose.yaml"))["services"]

    def test_no_service_runs_as_root(self, services):
        assert arguments_of("USER") == [f"{OWNER}:{OWNER}"]
        assert services["caddy"]["user"] == f"{OWNER}:{OWNER}"

    def test_no_service_may_write_or_gain_rights(self, services):
        for service in services.values():
            assert service["read_only"] is True
            assert service["cap_drop"] == ["ALL"]
            assert service["security_opt"] == ["no-new-privileges:true"]

    def test_the_secret_is_in_no_file(self, services):
        secret = services["lab"]["environment"]["STREAMLIT_SERVER_COOKIE_SECRET"]

        assert not re.search("secret", read("Dockerfile"), re.IGNORECASE)
        assert re.fullmatch(r"\$\{LAB_COOKIE_SECRET:\?[^{}]+\}", secret)

    def test_only_the_file_of_rooms_is_kept_on_a_volume(self, services):
        lab = services["lab"]
        folder = Path(lab["environment"]["LAB_ROOMS"]).parent

        assert lab["volumes"] == [f"rooms:{folder}"]

    def test_the_proxy_knows_the_number_of_replicas(self, services):
        replicas = services["lab"]["deploy"]["replicas"]

        assert services["caddy"]["environment"]["REPLICAS"] == replicas


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


def command_of(step: str, port: int) -> list[str]:
    """Return the command of a step of the Dockerfile, with this interpreter and a port."""
    first, *words = json.loads(step.replace(PORT, str(port)))
    assert first == "python"
    return [sys.executable, *words]


@pytest.mark.soak
class TestWholeLab:
    """What a container holds, without Docker: its files alone, its command, its health check."""

    @pytest.fixture
    def options(self, tmp_path) -> dict:
        """The folder of the files, and the environment."""
        for name in copied():
            copy = shutil.copy
            if (ROOT / name).is_dir():
                copy = shutil.copytree
            copy(ROOT / name, tmp_path / name)
        environment = {"PATH": os.environ["PATH"]}
        for argument in arguments_of("ENV"):
            for pair in shlex.split(argument):
                name, _, value = pair.partition("=")
                environment[name] = value
        environment["STREAMLIT_SERVER_ADDRESS"] = "127.0.0.1"
        environment["HOME"] = str(tmp_path)
        return {"cwd": tmp_path, "env": environment}

    def test_the_server_starts_and_shows_a_page(self, options):
        (port,) = free_ports(1)
        options["env"]["STREAMLIT_SERVER_PORT"] = str(port)
        (start,) = arguments_of("CMD")
        (health_check,) = arguments_of("HEALTHCHECK")
        _, _, check = health_check.partition("CMD ")

        def is_healthy() -> bool:
            """Return whether the health check of the Dockerfile succeeds."""
            process = subprocess.run(
                command_of(check, port), **options, stderr=subprocess.DEVNULL, check=False
            )
            return process.returncode == 0

        server = subprocess.Popen(command_of(start, port), stdout=subprocess.DEVNULL, **options)
        with ended({"lab": server}):
            assert not is_healthy(), "the server has only begun"
            until = time.monotonic() + PATIENCE
            while not is_healthy() and time.monotonic() < until:
                time.sleep(0.1)
            request = urllib.request.Request(
                f"http://127.0.0.1:{port}/classifier", headers={"Accept-Encoding": "gzip"}
            )
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                page = gzip.decompress(answer.read()).decode()

        assert html.escape(PAGE.info.question) in page

    def test_a_session_runs(self, options):
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
