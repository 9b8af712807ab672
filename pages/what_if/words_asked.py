"""What a question asks, in words."""

from pages.what_if import words_parts as phrases
from pages.what_if.experiment import WhatIfSettings
from pages.what_if.words_parts import at, low, noun, target


def questions(settings: WhatIfSettings) -> dict[str, str]:
    """Question -> how it is asked, of those that have an answer here."""
    here = today(settings, settings.knob)
    one = noun(settings)
    how = f"How accurate is it {here}?" if of_accuracy(settings) else f"How large is the {one} {here}?"
    asked = {"accuracy": how, "smallest": f"Which {low(settings.knob)} {reaches(settings)}?"}
    if settings.crowd:
        people = phrases.PEOPLE.get(settings.crowd, low(settings.crowd))
        where = "" if settings.knob == settings.crowd else f" {here}"
        asked["people"] = f"How many {people} {_reach(settings)}{where}?"
    if settings.tried:
        asked["best"] = "Which setting is best" + (f" {here}?" if settings.knob not in settings.settings.tuned else "?")
    return asked | {"versus": versus(settings)}


def versus(settings: WhatIfSettings) -> str:
    """A against B, by what is different in B."""
    changes = settings.different
    if len(changes) != 1:
        return "Is A better than B?"
    ((name, value),) = changes.items()
    mine = getattr(settings, name)
    if isinstance(mine, str):
        return f"Is {mine.replace('_', ' ')} better than {value.replace('_', ' ')}?"
    return f"Is {low(name)} {at(settings, name, mine)} better than {at(settings, name, value)}?"


def of_accuracy(settings: WhatIfSettings) -> bool:
    """Whether the measure is how often a model is right."""
    return settings.asked.share


def today(settings: WhatIfSettings, name: str) -> str:
    return phrases.where(settings, name, getattr(settings, name))


def reaches(settings: WhatIfSettings) -> str:
    """What one value does to the target."""
    goal = target(settings)
    if settings.asked.better == "higher":
        return f"reaches {goal}" if of_accuracy(settings) else f"brings the {noun(settings)} to {goal}"
    return (
        f"keeps {the_measure(settings)} at {goal}"
        if settings.exact
        else f"brings {the_measure(settings)} down to {goal}"
    )


def the_measure(settings: WhatIfSettings) -> str:
    """The measure within a sentence: epsilon has no article."""
    return "epsilon" if noun(settings) == "epsilon" else f"the {noun(settings)}"


def _reach(settings: WhatIfSettings) -> str:
    """What several do."""
    first, _, rest = reaches(settings).partition(" ")
    return f"{first.removesuffix('es') if first == 'reaches' else first.removesuffix('s')} {rest}"


def target_knob(settings: WhatIfSettings) -> dict[str, object]:
    """How the target's knob looks."""
    if settings.asked.unit == "%":
        return {"label": "Target", "unit": "%"}
    name = noun(settings)
    return {"label": f"Target {name}", "scale": "log", "stops": 40}


def capital(text: str) -> str:
    return text[0].upper() + text[1:]
