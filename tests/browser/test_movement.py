"""What one movement of a slider causes in the browser, counted, whatever the speed of the
machine.
"""

import pytest
from playwright.sync_api import Page

from pages.topics import PAGES
from tests.browser.sight import drawn, rests

# Counts messages on the channel, frames that are shown, and what Streamlit's tabs see and do. While
# `counted.alone` nothing is sent to Streamlit, so that only the movements are counted.
COUNT = """
const counted = (window.counted = { alone: false, asked: 0, shown: 0, nodes: 0, walks: 0 })
const send = WebSocket.prototype.send
WebSocket.prototype.send = function (message) {
  if (typeof message !== "string") { if (!counted.alone) send.call(this, message) }
  else if (!message.includes('"ahead":')) { counted.asked += 1; send.call(this, message) }
}
const visible = Element.prototype.checkVisibility
Element.prototype.checkVisibility = function (...how) {
  counted.walks += 1
  return visible.apply(this, how)
}
addEventListener("epsilon-lab:show", () => (counted.shown += 1))
"""

# Moves the slider by these stops, one after the other, each once the one before is painted.
MOVE = """async (range, stops) => {
  const panels = [...document.querySelectorAll("[role=tabpanel]")]
  const watch = new MutationObserver((records) => (counted.nodes += records.length))
  const what = { subtree: true, childList: true, attributes: true, attributeFilter: ["tabindex", "disabled"] }
  for (const panel of panels) watch.observe(panel, what)
  Object.assign(counted, { alone: true, asked: 0, shown: 0, nodes: 0, walks: 0 })
  for (let stop = 1; stop <= stops; stop += 1) {
    const shown = new Promise((then) => addEventListener("epsilon-lab:show", then, { once: true }))
    range.value = Number(range.value) + 1
    range.dispatchEvent(new Event("input", { bubbles: true }))
    await shown
    await new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))
  }
  counted.nodes += watch.takeRecords().length
  watch.disconnect()
  const { asked, shown, nodes, walks } = counted
  counted.alone = false
  return { panels: panels.length, asked, shown, nodes, walks }
}"""
MOVES = 6


def opened_by(visitor, address: str) -> Page:
    """Return a page in a window of its own, in which the script that counts runs before all others."""
    opened = visitor("about:blank")
    opened.add_init_script(COUNT)
    opened.goto(address)
    drawn(opened)
    rests(opened)
    return opened


# Where no sentence of the open tab comes or goes within the stops: that takes nodes.
LINKS = ("regression?epsilon=4", *(page.name for page in PAGES if page.name != "regression"))


@pytest.mark.parametrize("link", LINKS)
def test_a_movement_is_one_question_and_leaves_the_nodes_of_the_tabs_alone(visitor, serve, link):
    opened = opened_by(visitor, f"{serve('app.py')}/{link}")
    slider = opened.locator(".st-key-panel").get_by_role("slider").first
    slider.evaluate(MOVE, 1)  # what is painted for the first time needs nodes of its own
    opened.wait_for_timeout(1000)  # the run of the page that follows a movement has begun by then
    rests(opened)
    slider.evaluate(MOVE, 1)  # sentences about all runs go when the first movement begins

    found = slider.evaluate(MOVE, MOVES)

    assert found.pop("panels") > 0
    assert found.pop("shown") >= MOVES  # work that is done in slices shows each of them
    nodes, walks = found.pop("nodes"), found.pop("walks")
    assert (
        nodes <= 1
    )  # a sentence may come or go once, as work begins or ends; not at each movement
    assert nodes == 1 or walks == 0
    assert found == {"asked": MOVES}
