// What recorded pages have in common: their data, the nearest of the recorded values, and charts that follow the theme.

import { fractionOf } from "../../widgets/frontend/sliders/scale.js"
import { repaint } from "./chart.js"

export const read = (id) => JSON.parse(document.getElementById(id).textContent)

/** The place of the recorded value that lies nearest along the slider; -1 for what is no number. */
export function nearest(knob, values, value) {
  if (typeof value !== "number") return -1
  const apart = values.map((one) => Math.abs(fractionOf(knob, one) - fractionOf(knob, value)))
  return apart.indexOf(Math.min(...apart))
}

/** Paint these charts anew when the theme changes; and for paper, where all is light and every tab is open. */
export function watch(charts) {
  const paper = (on) => {
    document.documentElement.toggleAttribute("data-paper", on)
    for (
      const tab
        of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details.tab"))
    ) {
      if (on) tab.dataset.was = String(tab.open)
      tab.open = on || tab.dataset.was === "true"
    }
    repaint(charts, on)
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => repaint(charts))
  addEventListener("beforeprint", () => paper(true))
  addEventListener("afterprint", () => paper(false))
}
