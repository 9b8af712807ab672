// Charts that change together are drawn together: the browser would paint what is drawn in two frames
// twice. Charts out of view follow once nothing has been drawn for a while, one by one, so that they
// are never in the way of those in view.

import { readTheme } from "./theme.js"

// Milliseconds until charts are drawn though nobody reports that a run is complete: a page without a
// panel has nobody to report it.
const MAX_WAIT_MS = 60
// Milliseconds without a drawing until charts out of view are drawn.
const CALM_MS = 120
const COMPLETE = "epsilon-lab:complete"
const DRAWN = "epsilon-lab:drawn"
const ACTIVITY = "epsilon-lab:activity"

/**
 * @typedef {object} Drawable
 * @property {Element} node
 * @property {boolean} isInView
 * @property {(theme?: import("./theme.js").Theme) => void} draw
 */

/** @type {Set<Drawable>} */
const waiting = new Set()
/** @type {Set<Drawable>} charts out of view that are not up to date */
const outOfView = new Set()
let timer = null
let calmTimer = null
// whether the last run was reported complete before any of its charts had come
let isOvertaken = false

/**
 * Draw a chart together with the others of the run.
 *
 * @param {Drawable} chart
 */
export function drawSoon(chart) {
  waiting.add(chart)
  timer ??= setTimeout(drawNow, isOvertaken ? 0 : MAX_WAIT_MS)
}

/** Report that all of a run has arrived. */
export function reportRunComplete() {
  globalThis.dispatchEvent(new Event(COMPLETE))
}

/**
 * Listen for complete runs.
 *
 * @param {() => void} listener
 * @param {boolean} beforeDrawing Whether it is called before the charts of the run are drawn.
 * @returns {() => void} Stops listening.
 */
export function onRunComplete(listener, beforeDrawing = false) {
  globalThis.addEventListener(COMPLETE, listener, beforeDrawing)
  return () => globalThis.removeEventListener(COMPLETE, listener, beforeDrawing)
}

/**
 * Report that something moves that is no slider.
 *
 * @param {boolean} waits Whether it waits for its chart: work of the server gives way to it.
 */
export function reportActivity(waits) {
  globalThis.dispatchEvent(new CustomEvent(ACTIVITY, { detail: waits }))
}

/**
 * Listen for movements of what is no slider.
 *
 * @param {(waits: boolean) => void} listener
 * @returns {() => void} Stops listening.
 */
export function onActivity(listener) {
  /** @param {any} event */
  const handle = (event) => listener(event.detail)
  globalThis.addEventListener(ACTIVITY, handle)
  return () => globalThis.removeEventListener(ACTIVITY, handle)
}

/**
 * Act once, when the next charts are drawn, or when none have come for a while: a movement need not
 * change any.
 *
 * @param {() => void} act
 */
export function afterNextDrawing(act) {
  const handle = () => {
    clearTimeout(fallback)
    globalThis.removeEventListener(DRAWN, handle)
    act()
  }
  const fallback = setTimeout(handle, 2 * MAX_WAIT_MS)
  globalThis.addEventListener(DRAWN, handle)
}

/** Draw at once all waiting charts that are in view. */
export function drawNow() {
  clearTimeout(timer)
  timer = null
  const charts = [...waiting]
  waiting.clear()
  // Streamlit updates panel and board in either order, at times a frame apart
  isOvertaken = charts.length === 0
  if (isOvertaken) return
  // read once: to read it between two drawings makes the browser compute all styles anew
  const theme = readTheme(charts[0].node)
  for (const chart of charts) {
    if (chart.isInView) chart.draw(theme)
    else outOfView.add(chart)
  }
  globalThis.dispatchEvent(new Event(DRAWN))
  clearTimeout(calmTimer)
  calmTimer = setTimeout(drawNextOutOfView, CALM_MS)
}

/** A chart that has come into view meanwhile has drawn itself, and draws nothing here. */
function drawNextOutOfView() {
  const [chart] = outOfView
  if (!chart) return
  outOfView.delete(chart)
  chart.draw()
  calmTimer = setTimeout(drawNextOutOfView)
}

globalThis.addEventListener(COMPLETE, drawNow)
