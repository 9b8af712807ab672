// A click on a chart as a movement: the nearest point that has something to say, or the place itself. A mark that can be
// dragged says the places that it comes to.

import { moved } from "../channel/channel.js"
import { Handle } from "./drag.js"
import { whenComplete } from "./batching.js"

const NEAR = 14 // CSS pixels around a point
const STILL = 4 // a pointer that went further has dragged

export class Clicks {
  /** `send(message)` hands one movement to Streamlit. */
  constructor(send) {
    this.send = send
    this.seq = Date.now() * 4 // above all numbers of earlier mounts in the same session
    this.wanted = new WeakMap()
    this.handles = new WeakMap()
    this.ack = -1 // number of the newest click that the newest pictures contain
    this.dragged = null // the handle that was moved last
    // the server works on the next place while this one is drawn
    this.ignore = whenComplete(() => this.dragged?.answered(this.ack), true)
  }

  dispose() {
    this.ignore()
  }

  /** The newest pictures contain the clicks up to `ack`; the clock may have been set back since an earlier mount. */
  contained(ack) {
    this.ack = ack
    this.seq = Math.max(this.seq, ack + 1)
  }

  /** From now on a click on this chart moves `point` (a field) to the customdata of a point, or else `place` to "x,y",
   * where -1 and 1 are the edges of the axes. With `drag`, {at, colour}, the mark there can be dragged. */
  listen(node, wanted) {
    const known = this.wanted.has(node)
    this.wanted.set(node, wanted)
    node.style.cursor = "pointer"
    this.grip(node, wanted)
    if (known) return
    let down = null
    // Plotly covers the page while the button is down, so the press is seen on the chart, and the release anywhere
    node.addEventListener("pointerdown", (event) => (down = event.button ? null : event), true)
    const released = (event) => {
      if (!node.isConnected) return globalThis.removeEventListener("pointerup", released, true)
      const began = down
      down = null
      if (
        !began || Math.hypot(event.clientX - began.clientX, event.clientY - began.clientY) > STILL
      ) return
      this.clicked(node, event)
    }
    globalThis.addEventListener("pointerup", released, true)
  }

  /** Keep a handle over the mark that can be dragged, if there is one. */
  grip(node, { drag }) {
    if (!drag) {
      this.handles.get(node)?.remove()
      this.handles.delete(node)
      return
    }
    if (!this.handles.has(node)) {
      const go = (event, last) => this.placed(node, event, last)
      this.handles.set(node, new Handle(node, go, (event) => this.clicked(node, event)))
    }
    this.handles.get(node).move(drag)
  }

  /** The chart has been drawn: its axes may be elsewhere. */
  drew(node) {
    this.handles.get(node)?.place()
  }

  /** The mark has been dragged here; the number of the movement. */
  placed(node, event, final) {
    this.dragged = this.handles.get(node)
    const { xaxis, yaxis } = node._fullLayout
    const { place, x, y } = this.wanted.get(node)
    const box = node.getBoundingClientRect()
    const at = [event.clientX - box.left - xaxis._offset, event.clientY - box.top - yaxis._offset]
    return this.say(place, [share(xaxis, at[0], x), share(yaxis, at[1], y)].join(","), final)
  }

  clicked(node, event) {
    const layout = node._fullLayout
    if (!layout?.xaxis) return
    const box = node.getBoundingClientRect()
    const at = [
      event.clientX - box.left - layout.xaxis._offset,
      event.clientY - box.top - layout.yaxis._offset,
    ]
    if (at[0] < 0 || at[1] < 0 || at[0] > layout.xaxis._length || at[1] > layout.yaxis._length) {
      return
    }
    const { point, place, x, y } = this.wanted.get(node)
    const found = point ? nearest(node, at[0], at[1]) : null
    if (found !== null) return this.say(point, found)
    if (place) {
      this.say(place, [share(layout.xaxis, at[0], x), share(layout.yaxis, at[1], y)].join(","))
    }
  }

  /** The number of the movement; null where it went by the channel. */
  say(name, value, final = true) {
    if (moved(name, value)) return null
    const seq = this.seq++
    this.send({ name, value, seq, final, tick: false })
    return seq
  }
}

/** The customdata of the point under the pointer, or null. */
function nearest(node, x, y) {
  const { xaxis, yaxis } = node._fullLayout
  let best = NEAR
  let found = null
  for (const trace of node._fullData) {
    if (!trace.customdata || trace.visible !== true) continue
    for (let i = 0; i < trace.x.length; i++) {
      const far = Math.hypot(xaxis.d2p(trace.x[i]) - x, yaxis.d2p(trace.y[i]) - y)
      if (far < best) [best, found] = [far, named(trace.customdata[i])]
    }
  }
  return found
}

/** What a point has to say: a name, or a number. */
const named = (said) => (Number.isNaN(Number(said)) ? said : Number(said))

/** Where a pixel lies between these ends of an axis, of a log axis their logarithms, as -1 to 1, whatever the zoom. */
function share(axis, pixel, [low, high]) {
  return Math.max(-1, Math.min(1, (2 * (axis.p2l(pixel) - low)) / (high - low) - 1)).toFixed(3)
}
