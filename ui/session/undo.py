"""Remember earlier settings of a page, so that changes can be undone."""

from dataclasses import dataclass, field, replace
from typing import Any

MOST_UNDONE = 50


@dataclass(eq=False)
class UndoHistory:
    """The settings at which a page was at rest, the newest last.

    Attributes:
        past: The earlier settings.
        returned: Whether the present settings are such again.
    """

    past: list[Any] = field(default_factory=list)
    returned: bool = False

    def push(self, last: Any, settings: Any) -> None:
        """Add the settings of the last rest, if the page is now at rest with other ones."""
        is_newest = bool(self.past) and last == self.past[-1]
        if last != settings and not is_newest and not self.returned:
            # A copy, because settings may hold their tasks.
            self.past.append(replace(last))
            del self.past[:-MOST_UNDONE]
        self.returned = False

    def pop(self) -> Any:
        """Return to the newest earlier settings."""
        self.returned = True
        return self.past.pop()
