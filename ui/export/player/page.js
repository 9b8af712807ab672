// A recorded page: one slider moves over the stops that were computed, and the words and charts of each are shown.

import { Row } from "../../widgets/frontend/sliders/slider.js"
import { spoken, written } from "../../widgets/frontend/sliders/scale.js"
import { odds, Voice } from "../../widgets/frontend/sliders/announcements.js"
import { Chart } from "./chart.js"
import { unfolded } from "./delta.js"
import { nearest, read, watch } from "./recording.js"

const cells =
  /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("figure[data-chart]"))
const charts = new Map([...cells].map((cell) => [cell.dataset.chart, new Chart(cell)]))
const said = new Map() // CSS selector -> HTML

/** Show the pictures of a stop; one that it has not is hidden. */
function draw(pictures) {
  for (const [name, chart] of charts) {
    chart.cell.hidden = !(name in pictures)
    if (name in pictures) chart.show(pictures[name])
  }
}

function say(words) {
  for (const [selector, html] of Object.entries(words)) {
    const node = said.get(selector) === html ? null : document.querySelector(selector)
    said.set(selector, html)
    if (node) node.innerHTML = html
  }
}

const write = (id, text) => (document.getElementById(id).textContent = text)

watch([...charts.values()])
draw(read("first").charts)
addEventListener("DOMContentLoaded", () => begin(read("recording")))

function begin({ knob, values, at, frames }) {
  const voice = new Voice()
  const live = /** @type {HTMLAnchorElement | null} */ (document.querySelector("a.live"))
  const row = new Row(knob, (value) => go(nearest(knob, values, value)))
  document.getElementById("knob").append(row.node)

  /** Show this stop; the one that stands where it is none. */
  function go(stop) {
    if (stop >= 0) at = stop
    const { words, charts: pictures } = unfolded(frames, at)
    say(words)
    draw(pictures)
    row.show(values[at], "", odds())
    voice.answered(false)
    write("at", `${knob.label} ${spoken(knob, values[at])}`)
    if (live) {
      const address = new URL(live.href)
      address.searchParams.set(knob.name, written(values[at]))
      live.href = address.href
      write("link", address.href)
    }
  }

  go(at)
}
