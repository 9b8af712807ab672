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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import segno

from ui.server.page_address import own_address

ROOT = Path(__file__).parents[1]
# Seconds that a process has to answer for the first time and to end, and between two checks.
START_SECONDS = 120.0
END_SECONDS = 5
CHECK_SECONDS = 0.5
# compose.yaml gives Caddy the same file.
CADDYFILE = ROOT / "scripts/Caddyfile"
CADDY = "caddy"

# Port, or "caddy" -> process.
Processes = dict[str, subprocess.Popen]


def start_caddy(caddy: str, port: int, ports: Sequence[int], folder: Path) -> subprocess.Popen:
    """Start Caddy in front of the processes on this machine.

    Args:
        caddy: Path of the program.
        port: Its own.
        ports: Those of the processes.
        folder: Where it keeps its files.
    """
    environment = {
        **os.environ,
        "LAB_PORT": str(port),
        "LAB_UPSTREAMS": " ".join(f"127.0.0.1:{upstream}" for upstream in ports),
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
    }
    command = [caddy, "run", "--config", str(CADDYFILE), "--adapter", "caddyfile"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)


def free_ports(count: int) -> list[int]:
    """Return ports that nobody listens on at the moment."""
    ports = []
    # All are open at once, so that they differ.
    with ExitStack() as stack:
        for _ in range(count):
            server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            ports.append(server.getsockname()[1])
    return ports


@contextmanager
def ended(processes: Processes) -> Iterator[None]:
    """End all these processes at the end of the context, whatever happens in it."""
    try:
        yield
    finally:
        for process in processes.values():
            process.terminate()
        for process in processes.values():
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                # It still waits for its visitors.
                process.kill()
                process.wait()


def start_replica(port: int, environment: Mapping[str, str]) -> subprocess.Popen:
    """Start a process of the lab, which only this machine can reach."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1"]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)


def is_healthy(port: int) -> bool:
    """Return whether the process at this port answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


def public_address(port: int) -> str:
    """Return the address of this machine for others on the network."""
    return f"http://{own_address() or 'localhost'}:{port}"


def serve(port: int, count: int, caddy: str) -> None:
    """Run the processes and Caddy until somebody ends this program.

    Raises OSError where the port is taken, or a process does not start.

    Args:
        port: Of the public address.
        count: Number of processes.
        caddy: Path of the program.
    """
    # Caddy would report a port that is taken only much later.
    with socket.create_server(("", port)):
        pass
    ports = free_ports(count)
    folder = Path(tempfile.mkdtemp(prefix="epsilon-lab-class-"))
    # All processes know the cookies of sessions and the rooms. The secret is in no file.
    environment = {
        **os.environ,
        "STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32),
        "LAB_ROOMS": os.environ.get("LAB_ROOMS") or str(folder / "rooms.sqlite"),
    }
    processes: Processes = {}
    try:
        with ended(processes):
            for replica_port in ports:
                processes[str(replica_port)] = start_replica(replica_port, environment)
            _wait_until_healthy(ports, processes)
            processes[CADDY] = start_caddy(caddy, port, ports, folder)
            _wait_until_healthy([port], processes)
            link = public_address(port)
            segno.make(link).terminal(compact=True)
            print(f"{link}   ({count} processes; Ctrl-C ends them)", flush=True)
            _restart_replicas(ports, processes, environment)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait_until_healthy(ports: Sequence[int], processes: Processes) -> None:
    """Wait until all ports answer. Raises OSError if a process ends or is too slow."""
    end = time.monotonic() + START_SECONDS
    while not all(is_healthy(port) for port in ports):
        one_has_ended = any(process.poll() is not None for process in processes.values())
        if one_has_ended or time.monotonic() > end:
            raise OSError("a process did not start: its words stand above")
        time.sleep(CHECK_SECONDS)


def _restart_replicas(
    ports: Sequence[int], processes: Processes, environment: Mapping[str, str]
) -> None:
    """Start processes of the lab again when they end. Raises OSError when Caddy ends."""
    while processes[CADDY].poll() is None:
        for port in ports:
            if processes[str(port)].poll() is not None:
                print(
                    f"The process at port {port} has ended; another takes its place.",
                    file=sys.stderr,
                    flush=True,
                )
                processes[str(port)] = start_replica(port, environment)
        time.sleep(CHECK_SECONDS)
    raise OSError("Caddy has ended: its words stand above")


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a class, and return 0 when it is ended and 1 if it could not start or go on."""
    parser = argparse.ArgumentParser(
        prog="class", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--replicas", type=int, default=2, choices=range(1, 65), metavar="1..64")
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument("--caddy", default="caddy", help="its path")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        serve(options.port, options.replicas, options.caddy)
    except OSError as fault:
        print(f"{fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Ended.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
