"""What a person sees of a page, and waits for: shared by the browser tests."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import axe_playwright_python
from playwright.sync_api import Download, Page, TimeoutError, expect

from lab.experiment.settings import Settings
from tests.browser.person import PATIENCE, button, until

# JavaScript: what a chart shows, drawn by Plotly or painted over it while something moves.
SHOWN = """(chart) => (chart?.querySelector("canvas")?.toDataURL() ?? "") +
  [...chart?.querySelectorAll(".shapelayer path, path.js-line, image") ?? []]
    .map((one) => one.getAttribute("d") ?? one.getAttribute("href")).sort().join()"""
# JavaScript: no run is at work, and what is to be seen is Streamlit's own.
RESTED = """() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
  && !document.querySelector("[aria-busy]")"""
# JavaScript: all is computed, nothing is pale because it is of an earlier run, and nothing moves
# but what always does.
STILL = f"""() => ({RESTED})() && !document.querySelector("[data-stale=true]")
  && ![...document.querySelectorAll("[data-ready]")].some((host) => host.shadowRoot?.querySelector(".bar.working"))
  && document.getAnimations().every((one) =>
    one.playState !== "running" || one.effect.getComputedTiming().iterations === Infinity)"""
# JavaScript: the colours of the ground, as the page and as each of our widgets has them.
GROUNDS = """() => [getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor,
  ...[...document.querySelectorAll("[data-ready]")].map((one) =>
    getComputedStyle(one).getPropertyValue("--st-background-color"))].filter(Boolean)"""
# What is wider than the room it has, without a scroll bar of its own: of each the three elements
# that reach furthest.
WIDE = """() => [...document.querySelectorAll(
    "[data-testid=stMain], [data-testid=stMainBlockContainer], .lab-tile, .lab-tile > *, .lab-verdict, .st-key-setup")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).display !== "inline")
  .map((box) => [box, ...box.querySelectorAll("*")]
    .map((one) => [one.getBoundingClientRect().right, one.outerHTML.slice(0, 160)])
    .sort(([one], [other]) => other - one).slice(0, 3).join(" "))"""
# All words that can be seen, but formulas and icons: [height of the letters, text, left, top,
# right, bottom].
WORDS = """() => {
  const seen = []
  const look = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) look(node.shadowRoot)
      const own = [...node.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim())
      if (!own && !(node.tagName === "INPUT" && node.type === "text")) continue
      if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
      if (node.closest("math, .katex, sup, sub, [data-testid=stIconMaterial], script, style, noscript")) continue
      const { left, top, right, bottom, width, height } = node.getBoundingClientRect()
      if (!width || !height) continue
      const size = parseFloat(getComputedStyle(node).fontSize) * (node.currentCSSZoom ?? 1)
      seen.push([size, node.textContent || node.value, left, top, right, bottom])
    }
  }
  look(document.body)
  return seen
}"""
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text("utf-8")
# The strokes inside of a picture take axe long, and are one picture to a screen reader; a drawing
# with anything in it that can have the focus is not left out. What passed is not written up.
RUN = """async () => {
  const focusable = "a[href], button, input, [tabindex]"
  const exclude = [...document.querySelectorAll("[role=img] .main-svg")].filter(one => !one.querySelector(focusable))
  const found = await axe.run({ include: [document], exclude }, { resultTypes: ["violations"] })
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`))
}"""
TABLE = ".lab-table"
VERDICT = ".lab-verdict"


def drawn(page: Page, charts: int = 2) -> None:
    """Wait until the panel and this many charts are there."""
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.get_by_role("slider").first).to_be_visible()
    page.wait_for_function(
        "charts => document.querySelectorAll('.svg-container').length >= charts", arg=charts
    )


def still(page: Page) -> None:
    """Wait until twenty frames have found the page at rest, with all of its work done, which may
    take long.
    """
    done = f"""async () => {{
      const still = {STILL}
      for (let times = 0; times < 20; times++) {{
        if (!still()) return false
        await new Promise(requestAnimationFrame)
      }}
      return true
    }}"""
    page.wait_for_function(done, timeout=3 * PATIENCE)


def rests(page: Page) -> None:
    """Wait until no run is at work and what is to be seen is Streamlit's own."""
    page.wait_for_function(RESTED)


def becomes(page: Page, script: str, wanted: object) -> None:
    """Wait until a script returns this; else fail with what it returns instead."""
    with suppress(AssertionError):
        until(lambda: page.evaluate(script) == wanted, page)
    assert page.evaluate(script) == wanted


def darken(page: Page) -> None:
    """Turn a light page dark, and wait until all of it is; one that is dark stays so."""
    if page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"):
        return
    light = page.evaluate(GROUNDS)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => !({GROUNDS})().some((one) => light.includes(one))", arg=light)


def broken(page: Page, ignored: Collection[str] = ()) -> list[str]:
    """Return the rules of axe that a page breaks at rest, and where."""
    page.evaluate(AXE)
    for _ in range(
        2
    ):  # a run of the page that begins while axe looks makes it pale: then once more
        still(page)
        found = [one for one in page.evaluate(RUN) if one.partition(":")[0] not in ignored]
        if not found:
            break
    return found


def obeys(page: Page, *ignored: str) -> None:
    """Hold axe's rules as it is, then narrow and dark, where nothing is wider than the screen."""
    assert broken(page, ignored) == []
    darken(page)
    page.set_viewport_size({"width": 390, "height": 900})
    becomes(page, WIDE, [])
    assert broken(page, ignored) == []


def toy_says(page: Page, epsilon: float | str, shown: int | str = 0, done: int | str = 1) -> None:
    """Wait until the sentence of the toy is of this."""
    epsilon = f"{epsilon:g}" if isinstance(epsilon, float) else epsilon
    expect(page.locator(VERDICT)).to_have_text(f"Epsilon {epsilon}, shown {shown}, {done} done")


def settings_of(address: str, usual: Settings) -> dict[str, str]:
    """Return the settings that an address says, with those that it leaves out because they are as
    usual.
    """
    return {name: str(value) for name, value in asdict(usual).items()} | dict(
        parse_qsl(urlsplit(address).query)
    )


def addressed(page: Page, usual: Settings, **settings: object) -> None:
    """Wait until the address says these settings."""
    wanted = {name: str(value) for name, value in settings.items()}.items()
    page.wait_for_url(lambda address: wanted <= settings_of(address, usual).items())


def says(page: Page, words, where: str = VERDICT) -> None:
    """Wait until a part of the page, else its sentence, contains these words."""
    expect(page.locator(where).first).to_contain_text(words)


def downloaded(page: Page, name: str) -> Download:
    """Press a download.

    A run of the page that replaces the button takes the press away: then once more.
    """
    expect(button(page, name)).to_be_visible()
    still(page)
    with suppress(TimeoutError), page.expect_download(timeout=PATIENCE / 4) as saved:
        button(page, name).click()
        return saved.value
    with page.expect_download() as saved:
        button(page, name).click()
    return saved.value
