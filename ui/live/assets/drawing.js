// Charts that change together are drawn together: one picture for the eye, and one frame for the browser, which would
// paint what is drawn between two frames twice.

import { lookOf } from "./theme.js"

const LONGEST_WAIT = 60 // milliseconds; a page without a panel has nobody to say that a run is complete
const COMPLETE = "epsilon-lab:complete"
const STIRRED = "epsilon-lab:stirred"

const waiting = new Set()
let timer = null

/** Draw this chart with the others of the run. */
export function drawSoon(chart) {
  waiting.add(chart)
  timer ??= setTimeout(drawNow, LONGEST_WAIT)
}

/** Call this when all of a run has arrived, if `first` before it is drawn; returns a function that ends it. */
export function whenComplete(act, first = false) {
  window.addEventListener(COMPLETE, act, first)
  return () => window.removeEventListener(COMPLETE, act, first)
}

/** Call this with `waits` when something is moved that is no knob; returns a function that ends it. */
export function whenStirred(act) {
  const heard = ({ detail }) => act(detail)
  window.addEventListener(STIRRED, heard)
  return () => window.removeEventListener(STIRRED, heard)
}

/** Say that something is moved that is no knob, and whether it `waits` for its picture: work gives way to it as well. */
export function stir(waits) {
  window.dispatchEvent(new CustomEvent(STIRRED, { detail: waits }))
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
