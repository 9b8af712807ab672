"""Who sees what, and who adds the noise: a line of boxes that follows the trust model and the
method.
"""

from pages.parties.charts import SAYS
from pages.parties.result import PartiesResult
from ui.charts import theme

_BOX = (
    "display:inline-block;border:1.5px solid {0};background:{0}1f;border-radius:8px;padding:.15rem"
    " .6rem"
)
_NOISE = "border:1.5px solid;border-radius:1rem;padding:0 .5rem"


def trust(result: PartiesResult) -> str:
    """Return the drawing (HTML), with the same in words for a screen reader.

    Boxes up to the one that adds the noise see private values, and the later ones only what is
    protected.
    """
    settings = result.settings
    model, method = settings.trust_model, settings.method
    sends, leaves = (
        SAYS["trust.weights" if method == "average" else "trust.answers"],
        SAYS["trust.model"],
    )
    if settings.model.central:
        sends = sends if method == "average" else SAYS["trust.classifier"]
        leaves = SAYS["trust.labels"] if method == "pate" else leaves
    holes = {"parties": settings.parties, "sends": sends, "leaves": leaves}
    colour, drawn = theme.PRIVATE, []
    for place, text in enumerate(SAYS(f"trust.{model}", **holes).split(" / ")):
        if place % 2:
            drawn.append(f"<span>{text} →</span>")
            continue
        name, noise, _ = text.partition(" + ")
        pill = f' <b style="{_NOISE}">+ {SAYS["trust.noise"]}</b>' if noise else ""
        drawn.append(f'<span style="{_BOX.format(colour)}"><b>{name}</b>{pill}</span>')
        colour = theme.PUBLIC if noise else colour
    line = "display:flex;flex-wrap:wrap;align-items:center;gap:.4rem;margin:0 0 .35rem"
    return (
        f'<div role="img" style="{line}"'
        f' aria-label="{SAYS(f"trust.{model}_spoken", **holes)}">{"".join(drawn)}</div>'
    )
