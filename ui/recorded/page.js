// A recorded page: one slider moves over the stops that were computed, and the words and charts of each are shown.

import { lookOf } from "../live/assets/look.js"
import { Row } from "../live/assets/row.js"
import { fractionOf, written } from "../live/assets/scale.js"
import { odds, Voice } from "../live/assets/voice.js"
import { Chart, sharpen } from "./chart.js"
import { unfolded } from "./folded.js"

const read = (id) => JSON.parse(document.getElementById(id).textContent)
const cells = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("figure[data-chart]"))
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

const redraw = () => {
  const look = lookOf(document.body)
  for (const chart of charts.values()) chart.draw(look)
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw)
addEventListener("beforeprint", () => paper(true))
addEventListener("afterprint", () => paper(false))

/** On paper all is light, and every tab is open. */
function paper(on) {
  document.documentElement.toggleAttribute("data-paper", on)
  for (const tab of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details.tab"))) {
    if (on) tab.dataset.was = String(tab.open)
    tab.open = on || tab.dataset.was === "true"
  }
  sharpen(on)
  redraw()
}

draw(read("first").charts)
addEventListener("DOMContentLoaded", () => begin(read("recording")))

function begin({ knob, values, at, frames }) {
  const voice = new Voice()
  const live = /** @type {HTMLAnchorElement | null} */ (document.querySelector("a.live"))
  const row = new Row(knob, (value) => go(nearest(value)))
  document.getElementById("knob").append(row.node)

  /** The place of the recorded value that lies nearest along the slider; of a text, that of the one shown. */
  function nearest(value) {
    if (typeof value !== "number") return at
    const apart = values.map((one) => Math.abs(fractionOf(knob, one) - fractionOf(knob, value)))
    return apart.indexOf(Math.min(...apart))
  }

  function go(stop) {
    at = stop
    const { words, charts: pictures } = unfolded(frames, stop)
    say(words)
    draw(pictures)
    row.show(values[stop], "", odds())
    voice.answered(false)
    if (live) {
      const address = new URL(live.href)
      address.searchParams.set(knob.name, written(values[stop]))
      live.href = address.href
    }
  }

  go(at)
}
