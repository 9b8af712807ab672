"""Run several processes of the lab behind one address, for a large class.

    make class REPLICAS=4 PORT=8501

Caddy stands in front. A cookie keeps each visitor on one process, which holds their session. A
process that does not answer receives no visitors and is started again. Its visitors continue on
another process, because the address of a page holds its settings. Everything ends with this
program.
"""

import argparse
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import segno

from ui.server.qr_code import own_address

ROOT = Path(__file__).parents[1]
# Seconds: until a process must have answered for the first time, and between two looks at all of
# them.
_STARTS, _LOOK = 120.0, 0.5
# What Caddy does with them; compose.yaml hands it the same file.
_CADDYFILE = ROOT / "scripts/Caddyfile"


def front(caddy: str, port: int, replicas: Sequence[int], folder: Path) -> subprocess.Popen:
    """Caddy at its port, before those of the processes on this machine; in ``folder`` it keeps what
    it has to keep.
    """
    told = {
        "LAB_PORT": str(port),
        "LAB_UPSTREAMS": " ".join(f"127.0.0.1:{one}" for one in replicas),
    }
    kept = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(folder))
    command = [caddy, "run", "--config", str(_CADDYFILE), "--adapter", "caddyfile"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | kept | told)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on at the moment."""
    with ExitStack() as open_:
        doors = [open_.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [door.getsockname()[1] for door in doors]


@contextmanager
def ended(processes: dict[str, subprocess.Popen]) -> Iterator[None]:
    """Whatever happens inside: in the end none of them runs."""
    try:
        yield
    finally:
        for process in processes.values():
            process.terminate()
        for process in processes.values():
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:  # it says goodbye to its visitors
                process.kill()
                process.wait()


def replica(port: int, environment: dict[str, str]) -> subprocess.Popen:
    """A process of the lab, which only this machine can reach."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1"]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)


def healthy(port: int) -> bool:
    """Whether the process at this port answers."""
    with (
        suppress(OSError),
        urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2) as answer,
    ):
        return answer.status == 200
    return False


def address(port: int) -> str:
    """Where others on the network find this machine."""
    return f"http://{own_address() or 'localhost'}:{port}"


def serve(port: int, count: int, caddy: str) -> None:
    """Run until somebody ends it.

    Raises OSError where the port is taken, or a process does not start.
    """
    with socket.create_server(("", port)):  # else Caddy would say so, much later
        pass
    ports = free_ports(count)
    folder = Path(tempfile.mkdtemp(prefix="epsilon-lab-class-"))
    # Of this class alone, in no file: a session's cookie is known to every process; so are the
    # rooms.
    environment = os.environ | {
        "STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32),
        "LAB_ROOMS": os.environ.get("LAB_ROOMS") or str(folder / "rooms.sqlite"),
    }
    running: dict[str, subprocess.Popen] = {}
    try:
        with ended(running):
            running |= {str(one): replica(one, environment) for one in ports}
            _wait(ports, running)
            running["caddy"] = front(caddy, port, ports, folder)
            _wait([port], running)
            link = address(port)
            segno.make(link).terminal(compact=True)
            print(f"{link}   ({count} processes; Ctrl-C ends them)", flush=True)
            _keep(ports, running, environment)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(ports: Sequence[int], running: dict[str, subprocess.Popen]) -> None:
    until = time.monotonic() + _STARTS
    while not all(healthy(port) for port in ports):
        if time.monotonic() > until or any(one.poll() is not None for one in running.values()):
            raise OSError("a process did not start: its words stand above")
        time.sleep(_LOOK)


def _keep(
    ports: Sequence[int], running: dict[str, subprocess.Popen], environment: dict[str, str]
) -> None:
    """Start anew what has ended; without Caddy nobody can come."""
    while running["caddy"].poll() is None:
        for port in ports:
            if running[str(port)].poll() is not None:
                print(
                    f"The process at port {port} has ended; another takes its place.",
                    file=sys.stderr,
                    flush=True,
                )
                running[str(port)] = replica(port, environment)
        time.sleep(_LOOK)
    raise OSError("Caddy has ended: its words stand above")


def main(words: Sequence[str] | None = None) -> int:
    """Exit code 0: it was ended; 1: it could not start, or go on."""
    parser = argparse.ArgumentParser(
        prog="class", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--replicas", type=int, default=2, choices=range(1, 65), metavar="1..64")
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument("--caddy", default="caddy", help="its path")
    said = parser.parse_args(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        serve(said.port, said.replicas, said.caddy)
    except OSError as fault:
        print(f"{fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Ended.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
