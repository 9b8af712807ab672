// What recorded pages have in common: their data, the nearest of the recorded values, and charts that
// follow the theme of the page.

import { trackFraction } from "../../widgets/frontend/sliders/scale.js"
import { repaintCharts } from "./chart.js"

const TABS = "details.tab"

/**
 * Read the data in an element of the page.
 *
 * @param {string} id
 * @returns {any}
 */
export function readData(id) {
  return JSON.parse(document.getElementById(id).textContent)
}

/**
 * The index of the recorded value that lies nearest along a slider.
 *
 * @param {Partial<import("../../widgets/frontend/sliders/scale.js").Slider>} slider
 * @param {number[]} values
 * @param {number | string} value
 * @returns {number} -1 where the value is no number.
 */
export function nearestRecorded(slider, values, value) {
  if (typeof value !== "number") return -1
  const fraction = trackFraction(slider, value)
  const distances = values.map((stop) => Math.abs(trackFraction(slider, stop) - fraction))
  return distances.indexOf(Math.min(...distances))
}

/**
 * Repaint charts when the theme changes, and for paper, where all is light and every tab is open.
 *
 * @param {import("./chart.js").Chart[]} charts
 */
export function repaintOnChange(charts) {
  const dark = matchMedia("(prefers-color-scheme: dark)")
  dark.addEventListener("change", () => repaintCharts(charts))
  addEventListener("beforeprint", () => setPaper(charts, true))
  addEventListener("afterprint", () => setPaper(charts, false))
}

function setPaper(charts, isPaper) {
  document.documentElement.toggleAttribute("data-paper", isPaper)
  for (const node of document.querySelectorAll(TABS)) {
    const tab = /** @type {HTMLDetailsElement} */ (node)
    if (isPaper) tab.dataset.wasOpen = String(tab.open)
    tab.open = isPaper || tab.dataset.wasOpen === "true"
  }
  repaintCharts(charts, isPaper)
}
