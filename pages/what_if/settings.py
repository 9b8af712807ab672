"""Settings of the page *What if*: a question about the settings of another page.

A question is about a topic's settings. All parts of an answer use the same runs: ``repeats`` runs
for each value of the curve, each bar, each cell of the map and each configuration.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from dpcore import check
from lab.experiment import links
from lab.experiment.data_settings import OWN
from lab.experiment.settings import Measure, Settings
from lab.sweeps.grids import grid, log_scale
from lab.sweeps.sweep import sample_settings
from pages.what_if.measurements import Axis, uses_made_up_rows, usual_target
from pages.what_if.program import program
from pages.what_if.sampling import map_grid
from pages.what_if.topics import IGNORED_SLIDERS, STARTS, Topic

QUESTIONS = ("smallest", "people", "best")
# The question "smallest" without bars and map, in the tab *What if* of a topic.
CURVE = "curve"
REPEATS = (24, 100, 400)
# The target of a measure without a largest value lies within this factor of the usual target.
TARGET_RANGE = 100.0
# Target of a measure that no start names, in percent of its largest value.
USUAL_PERCENT = 80
# Separates the fields and values of a topic's settings in the field ``base``.
BASE_SEPARATOR = " "


@dataclass(frozen=True, kw_only=True)
class WhatIfSettings(Settings):
    """Settings of the planner. Raises RefusedError, with the field, if a value is not allowed.

    The fields of the topic's settings can be read and changed like those of the planner.

    topic: a key of ``TOPICS``.
    base: the topic's settings in one text (``lab.experiment.links``).
    question: one of ``QUESTIONS``, or ``CURVE``.
    slider: the topic's field that is solved for, on the x axis of the curve.
    measure: a key of the topic's measures.
    target: in percent, or in the unit of the measure.
    repeats: number of runs of each setting.
    tries: number of configurations that a search tries.
    """

    EXPERIMENT: ClassVar = "pages.what_if.experiment.WhatIfExperiment"
    # Filled by ``settings_about``.
    TOPICS: ClassVar[Mapping[str, Topic]] = {}
    CHOICES: ClassVar = {"question": (*QUESTIONS, CURVE)}
    LIMITS: ClassVar = {"tries": (2, 100)}
    # The change that a click makes: the place "x,y" of a cell of the map.
    CLICKS: ClassVar[tuple[str, ...]] = ("place",)

    topic: str = "classifier"
    base: str = STARTS["classifier"].base
    question: str = "smallest"
    slider: str = STARTS["classifier"].slider
    measure: str = STARTS["classifier"].measure
    target: float = 90.0
    repeats: int = 100
    tries: int = 12

    def __post_init__(self) -> None:
        """Refuse what is not allowed, and set ``topic_settings`` to the settings of ``base``."""
        check.choice(self.TOPICS, topic=self.topic)
        object.__setattr__(self, "topic_settings", self._read(self.base))
        check.choice(self.topic_settings.experiment.measures, measure=self.measure)
        check.choice(self.sliders, slider=self.slider)
        super().__post_init__()
        if self.repeats not in REPEATS:
            allowed = f"one of: {', '.join(map(str, REPEATS))}"
            raise check.RefusedError("repeats", self.repeats, allowed)

    # The topic's settings

    def _read(self, base: str) -> Settings:
        """Return the topic's settings from their text.

        Raises RefusedError for another text, and for a visitor's file. Questions are about made-up
        rows in its place, so that no answer reads a private row.
        """
        kind = self.TOPICS[self.topic].kind
        settings = links.from_compact(kind, base, name="base", separator=BASE_SEPARATOR)
        if getattr(settings, "dataset", "") == OWN and not uses_made_up_rows(settings):
            raise check.RefusedError("dataset", OWN, "data that are here without a file")
        return settings

    def __getattr__(self, name: str) -> Any:
        """Return a field of the topic's settings."""
        if name.startswith("_") or name in ("topic_settings", "topic", "base"):
            raise AttributeError(name)  # not set yet
        return getattr(self.topic_settings, name)

    @property
    def base_names_file(self) -> bool:
        """Return whether the topic's settings name a visitor's file, private or made up."""
        return isinstance(self.base, links.CompactText)

    @cached_property
    def sliders(self) -> tuple[str, ...]:
        """Return the topic's fields that can be solved for."""
        return self._sliders_of(self.topic_settings)

    def _sliders_of(self, settings: Settings) -> tuple[str, ...]:
        """Return the sliders of the topic's page that may affect the measure."""
        limits = settings.limits
        names = []
        for name in self.TOPICS[self.topic].sliders(settings):
            if name in IGNORED_SLIDERS or name not in limits:
                continue
            low, high = limits[name]
            if low < high:
                names.append(name)
        return tuple(names)

    @property
    def people_field(self) -> str:
        """Return the slider that counts people, or ""."""
        if self.topic_settings.PEOPLE in self.sliders:
            return self.topic_settings.PEOPLE
        return ""

    # The question

    @property
    def answered_question(self) -> str:
        """Return the question, or "smallest" if it cannot be asked about the topic's settings."""
        if self.question == "people" and not self.people_field:
            return "smallest"
        if self.question == "best" and not self.candidates:
            return "smallest"
        return self.question

    @cached_property
    def asked_measure(self) -> Measure:
        """Return the measure that the question is about."""
        return self.topic_settings.experiment.measures[self.measure]

    @property
    def scale(self) -> float:
        """Return 100 if the measure is shown in percent, else 1."""
        if self.asked_measure.unit == "%":
            return 100.0
        return 1.0

    @property
    def goal(self) -> float:
        """Return the target in the unit in which the measure is computed."""
        return self.target / self.scale

    @property
    def x_field(self) -> str:
        """Return the field on the x axis, the number of people if that is the question."""
        if self.question == "people" and self.people_field:
            return self.people_field
        return self.slider

    @cached_property
    def y_field(self) -> str:
        """Return the field on the y axis of the map."""
        start = STARTS[self.topic]
        preferred = (start.map_slider, start.slider, *self.sliders)
        return next(name for name in preferred if name in self.sliders and name != self.x_field)

    @property
    def only_improves(self) -> bool:
        """Return whether the measure can only improve along the x axis."""
        return self.x_field in self.asked_measure.rises

    @cached_property
    def axes(self) -> tuple[Axis, Axis]:
        """Return the axes of the map."""
        x_values = map_grid(self.topic_settings, self.x_field)
        y_values = map_grid(self.topic_settings, self.y_field)
        return self.axis(self.x_field, x_values), self.axis(self.y_field, y_values)

    def axis(self, name: str, values: Sequence[float] = ()) -> Axis:
        """Return values of a field as an axis, by default all values of its grid."""
        is_log = log_scale(*self.topic_settings.limits[name])
        return Axis(values or grid(self.topic_settings, name), is_log)

    @cached_property
    def candidates(self) -> tuple[Settings, ...]:
        """Return configurations drawn from the declared ranges, or none if there are no ranges."""
        ranges = {}
        for name, ends in self.topic_settings.tuned.items():
            if name in self.sliders:
                ranges[name] = ends
        if not ranges:
            return ()
        return sample_settings(self.topic_settings, tries=self.tries, ranges=ranges)

    @property
    def program(self) -> str:
        """Return a Python program that prints the page's numbers."""
        return program(self)

    # Ranges

    @property
    def choices(self) -> Mapping[str, Collection[str]]:
        """Return the allowed values of the planner's and of the topic's fields."""
        choices = self._of_topic(self.topic_settings.choices)
        if "dataset" in choices and not uses_made_up_rows(self.topic_settings):
            choices["dataset"] = [option for option in choices["dataset"] if option != OWN]
        return {**choices, **self.CHOICES, "topic": self.TOPICS}

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the ranges of the planner's and of the topic's fields."""
        of_topic = self._of_topic(self.topic_settings.limits)
        return {**of_topic, **self.LIMITS, "target": self._target_limits}

    @property
    def _target_limits(self) -> tuple[float, float]:
        """Return the range of the target, as shown."""
        low, high = self.asked_measure.limits
        if math.isfinite(high):
            return self.scale * low, self.scale * high
        start = STARTS[self.topic]
        usual = 1.0
        if self.measure == start.measure:
            usual = usual_target(self.topic_settings, start.target)
        return usual / TARGET_RANGE, usual * TARGET_RANGE

    def _of_topic(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the items whose name is no field of the planner, which are the topic's."""
        own_names = self._field_names()
        return {name: value for name, value in values.items() if name not in own_names}

    @classmethod
    def _field_names(cls) -> set[str]:
        """Return the names of the planner's fields."""
        return {field.name for field in fields(cls)}

    # Changes

    def change(self, **changes: Any) -> Self:
        """Return these settings with changes to their fields or to the topic's.

        A new topic begins with its first question. A slider or measure that changed settings of the
        topic lack becomes that of the first question.

        place: "x,y" of a click on the map, each from -1 to 1.
        """
        if "place" in changes:
            changes = {**self._after_click_on_map(str(changes.pop("place"))), **changes}
        topic = check.choice(self.TOPICS, topic=changes.get("topic", self.topic))
        if topic != self.topic:
            values = {name: getattr(self, name) for name in self._field_names()}
            start = STARTS[topic]._asdict()
            del start["map_slider"]
            return type(self)(**{**values, **start, **changes})

        topic_changes = self._of_topic(changes)
        if topic_changes:
            for name in topic_changes:
                del changes[name]
            settings = links.from_compact(
                self.TOPICS[topic].kind,
                changes.get("base", self.base),
                name="base",
                separator=BASE_SEPARATOR,
            )
            settings = _changed(settings, topic_changes)
            changes["base"] = links.compact(settings, separator=BASE_SEPARATOR)
            changes = {**self._replacements_for(settings), **changes}
        changes |= self._new_target(changes)
        return replace(self, **changes)

    def _after_click_on_map(self, place: str) -> dict[str, float]:
        """Return the values of the map's cell at "x,y", where -1 and 1 are ends of the axes."""
        try:
            x_share, y_share = (
                check.between(-1, 1, place=float(part)) for part in place.split(",")
            )
        except ValueError:  # of which RefusedError is one
            raise check.RefusedError("place", place, "two numbers from -1 to 1") from None
        x_axis, y_axis = self.axes
        return {self.x_field: x_axis.nearest(x_share), self.y_field: y_axis.nearest(y_share)}

    def _replacements_for(self, settings: Settings) -> dict[str, str]:
        """Return the fields "slider" and "measure" with values that new settings of the topic have.

        Those that they have already are left out.
        """
        start = STARTS[self.topic]
        sliders = self._sliders_of(settings)
        replacements: dict[str, str] = {}
        if self.slider not in sliders:
            preferred = (start.slider, *sliders)
            replacements["slider"] = next(name for name in preferred if name in sliders)
        if self.measure not in settings.experiment.measures:
            replacements["measure"] = start.measure
        return replacements

    def _new_target(self, changes: Mapping[str, Any]) -> dict[str, float]:
        """Return the field "target" with the usual target of a new measure.

        It is left out if the measure stays, or if the target is changed too.
        """
        name = changes.get("measure", self.measure)
        measure = self.topic_settings.experiment.measures.get(name)
        if measure is None or name == self.measure or "target" in changes:
            return {}
        if measure.unit == "%":
            return {"target": measure.limits[1] * USUAL_PERCENT}
        start = STARTS[self.topic]
        if name == start.measure:
            return {"target": usual_target(self.topic_settings, start.target)}
        return {"target": 1.0}


def _changed(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Return the settings of a topic with changes to its own fields."""
    names = [field.name for field in fields(settings)]
    for name, value in changes.items():
        check.choice(names, field=name)
        settings = links.changed(settings, name, value)
    return settings


def settings_about(topics: Mapping[str, Topic]) -> type[WhatIfSettings]:
    """Return the type of settings of questions about these topics."""
    members = {"TOPICS": topics, "__module__": __name__, "__doc__": WhatIfSettings.__doc__}
    return type("WhatIf", (WhatIfSettings,), members)
