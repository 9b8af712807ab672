// Charts that change together are drawn together: one picture for the eye, and one frame for the browser, which would
// paint what is drawn between two frames twice.

import { lookOf } from "./theme.js"

const LONGEST_WAIT = 60 // milliseconds; a page without a panel has nobody to say that a run is complete
const COMPLETE = "epsilon-lab:complete"

const waiting = new Set()
let timer = null

/** Draw this chart with the others of the run. */
export function drawSoon(chart) {
  waiting.add(chart)
  timer ??= setTimeout(drawNow, LONGEST_WAIT)
}

/** Call this when all of a run has arrived; returns a function that ends it. */
export function whenComplete(act) {
  window.addEventListener(COMPLETE, act)
  return () => window.removeEventListener(COMPLETE, act)
}

/** Say that all of a run has arrived. */
export function complete() {
  window.dispatchEvent(new Event(COMPLETE))
}

/** Draw at once all that waits. */
export function drawNow() {
  clearTimeout(timer)
  timer = null
  const charts = [...waiting]
  waiting.clear()
  if (!charts.length) return
  const look = lookOf(charts[0].node) // asked once: to ask between two draws makes the browser work out all styles anew
  for (const chart of charts) chart.draw(look)
}

window.addEventListener(COMPLETE, drawNow)
