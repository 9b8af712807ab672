// A mark on a chart that can be dragged: a node over it, which follows the pointer, mouse or finger. The picture follows
// as quickly as it can be drawn: one place is on its way at a time, and of those in between only the newest is kept.

import { stir } from "./batching.js"

const STILL = 4 // CSS pixels; a pointer that went no further has clicked
const PATIENCE = 1500 // milliseconds; after that, no answer is taken for one
const SIZE = 30

export class Handle {
  /** `go(event, last)` is told of each place to go to, and gives it a number; `clicked(event)` of a press that did not move. */
  constructor(node, go, clicked) {
    this.node = node
    this.go = go
    this.clicked = clicked
    this.at = null
    this.down = null // where the press began
    this.dragged = false
    this.flying = null // the number of the place that is on its way
    this.waiting = null
    this.listening = false
    this.mark = this.make()
  }

  /** From now on the mark is at `at` (x, y), in units of the axes; an `upright` one is dragged up and down only. */
  move({ at, colour, upright }) {
    this.at = at
    this.upright = upright
    this.mark.style.setProperty("--mark", colour)
    this.place()
  }

  /** Put the node over the mark, wherever the chart has it now, unless the pointer holds it. */
  place() {
    const { xaxis, yaxis } = this.node._fullLayout ?? {}
    if (!xaxis || !yaxis || this.down) return
    if (!this.listening && this.node.on) {
      this.listening = true
      this.node.on("plotly_relayout", () => this.place())
    }
    const [x, y] = [xaxis.d2p(this.at[0]), yaxis.d2p(this.at[1])]
    this.mark.hidden = !(x >= 0 && x <= xaxis._length && y >= 0 && y <= yaxis._length)
    this.put(xaxis._offset + x, yaxis._offset + y)
    const cell = this.node.parentElement
    cell.style.position = "relative"
    if (this.mark.parentElement !== cell) cell.append(this.mark)
  }

  put(x, y) {
    this.mark.style.transform = `translate(${x - SIZE / 2}px,${y - SIZE / 2}px)`
  }

  make() {
    const mark = document.createElement("div")
    mark.dataset.handle = ""
    mark.setAttribute("aria-hidden", "true") // the keys have knobs of their own for this
    mark.style.cssText =
      `position:absolute;left:0;top:0;box-sizing:border-box;width:${SIZE}px;height:${SIZE}px;` +
      "border-radius:50%;cursor:grab;touch-action:none"
    mark.addEventListener("pointerdown", (event) => this.pressed(event))
    mark.addEventListener("pointermove", (event) => this.moved(event))
    mark.addEventListener("pointerup", (event) => this.released(event))
    mark.addEventListener("pointercancel", () => this.let())
    return mark
  }

  pressed(event) {
    if (event.button) return
    event.preventDefault()
    event.stopPropagation() // neither a click on the chart nor the beginning of a zoom
    this.mark.setPointerCapture(event.pointerId)
    this.down = event
    this.dragged = false
  }

  moved(event) {
    if (!this.down) return
    this.dragged ||=
      Math.hypot(event.clientX - this.down.clientX, event.clientY - this.down.clientY) > STILL
    if (!this.dragged) return
    stir(this.flying !== null)
    const box = this.node.getBoundingClientRect()
    this.mark.style.cursor = "grabbing"
    this.mark.style.border = "3px solid var(--mark)"
    const { xaxis } = this.node._fullLayout
    const x = this.upright ? xaxis._offset + xaxis.d2p(this.at[0]) : event.clientX - box.left
    this.put(x, event.clientY - box.top)
    this.send(event, false)
  }

  released(event) {
    if (!this.down) return
    event.stopPropagation()
    if (this.dragged) this.send(event, true)
    else this.clicked(event)
    this.let()
  }

  let() {
    this.down = null
    this.mark.style.cursor = "grab"
    this.mark.style.border = ""
  }

  send(event, last) {
    if (this.flying !== null && !last) return (this.waiting = event)
    this.waiting = null
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.landed(), PATIENCE)
    this.flying = this.go(event, last)
    if (this.flying === null) clearTimeout(this.timer)
    else stir(true)
  }

  /** All of a run has arrived, whose pictures contain the movements up to `ack`. */
  answered(ack) {
    if (this.flying !== null && ack >= this.flying) this.landed()
  }

  landed() {
    clearTimeout(this.timer)
    this.flying = null
    if (this.waiting && this.down) return this.send(this.waiting, false)
    stir(false)
  }

  remove() {
    clearTimeout(this.timer)
    if (this.flying !== null) stir(false)
    this.mark.remove()
  }
}
