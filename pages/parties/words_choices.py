"""The parties page's selectors and sliders in words."""

from typing import Any

from pages.parties.figures import SAYS, STYLES

METHODS = {name: text[0].upper() + text[1:] for name, (text, _) in STYLES.items()}
LEARNERS = {
    "logistic": "logistic regression",
    "bayes": "naive Bayes",
    "tree": "a small tree",
    "neighbours": "nearest neighbours",
    "mixed": "mixed kinds",
}
LABELS = {"votes": "vote shares", "probabilities": "class probabilities"}
CONSTANTS = {"published": "as published", "sharp": "tight for logistic loss", "norms": "with bounded weights"}
METHODS_HELP, CONSTANTS_HELP, DATA_HELP = (SAYS[f"help.{name}"] for name in ("method", "constants", "data"))
KNOBS: dict[str, dict[str, Any]] = {
    name: {"help": SAYS[f"help.{name}"]} for name in ("epsilon", "rows", "public_rows", "repeats", "seed")
}
KNOBS["rows"] |= {"label": "Rows per party", "stops": 12}
KNOBS["public_rows"] |= {"label": "Public rows", "scale": "log", "stops": 12, "symbol": "N"}
KNOBS["delta"] = {"label": "Delta (PATE)"}
OWN_KNOBS = KNOBS | {
    name: KNOBS.get(name, {}) | {"help": SAYS[f"help.own_{name}"]}
    for name in ("parties", "rows", "public_rows", "seed")
}
