"""Questions asked backwards: which epsilon, how many people, which setting, and what looking for it costs.

A question is about another page's settings, ``base``. All of its answers are made of the same runs: ``repeats`` of each
of ``seeds``, at every setting that a curve, a bar, a cell of the map or a try stands for.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple, Self

from dpcore import check, links, pieces
from dpcore.experiment import Measure, Settings, Task
from dpcore.sweep import Look, beside, coarse_to_fine, drawn, grid, looks
from pages.what_if.result import WhatIfResult
from pages.what_if.work import Again, Solved

QUESTIONS = ("accuracy", "smallest", "people", "best", "versus")
# The same as "smallest", with nothing but the curve.
CURVE = "curve"
REACHED = ("mean", "most")
# In how many of the runs a target is reached where it is to be reached in most.
MOST = 0.9
REPEATS = (24, 100, 400)
# The map has so many steps either way along each knob; the best setting is measured again on so many other seeds.
# A target of what has no largest value lies within this factor of the topic's usual one.
WIDE = 100.0
MAP_STEPS, MAP_REACH, OTHER_SEEDS = 6, 30.0, 4
# Knobs that say what is looked at or how often, and so decide nothing that is asked for.
ASIDE = {"repeats", "seed", "shown", "release", "draw", "person", "person_x", "person_y", "label", "feature"}


# How the base is read: a text of its own among those of a link.
_BASE: Mapping[str, str] = {"name": "base", "apart": " "}


class Topic(NamedTuple):
    """What can be asked of another page.

    title: of the page. kind: of its settings. knobs: settings -> the fields that have a knob there.
    """

    title: str
    kind: type[Settings]
    knobs: Callable[[Settings], Sequence[str]]


class Start(NamedTuple):
    """Where the questions about a topic begin: its settings, and what is asked of which measure. ``versus``: what is
    different in the other setting.
    """

    base: str
    measure: str
    target: float
    knob: str
    other: str
    versus: str


STARTS: Mapping[str, Start] = {
    "classifier": Start(
        "dataset breast_cancer clip_norm 0.5 public_rows 0", "scratch", 90, "epsilon", "clip_norm", "clip_norm 1"
    ),
    "network": Start("", "accuracy", 92, "epsilon", "clip_norm", "clip_norm 2"),
    "regression": Start("mechanism functional", "error", 40, "epsilon", "rows", "mechanism adassp"),
    "transfer": Start("", "transfer", 0.5, "epsilon", "h", "sources 2"),
    "parties": Start("", "soft", 80, "epsilon", "parties", "method vote"),
    "hypotheses": Start("", "accuracy", 80, "epsilon", "source_rows", "noise gaussian"),
    "mechanisms": Start("", "within", 10, "epsilon", "sensitivity", "mechanism gaussian"),
    "ledger": Start("", "epsilon", 1, "noise_multiplier", "sampling_rate", "sampling_rate 0.02"),
}


@dataclass(frozen=True, kw_only=True)
class WhatIfSettings(Settings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    topic: a key of ``TOPICS``.
    base: the topic's settings in one word (``dpcore.links``).
    question: one of ``QUESTIONS``; or "curve".
    knob: the field of the base that is solved for, and that the curve goes along.
    other: the field of the base that the map goes up along.
    versus: for the question whether one setting is better than another: what is different in that other one, a word.
    measure: of the topic.
    target: that the measure is to reach, in percent or in the measure's own unit.
    reached: by the "mean" of the runs, or by "most", nine runs in ten.
    repeats: runs of each setting, on each seed.
    seeds: splits of the data, from the base's own seed on.
    tries: settings that a search tries.

    Fields of the base can be read and changed as if they were its own. ``settings``, ``rival``: the base, and the other
    setting, as what they are.
    """

    # Name -> what can be asked about; who asks says which there are (``asking``).
    TOPICS: ClassVar[Mapping[str, Topic]] = {}
    CHOICES: ClassVar = {"question": (*QUESTIONS, CURVE), "reached": REACHED, "repeats": REPEATS}
    LIMITS: ClassVar = {"seeds": (1, 20), "tries": (2, 100)}

    topic: str = "classifier"
    base: str = STARTS["classifier"].base
    question: str = "smallest"
    knob: str = STARTS["classifier"].knob
    other: str = STARTS["classifier"].other
    versus: str = STARTS["classifier"].versus
    measure: str = STARTS["classifier"].measure
    target: float = STARTS["classifier"].target
    reached: str = "mean"
    repeats: int = 100
    seeds: int = 1
    tries: int = 12

    # What a click on a chart may change: the knob that a bar stands for, the place "x,y" of a cell of the map.
    CLICKS: ClassVar[tuple[str, ...]] = ("knob", "place")

    def __post_init__(self) -> None:
        check.choice(self.TOPICS, topic=self.topic)
        self._read()
        check.choice(self.settings.MEASURES, measure=self.measure)
        check.choice(self.knobs, knob=self.knob)
        check.choice([name for name in self.knobs if name != self.knob], other=self.other)
        super().__post_init__()

    def _read(self) -> None:
        """Refuse what is no word of such settings."""
        object.__setattr__(self, "settings", links.of_word(self.TOPICS[self.topic].kind, self.base, **_BASE))
        try:
            rival = self._differing(self.settings, self.versus)
        except check.RefusedError as refusal:
            why = f"what is different in such settings: {refusal.name} must be {refusal.allowed}"
            raise check.RefusedError("versus", self.versus, why) from refusal
        object.__setattr__(self, "rival", rival)

    def __getattr__(self, name: str) -> Any:
        """A field of the base."""
        if name.startswith("_") or name in ("settings", "topic", "base"):
            raise AttributeError(name)
        return getattr(self.settings, name)

    @property
    def asked(self) -> Measure:
        """The measure."""
        return self.settings.measures[self.measure]

    @property
    def scale(self) -> float:
        """What a number of the measure's own is multiplied with to be shown, and the target is in: 100 for percent."""
        return 100.0 if self.asked.unit == "%" else 1.0

    @property
    def most(self) -> float:
        """The share of the runs that is most of them."""
        return MOST

    @property
    def goal(self) -> float:
        """The target in the measure's own unit."""
        return self.target / self.scale

    @property
    def exact(self) -> bool:
        """Whether the measure is computed and not drawn, so that one number is all there is."""
        return not self.settings.COMMON

    @property
    def along(self) -> str:
        """The knob that the curve goes along: of the question how many people, the one that says so."""
        return self.settings.PEOPLE if self.question == "people" and self.settings.PEOPLE else self.knob

    @property
    def knobs(self) -> tuple[str, ...]:
        """Fields of the base that can be asked for: numbers with a knob on its page that decide what is measured."""
        limits = self.settings.limits
        named = self.TOPICS[self.topic].knobs(self.settings)
        return tuple(
            name for name in named if name in limits and name not in ASIDE and limits[name][0] < limits[name][1]
        )

    @property
    def choices(self) -> Mapping[str, Any]:
        return self._theirs(self.settings.choices) | self.CHOICES | {"topic": self.TOPICS}

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Those of its own fields, and of the base's."""
        low, high = self.asked.limits
        usual = STARTS[self.topic].target
        target = (self.scale * low, self.scale * high) if math.isfinite(high) else (usual / WIDE, usual * WIDE)
        return self._theirs(self.settings.limits) | self.LIMITS | {"target": target}

    def _theirs(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """What the base says of fields that are not its own."""
        own = {one.name for one in fields(self)}
        return {name: what for name, what in told.items() if name not in own}

    def change(self, **changes: Any) -> Self:
        """These settings with ``changes``: fields of its own, or of the base's. Another topic begins at its start; what
        cannot be asked of a changed base is asked as it is at the start. ``place``, "x,y", is a cell of the map."""
        own = {one.name for one in fields(self)}
        if "place" in changes:
            changes = self._at(changes.pop("place")) | changes
        topic = check.choice(self.TOPICS, topic=changes.get("topic", self.topic))
        if topic != self.topic:
            start = STARTS[topic]._asdict()
            return type(self)(**{**{name: getattr(self, name) for name in own}, **start, **changes})
        inner = {name: changes.pop(name) for name in list(changes) if name not in own}
        if inner:
            base = links.of_word(self.TOPICS[topic].kind, changes.get("base", self.base), **_BASE)
            for name, value in inner.items():
                check.choice([one.name for one in fields(base)], field=name)
                base = links.changed(base, **{name: value})
            changes["base"] = links.word(base, apart=_BASE["apart"])
        return self._fitting(changes)

    def _fitting(self, changes: Mapping[str, Any]) -> Self:
        """With what a changed knob pushes aside."""
        if changes.get("knob", self.knob) == changes.get("other", self.other):
            name = "other" if "knob" in changes else "knob"
            free = [
                one for one in (self.knob, self.other, *self.knobs) if one != changes.get("knob", changes.get("other"))
            ]
            changes = {**changes, name: free[0]}
        if changes.get("measure", self.measure) != self.measure:
            measure = self.settings.MEASURES.get(changes["measure"])
            if measure and "target" not in changes:
                changes = {
                    **changes,
                    "target": measure.limits[1] * 80 if measure.unit == "%" else STARTS[self.topic].target,
                }
        return replace(self, **changes)

    def _at(self, place: str) -> dict[str, float]:
        """What a cell of the map stands for."""
        try:
            x, y = (float(part) for part in str(place).split(","))
        except ValueError:
            raise check.RefusedError("place", str(place), "two numbers") from None
        return {self.along: x, self.other: y}

    @staticmethod
    def _differing(settings: Settings, word: str) -> Settings:
        """``settings`` with what a word says of them."""
        for name, value in links.pairs(word, name="versus", apart=_BASE["apart"]).items():
            check.choice([one.name for one in fields(settings)], field=name)
            settings = links.changed(settings, **{name: value})
        return settings

    @property
    def program(self) -> str:
        """The curve in Python, without the lab: it prints the page's table."""
        kind, values = type(self.settings), [*self.around.curve]
        given = "".join(f"    {name}={value!r},\n" for name, value in asdict(self.settings).items())
        first = getattr(self.settings, "preparation", "")
        how = f"measure={self.measure!r}, repeats={self.repeats}, seeds={self.seeds}"
        return (
            f"{first}from dpcore.sweep import summary, sweep\nfrom {kind.__module__} import {kind.__name__}\n\n"
            f"settings = {kind.__name__}(\n{given})\nvalues = {values!r}\n"
            f"runs = sweep(settings, {self.along!r}, values, {how})\n"
            f"print(summary(runs, target={self.goal!r}, better={self.asked.better!r}).to_string())\n"
        )

    # ---- the work

    @cached_property
    def around(self) -> "Around":
        """What is measured, whatever is asked of it."""
        return around(self.settings, self.along, self.other, self.measure, self.repeats, self.seeds, self.knobs)

    @cached_property
    def tried(self) -> tuple[Settings, ...]:
        """Settings that a search draws from declared ranges; none where there is nothing to tune."""
        ranges = {name: pair for name, pair in self.settings.tuned.items() if name in self.knobs}
        return drawn(self.settings, tries=self.tries, ranges=ranges) if ranges else ()

    def looks(self, settings: Settings) -> tuple[Look, ...]:
        """The work that measures some settings of the topic."""
        how = {"measure": self.measure, "repeats": self.repeats, "seeds": self.seeds}
        return looks(settings, parts=self.around.parts, **how)

    @property
    def solved(self) -> Solved | None:
        """The exact answer, where there is one."""
        if not self.exact or self.along not in (*self.asked.rises, *self.asked.falls):
            return None
        falls = self.along in self.asked.falls
        how = {"settings": self.settings, "measure": self.measure, "target": self.goal}
        return Solved(knob=self.along, falls=falls, **how)

    @cached_property
    def again(self) -> tuple[Again, ...]:
        """The best of the tries on other seeds; none where nothing is tried."""
        how = {"tries": self.tried, "measure": self.measure, "repeats": self.repeats, "seeds": self.seeds}
        seeds = range(self.seeds, self.seeds + OTHER_SEEDS) if self.tried and not self.exact else ()
        return tuple(Again(place=place, **how) for place in seeds)

    def schedule(self) -> Iterable[Task]:
        """Today's settings first, then the curve, the bars and the map from coarse to fine; what the question is about
        before what it is not."""
        work = self.around.work
        yield from work[0]
        if self.solved:
            yield self.solved
        extra = []
        if self.question == "best":
            extra = self._searched()
        if self.question == "versus":
            extra = [look for turn in self.rivals for one in turn for look in self.looks(one)]
        yield from extra
        if self.question == CURVE:
            yield from (look for there in self.around.curve.values() for look in self.around.looks[there])
            return
        for turn in work[1:]:
            yield from turn
        if self.question != "best":
            yield from self._searched()

    def _searched(self) -> list[Task]:
        """All tries, and the best one again."""
        return [look for one in self.tried for look in self.looks(one)] + list(self.again)

    @cached_property
    def rivals(self) -> list[list[Settings]]:
        """The other setting along the curve."""
        values = coarse_to_fine(grid(self.rival, self.along), getattr(self.rival, self.along))
        return [[self.rival.change(**{self.along: value}) for value in turn] for turn in values]

    def result(self, outcomes: Mapping[Task, Any]) -> WhatIfResult:
        """Assemble what has been done; needs the essential tasks only."""
        return WhatIfResult(settings=self, outcomes=outcomes)


class Around(NamedTuple):
    """What is measured around some settings of a topic.

    curve: value -> settings; bars: (knob, value) -> settings; cells: (x, y) -> settings; looks: settings -> work;
    work: all of it, in turns. parts: that the runs of one setting are cut into, on each seed.
    """

    curve: Mapping[float, Settings]
    bars: Mapping[tuple[str, float], Settings]
    cells: Mapping[tuple[float, float], Settings]
    looks: Mapping[Settings, tuple[Look, ...]]
    work: tuple[tuple[Look, ...], ...]
    parts: int


@lru_cache(maxsize=32)
def around(
    settings: Settings, along: str, other: str, measure: str, repeats: int, seeds: int, knobs: tuple[str, ...]
) -> Around:
    """Along one knob, beside each knob, and over a map of two."""
    now, found = getattr(settings, along), {}
    tasks = settings.sample(repeats)
    how = {"measure": measure, "repeats": repeats, "seeds": seeds, "parts": len(tasks)}

    def at(**changes: float) -> Settings | None:
        """The settings there; None where they refuse it."""
        try:
            there = settings.change(**changes)
        except check.RefusedError:
            return None
        found.setdefault(there, looks(there, **how))
        return there

    def known(pairs: Iterable[tuple[Any, Settings | None]]) -> dict[Any, Settings]:
        return {key: there for key, there in pairs if there is not None}

    first, *others = looks(settings, **how)
    found[settings] = (replace(first, essential=True), *others)
    turns = coarse_to_fine(grid(settings, along), now)
    curve = [known((value, at(**{along: value})) for value in turn) for turn in turns]
    bars = known(((name, value), at(**{name: value})) for name in knobs for value in beside(settings, name))
    xs, ys = (grid(settings, name, steps=MAP_STEPS, reach=MAP_REACH) for name in (along, other))
    x_turns, y_turns = coarse_to_fine(xs, now), coarse_to_fine(ys, getattr(settings, other))
    x_turn = {value: turn for turn, values in enumerate(x_turns) for value in values}
    y_turn = {value: turn for turn, values in enumerate(y_turns) for value in values}
    cells = known(((x, y), at(**{along: x, other: y})) for x in xs for y in ys)
    coarse = max(len(x_turns), len(y_turns))
    maps = [
        {there: None for (x, y), there in cells.items() if max(x_turn[x], y_turn[y]) == turn} for turn in range(coarse)
    ]
    turned = [[settings], [*curve[1].values()] if len(curve) > 1 else [], [*bars.values()], *map(list, maps)]
    turned[4:4] = [[*turn.values()] for turn in curve[2:]]
    done, work = set(), []
    for turn in turned:
        work.append(tuple(look for one in turn if one not in done for look in found[one]))
        done.update(turn)
    each = sum(getattr(task, "cells", pieces.FIRST) for task in tasks) * seeds
    if each * len(turned[1]) < pieces.FIRST:
        work[1] = tuple(replace(look, essential=True) for look in work[1])
    ordered = {value: there for turn in curve for value, there in turn.items()}
    return Around(dict(sorted(ordered.items())), bars, cells, found, tuple(work), len(tasks))


def asking(topics: Mapping[str, Topic]) -> type[WhatIfSettings]:
    """Settings of questions about these topics."""
    return type(
        "WhatIf", (WhatIfSettings,), {"TOPICS": topics, "__module__": __name__, "__doc__": WhatIfSettings.__doc__}
    )
