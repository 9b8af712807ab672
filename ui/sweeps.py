"""A large sweep, and the `make sweep` command that computes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from dpcore import check
from lab import links
from lab.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """What is asked for. over: knob -> its values; measure: of ``settings.MEASURES``; repeats: of each value on each of
    so many seeds."""

    page: str
    settings: Settings
    over: Mapping[str, tuple[Any, ...]]
    measure: str
    repeats: int
    seeds: int

    def __post_init__(self) -> None:
        check.choice(self.settings.MEASURES, measure=self.measure)
        check.whole(1, 10_000, repeats=self.repeats)
        check.whole(1, 10_000, seeds=self.seeds)

    @property
    def command(self) -> str:
        """Return what trains it in a checkout, and writes it as one file."""
        link = f"{self.page}?{urlencode(links.versioned(links.brief(self.settings)))}"
        over = " ".join(f"{name}={','.join(map(str, values))}" for name, values in self.over.items())
        how = f"--measure {self.measure} --repeats {self.repeats} --seeds {self.seeds}"
        return f"make sweep ARGS=\"'{link}' --over {over} {how} --out runs --table runs.parquet\""
