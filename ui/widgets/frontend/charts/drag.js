// A mark on a chart that can be dragged: a node over it, which follows the pointer. The chart follows
// as quickly as it can be drawn: one position is on its way at a time, and of those in between only
// the newest is kept.

import { moveSlider } from "../channel/events.js"
import { reportActivity } from "./batching.js"

export const CLICK_RADIUS = 4 // CSS pixels; a pointer that went further has dragged
const TIMEOUT_MS = 1500 // after which an answer counts as lost
const SIZE = 30 // CSS pixels
const SLIDER_SIZE = 44 // of a mark that moves a slider

/**
 * @typedef {object} Mark A mark that can be dragged.
 * @property {[number, number]} at Its position in units of the axes.
 * @property {string} colour
 * @property {boolean} [upright] Whether it moves up and down only.
 * @property {{name: string, label: string, low: number, high: number, value: number, text: string}}
 *     [slider] The slider that it moves, along a curve: it is a slider itself then.
 */

/**
 * The distance between two events of the pointer, in CSS pixels.
 *
 * @param {PointerEvent} first
 * @param {PointerEvent} second
 */
export function distanceBetween(first, second) {
  return Math.hypot(second.clientX - first.clientX, second.clientY - first.clientY)
}

/** The node over a mark. */
export class DragHandle {
  /**
   * @param {any} node The graph div.
   * @param {(event: PointerEvent, final: boolean) => number | null} onDrag Moves to the position of
   *     the pointer, and returns the number of the movement; null where no answer is waited for.
   * @param {(event: PointerEvent) => void} onClick Called for a press that did not move.
   */
  constructor(node, onDrag, onClick) {
    this.node = node
    this.onDrag = onDrag
    this.onClick = onClick
    /** @type {Mark | null} */
    this.mark = null
    this.size = SIZE
    this.start = null // where the press began
    this.isDragging = false
    this.inFlight = null // number of the movement on its way
    this.waiting = null // the newest position, while another one is on its way
    this.listensToPlotly = false
    this.handle = this.makeHandle()
  }

  makeHandle() {
    const handle = document.createElement("div")
    handle.dataset.handle = ""
    handle.setAttribute("aria-hidden", "true") // the keyboard has sliders for the same
    handle.style.cssText =
      `position:absolute;left:0;top:0;box-sizing:border-box;width:${SIZE}px;height:${SIZE}px;` +
      "border-radius:50%;cursor:grab;touch-action:none"
    handle.addEventListener("pointerdown", (event) => this.press(event))
    handle.addEventListener("pointermove", (event) => this.move(event))
    handle.addEventListener("pointerup", (event) => this.release(event))
    handle.addEventListener("pointercancel", () => this.letGo())
    return handle
  }

  /**
   * Set the mark that is dragged.
   *
   * @param {Mark} mark
   */
  setMark(mark) {
    if (mark.slider && !this.mark?.slider) this.becomeSlider()
    this.mark = mark
    if (mark.slider) this.describe(mark.slider)
    this.handle.style.setProperty("--mark", mark.colour)
    this.align()
  }

  /** Let the keyboard move the node, which grows to the size of a finger. */
  becomeSlider() {
    const { handle } = this
    this.size = SLIDER_SIZE
    handle.style.width = `${SLIDER_SIZE}px`
    handle.style.height = `${SLIDER_SIZE}px`
    handle.removeAttribute("aria-hidden")
    handle.setAttribute("role", "slider")
    handle.tabIndex = 0
    handle.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return
      if (moveSlider({ name: this.mark.slider.name, key: event.key })) event.preventDefault()
    })
    for (const type of ["keyup", "blur"]) {
      handle.addEventListener(type, () => moveSlider({ name: this.mark.slider.name, final: true }))
    }
  }

  describe({ label, low, high, value, text }) {
    const attributes = {
      "aria-label": label,
      "aria-valuemin": low,
      "aria-valuemax": high,
      "aria-valuenow": value,
      "aria-valuetext": text,
    }
    for (const [name, content] of Object.entries(attributes)) {
      this.handle.setAttribute(name, String(content))
    }
  }

  /** Put the node over the mark, unless the pointer holds it. One on a curve stays on the curve. */
  align() {
    const { xaxis, yaxis } = this.node._fullLayout ?? {}
    if (!xaxis || !yaxis || (this.start && !this.mark.slider)) return
    this.listenToZoom()
    const x = xaxis.d2p(this.mark.at[0])
    const y = yaxis.d2p(this.mark.at[1])
    const isInside = x >= 0 && x <= xaxis._length && y >= 0 && y <= yaxis._length
    this.handle.hidden = !isInside
    this.moveTo(xaxis._offset + x, yaxis._offset + y)
    const cell = this.node.parentElement
    cell.style.position = "relative"
    if (this.handle.parentElement !== cell) cell.append(this.handle)
  }

  listenToZoom() {
    if (this.listensToPlotly || !this.node.on) return
    this.listensToPlotly = true
    this.node.on("plotly_relayout", () => this.align())
  }

  moveTo(x, y) {
    this.handle.style.transform = `translate(${x - this.size / 2}px,${y - this.size / 2}px)`
  }

  press(event) {
    if (event.button !== 0) return
    event.preventDefault()
    event.stopPropagation() // neither a click on the chart nor the beginning of a zoom
    this.handle.setPointerCapture(event.pointerId)
    if (this.mark.slider) this.handle.focus({ preventScroll: true })
    this.start = event
    this.isDragging = false
  }

  move(event) {
    if (!this.start) return
    if (distanceBetween(this.start, event) > CLICK_RADIUS) this.isDragging = true
    if (!this.isDragging) return
    if (this.mark.slider) {
      this.onDrag(event, false)
      return
    }
    reportActivity(this.inFlight !== null)
    const box = this.node.getBoundingClientRect() // before anything is written
    this.handle.style.cursor = "grabbing"
    this.handle.style.border = "3px solid var(--mark)"
    this.moveTo(this.horizontalPosition(event, box), event.clientY - box.top)
    this.send(event, false)
  }

  horizontalPosition(event, box) {
    if (!this.mark.upright) return event.clientX - box.left
    const { xaxis } = this.node._fullLayout
    return xaxis._offset + xaxis.d2p(this.mark.at[0])
  }

  release(event) {
    if (!this.start) return
    event.stopPropagation()
    if (this.isDragging) this.send(event, true)
    else if (!this.mark.slider) this.onClick(event)
    this.letGo()
  }

  letGo() {
    this.start = null
    this.handle.style.cursor = "grab"
    this.handle.style.border = ""
  }

  send(event, final) {
    if (this.inFlight !== null && !final) {
      this.waiting = event
      return
    }
    this.waiting = null
    clearTimeout(this.timer)
    this.inFlight = this.onDrag(event, final)
    if (this.inFlight === null) return
    this.timer = setTimeout(() => this.land(), TIMEOUT_MS)
    reportActivity(true)
  }

  /**
   * Note which movements are drawn.
   *
   * @param {number} number Of the newest movement that the charts contain.
   */
  acknowledge(number) {
    if (this.inFlight !== null && number >= this.inFlight) this.land()
  }

  land() {
    clearTimeout(this.timer)
    this.inFlight = null
    if (this.waiting && this.start) this.send(this.waiting, false)
    else reportActivity(false)
  }

  remove() {
    clearTimeout(this.timer)
    if (this.inFlight !== null) reportActivity(false)
    this.handle.remove()
  }
}
