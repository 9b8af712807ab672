"""Declare which fields of a page's settings have a slider, and where it stands."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from ui import widgets
from ui.text.sliders import SLIDERS


class SliderLayout(NamedTuple):
    """The sliders of a page, given by fields of its settings.

    Attributes:
        hero: The large one on top.
        main: Those under it.
        more: Those that are folded away.
        play: One that can play by itself.
        changes: Field -> how its slider differs from ``ui.text.sliders.SLIDERS``.
    """

    hero: str
    main: Sequence[str] = ()
    more: Sequence[str] = ()
    play: str | None = None
    changes: Mapping[str, Mapping[str, Any]] = MappingProxyType({})

    @property
    def only_play(self) -> list[str]:
        """Return the slider that plays, unless it is the hero."""
        if self.play is None or self.play == self.hero:
            return []
        return [self.play]

    @property
    def all(self) -> list[str]:
        """Return all fields in their order."""
        return [self.hero, *self.only_play, *self.main, *self.more]

    def sliders(self, limits: Mapping[str, tuple[float, float]]) -> list[widgets.Slider]:
        """Return the sliders over these ranges."""
        groups = {
            "hero": [self.hero],
            "play": self.only_play,
            "main": self.main,
            "more": self.more,
        }
        sliders = []
        for group, names in groups.items():
            for name in names:
                slider = self.slider(name, limits, group=group, play=name == self.play)
                sliders.append(slider)
        return sliders

    def slider(
        self, name: str, limits: Mapping[str, tuple[float, float]], **look: Any
    ) -> widgets.Slider:
        """Return the slider of a field over its range.

        Args:
            name: The field.
            limits: Field -> its range.
            look: Fields of the slider that depend on where it stands.
        """
        low, high = limits[name]
        fields = {**SLIDERS[name], **look, **self.changes.get(name, {})}
        return widgets.Slider(name=name, low=low, high=high, **fields)
