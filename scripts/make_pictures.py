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
# Seconds that a picture may take, and that it must stay the same.
PICTURE_SECONDS = 60.0
REST_SECONDS = 1.0
# File -> address of each screenshot.
PAGES = {"classifier.png": "classifier?epsilon=0.5", "attack.png": "attack"}
WINDOW = {"width": 1440, "height": 900}
SCREENSHOT_COLOURS = 256
# The drag: address, window, and positions of the pointer on the slider from 0 to 1.
DRAG_QUERY = "?epsilon=10"
DRAG_WINDOW = {"width": 1280, "height": 690}
POSITIONS = [0.84 - 0.04 * step for step in range(13)]
# The GIF: its width in pixels, milliseconds of a frame, and colours.
GIF_WIDTH = 800
FRAME_MILLISECONDS = 200
GIF_COLOURS = 200
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


def wait_until_drawn(page: Page, *, other_than: str = "") -> str:
    """Wait until the charts are at rest, and return what they show.

    Args:
        page: With charts.
        other_than: What they showed before, which they must not show any more.
    """
    end = time.monotonic() + PICTURE_SECONDS
    last_drawn = ""
    last_change = time.monotonic()
    while time.monotonic() < end:
        drawn = page.evaluate(DRAWN)
        if drawn != last_drawn or drawn == other_than or not page.evaluate(RESTS):
            last_drawn = drawn
            last_change = time.monotonic()
        elif drawn and time.monotonic() - last_change > REST_SECONDS:
            return drawn
        page.wait_for_timeout(50)
    raise TimeoutError(f"{page.url} was not at rest after {PICTURE_SECONDS:.0f} seconds")


def open_page(page: Page, address: str) -> None:
    """Open a page of the lab, and wait until all is drawn."""
    page.goto(address)
    page.get_by_role("slider").first.wait_for(timeout=1000 * PICTURE_SECONDS)
    wait_until_drawn(page)


def take_screenshot(page: Page) -> Image.Image:
    content = page.screenshot(animations="disabled")
    return Image.open(io.BytesIO(content)).convert("RGB")


def drag(page: Page) -> list[Image.Image]:
    """Drag the first slider, and return a screenshot for each position."""
    page.evaluate(POINTER)
    box = page.get_by_role("slider").first.bounding_box()
    height = box["y"] + box["height"] / 2
    drawn = page.evaluate(DRAWN)
    frames: list[Image.Image] = []
    for position in POSITIONS:
        page.mouse.move(box["x"] + position * box["width"], height)
        if not frames:
            page.mouse.down()
        drawn = wait_until_drawn(page, other_than=drawn)
        frames.append(take_screenshot(page))
    page.mouse.up()
    return frames


def save_gif(frames: list[Image.Image], path: Path) -> None:
    """Save the frames to and fro, in one palette, so that only what moves differs between them."""
    height = round(GIF_WIDTH * frames[0].height / frames[0].width)
    resized = [frame.resize((GIF_WIDTH, height), Image.Resampling.LANCZOS) for frame in frames]
    # The palette has the colours of the first and the last frame.
    both_ends = Image.new("RGB", (GIF_WIDTH, 2 * height))
    both_ends.paste(resized[0], (0, 0))
    both_ends.paste(resized[-1], (0, height))
    palette = both_ends.quantize(GIF_COLOURS, dither=Image.Dither.NONE)
    forth = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in resized]
    # Without both ends, which are there once.
    back = forth[-2:0:-1]
    first, *others = [*forth, *back]
    first.save(
        path,
        save_all=True,
        append_images=others,
        duration=FRAME_MILLISECONDS,
        loop=0,
        optimize=True,
    )


def save_png(image: Image.Image, path: Path) -> None:
    image.quantize(SCREENSHOT_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def save_preview(screenshot: Path) -> None:
    """Save the upper part of a screenshot as the picture that previews of links show."""
    width, height = SIZE
    with Image.open(screenshot) as image:
        upper_height = round(image.width * height / width)
        upper_part = image.convert("RGB").crop((0, 0, image.width, upper_height))
    save_png(upper_part.resize(SIZE, Image.Resampling.LANCZOS), PICTURE)


def main() -> None:
    """Make all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with served("app.py") as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        page = browser.new_page(viewport=WINDOW, color_scheme="light", reduced_motion="reduce")
        for name, query in PAGES.items():
            open_page(page, f"{address}/{query}")
            save_png(take_screenshot(page), FOLDER / name)
        save_preview(FOLDER / "classifier.png")
        page.set_viewport_size(DRAG_WINDOW)
        open_page(page, f"{address}/{DRAG_QUERY}")
        save_gif(drag(page), FOLDER / "drag.gif")
        browser.close()
    for file in sorted(FOLDER.iterdir()):
        print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
