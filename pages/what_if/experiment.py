"""Questions asked backwards: which epsilon, how many people, which setting, and what looking for it costs.

A question is about another page's settings, ``base``. All of its answers are made of the same runs: ``repeats`` of each
of ``seeds``, at every setting that a curve, a bar, a cell of the map or a try stands for.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple, Self

from dpcore import check
from lab import links
from lab.settings import Measure, Settings, Task
from lab.sweep import Measurement, drawn, grid, log_scale, measurements, split
from pages.what_if.around import Around, around_of, turns
from pages.what_if.measured import MOST, SHARES, Axis, of_own_rows, usual_target
from pages.what_if.result import WhatIfResult
from pages.what_if.work import Again, Solved

# The best setting is measured again on so many other seeds.
OTHER_SEEDS = 4
QUESTIONS = ("accuracy", "smallest", "people", "best", "versus")
# The same as "smallest", with nothing but the curve.
CURVE = "curve"
REACHED = tuple(SHARES)
REPEATS = (24, 100, 400)
# A target of what has no largest value lies within this factor of the topic's usual one.
WIDE = 100.0
# Knobs that say what is looked at or how often, and so decide nothing that is asked for.
ASIDE = {"repeats", "seed", "shown", "draw", "person", "person_x", "person_y", "label", "feature"}
# What a page has only once somebody has brought it: nothing can be asked about it, but of rows that are here.
ELSEWHERE = {"data": ("own", "newsgroups"), "dataset": ("own",)}
# How the base is read: a text of its own among those of a link.
_BASE: Mapping[str, str] = {"name": "base", "apart": " "}


class Topic(NamedTuple):
    """What can be asked of another page: its kind of settings; settings -> the fields that have a knob there."""

    kind: type[Settings]
    knobs: Callable[[Settings], Sequence[str]]


class Start(NamedTuple):
    """Where the questions about a topic begin: its settings, and what is asked of which measure."""

    base: str
    measure: str
    target: float
    knob: str
    other: str
    versus: str
    repeats: int = 100


STARTS: Mapping[str, Start] = {
    "classifier": Start(
        "dataset breast_cancer clip_norm 0.5 public_rows 0", "scratch", 80, "epsilon", "clip_norm", "clip_norm 1"
    ),
    "network": Start("", "accuracy", 90, "epsilon", "clip_norm", "clip_norm 2", repeats=24),
    "regression": Start("mechanism adassp", "error", 21, "epsilon", "rows", "mechanism functional"),
    "transfer": Start("", "transfer", 0.01, "epsilon", "h", "sources 2"),
    "parties": Start("", "soft", 85, "epsilon", "parties", "method vote"),
    "hypotheses": Start("", "accuracy", 70, "epsilon", "source_rows", "source_rows 200", repeats=24),
    "mechanisms": Start("", "within", 5, "epsilon", "sensitivity", "mechanism gaussian"),
    "accounting": Start("", "epsilon", 1, "noise_multiplier", "sampling_rate", "sampling_rate 0.02"),
}


def _with(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Return the settings of a topic with changes to its own fields."""
    names = [one.name for one in fields(settings)]
    for name, value in changes.items():
        settings = links.changed(settings, check.choice(names, field=name), value)
    return settings


def _differing(settings: Settings, word: str) -> Settings:
    return _with(settings, links.pairs(word, name="versus", apart=_BASE["apart"]))


def _possible(settings: Settings, word: str) -> str:
    """Return the word, or "" where the settings cannot be so different."""
    try:
        _differing(settings, word)
    except check.RefusedError:
        return ""
    return word


@dataclass(frozen=True, kw_only=True)
class WhatIfSettings(Settings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    topic: a key of ``TOPICS``.
    base: the topic's settings in one word (``lab.links``).
    question: one of ``QUESTIONS``; or "curve".
    knob: the field of the base that is solved for, and that the curve goes along.
    other: the field of the base that the map goes up along.
    versus: for the question whether one setting is better than another: what is different in that other one, a word.
    measure: of the topic.
    target: that the measure is to reach, in percent or in the measure's own unit.
    reached: by the "median" run, or by "most", nine runs in ten.
    repeats: runs of each setting, on each seed.
    seeds: splits of the data, from the base's own seed on.
    tries: settings that a search tries.

    Fields of the base can be read and changed as if they were its own. ``settings``, ``rival``: the base, and the other
    setting, as what they are.
    """

    # Name -> what can be asked about; who asks says which there are (``asking``).
    TOPICS: ClassVar[Mapping[str, Topic]] = {}
    CHOICES: ClassVar = {"question": (*QUESTIONS, CURVE), "reached": REACHED}
    LIMITS: ClassVar = {"seeds": (1, 20), "tries": (2, 100)}

    topic: str = "classifier"
    base: str = STARTS["classifier"].base
    question: str = "smallest"
    knob: str = STARTS["classifier"].knob
    other: str = STARTS["classifier"].other
    versus: str = STARTS["classifier"].versus
    measure: str = STARTS["classifier"].measure
    target: float = 90.0
    reached: str = "median"
    repeats: int = 100
    seeds: int = 1
    tries: int = 12

    # What a click on a chart may change: to the knob that a bar stands for, to the place "x,y" of a cell of the map.
    CLICKS: ClassVar[tuple[str, ...]] = ("bar", "place")

    def __post_init__(self) -> None:
        object.__setattr__(self, "topic", check.choice(self.TOPICS, topic=links.page_now(self.topic)))
        self._read()
        check.choice(self.settings.measures, measure=self.measure)
        check.choice(self.knobs, knob=self.knob)
        check.choice([name for name in self.knobs if name != self.knob], other=self.other)
        super().__post_init__()
        if self.repeats not in REPEATS:
            raise check.RefusedError("repeats", self.repeats, f"one of: {', '.join(map(str, REPEATS))}")

    def _read(self) -> None:
        """Refuse what is no word of such settings."""
        base = links.of_word(self.TOPICS[self.topic].kind, self.base, **_BASE)
        for name, brought in ELSEWHERE.items():
            if getattr(base, name, "") in brought and not of_own_rows(base):
                raise check.RefusedError(name, getattr(base, name), "data that are here without a file or a download")
        object.__setattr__(self, "settings", base)
        try:
            rival = _differing(self.settings, self.versus)
        except check.RefusedError as refusal:
            why = f"what is different in such settings: {refusal.name} must be {refusal.allowed}"
            raise check.RefusedError("versus", self.versus, why) from refusal
        object.__setattr__(self, "rival", rival)

    @classmethod
    def modernised(cls, texts: Mapping[str, str], version: int) -> Mapping[str, str]:
        topic = links.page_now(texts.get("topic", cls.of_version(version).topic))
        if texts.get("reached") == "mean":  # of errors without a mean, so that the median run answers
            texts = {**texts, "reached": "median"}
        if version == links.VERSION or topic not in cls.TOPICS:
            return texts
        kind, base = cls.TOPICS[topic].kind, texts.get("base", STARTS[topic].base)
        dated = f"{base} {links.VERSION_NAME} {version}".strip()
        try:
            then, now = (links.of_word(kind, text, **_BASE) for text in (dated, base))
        except check.RefusedError:  # said where the base is read
            return texts
        return texts if then == now else {**texts, "base": links.word(then, apart=_BASE["apart"])}

    def __getattr__(self, name: str) -> Any:
        """A field of the base."""
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

    @cached_property
    def different(self) -> dict[str, Any]:
        """Field -> what it is in the other setting, of those that are different there."""
        both = ((one.name, getattr(self.rival, one.name)) for one in fields(self.settings))
        return {name: value for name, value in both if value != getattr(self.settings, name)}

    @property
    def asked(self) -> Measure:
        return self.settings.measures[self.measure]

    @property
    def scale(self) -> float:
        """Return 100 where the measure is shown in percent, else 1."""
        return 100.0 if self.asked.unit == "%" else 1.0

    @property
    def goal(self) -> float:
        """The target in the measure's own unit."""
        return self.target / self.scale

    @property
    def exact(self) -> bool:
        """Return whether the measure is computed and not drawn, so that one number is all there is."""
        return not self.settings.COMMON

    @property
    def along(self) -> str:
        """The knob that the curve goes along: of the question how many people, the one that says so."""
        return (self.question == "people" and self.crowd) or self.knob

    @property
    def upwards(self) -> str:
        """The knob that the map goes up along: the other one, or the first where the curve goes along that one."""
        return self.other if self.other != self.along else self.knob

    @property
    def asks(self) -> str:
        """The question; which value reaches the target, where the base leaves nothing of it."""
        missing = {"people": not self.crowd, "best": not self.tried}
        return "smallest" if missing.get(self.question) else self.question

    @property
    def solving(self) -> bool:
        return self.asks in ("smallest", "people", CURVE)

    @property
    def crowd(self) -> str:
        """The knob that says how many people there are; "" where there is none."""
        return self.settings.PEOPLE if self.settings.PEOPLE in self.knobs else ""

    @property
    def knobs(self) -> tuple[str, ...]:
        """Fields of the base that can be asked for: numbers with a knob on its page that decide what is measured."""
        return self._knobs(self.settings)

    def _knobs(self, base: Settings) -> tuple[str, ...]:
        limits, named = base.limits, self.TOPICS[self.topic].knobs(base)
        return tuple(
            name for name in named if name in limits and name not in ASIDE and limits[name][0] < limits[name][1]
        )

    @property
    def choices(self) -> Mapping[str, Any]:
        theirs = self._theirs(self.settings.choices)
        for name, brought in ELSEWHERE.items():
            if name in theirs and getattr(self.settings, name) not in brought:
                theirs[name] = [one for one in theirs[name] if one not in brought]
        return theirs | self.CHOICES | {"topic": self.TOPICS}

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Those of its own fields, and of the base's."""
        low, high = self.asked.limits
        start = STARTS[self.topic]
        usual = usual_target(self.settings, start.target) if self.measure == start.measure else 1.0
        target = (self.scale * low, self.scale * high) if math.isfinite(high) else (usual / WIDE, usual * WIDE)
        return self._theirs(self.settings.limits) | self.LIMITS | {"target": target}

    def _theirs(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the base says of fields that are not its own."""
        own = {one.name for one in fields(self)}
        return {name: what for name, what in told.items() if name not in own}

    def change(self, **changes: Any) -> Self:
        """These settings with ``changes``: fields of its own, or of the base's. Another topic begins at its start; what
        cannot be asked of a changed base is asked as it is at the start. ``bar``: a knob that is then asked about;
        ``place``, "x,y": a cell of the map, whose ends are -1 and 1."""
        own = {one.name for one in fields(self)}
        if "bar" in changes:  # how many people is asked along another knob
            asked = {"question": "smallest"} if self.asks == "people" else {}
            changes = {"knob": changes.pop("bar")} | asked | changes
        if "place" in changes:
            changes = self._at(changes.pop("place")) | changes
        topic = check.choice(self.TOPICS, topic=links.page_now(changes.get("topic", self.topic)))
        if topic != self.topic:
            new = {**{name: getattr(self, name) for name in own}, **STARTS[topic]._asdict(), **changes}
            if "versus" not in changes:
                base = links.of_word(self.TOPICS[topic].kind, new["base"], **_BASE)
                new["versus"] = _possible(base, new["versus"])
            return type(self)(**new)
        inner = {name: changes.pop(name) for name in list(changes) if name not in own}
        if inner:
            base = links.of_word(self.TOPICS[topic].kind, changes.get("base", self.base), **_BASE)
            base = _with(base, inner)
            changes["base"] = links.word(base, apart=_BASE["apart"])
            changes = self._asked_of(base) | changes
        return self._fitting(changes)

    def _asked_of(self, base: Settings) -> dict[str, str]:
        """Return what of the question has to be another one, where ``base`` has no such knob, or cannot be so
        different."""
        start, knobs = STARTS[self.topic], self._knobs(base)
        other: dict[str, str] = {}
        for name, taken in (("knob", self.other), ("other", self.knob)):
            if getattr(self, name) not in knobs:
                free = (one for one in (start.knob, start.other, *knobs) if one in knobs)
                other[name] = next(one for one in free if one not in (taken, other.get("knob")))
        measure = self.measure if self.measure in base.measures else start.measure
        return other | {"versus": _possible(base, self.versus), "measure": measure}

    def _fitting(self, changes: Mapping[str, Any]) -> Self:
        """Return the changes with what a changed parameter pushes aside."""
        knob = changes.get("knob", self.knob)
        if knob == changes.get("other", self.other):
            free = next(one for one in (self.knob, self.other, *self.knobs) if one != knob)
            changes = {**changes, "other" if "knob" in changes else "knob": free}
        name = changes.get("measure", self.measure)
        measure = self.settings.measures.get(name)
        if measure and name != self.measure and "target" not in changes:
            start = STARTS[self.topic]
            number = usual_target(self.settings, start.target) if name == start.measure else 1.0
            usual = measure.limits[1] * 80 if measure.unit == "%" else number
            changes = {**changes, "target": usual}
        return replace(self, **changes)

    def _at(self, place: str) -> dict[str, float]:
        """Return what the cell of the map at "x,y" stands for, where -1 and 1 are the ends of its axes."""
        try:
            shares = [check.between(-1, 1, place=float(part)) for part in str(place).split(",")]
            x, y = (axis.nearest(share) for axis, share in zip(self.axes, shares, strict=True))
        except ValueError:  # a refusal is one too
            raise check.RefusedError("place", str(place), "two numbers from -1 to 1") from None
        return {self.along: x, self.upwards: y}

    @property
    def axes(self) -> tuple[Axis, Axis]:
        across, up = self.around.axes
        return self.axis(self.along, across), self.axis(self.upwards, up)

    def axis(self, name: str, values: Sequence[float] = ()) -> Axis:
        """Return the values of a knob, or some of them, as places on an axis."""
        return Axis(values or grid(self.settings, name), log_scale(*self.settings.limits[name]))

    @property
    def program(self) -> str:
        """The answer in Python, without the lab: it prints the page's numbers."""
        kind, first = type(self.settings), getattr(self.settings, "preparation", "")
        given = "".join(f"    {name}={value!r},\n" for name, value in asdict(self.settings).items())
        made = f"from {kind.__module__} import {kind.__name__}\n\nsettings = {kind.__name__}(\n{given})\n"
        how = f"measure={self.measure!r}, repeats={self.repeats}"
        if self.asks == "best":
            best = f"print(recommend(settings, tries={self.tries}, {how}, seeds={OTHER_SEEDS}).to_string())\n"
            return f"{first}from lab.sweep import recommend\n{made}{best}"
        one_way = self.along in (*self.asked.rises, *self.asked.falls) and not self.exact and self.seeds == 1
        share = f", share={MOST}" if self.reached == "most" else ""
        answer = f"smallest(settings, {self.along!r}, {self.goal!r}, values=values, {how}{share})"
        return (
            f"{first}from lab.sweep import smallest, summary, sweep\n{made}values = {[*self.around.curve]!r}\n"
            f"runs = sweep(settings, {self.along!r}, values, {how}, seeds={self.seeds})\n"
            f"print(summary(runs, target={self.goal!r}, better={self.asked.better!r}).to_string())\n"
            + (f"found = {answer}  # the answer, in a row\n" if one_way else "")
        )

    # ---- the work

    @property
    def compares(self) -> frozenset[Settings]:
        """The settings that the curve compares."""
        return frozenset({self.settings, *self.around.curve.values(), *self.around.estimated.values()})

    @cached_property
    def around(self) -> Around:
        return around_of(
            settings=self.settings,
            along=self.along,
            other=self.upwards,
            knobs=self.knobs,
            measure=self.measure,
            repeats=self.repeats,
            seeds=self.seeds,
        )

    @cached_property
    def tried(self) -> tuple[Settings, ...]:
        """Settings that a search draws from declared ranges; none where there is nothing to tune."""
        ranges = {name: pair for name, pair in self.settings.tuned.items() if name in self.knobs}
        return drawn(self.settings, tries=self.tries, ranges=ranges) if ranges else ()

    def measurements(self, settings: Settings) -> tuple[Measurement, ...]:
        return self.around.measurements(settings)

    @property
    def solved(self) -> Solved | None:
        """The exact answer, where there is one."""
        if not self.exact or self.along not in (*self.asked.rises, *self.asked.falls):
            return None
        falls = self.along in self.asked.falls
        return Solved(settings=self.settings, knob=self.along, measure=self.measure, target=self.goal, falls=falls)

    @cached_property
    def again(self) -> tuple[tuple[Again, tuple[Measurement, ...]], ...]:
        """The best of the tries on other seeds, and the base on the same; none where nothing is tried."""
        if not self.tried or self.exact:
            return ()
        again = partial(Again, tries=self.tried, measure=self.measure, repeats=self.repeats, seeds=self.seeds)
        others = split(self.settings, self.seeds + OTHER_SEEDS)
        return tuple(
            (again(place=place), measurements(others[place], measure=self.measure, repeats=self.repeats))
            for place in range(self.seeds, len(others))
        )

    def schedule(self) -> Iterable[Task]:
        """Today's settings first, then the curve, the bars and the map from coarse to fine; what the question is about
        before what it is not."""
        yield from self.around.now
        if self.solved:
            yield self.solved
        if self.asks == "best":
            yield from self._searched()
        if self.asks == "versus":
            yield from (each for one in self.rivals for each in self.measurements(one))
        if self.question == CURVE:
            both = (*self.around.curve.values(), *self.around.estimated.values())
            yield from (each for there in both for each in self.measurements(there))
            return
        yield from self.around.near
        yield from self.around.rest
        if self.asks != "best":
            yield from self._searched()

    def _searched(self) -> Iterator[Task]:
        """All tries, and the best one again."""
        for one in self.tried:
            yield from self.measurements(one)
        for again, base in self.again:
            yield again
            yield from base

    @cached_property
    def rivals(self) -> list[Settings]:
        """The other setting along the curve, from coarse to fine."""
        return [there for turn in turns(self.rival, self.along) for there in turn.values()]

    def result(self, outcomes: Mapping[Task, Any]) -> WhatIfResult:
        return WhatIfResult(settings=self, outcomes=outcomes)


def asking(topics: Mapping[str, Topic]) -> type[WhatIfSettings]:
    return type(
        "WhatIf", (WhatIfSettings,), {"TOPICS": topics, "__module__": __name__, "__doc__": WhatIfSettings.__doc__}
    )
