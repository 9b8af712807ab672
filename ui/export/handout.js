// Paints the figures of a handout, once, on a sheet that is as large as the paper.

import { Chart, repaint } from "./player/chart.js"

const SCALE = 0.85 // of a figure's letters on the screen
const ROOM = 200 // pixels that a figure should have
const LETTERS = [12, 11.5, 11, 10.5] // pixels, of the sheet: the largest with which all has room
const LARGE = [16, 15, 14, 13, ...LETTERS] // where there are no figures
const LEAST = [10, 9.5, 9] // and with which figures are small, too

const sheet = document.querySelector(".sheet")
const words = document.querySelector(".words")
const figures = JSON.parse(document.getElementById("first").textContent)
const charts = [...document.querySelectorAll("figure[data-chart]")].map((cell) =>
  new Chart(cell, SCALE)
)
for (const chart of charts) chart.show(figures[chart.cell.dataset.chart])
fit()
repaint(charts, true)

/** Explain fewer words, then write smaller, until all has room. */
function fit() {
  const parts = [sheet, ...sheet.querySelectorAll(".columns, .columns > div")]
  const full = () => parts.some((part) => part.scrollHeight > part.clientHeight + 1)
  const low = () => charts.some((chart) => chart.canvas.parentElement.clientHeight < ROOM)
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
