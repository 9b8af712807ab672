"""The questions in words."""

from pages.what_if.experiment import WhatIfResult, WhatIfSettings
from ui.panels import Number


def questions(settings: WhatIfSettings) -> dict[str, str]:
    """Question -> how it is asked."""
    return {name: name for name in ("accuracy", "smallest", "people", "best", "versus")}


def target_knob(settings: WhatIfSettings) -> dict[str, object]:
    return (
        {"label": "Target", "unit": "%"} if settings.asked.share else {"label": "Target", "scale": "log", "stops": 20}
    )


def introduction(settings: WhatIfSettings) -> str:
    return ""


def numbers(result: WhatIfResult) -> list[Number]:
    return [Number("now", f"{result.now.mean():.3g}")]


def verdict(result: WhatIfResult) -> str:
    found = result.crossed(result.settings.reached)
    return f"{found}"


def caption(result: WhatIfResult) -> str:
    return ""


def why(result: WhatIfResult) -> list[str]:
    return []
