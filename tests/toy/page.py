"""A page with little on it and work that takes as long as one likes, to test what stands between
pages and visitors.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Event
from typing import ClassVar

import numpy as np

from lab.experiment.experiment import Experiment
from lab.experiment.settings import Settings
from ui.charts import theme
from ui.page.page import Content, Controls, Exports, Page, PageInfo, always
from ui.page.tabs import GUARANTEE_TAB, WHY_TAB, Tab
from ui.session.slider_layout import SliderLayout
from ui.text.tiles import Tile
from ui.widgets import Chart

X = np.linspace(0, 1, 50)


@dataclass(frozen=True)
class Piece:
    """A piece of work that takes so many milliseconds, and is noted when it is begun; then it waits
    for the gate.
    """

    who: int
    epsilon: float
    place: int
    work: int

    begun: ClassVar[list["Piece"]] = []
    gate: ClassVar[Event] = Event()

    @property
    def essential(self) -> bool:
        """Return whether this is the first piece, for which the first picture waits."""
        return self.place == 0

    def run(self) -> float:
        """Note that the piece is begun, wait for the gate and the time, and return epsilon."""
        self.begun.append(self)
        self.gate.wait()
        time.sleep(self.work / 1000)
        return self.epsilon


Piece.gate.set()


@dataclass(frozen=True)
class Toy(Settings):
    """Work in ``repeats`` pieces of ``work`` milliseconds; ``shown`` needs none.

    An epsilon of 95 is a fault.
    """

    epsilon: float = 1.0
    shown: int = 0
    seed: int = 0
    repeats: int = 1
    work: int = 20
    dataset: str = "shared"

    EXPERIMENT: ClassVar = "tests.toy.page.ToyExperiment"
    CHOICES: ClassVar = {"dataset": ("shared", "own")}
    LIMITS: ClassVar = {"epsilon": (0.1, 100.0), "shown": (0, 60), "repeats": (1, 50)}
    LIMITS |= {"seed": (0, 1000), "work": (0, 1000)}

    @property
    def uses_file(self) -> bool:
        """Return whether the rows are those of a visitor's file."""
        return self.dataset == "own"


@dataclass(frozen=True)
class Outcome:
    settings: Toy
    epsilon: float
    shown: int
    pieces: int

    def __str__(self) -> str:
        return f"Epsilon {self.epsilon:g}, shown {self.shown}, {self.pieces} done"


@dataclass(frozen=True)
class Pieces:
    """Pieces of work, of which the number of those done is gathered."""

    tasks: list[Piece]

    def gather(self, outcomes: Mapping[Piece, float]) -> int:
        """Return the number of pieces that are done."""
        return len(outcomes)


class ToyExperiment(Experiment[Toy, Outcome]):
    def parts(self) -> dict[str, Pieces]:
        """Return the pieces of work of these settings."""
        toy = self.settings
        tasks = [Piece(toy.seed, toy.epsilon, place, toy.work) for place in range(toy.repeats)]
        return {"pieces": Pieces(tasks)}

    def result(self, values: Mapping[str, int]) -> Outcome:
        """Return the outcome, or raise the fault of an epsilon of 95."""
        toy = self.settings
        if toy.epsilon == 95:
            raise ZeroDivisionError("oops")
        return Outcome(toy, toy.epsilon, toy.shown, values["pieces"])


def pictures(result: Outcome) -> list[list[Chart]]:
    """A curve that moves with epsilon, with a mark that moves with the moment, and one that
    stays.
    """
    axes = {"xaxis": {"range": [0, 1]}, "yaxis": {"range": [-1, 1]}}
    line = {"color": "red", "width": 2}
    mark = {
        "type": "path",
        "path": f"M0,0L{result.shown / 60:.4g},1",
        "xref": "x",
        "yref": "y",
        "line": line,
    }
    wave = {
        "type": "scatter",
        "mode": "lines",
        "x": theme.array(X),
        "y": theme.array(np.sin(result.epsilon * X)),
    }
    moves = theme.figure(wave, **axes, title=str(result), shapes=[mark])
    stays = theme.figure(wave | {"y": theme.array(X)}, **axes, title="Stays")
    still = Chart(name="stays", figure=stays, alt="Line")
    return [[Chart(name="moves", figure=moves, alt=f"Curve: {result}"), still]]


def more(result: Outcome) -> list[list[Chart]]:
    """Return the chart that moves, under another name, for a tab below."""
    ((moves, _),) = pictures(result)
    return [[replace(moves, name="too")]]


TOY = Page(
    info=PageInfo(
        name="toy",
        title="Toy",
        icon=":material/toys:",
        group="",
        question="Toy",
        about="",
    ),
    settings=Toy,
    controls=Controls(
        choices=always(None),
        sliders=always(SliderLayout(hero="epsilon", play="shown", main=["repeats", "seed"])),
    ),
    content=Content(
        tiles=lambda result: [Tile("Epsilon", f"{result.epsilon:g}", amount=result.epsilon)],
        texts={"verdict": str, "why": lambda result: f"Why: {result}", "guarantee": always("none")},
        charts=pictures,
        tabs=(WHY_TAB, GUARANTEE_TAB, Tab("more", "More", ("why",), more)),
        lead=always("A page for tests."),
    ),
    exports=Exports(
        downloads=always({}),
    ),
)
