"""Make the pictures of the README from a running lab: a drag as an animated GIF, and pages as PNG.

    make pictures

Every frame waits until its picture is complete, so that the pictures do not depend on the speed of
the machine.
"""

import io
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from benchmarks.latency import FLAGS, browser_path, served
from ui.server.head_tags import PICTURE, SIZE

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
PATIENCE = 60.0  # seconds
# File and address of each screenshot, and the size of the window in pixels.
PAGES = {"classifier.png": "classifier?epsilon=0.5", "attack.png": "attack"}
WINDOW = {"width": 1440, "height": 900}
# The drag: address, window, places of the pointer on the slider from 0 to 1, and the GIF's width
# and time per frame.
DRAGGED, DRAG_WINDOW = "?epsilon=10", {"width": 1280, "height": 690}
PLACES, WIDTH, FRAME_MS = [0.84 - 0.04 * step for step in range(13)], 800, 200
COLOURS = 200
# What is drawn in all charts, and whether the server and the browser are done with the page.
DRAWN = """() => [...document.querySelectorAll(".js-plotly-plot canvas")].map((one) => one.toDataURL()).join()
  + [...document.querySelectorAll(".js-plotly-plot path, .js-plotly-plot image")]
    .map((one) => one.getAttribute("d") ?? one.getAttribute("href")).join()"""
RESTS = """() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
  && !document.querySelector("[data-stale=true]")"""
# The pointer is no part of a screenshot, so that a copy of it follows the mouse.
POINTER = """() => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="22" height="22" viewBox="0 0 16 16">
    <path d="M3 1v12l3.2-2.8 2 4.6 2-.9-2-4.5H13z" fill="#000" stroke="#fff"/></svg>`
  const pointer = document.body.appendChild(document.createElement("div"))
  pointer.innerHTML = svg
  pointer.style.cssText = "position: fixed; z-index: 9999999; pointer-events: none; line-height: 0"
  addEventListener("mousemove", (event) => {
    pointer.style.left = `${event.clientX - 4}px`
    pointer.style.top = `${event.clientY - 1}px`
  }, true)
}"""


def wait(page: Page, *, other_than: str = "") -> str:
    """Return what the charts show once it differs from ``other_than`` and has not changed for a
    second.
    """
    end, before, since = time.monotonic() + PATIENCE, "", time.monotonic()
    while time.monotonic() < end:
        now = page.evaluate(DRAWN)
        if now != before or now == other_than or not page.evaluate(RESTS):
            before, since = now, time.monotonic()
        elif now and time.monotonic() - since > 1:
            return now
        page.wait_for_timeout(50)
    raise TimeoutError(f"{page.url} was not at rest after {PATIENCE:.0f} seconds")


def opened(page: Page, address: str) -> None:
    """Open a page of the lab and wait until all is drawn."""
    page.goto(address)
    page.get_by_role("slider").first.wait_for(timeout=1000 * PATIENCE)
    wait(page)


def screenshot(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")


def drag(page: Page) -> list[Image.Image]:
    """Drag the first slider and return a screenshot for each place."""
    page.evaluate(POINTER)
    box = page.get_by_role("slider").first.bounding_box()
    height, shown, frames = box["y"] + box["height"] / 2, page.evaluate(DRAWN), []
    for place in PLACES:
        page.mouse.move(box["x"] + place * box["width"], height)
        if not frames:
            page.mouse.down()
        shown = wait(page, other_than=shown)
        frames.append(screenshot(page))
    page.mouse.up()
    return frames


def save_gif(frames: list[Image.Image], path: Path) -> None:
    """Save the frames to and fro, in one palette, so that only what moves differs between them."""
    height = round(WIDTH * frames[0].height / frames[0].width)
    frames = [frame.resize((WIDTH, height), Image.Resampling.LANCZOS) for frame in frames]
    ends = Image.new("RGB", (WIDTH, 2 * height))
    ends.paste(frames[0], (0, 0))
    ends.paste(frames[-1], (0, height))
    palette = ends.quantize(COLOURS, dither=Image.Dither.NONE)
    frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    frames += frames[-2:0:-1]
    frames[0].save(
        path, save_all=True, append_images=frames[1:], duration=FRAME_MS, loop=0, optimize=True
    )


def save_preview(screenshot: Path) -> None:
    """Save the upper part of a screenshot as the picture that previews of links show."""
    with Image.open(screenshot) as whole:
        width, height = SIZE
        shown = whole.convert("RGB").crop((0, 0, whole.width, round(whole.width * height / width)))
    shown.resize(SIZE, Image.Resampling.LANCZOS).quantize(256, dither=Image.Dither.NONE).save(
        PICTURE, optimize=True
    )


def main() -> None:
    """Make all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with served("app.py") as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        page = browser.new_page(viewport=WINDOW, color_scheme="light", reduced_motion="reduce")
        for name, query in PAGES.items():
            opened(page, f"{address}/{query}")
            screenshot(page).quantize(256, dither=Image.Dither.NONE).save(
                FOLDER / name, optimize=True
            )
        save_preview(FOLDER / "classifier.png")
        page.set_viewport_size(DRAG_WINDOW)
        opened(page, f"{address}/{DRAGGED}")
        save_gif(drag(page), FOLDER / "drag.gif")
        browser.close()
    for file in sorted(FOLDER.iterdir()):
        print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
