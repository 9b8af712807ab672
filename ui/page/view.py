"""Define the view of a result: its tiles, texts and charts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ui.text.tiles import Tile
from ui.widgets import Chart

Rows = Sequence[Sequence[Chart]]
# The board of the first screen. Each other board has the name of its tab.
FIRST = "board"


class LazyValues(Mapping[str, Any]):
    """Values that functions make of a result, each when it is first read."""

    def __init__(self, functions: Mapping[str, Callable[[Any], Any]], result: Any):
        self._functions = functions
        self._result = result
        self._values: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            self._values[name] = self._functions[name](self._result)
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)


@dataclass(frozen=True, eq=False)
class View:
    """What a page shows of a result.

    Attributes:
        tiles: The tiles over the charts.
        texts: Name -> HTML.
        boards: Board -> its rows of charts.
    """

    tiles: Sequence[Tile]
    texts: Mapping[str, str]
    boards: Mapping[str, Rows]

    def charts(self, *boards: str) -> dict[str, Chart]:
        """Return name -> chart of all charts on these boards."""
        charts = {}
        for board in boards:
            for row in self.boards[board]:
                for chart in row:
                    charts[chart.name] = chart
        return charts
