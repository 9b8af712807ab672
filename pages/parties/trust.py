"""Who sees what, and who adds the noise: a small drawing that follows the method. Works on light and on dark ground."""

import re
from pathlib import Path

from pages.parties.figures import SAYS
from pages.parties.result import PartiesResult
from ui.plot import theme

_TEMPLATE = " ".join(Path(__file__).with_name("trust.svg").read_text("utf-8").split()).replace("> <", "><")
_ALL, _ASKED, _END = re.split(r"<!--.*?-->", _TEMPLATE)


def trust(result: PartiesResult) -> str:
    """Return the drawing as inline SVG, with the same in words for a screen reader."""
    settings = result.settings
    sends, does, noise, leaves = SAYS[f"trust.{settings.method}"].split(" / ")
    spoken = {"sends": sends, "does": does.replace(" | ", " "), "noise": noise, "leaves": leaves.replace(" | ", " ")}
    asks = settings.method != "average"
    asked = ("asked" if settings.method == "pate" else "") + ("_made_up" if settings.private else "")
    case = asked.strip("_") or "public"
    return (_ALL + (_ASKED if asks else "") + _END).format(
        spoken=SAYS("trust.spoken", parties=settings.parties, **spoken),
        private=theme.PRIVATE,
        public=theme.PUBLIC,
        party=SAYS("trust.parties", parties=settings.parties, rows=settings.rows).split(" / "),
        sends=SAYS("trust.sends", sends=sends),
        aggregator=SAYS["trust.aggregator"],
        does=does.split(" | "),
        noise=noise,
        released=SAYS["trust.released"],
        everybody=SAYS["trust.everybody"],
        leaves=leaves.split(" | "),
        asked=SAYS(f"trust.{case}", queries=settings.model.queries, rows=settings.public_rows) if asks else "",
    )
