"""Texts of the algorithm: its steps, who adds which noise, and the published experiments."""

from urllib.parse import urlencode

from lab.experiment.links import versioned
from pages.hypotheses.charts import SAYS
from pages.hypotheses.published import PARTS
from pages.hypotheses.result import HypothesesResult
from ui.charts import theme
from ui.text import tiles
from ui.text.numbers import delta as delta_text
from ui.text.tiles import number

# The sources take the first steps of the algorithm, and the target the others.
_STEPS = 6
_SOURCE_STEPS = 2
_STRIP_STYLE = (
    "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(48%,19rem),1fr));gap:.75rem"
)
_STEP_STYLE = (
    "font-size:.8125rem;line-height:1.4;padding:.5rem .75rem;border:1px solid rgba(128,128,128,.3);"
    "border-top-width:3px;border-radius:.4rem"
)
_PARTY_STYLE = (
    "display:inline-block;border:1px solid {colour};border-radius:.4rem;padding:.2rem .6rem;"
    "margin:.15rem"
)


def stages(result: HypothesesResult) -> str:
    """Return the six steps as HTML: what each reads, releases and costs."""
    settings = result.settings
    law = "pure"
    if settings.noise == "gaussian":
        law = "gaussian"
    cost = SAYS(f"stages.{law}", epsilon=number(settings.epsilon), delta=delta_text(settings.delta))
    hypothesis, tilt = _released_vectors(result)
    values = {
        **vars(settings),
        "public_rows": result.data.public.shape[0],
        "features": result.dimension,
        "labels": result.labels,
        "hypothesis": hypothesis,
        "tilt": tilt,
        "cost": cost,
    }
    boxes = []
    for step in range(1, _STEPS + 1):
        party = "target"
        colour = theme.NON_PRIVATE
        if step <= _SOURCE_STEPS:
            party = "source"
            colour = theme.PRIVATE
        name, *lines = SAYS(f"stages.{step}", **values).split(" / ")
        party_name = SAYS[f"stages.{party}"]
        text = "<br>".join([f"<b>{name}</b>", f"<i>{party_name}</i>", *lines])
        boxes.append(f'<div style="{_STEP_STYLE};border-top-color:{colour}">{text}</div>')
    return f'<div style="{_STRIP_STYLE}">{"".join(boxes)}</div>'


def _released_vectors(result: HypothesesResult) -> tuple[str, str]:
    """Name the releases of a source in the steps 1 and 2, with the size of their noise."""
    if result.settings.noise == "objective":
        noise = number(result.measured_noise)
        return SAYS("stages.objective", noise=noise), SAYS["stages.same"]
    margin, weight = result.noise_at(result.dimension)
    return (
        SAYS("stages.margin", noise=number(margin)),
        SAYS("stages.weight", noise=number(weight)),
    )


def trust(result: HypothesesResult) -> str:
    """Draw the parties, their noise and their access as a small diagram in HTML."""
    settings = result.settings
    diagram = SAYS("trust.diagram", sources=settings.sources, added=SAYS[f"trust.{settings.noise}"])
    sources, released, everybody, target = diagram.split(" / ")
    parts = [
        _party(sources, theme.PRIVATE),
        released,
        _party(everybody, theme.NON_PRIVATE),
        _party(target, theme.NON_PRIVATE),
    ]
    reason = SAYS("trust.why", sources=settings.sources)
    return f'<p class="lab-note">{" &rarr; ".join(parts)}. {reason}</p>'


def _party(text: str, colour: str) -> str:
    """Return a party of the diagram in a box."""
    return f'<span style="{_PARTY_STYLE.format(colour=colour)}">{text}</span>'


def published(result: HypothesesResult) -> str:
    """Return the published experiments: what is stated, what is only drawn, and where it is here.

    They are the same for all results.
    """
    rows = []
    for name, settings in PARTS.items():
        address = urlencode(versioned(settings))
        link = f'<a href="?{address}" target="_self">{SAYS["published.open"]}</a>'
        row = {
            "name": SAYS[f"paper.{name}"],
            "stated": SAYS[f"paper.{name}.stated"],
            "lost": SAYS[f"paper.{name}.lost"],
            "here": f"{SAYS[f'paper.{name}.here']} {link}",
        }
        rows.append(row)
    table = tiles.table(
        rows,
        title=SAYS["published.title"],
        caption=SAYS["published.caption"],
        heads=SAYS.heads("published", rows[0], badge=tiles.badge("published")),
    )
    return f'<div class="lab-sentences">{table}</div>'
