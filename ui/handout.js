// Draws the figures of a handout, once, on a sheet that is as large as the paper.

import { fitted } from "./live/assets/fitted.js"
import { coloured, lookOf, themed } from "./live/assets/look.js"

const SCALE = 0.85 // of a figure's letters on the screen
const LETTERS = [12, 11.5, 11, 10.5, 10, 9.5, 9] // pixels, of the sheet: the largest with which all has room

const SIDE = 22 // pixels beside a chart, for half of the last number under it
const ROOM = 220 // pixels that a figure has at least, before words are explained

const sheet = document.querySelector(".sheet")
const parts = [sheet, ...sheet.querySelectorAll(".columns, .columns > div")]
const full = () => parts.some((part) => part.scrollHeight > part.clientHeight + 1)
for (const size of LETTERS) {
  document.documentElement.style.fontSize = `${size}px`
  if (!full()) break
}
const charts = [...document.querySelectorAll(".chart")]
const low = () => charts.some((chart) => chart.clientHeight < ROOM)
const words = document.querySelector(".words")
while (words?.childElementCount > 2 && (low() || full())) words.lastElementChild.remove()
charts.forEach(draw)

function draw(node) {
  const { width, height } = node.getBoundingClientRect()
  const figure = fitted(JSON.parse(node.nextElementSibling.textContent), SCALE, width)
  const look = lookOf(node)
  const { data, layout } = coloured(figure, look)
  const margin = { ...layout.margin, r: Math.max(layout.margin.r, SIDE) }
  const still = { staticPlot: true, displayModeBar: false }
  globalThis.Plotly.newPlot(node, data, themed({ ...layout, margin }, look, { width, height, resets: 1 }), still)
}
