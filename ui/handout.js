// Draws the figures of a handout, once, on a sheet that is as large as the paper.

import { fitted } from "./live/assets/fitted.js"
import { coloured, lookOf, themed } from "./live/assets/look.js"

const SCALE = 0.85 // of a figure's letters on the screen
const SIDE = 22 // pixels beside a chart, for half of the last number under it
const ROOM = 220 // pixels that a figure should have
const LETTERS = [12, 11.5, 11, 10.5] // pixels, of the sheet: the largest with which all has room
const LEAST = [10, 9.5, 9] // and with which figures are small, too

const sheet = document.querySelector(".sheet")
const charts = [...document.querySelectorAll(".chart")]
const words = document.querySelector(".words")
if (sheet) fit()
charts.forEach(draw)

/** Explain fewer words, then write smaller, until all has room. */
function fit() {
  const parts = [sheet, ...sheet.querySelectorAll(".columns, .columns > div")]
  const full = () => parts.some((part) => part.scrollHeight > part.clientHeight + 1)
  const low = () => charts.some((chart) => chart.clientHeight < ROOM)
  while (words?.childElementCount > 2 && (low() || full())) words.lastElementChild.remove()
  const wrong = (sizes, faults) => {
    for (const size of sizes) {
      document.documentElement.style.fontSize = `${size}px`
      if (!faults.some((fault) => fault())) return false
    }
    return true
  }
  if (wrong(LETTERS, [full, low]) && full()) wrong(LEAST, [full])
}

function draw(node) {
  const { width, height } = node.getBoundingClientRect()
  const figure = fitted(JSON.parse(node.nextElementSibling.textContent), SCALE, width)
  const look = lookOf(node)
  const { data, layout } = coloured(figure, look)
  const margin = { ...layout.margin, r: Math.max(layout.margin.r, SIDE) }
  const still = { staticPlot: true, displayModeBar: false }
  globalThis.Plotly.newPlot(node, data, themed({ ...layout, margin }, look, { width, height, resets: 1 }), still)
}
