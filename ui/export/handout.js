// Paints the figures of a handout, once, on a sheet that is as large as the paper.

import { Chart, repaintCharts } from "./player/chart.js"

const FIGURE_SCALE = 0.85 // of the letters of a figure, from the screen to the paper
const MIN_FIGURE_HEIGHT = 200 // pixels
// Pixels of the sheet's letters: the largest are taken with which all has room and figures are high
// enough.
const SIZES = [12, 11.5, 11, 10.5]
const SIZES_WITHOUT_FIGURES = [16, 15, 14, 13, ...SIZES]
// With these, figures may be low.
const SMALLEST_SIZES = [10, 9.5, 9]

const sheet = document.querySelector(".sheet")
const boxes = [sheet, ...sheet.querySelectorAll(".columns, .columns > div")]
const figures = JSON.parse(document.getElementById("first").textContent)
/** @type {Chart[]} */
const charts = []
for (const node of document.querySelectorAll("figure[data-chart]")) {
  const cell = /** @type {HTMLElement} */ (node)
  const chart = new Chart(cell, FIGURE_SCALE)
  chart.show(figures[cell.dataset.chart])
  charts.push(chart)
}

function isTooFull() {
  return boxes.some((box) => box.scrollHeight > box.clientHeight + 1)
}

function hasLowFigure() {
  return charts.some(({ canvas }) => canvas.parentElement.clientHeight < MIN_FIGURE_HEIGHT)
}

function setSize(size) {
  document.documentElement.style.fontSize = `${size}px`
}

/** Write smaller until all has room. */
function fitSheet() {
  for (const size of charts.length > 0 ? SIZES : SIZES_WITHOUT_FIGURES) {
    setSize(size)
    if (!isTooFull() && !hasLowFigure()) return
  }
  if (!isTooFull()) return
  for (const size of SMALLEST_SIZES) {
    setSize(size)
    if (!isTooFull()) return
  }
}

fitSheet()
repaintCharts(charts, true)
