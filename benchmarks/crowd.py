"""Many people on the channel of one server: some drag without a pause, or all move a slider now and
then.

Clients of our own speak as ``ui/widgets/frontend/channel/channel.js`` does, each with a seed of its
own, so that nobody finds what another has computed. Who drags has the next value 16 ms after an
answer; who moves waits some 1.5 s and takes a value at random. A movement is answered with the
first frame of its number. No browser draws anything, and no ordinary runs
follow: this is the channel's share. The clients' own CPU time is said, because they run on the same
machine.
"""

import asyncio
import json
import time
from dataclasses import dataclass, field

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.latency import served
from benchmarks.report import Outcome, Print, at_least, at_most, number, row

PAGE, FIELD, EPSILONS = "classifier", "epsilon", (0.05, 50.0)
DRAGGING, MOVING = 10, 100
# Seconds: of one level; between an answer and the next value of who drags, and of who moves; until
# one is given up.
LEVEL, NEXT, PAUSE, PATIENCE = 10.0, 0.016, (1.0, 2.0), 60.0
REDRAWS_AT_LEAST, DRAG_P95_AT_MOST = 6.0, 0.25
MOVES_AT_LEAST, MOVE_P95_AT_MOST = 40.0, 0.5

COLUMNS = ("people", "who", "frames/s", "fewest", "p50", "p95", "longest", "kB", "client CPU")
WIDTHS = (6, 8, 9, 8, 8, 8, 8, 6, 10)


@dataclass
class Person:
    """A visitor. waits: seconds from each question to its answer; sizes: of the answers, in
    bytes.
    """

    socket: ClientConnection
    seed: int
    number: int = 0
    waits: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    async def move(self, share: float) -> None:
        """Ask about a value, and wait for what it shows."""
        low, high = EPSILONS
        self.number += 1
        asked = {"number": self.number, "page": PAGE, "settings": {"seed": str(self.seed)}}
        began = time.perf_counter()
        await self.socket.send(
            json.dumps(asked | {"moves": [[FIELD, float(f"{low * (high / low) ** share:.5g}")]]})
        )
        heard = 0
        while heard < self.number:
            answer = await asyncio.wait_for(self.socket.recv(), PATIENCE)
            heard = json.loads(answer).get("number", heard)  # none: how many stand in line before
        self.waits.append(time.perf_counter() - began)
        self.sizes.append(len(answer))


async def visit(
    address: str, seed: int, *, drags: bool, together: asyncio.Barrier, seconds: float
) -> Person:
    """One person comes and, when all have, drags or moves for some seconds."""
    rng, place = np.random.default_rng(seed), 0
    async with connect(
        address.replace("http", "ws", 1) + "/lab-channel", max_size=None, compression=None
    ) as socket:
        here = Person(socket, seed)
        await here.move(rng.uniform())
        await together.wait()
        here.waits.clear()
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            await asyncio.sleep(NEXT if drags else rng.uniform(*PAUSE))
            place += 1
            await here.move((place * 7 % 200 + rng.uniform()) / 201 if drags else rng.uniform())
    return here


async def level(
    address: str, people: int, *, drags: bool, seed: int, seconds: float = LEVEL
) -> list[Person]:
    """So many people at once."""
    together = asyncio.Barrier(people)
    visits = (
        visit(address, seed + one, drags=drags, together=together, seconds=seconds)
        for one in range(people)
    )
    return await asyncio.gather(*visits)


def run(*, rounds: int, say: Print) -> Outcome:
    """Ten who drag, and a hundred who move, in turns."""
    say(row(COLUMNS, WIDTHS))
    taken: dict[bool, list[tuple[float, float, float]]] = {True: [], False: []}
    with served("app.py") as address:
        asyncio.run(
            level(address, 1, drags=True, seed=1, seconds=1.0)
        )  # what is loaded once is not part of it
        for turn in range(rounds):
            for drags, people in ((True, DRAGGING), (False, MOVING)):
                spent = time.process_time()
                seen = asyncio.run(level(address, people, drags=drags, seed=1000 * (turn + 1)))
                spent = time.process_time() - spent
                waits = np.concatenate([one.waits for one in seen])
                rate, fewest = len(waits) / LEVEL, min(len(one.waits) for one in seen) / LEVEL
                p50, p95 = np.quantile(waits, (0.5, 0.95))
                times = [f"{number(1000 * one)} ms" for one in (p50, p95, waits.max())]
                size = np.mean([size for one in seen for size in one.sizes]) / 1000
                told = [
                    people,
                    "drag" if drags else "move",
                    number(rate),
                    number(fewest),
                    *times,
                    number(size),
                ]
                say(row([*told, f"{spent:.1f} s"], WIDTHS))
                taken[drags].append((rate, fewest, p95))
    dragged, moved = (np.transpose(taken[drags]) for drags in (True, False))
    return Outcome(
        lines=[
            at_least(
                f"{DRAGGING} who drag: redraws a second each", REDRAWS_AT_LEAST, list(dragged[1])
            ),
            at_most(f"{DRAGGING} who drag: p95 in seconds", DRAG_P95_AT_MOST, list(dragged[2])),
            at_least(f"{MOVING} who move: moves a second", MOVES_AT_LEAST, list(moved[0])),
            at_most(f"{MOVING} who move: p95 in seconds", MOVE_P95_AT_MOST, list(moved[2])),
        ]
    )
