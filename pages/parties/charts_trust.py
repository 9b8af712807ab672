"""Drawing of who sees what and who adds the noise: a line of boxes."""

from pages.parties.charts import SAYS
from pages.parties.mechanisms import FEDERATED
from pages.parties.result import PartiesResult
from ui.charts import theme

_LINE = "display:flex;flex-wrap:wrap;align-items:center;gap:.4rem;margin:0 0 .35rem"
_BOX = (
    "display:inline-block;border:1.5px solid {0};background:{0}1f;border-radius:8px;padding:.15rem"
    " .6rem"
)
_NOISE = "border:1.5px solid;border-radius:1rem;padding:0 .5rem"


def trust(result: PartiesResult) -> str:
    """Return the drawing (HTML), with the same in words for a screen reader.

    Boxes up to the one that adds the noise see private values. Later ones see only what is
    protected, and have another colour.
    """
    trust_model = result.settings.trust_model
    messages = _messages(result)
    # A text has boxes at even places, and what goes from one to the next between them.
    parts = SAYS(f"trust.{trust_model}", **messages).split(" / ")
    colour = theme.PRIVATE
    drawn = []
    for place, text in enumerate(parts):
        if place % 2 == 1:
            drawn.append(f"<span>{text} →</span>")
            continue
        name, adds_noise, _ = text.partition(" + ")
        drawn.append(_box(name, colour, adds_noise=bool(adds_noise)))
        if adds_noise:
            colour = theme.PUBLIC
    label = SAYS(f"trust.{trust_model}_spoken", **messages)
    return f'<div role="img" style="{_LINE}" aria-label="{label}">{"".join(drawn)}</div>'


def _box(name: str, colour: str, *, adds_noise: bool) -> str:
    """Return a box (HTML), with a mark if it adds the noise."""
    mark = ""
    if adds_noise:
        mark = f' <b style="{_NOISE}">+ {SAYS["trust.noise"]}</b>'
    return f'<span style="{_BOX.format(colour)}"><b>{name}</b>{mark}</span>'


def _messages(result: PartiesResult) -> dict[str, object]:
    """Return how many parties there are, what they send, and what leaves the aggregator."""
    method = result.settings.method
    is_central = result.mechanisms.is_central
    sends = "answers"
    if method == "average":
        sends = "weights"
    elif method == FEDERATED:
        sends = "updates"
    elif is_central:
        sends = "classifier"
    leaves = "model"
    if is_central and method == "pate":
        leaves = "labels"
    return {
        "parties": result.settings.parties,
        "sends": SAYS[f"trust.{sends}"],
        "leaves": SAYS[f"trust.{leaves}"],
    }
