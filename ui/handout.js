// Draws the figures of a handout, once, on a sheet that is as large as the paper.

import { fitted } from "./live/assets/fitted.js"
import { coloured, lookOf, themed } from "./live/assets/look.js"

const SCALE = 0.85 // of a figure's letters on the screen
const SIDE = 22 // pixels beside a chart, for half of the last number under it
const ROOM = 220 // pixels that a figure should have
const LETTERS = [12, 11.5, 11, 10.5] // pixels, of the sheet: the largest with which all has room
const LARGE = [16, 15, 14, 13, ...LETTERS] // where there are no figures
const LEAST = [10, 9.5, 9] // and with which figures are small, too
const TITLE = 28 // pixels over a figure, on the screen, for its title: here it stands over the chart

const sheet = document.querySelector(".sheet")
const charts = [...document.querySelectorAll(".chart")]
const words = document.querySelector(".words")
charts.forEach(legend)
if (sheet) fit()
charts.forEach((node) => draw(node, false))

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
  if (wrong(charts.length ? LETTERS : LARGE, [full, low]) && full()) wrong(LEAST, [full])
}

/** What the chart's legend says, as a line under it: in a chart as low as on paper it would lie over curves. */
function legend(node) {
  draw(node, true)
  const entries = [...node.querySelectorAll(".legend .traces")]
  if (!entries.length) return
  const key = node.nextElementSibling.insertAdjacentElement("afterend", document.createElement("div"))
  key.className = "key"
  for (const entry of entries) {
    entry.querySelector(".legendtoggle")?.remove()
    entry.removeAttribute("transform")
    const { x, y, width, height } = entry.getBBox()
    const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg")
    for (const [name, value] of Object.entries({ width, height, viewBox: `${x} ${y} ${width} ${height}` })) {
      drawing.setAttribute(name, value)
    }
    drawing.append(entry)
    key.append(drawing)
  }
}

/** A figure without what stands around it here, nor the room for that. */
function bare({ data, layout }) {
  const { title: _, ...rest } = layout
  return {
    data,
    layout: {
      ...rest,
      showlegend: false,
      margin: { ...layout.margin, t: layout.margin.t - TITLE },
    },
  }
}

function draw(node, whole) {
  const { width, height } = node.getBoundingClientRect()
  const figure = JSON.parse(node.nextElementSibling.textContent)
  drawn(node, fitted(whole ? figure : bare(figure), SCALE, width), { width, height })
}

function drawn(node, figure, { width, height }) {
  const look = lookOf(node)
  const { data, layout } = coloured(figure, look)
  const margin = { ...layout.margin, r: Math.max(layout.margin.r, SIDE) }
  const still = { staticPlot: true, displayModeBar: false }
  globalThis.Plotly.newPlot(node, data, themed({ ...layout, margin }, look, { width, height, resets: 1 }), still)
}
