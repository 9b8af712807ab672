"""The algorithm of hypothesis transfer in words: its steps, who adds which noise, and the paper's
experiments.
"""

from urllib.parse import urlencode

from lab.experiment.links import versioned
from pages.hypotheses.charts import SAYS
from pages.hypotheses.published import PARTS
from pages.hypotheses.result import HypothesesResult
from ui.charts import theme
from ui.text import tiles
from ui.text.numbers import delta as delta_text
from ui.text.tiles import number


def stages(result: HypothesesResult) -> str:
    """Return the six steps as a strip: what each reads, what leaves it, what it costs. HTML."""
    settings, (margin, weight) = result.settings, result.noise_at(result.dimension)
    law, delta = "gaussian" if settings.noise == "gaussian" else "pure", delta_text(settings.delta)
    noise = {"margin": margin, "weight": weight}
    if settings.noise == "objective":
        noise = {"objective": result.measured_noise, "same": 0.0}
    hypothesis, tilt = (SAYS(f"stages.{name}", noise=number(sd)) for name, sd in noise.items())
    holes = vars(settings) | {
        "public_rows": result.world.public.shape[0],
        "features": result.dimension,
        "labels": result.labels,
        "hypothesis": hypothesis,
        "tilt": tilt,
        "cost": SAYS(f"stages.{law}", epsilon=number(settings.epsilon), delta=delta),
    }
    boxes = ""
    for step in range(1, 7):
        where, colour = ("source", theme.PRIVATE) if step < 3 else ("target", theme.NON_PRIVATE)
        name, *lines = SAYS(f"stages.{step}", **holes).split(" / ")
        text = "<br>".join([f"<b>{name}</b>", f"<i>{SAYS[f'stages.{where}']}</i>", *lines])
        boxes += f'<div style="{_BOX};border-top-color:{colour}">{text}</div>'
    return f'<div style="{_STRIP}">{boxes}</div>'


_STRIP = "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(48%,19rem),1fr));gap:.75rem"
_BOX = (
    "font-size:.8125rem;line-height:1.4;padding:.5rem .75rem;border:1px solid rgba(128,128,128,.3);"
    "border-top-width:3px;border-radius:.4rem"
)


def trust(result: HypothesesResult) -> str:
    """Return who sees what, and who adds which noise: a small diagram in HTML."""
    box = (
        "display:inline-block;border:1px solid {};border-radius:.4rem;padding:.2rem"
        " .6rem;margin:.15rem"
    )
    settings = result.settings
    holes = {"sources": settings.sources, "added": SAYS[f"trust.{settings.noise}"]}
    sources, released, anybody, target = SAYS("trust.diagram", **holes).split(" / ")
    blue, grey = (
        f'<span style="{box.format(colour)}">' for colour in (theme.PRIVATE, theme.NON_PRIVATE)
    )
    return (
        f'<p class="lab-note">{blue}{sources}</span> &rarr; {released} &rarr;'
        f" {grey}{anybody}</span> &rarr; "
        f"{grey}{target}</span>. {SAYS('trust.why', sources=settings.sources)}</p>"
    )


def published(_: HypothesesResult) -> str:
    """Return the paper's experiments: what is stated, what only a picture showed, where it stands
    here, and a link.
    """
    rows = []
    for name, settings in PARTS.items():
        link = (
            f'<a href="?{urlencode(versioned(settings))}"'
            f' target="_self">{SAYS["published.open"]}</a>'
        )
        stated, lost, here = (
            SAYS[f"paper.{name}.{column}"] for column in ("stated", "lost", "here")
        )
        rows.append(
            {
                "name": SAYS[f"paper.{name}"],
                "stated": stated,
                "lost": lost,
                "here": f"{here} {link}",
            }
        )
    table = tiles.table(
        rows,
        title=SAYS["published.title"],
        caption=SAYS["published.caption"],
        heads=SAYS.heads("published", rows[0], badge=tiles.badge("published")),
    )
    return f'<div class="lab-sentences">{table}</div>'
