// Charts that change together are drawn together: one picture for the eye, and one frame for the browser, which would
// paint what is drawn between two frames twice. Those that are out of view follow once nothing has been drawn for a while,
// one by one, so that they are never in the way of what one looks at.

import { lookOf } from "./theme.js"

const LONGEST_WAIT = 60 // milliseconds; a page without a panel has nobody to say that a run is complete
const CALM = 120 // milliseconds
const COMPLETE = "epsilon-lab:complete"
const DRAWN = "epsilon-lab:drawn"
const STIRRED = "epsilon-lab:stirred"

const waiting = new Set()
const later = new Set() // what is out of view, and not as it should be
let timer = null
let calm = null
let overtaken = false // a run was said to be complete when none of its charts had come

/** Draw this chart with the others of the run. */
export function drawSoon(chart) {
  waiting.add(chart)
  timer ??= setTimeout(drawNow, overtaken ? 0 : LONGEST_WAIT)
}

/** Call this when all of a run has arrived, if `first` before it is drawn; returns a function that ends it. */
export function whenComplete(act, first = false) {
  globalThis.addEventListener(COMPLETE, act, first)
  return () => globalThis.removeEventListener(COMPLETE, act, first)
}

/** Call this with `waits` when something is moved that is no knob; returns a function that ends it. */
export function whenStirred(act) {
  const heard = (event) => act(event.detail)
  globalThis.addEventListener(STIRRED, heard)
  return () => globalThis.removeEventListener(STIRRED, heard)
}

/** Say that something is moved that is no knob, and whether it `waits` for its picture: work gives way to it as well. */
export function stir(waits) {
  globalThis.dispatchEvent(new CustomEvent(STIRRED, { detail: waits }))
}

/** Say that all of a run has arrived. */
export function complete() {
  globalThis.dispatchEvent(new Event(COMPLETE))
}

/** Call this when the next charts are drawn, or when none have come for a while: a movement need not change any. */
export function onceDrawn(act) {
  const end = () => {
    clearTimeout(late)
    globalThis.removeEventListener(DRAWN, end)
    act()
  }
  const late = setTimeout(end, 2 * LONGEST_WAIT)
  globalThis.addEventListener(DRAWN, end)
}

/** Draw at once all that waits and is in view. */
export function drawNow() {
  clearTimeout(timer)
  timer = null
  const charts = [...waiting]
  waiting.clear()
  overtaken = !charts.length // Streamlit hands news to panel and board in either order, at times a frame apart
  if (overtaken) return
  const look = lookOf(charts[0].node) // asked once: to ask between two draws makes the browser work out all styles anew
  for (const chart of charts) if (chart.seen) chart.draw(look)
  for (const chart of charts) if (!chart.seen) later.add(chart)
  globalThis.dispatchEvent(new Event(DRAWN))
  clearTimeout(calm)
  calm = setTimeout(follow, CALM)
}

/** Draw the next of those that are out of view. One that has come into view meanwhile has drawn itself. */
function follow() {
  const [chart] = later
  if (!chart) return
  later.delete(chart)
  chart.draw()
  calm = setTimeout(follow)
}

globalThis.addEventListener(COMPLETE, drawNow)
