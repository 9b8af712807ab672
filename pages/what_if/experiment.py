"""Questions of the What-if planner: which epsilon, how many people, which configuration.

A question is about the settings of another page, ``base``. All parts of an answer use the same
runs: ``repeats`` runs on each of ``seeds`` splits, for each value of the curve, each bar, each cell
of the map and each try.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

from dpcore import check
from lab.experiment import links
from lab.experiment.computing_settings import ComputingSettings
from lab.experiment.settings import Measure, Settings, Task
from lab.sweeps.grids import grid, log_scale
from lab.sweeps.measurement import Measurement, measurements, split
from lab.sweeps.sweep import sample_settings
from lab.uploads.made_up import MadeUp
from pages.what_if.measurements import MOST, SHARES, Axis, of_own_rows, usual_target
from pages.what_if.result import WhatIfResult
from pages.what_if.sampling import Around, around_of
from pages.what_if.tasks import Again

# The best configuration is retested on so many other splits.
OTHER_SEEDS = 4
QUESTIONS = ("smallest", "people", "best")
# The question "smallest" with nothing but the curve: the tab *What if* of a topic.
CURVE = "curve"
REACHED = tuple(SHARES)
REPEATS = (24, 100, 400)
# The target of a measure without a largest value lies within this factor of the usual target.
TARGET_RANGE = 100.0
# Target in percent of a measure that no start names.
USUAL_PERCENT = 80
# Sliders that choose what is looked at, or how many runs: no answer depends on them.
IGNORED_KNOBS = {"repeats", "seed", "shown", "person", "person_x", "person_y", "label", "feature"}
# Data that a visitor has to bring: refused in a question, unless the rows are here.
BROUGHT_DATA = {"dataset": ("own",)}
# How the base is written: one text among those of a link.
_BASE: Mapping[str, str] = {"name": "base", "separator": " "}


class Topic(NamedTuple):
    """A page that questions can be about.

    kind: the type of its settings. sliders: settings -> the names of their sliders.
    """

    kind: type[Settings]
    sliders: Callable[[Settings], Sequence[str]]


class Start(NamedTuple):
    """The first question about a topic.

    base: settings of the topic. slider: along the curve. other: the second axis of the map.
    """

    base: str
    measure: str
    target: float
    slider: str
    other: str
    repeats: int = 100


STARTS: Mapping[str, Start] = {
    "classifier": Start(
        "dataset breast_cancer clip_norm 0.5 public_rows 0", "scratch", 80, "epsilon", "clip_norm"
    ),
    "network": Start("", "accuracy", 90, "epsilon", "clip_norm", repeats=24),
    "regression": Start("mechanism adassp", "error", 21, "epsilon", "rows"),
    "transfer": Start("", "transfer", 0.01, "epsilon", "h"),
    "parties": Start("", "soft", 85, "epsilon", "parties"),
    "hypotheses": Start("", "accuracy", 70, "epsilon", "source_rows", repeats=24),
}


def _with(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Return the settings of a topic with changes to its own fields."""
    names = [field.name for field in fields(settings)]
    for name, value in changes.items():
        check.choice(names, field=name)
        settings = links.changed(settings, name, value)
    return settings


@dataclass(frozen=True, kw_only=True)
class WhatIfSettings(ComputingSettings):
    """Settings of the planner. Raises RefusedError for a value without a meaning.

    topic: a key of ``TOPICS``.
    base: the topic's settings in one word (``lab.experiment.links``).
    question: one of ``QUESTIONS``, or "curve".
    slider: the field of the base that is solved for; the x axis of the curve.
    other: the field of the base on the y axis of the map.
    measure: a key of the topic's measures.
    target: in percent, or in the unit of the measure.
    reached: by the "median" run, or by "most", 90 % of runs.
    repeats: runs of each setting on each split.
    seeds: splits of the data, from the base's own seed on.
    tries: configurations that a search tries.

    Fields of the base can be read and changed like its own. ``settings``: the base itself.
    """

    # Filled by ``asking``.
    TOPICS: ClassVar[Mapping[str, Topic]] = {}
    CHOICES: ClassVar = {"question": (*QUESTIONS, CURVE), "reached": REACHED}
    LIMITS: ClassVar = {"seeds": (1, 20), "tries": (2, 100)}

    topic: str = "classifier"
    base: str = STARTS["classifier"].base
    question: str = "smallest"
    slider: str = STARTS["classifier"].slider
    other: str = STARTS["classifier"].other
    measure: str = STARTS["classifier"].measure
    target: float = 90.0
    reached: str = "median"
    repeats: int = 100
    seeds: int = 1
    tries: int = 12

    # Changes that a click makes: the slider of a bar, and the place "x,y" of a cell of the map.
    CLICKS: ClassVar[tuple[str, ...]] = ("bar", "place")

    def __post_init__(self) -> None:
        check.choice(self.TOPICS, topic=self.topic)
        self._read()
        check.choice(self.settings.experiment.measures, measure=self.measure)
        check.choice(self.sliders, slider=self.slider)
        check.choice([name for name in self.sliders if name != self.slider], other=self.other)
        super().__post_init__()
        if self.repeats not in REPEATS:
            raise check.RefusedError(
                "repeats", self.repeats, f"one of: {', '.join(map(str, REPEATS))}"
            )

    def _read(self) -> None:
        """Read the base. Refuse a text that is none, and data that are not here."""
        base = links.from_compact(self.TOPICS[self.topic].kind, self.base, **_BASE)
        for name, brought in BROUGHT_DATA.items():
            value = getattr(base, name, "")
            if value in brought and not of_own_rows(base):
                raise check.RefusedError(name, value, "data that are here without a file")
        object.__setattr__(self, "settings", base)

    def __getattr__(self, name: str) -> Any:
        """Return a field of the base."""
        if name.startswith("_") or name in ("settings", "topic", "base"):
            raise AttributeError(name)
        return getattr(self.settings, name)

    @property
    def void(self) -> str:
        return self.settings.void

    @property
    def own_rows(self) -> bool:
        """Return whether the base learns from rows of a visitor's own file."""
        return of_own_rows(self.settings)

    @property
    def reads_private_rows(self) -> bool:
        """Return whether those rows are private, and not made up in their place."""
        return self.own_rows and not isinstance(self.settings.own, MadeUp)

    @property
    def asked(self) -> Measure:
        return self.settings.experiment.measures[self.measure]

    @property
    def scale(self) -> float:
        """Return 100 where the measure is shown in percent, else 1."""
        return 100.0 if self.asked.unit == "%" else 1.0

    @property
    def goal(self) -> float:
        """Return the target in the measure's own unit."""
        return self.target / self.scale

    @property
    def along(self) -> str:
        """Return the field on the x axis: the number of people for that question, else the
        slider."""
        if self.question == "people" and self.crowd:
            return self.crowd
        return self.slider

    @property
    def upwards(self) -> str:
        """Return the field on the y axis of the map."""
        if self.other == self.along:
            return self.slider
        return self.other

    @property
    def asks(self) -> str:
        """Return the question, or "smallest" where the base cannot be asked the question."""
        if self.question == "people" and not self.crowd:
            return "smallest"
        if self.question == "best" and not self.tried:
            return "smallest"
        return self.question

    @property
    def solving(self) -> bool:
        """Return whether the question is which value reaches the target."""
        return self.asks in ("smallest", "people", CURVE)

    @property
    def improves(self) -> bool:
        """Return whether the measure can only improve along the x axis."""
        return self.along in self.asked.rises

    @property
    def crowd(self) -> str:
        """Return the field that counts people, or ""."""
        if self.settings.PEOPLE in self.sliders:
            return self.settings.PEOPLE
        return ""

    @property
    def sliders(self) -> tuple[str, ...]:
        """Return the fields of the base that can be solved for: sliders on its page that affect the
        measure.
        """
        return self._sliders(self.settings)

    def _sliders(self, base: Settings) -> tuple[str, ...]:
        limits = base.limits
        names = []
        for name in self.TOPICS[self.topic].sliders(base):
            if name in IGNORED_KNOBS or name not in limits:
                continue
            low, high = limits[name]
            if low < high:
                names.append(name)
        return tuple(names)

    @property
    def choices(self) -> Mapping[str, Any]:
        choices = self._of_base(self.settings.choices)
        for name, brought in BROUGHT_DATA.items():
            if name in choices and getattr(self.settings, name) not in brought:
                choices[name] = [option for option in choices[name] if option not in brought]
        return choices | self.CHOICES | {"topic": self.TOPICS}

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the limits of its own fields and of the base's."""
        low, high = self.asked.limits
        target = (self.scale * low, self.scale * high)
        if math.isinf(high):
            start = STARTS[self.topic]
            usual = 1.0
            if self.measure == start.measure:
                usual = usual_target(self.settings, start.target)
            target = (usual / TARGET_RANGE, usual * TARGET_RANGE)
        return self._of_base(self.settings.limits) | self.LIMITS | {"target": target}

    def _of_base(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of fields of the base, without those of the planner's own fields."""
        own = {field.name for field in fields(self)}
        return {name: value for name, value in values.items() if name not in own}

    def change(self, **changes: Any) -> Self:
        """Return these settings with changes to their own fields or to the base's.

        A new topic begins with its first question. A field or measure that a changed base lacks
        becomes that of the first question. ``bar``: the slider of a clicked bar. ``place``: "x,y"
        of a click on the map, each from -1 to 1.
        """
        own = {field.name for field in fields(self)}
        if "bar" in changes:
            clicked = {"slider": changes.pop("bar")}
            if self.asks == "people":
                clicked["question"] = "smallest"
            changes = clicked | changes
        if "place" in changes:
            changes = self._at(changes.pop("place")) | changes
        topic = check.choice(self.TOPICS, topic=changes.get("topic", self.topic))
        if topic != self.topic:
            known = {name: getattr(self, name) for name in own}
            return type(self)(**known | STARTS[topic]._asdict() | changes)
        of_base = {name: changes.pop(name) for name in list(changes) if name not in own}
        if of_base:
            base = links.from_compact(
                self.TOPICS[topic].kind, changes.get("base", self.base), **_BASE
            )
            base = _with(base, of_base)
            changes["base"] = links.compact(base, separator=_BASE["separator"])
            changes = self._asked_of(base) | changes
        return self._fitting(changes)

    def _asked_of(self, base: Settings) -> dict[str, str]:
        """Return replacements for a slider, a second axis and a measure that ``base`` lacks."""
        start = STARTS[self.topic]
        sliders = self._sliders(base)
        replaced: dict[str, str] = {}
        if self.slider not in sliders:
            replaced["slider"] = _first_of(
                (start.slider, start.other, *sliders), sliders, {self.other}
            )
        if self.other not in sliders:
            taken = {self.slider, replaced.get("slider", "")}
            replaced["other"] = _first_of((start.slider, start.other, *sliders), sliders, taken)
        if self.measure not in base.experiment.measures:
            replaced["measure"] = start.measure
        return replaced

    def _fitting(self, changes: Mapping[str, Any]) -> Self:
        """Return these settings with ``changes``, two different axes, and the usual target of a new
        measure.
        """
        slider = changes.get("slider", self.slider)
        if slider == changes.get("other", self.other):
            moved = "other" if "slider" in changes else "slider"
            free = _first_of((self.slider, self.other, *self.sliders), self.sliders, {slider})
            changes = {**changes, moved: free}
        name = changes.get("measure", self.measure)
        measure = self.settings.experiment.measures.get(name)
        if measure and name != self.measure and "target" not in changes:
            changes = {**changes, "target": self._usual_target(name, measure)}
        return replace(self, **changes)

    def _usual_target(self, name: str, measure: Measure) -> float:
        start = STARTS[self.topic]
        if measure.unit == "%":
            return measure.limits[1] * USUAL_PERCENT
        if name == start.measure:
            return usual_target(self.settings, start.target)
        return 1.0

    def _at(self, place: str) -> dict[str, float]:
        """Return the values of the map's cell at "x,y", where -1 and 1 are the ends of each
        axis.
        """
        try:
            shares = [check.between(-1, 1, place=float(part)) for part in str(place).split(",")]
            x, y = (axis.nearest(share) for axis, share in zip(self.axes, shares, strict=True))
        except ValueError:  # RefusedError is a ValueError
            raise check.RefusedError("place", str(place), "two numbers from -1 to 1") from None
        return {self.along: x, self.upwards: y}

    @property
    def axes(self) -> tuple[Axis, Axis]:
        """Return the axes of the map."""
        across, up = self.around.axes
        return self.axis(self.along, across), self.axis(self.upwards, up)

    def axis(self, name: str, values: Sequence[float] = ()) -> Axis:
        """Return values of a field as an axis; all values of its grid by default."""
        return Axis(values or grid(self.settings, name), log_scale(*self.settings.limits[name]))

    @property
    def program(self) -> str:
        """Return a Python script that prints the page's numbers."""
        kind = type(self.settings)
        load_snippet = getattr(self.settings, "load_snippet", "")
        arguments = "".join(
            f"    {name}={value!r},\n" for name, value in asdict(self.settings).items()
        )
        settings = (
            f"from {kind.__module__} import {kind.__name__}\n\nsettings ="
            f" {kind.__name__}(\n{arguments})\n"
        )
        runs = f"measure={self.measure!r}, repeats={self.repeats}"
        if self.asks == "best":
            imports = "from lab.sweeps.sweep import recommend\n"
            search = f"recommend(settings, tries={self.tries}, {runs}, seeds={OTHER_SEEDS})"
            return f"{load_snippet}{imports}{settings}print({search}.to_string())\n"
        lines = [
            f"values = {[*self.around.curve]!r}",
            f"runs = sweep(settings, {self.along!r}, values, {runs}, seeds={self.seeds})",
            f"print(summary(runs, target={self.goal!r}, better={self.asked.better!r}).to_string())",
        ]
        if self.improves and self.seeds == 1:
            share = f", share={MOST}" if self.reached == "most" else ""
            lines.append(
                f"found = smallest(settings, {self.along!r}, {self.goal!r}, values=values,"
                f" {runs}{share})  # the answer, in a row"
            )
        imports = "from lab.sweeps.sweep import smallest, summary, sweep\n"
        return load_snippet + imports + settings + "\n".join(lines) + "\n"

    # Work

    @property
    def compares(self) -> frozenset[Settings]:
        """Return the settings that the curve compares."""
        return frozenset(
            {self.settings, *self.around.curve.values(), *self.around.estimated.values()}
        )

    @cached_property
    def around(self) -> Around:
        """Return the settings of the curve, the bars and the map."""
        return around_of(
            settings=self.settings,
            along=self.along,
            other=self.upwards,
            sliders=self.sliders,
            measure=self.measure,
            repeats=self.repeats,
            seeds=self.seeds,
        )

    @cached_property
    def tried(self) -> tuple[Settings, ...]:
        """Return configurations drawn from the declared ranges; none where no range is declared."""
        ranges = {name: pair for name, pair in self.settings.tuned.items() if name in self.sliders}
        if not ranges:
            return ()
        return sample_settings(self.settings, tries=self.tries, ranges=ranges)

    def measurements(self, settings: Settings) -> tuple[Measurement, ...]:
        """Return the tasks that measure some settings of the topic."""
        return self.around.measurements(settings)

    @cached_property
    def again(self) -> tuple[tuple[Again, tuple[Measurement, ...]], ...]:
        """Return, for each other split, the task that retests the best try and those of the
        base.
        """
        if not self.tried:
            return ()
        pairs = []
        others = split(self.settings, self.seeds + OTHER_SEEDS)
        for place in range(self.seeds, len(others)):
            retest = Again(
                tries=self.tried,
                measure=self.measure,
                repeats=self.repeats,
                seeds=self.seeds,
                place=place,
            )
            base = measurements(others[place], measure=self.measure, repeats=self.repeats)
            pairs.append((retest, base))
        return tuple(pairs)

    def schedule(self) -> Iterable[Task]:
        """Yield the tasks in the order in which the page needs them."""
        yield from self.around.now
        if self.asks == "best":
            yield from self._search()
        if self.question == CURVE:
            for settings in (*self.around.curve.values(), *self.around.estimated.values()):
                yield from self.measurements(settings)
            return
        yield from self.around.near
        yield from self.around.rest
        if self.asks != "best":
            yield from self._search()

    def _search(self) -> Iterator[Task]:
        """Yield the tasks of all tries, then of the retests."""
        for settings in self.tried:
            yield from self.measurements(settings)
        for retest, base in self.again:
            yield retest
            yield from base

    def result(self, outcomes: Mapping[Task, Any]) -> WhatIfResult:
        return WhatIfResult(settings=self, outcomes=outcomes)


def _first_of(preferred: Iterable[str], allowed: Sequence[str], taken: set[str]) -> str:
    """Return the first preferred name that is allowed and not taken."""
    return next(name for name in preferred if name in allowed and name not in taken)


def asking(topics: Mapping[str, Topic]) -> type[WhatIfSettings]:
    """Return the type of settings of questions about these topics."""
    members = {"TOPICS": topics, "__module__": __name__, "__doc__": WhatIfSettings.__doc__}
    return type("WhatIf", (WhatIfSettings,), members)
