// Clicks on a chart as movements: to the nearest point that has a value, or to the position itself. A
// mark that can be dragged reports the positions that it comes to.

import { moveSlider, reportMove } from "../channel/events.js"
import { onRunComplete } from "./batching.js"
import { CLICK_RADIUS, distanceBetween, DragHandle } from "./drag.js"

const POINT_RADIUS = 14 // CSS pixels
const NUMBERS_PER_MS = 4
const DECIMALS = 3

/**
 * @typedef {object} ClickTargets What clicks on a chart move (`Chart.clicks` in
 *     `ui/widgets/chart_board.py`).
 * @property {string} [point] A field that a click moves to the customdata of the point under it.
 * @property {string} [position] A field that a click elsewhere moves to "x,y", where -1 and 1 are the
 *     ends of `x` and `y`.
 * @property {[number, number]} [x]
 * @property {[number, number]} [y]
 * @property {import("./drag.js").Mark} [drag] A mark that can be dragged.
 */

/** Turns clicks on the charts of a board into movements. */
export class ClickMoves {
  /** @param {(message: object) => void} send Hands one movement to Streamlit. */
  constructor(send) {
    this.send = send
    this.nextNumber = Date.now() * NUMBERS_PER_MS // above all numbers of earlier mounts
    /** @type {WeakMap<Element, ClickTargets>} */
    this.targets = new WeakMap()
    /** @type {WeakMap<Element, DragHandle>} */
    this.handles = new WeakMap()
    this.acknowledged = -1 // number of the newest movement that the charts contain
    this.lastDragged = null
    // before the charts are drawn, so that the server works on the next position meanwhile
    this.stopListening = onRunComplete(() => {
      this.lastDragged?.acknowledge(this.acknowledged)
    }, true)
  }

  dispose() {
    this.stopListening()
  }

  /** @param {number} number Of the newest movement that the charts contain. */
  acknowledge(number) {
    this.acknowledged = number
    this.nextNumber = Math.max(this.nextNumber, number + 1) // the clock may have been set back
  }

  /**
   * Turn clicks on a chart into movements from now on.
   *
   * @param {any} node The graph div.
   * @param {ClickTargets} targets
   */
  listen(node, targets) {
    const isListening = this.targets.has(node)
    this.targets.set(node, targets)
    if (targets.point || targets.position) node.style.cursor = "pointer"
    this.updateHandle(node, targets)
    if (!isListening) this.listenToPointer(node)
  }

  /** Plotly covers the page while the button is down: the release is heard anywhere. */
  listenToPointer(node) {
    let start = null
    node.addEventListener("pointerdown", (event) => {
      start = event.button === 0 ? event : null
    }, true)
    const released = (event) => {
      if (!node.isConnected) {
        globalThis.removeEventListener("pointerup", released, true)
        return
      }
      const isClick = start && distanceBetween(start, event) <= CLICK_RADIUS
      start = null
      if (isClick) this.click(node, event)
    }
    globalThis.addEventListener("pointerup", released, true)
  }

  /** Keep a handle over the mark that can be dragged, if there is one. */
  updateHandle(node, targets) {
    if (!targets.drag) {
      this.handles.get(node)?.remove()
      this.handles.delete(node)
      return
    }
    if (!this.handles.has(node)) this.handles.set(node, this.makeHandle(node))
    this.handles.get(node).setMark(targets.drag)
  }

  makeHandle(node) {
    return new DragHandle(
      node,
      (event, final) => this.drag(node, event, final),
      (event) => this.click(node, event),
    )
  }

  /**
   * Note that a chart was drawn: its axes may be elsewhere.
   *
   * @param {any} node
   */
  chartDrawn(node) {
    this.handles.get(node)?.align()
  }

  /** Move to a position of the dragged mark, and return the number of the movement. */
  drag(node, event, final) {
    this.lastDragged = this.handles.get(node)
    const pixel = pixelInAxes(node, event)
    const targets = this.targets.get(node)
    if (targets.drag.slider) {
      moveSlider({ name: targets.drag.slider.name, value: valueAt(node, pixel), final })
      return null
    }
    return this.move(targets.position, positionText(node, pixel, targets), final)
  }

  click(node, event) {
    const { xaxis, yaxis } = node._fullLayout ?? {}
    if (!xaxis) return
    const pixel = pixelInAxes(node, event)
    const isInside = pixel.x >= 0 && pixel.x <= xaxis._length &&
      pixel.y >= 0 && pixel.y <= yaxis._length
    if (!isInside) return
    const targets = this.targets.get(node)
    const value = targets.point ? nearestPointValue(node, pixel) : null
    if (value !== null) this.move(targets.point, value)
    else if (targets.position) this.move(targets.position, positionText(node, pixel, targets))
  }

  /** Report a movement, and return its number; null where the channel has taken it. */
  move(name, value, final = true) {
    if (reportMove(name, value)) return null
    const seq = this.nextNumber
    this.nextNumber += 1
    this.send({ name, value, seq, final, tick: false })
    return seq
  }
}

/** The position of the pointer from the corner where the axes begin, in pixels. */
function pixelInAxes(node, event) {
  const { xaxis, yaxis } = node._fullLayout
  const box = node.getBoundingClientRect()
  return {
    x: event.clientX - box.left - xaxis._offset,
    y: event.clientY - box.top - yaxis._offset,
  }
}

/** The value of the horizontal axis under a position, within what the axis shows. */
function valueAt(node, pixel) {
  const { xaxis } = node._fullLayout
  return xaxis.p2d(Math.max(0, Math.min(xaxis._length, pixel.x)))
}

/** The customdata of the nearest point around a position; null where there is none. */
function nearestPointValue(node, pixel) {
  const { xaxis, yaxis } = node._fullLayout
  let smallest = POINT_RADIUS
  let value = null
  for (const trace of node._fullData) {
    if (!trace.customdata || trace.visible !== true) continue
    for (let index = 0; index < trace.x.length; index++) {
      const x = xaxis.d2p(trace.x[index])
      const y = yaxis.d2p(trace.y[index])
      const distance = Math.hypot(x - pixel.x, y - pixel.y)
      if (distance < smallest) {
        smallest = distance
        value = parseValue(trace.customdata[index])
      }
    }
  }
  return value
}

/** A number where the text is one, else the text. */
function parseValue(text) {
  const number = Number(text)
  return Number.isNaN(number) ? text : number
}

function positionText(node, pixel, targets) {
  const { xaxis, yaxis } = node._fullLayout
  const x = positionOnAxis(xaxis, pixel.x, targets.x)
  const y = positionOnAxis(yaxis, pixel.y, targets.y)
  return `${x},${y}`
}

/** Where a pixel lies between two ends, -1 to 1, whatever the zoom; on a log axis of logarithms. */
function positionOnAxis(axis, pixel, [low, high]) {
  const position = 2 * (axis.p2l(pixel) - low) / (high - low) - 1
  return Math.max(-1, Math.min(1, position)).toFixed(DECIMALS)
}
