// A recorded page: one slider moves over the stops that were computed, and texts and charts follow.

import { Announcer, attackerText } from "../../widgets/frontend/sliders/announcements.js"
import { formatNumber, formatWithUnit } from "../../widgets/frontend/sliders/scale.js"
import { SliderRow } from "../../widgets/frontend/sliders/slider.js"
import { Chart } from "./chart.js"
import { decodeStop } from "./delta.js"
import { nearestRecorded, readData, repaintOnChange } from "./recording.js"

/** @type {Map<string, Chart>} */
const charts = new Map()
for (const node of document.querySelectorAll("figure[data-chart]")) {
  const cell = /** @type {HTMLElement} */ (node)
  charts.set(cell.dataset.chart, new Chart(cell))
}
const shownTexts = new Map() // CSS selector -> HTML

/** Show the charts of a stop, and hide those that it does not have. */
function showCharts(figures) {
  for (const [name, chart] of charts) {
    chart.cell.hidden = !(name in figures)
    if (name in figures) chart.show(figures[name])
  }
}

function showTexts(texts) {
  for (const [selector, html] of Object.entries(texts)) {
    if (shownTexts.get(selector) === html) continue
    shownTexts.set(selector, html)
    const node = document.querySelector(selector)
    if (node) node.innerHTML = html
  }
}

function setText(id, text) {
  document.getElementById(id).textContent = text
}

/** Let the slider move over the recorded stops. */
function play({ slider, values, at, frames }) {
  const announcer = new Announcer()
  const liveLink = /** @type {HTMLAnchorElement | null} */ (document.querySelector("a.live"))
  let stop = at
  const row = new SliderRow(slider, (value) => {
    const nearest = nearestRecorded(slider, values, value)
    if (nearest >= 0) stop = nearest // else the typed text is given up
    showStop()
  })
  document.getElementById("slider").append(row.node)

  function showStop() {
    const { words, charts: figures } = decodeStop(frames, stop)
    showTexts(words)
    showCharts(figures)
    row.show(values[stop], "", attackerText())
    announcer.pageAnswered(false)
    setText("at", `${slider.label} ${formatWithUnit(slider, values[stop])}`)
    if (liveLink) updateLiveLink(values[stop])
  }

  function updateLiveLink(value) {
    const address = new URL(liveLink.href)
    address.searchParams.set(slider.name, formatNumber(value))
    liveLink.href = address.href
    setText("link", address.href)
  }

  showStop()
}

repaintOnChange([...charts.values()])
showCharts(readData("first").charts)
addEventListener("DOMContentLoaded", () => play(readData("recording")))
