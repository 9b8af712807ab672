// A figure painted over the one that Plotly has drawn, many times as quickly: on a canvas under Plotly's transparent
// nodes, in Plotly's own axes. What is painted is hidden there meanwhile; ticks, titles and words that stay are Plotly's.

import { axesOf, drawGrid, same } from "./axes.js"
import { drawLabels, fits } from "./tick_labels.js"
import { runs, setSpan, spans } from "./canvas_text.js"
import { drawTraces, knowsTrace } from "./traces.js"
import { load } from "../channel/images.js"
import {
  drawImage,
  drawNote,
  drawShape,
  knowsImage,
  knowsNote,
  knowsShape,
  layerOf,
} from "./shapes.js"

const LAYERS = ".shapelayer, .imagelayer, .gridlayer, .zerolinelayer, .overplot, .hoverlayer"
const PAINTED = new Set(["shapes", "images", "annotations", "title"])
const AXIS = /^[xy]axis\d*$/
const CLEAR = /^(transparent|rgba\(.*, ?0\))$/

const sheets = new WeakMap() // graph div -> what is painted on it

/** Show `figure` on a graph div where Plotly has drawn `drawn`. Out of view it is painted once it comes into view.
 * False, and nothing is done, where it holds what is not known here: then Plotly must draw. */
export function paint(div, drawn, figure) {
  if (!div._fullLayout?._plots) return false
  if (!sheets.has(div)) sheets.set(div, new Sheet(div))
  return sheets.get(div).show(drawn, figure)
}

/** Give the chart back to Plotly, as it has drawn it: call it when Plotly draws, or when what it has drawn holds again. */
export function release(div) {
  sheets.get(div)?.release()
}

class Sheet {
  constructor(div) {
    this.div = div
    this.canvas = document.createElement("canvas")
    this.context = this.canvas.getContext("2d")
    this.hidden = new Set() // nodes of Plotly's
    this.undo = [] // what gives Plotly's nodes back what was changed in them
    this.written = new Map() // node of Plotly's that says something else now -> {before, spans}, its nodes then and now
    this.asked = 0 // number of the newest figure
    this.painted = 0 // and of the one that is to be seen
    this.waiting = null // a figure that is out of view, or whose images are being read
    this.seen = inView(div)
    this.canvas.style.cssText = "position:absolute;left:0;top:0;pointer-events:none"
    this.eye = new IntersectionObserver((news) => this.looked(news.at(-1).isIntersecting))
    this.eye.observe(div)
  }

  show(drawn, figure) {
    const room = this.room(drawn, figure)
    if (!room) return false
    this.asked += 1
    this.waiting = room
    if (this.seen) this.begin(room)
    return true
  }

  looked(seen) {
    this.seen = seen
    if (seen && this.waiting) this.begin(this.waiting)
  }

  /** What it takes to paint this figure; null if it cannot be done. */
  room(drawn, figure) {
    const { div, context } = this
    const full = div._fullLayout
    if (!knows(full, drawn.layout, figure)) return null
    const axes = axesOf(div, drawn, figure)
    if (!axes || ![...axes.values()].every((axis) => fits(context, axis, full))) return null
    const words = [
      this.titles(drawn.layout, figure.layout),
      this.legend(drawn.data, figure.data, full),
    ]
    return words.includes(null)
      ? null
      : { number: this.asked + 1, drawn, figure, full, axes, words: words.flat() }
  }

  /** Titles that change, [node, line]; null if one of them differs in more than its words, or has no node of one line. */
  titles(before, after) {
    const changed = []
    for (const name of Object.keys(after)) {
      const [one, other] = [titleOf(before, name), titleOf(after, name)]
      if (same(one, other)) continue
      const node = this.div.querySelector(
        `.${name === "title" ? "g" : name.replace("axis", "")}title`,
      )
      const lines = runs(other.text)
      const moves = node && !node.querySelector(".line") && lines?.length === 1 &&
        same({ ...one, text: other.text }, other)
      if (!moves) return null
      changed.push([node, lines[0]])
    }
    return changed
  }

  /** What a legend says of traces that changes, [node, line]; null where Plotly has to draw it anew. */
  legend(before, after, { showlegend }) {
    if (!showlegend) return []
    if (
      before.length !== after.length ||
      !after.every((trace, at) => told(trace) === told(before[at]))
    ) return null
    const changed = this.told(before, after).filter(({ old, now }) => old !== now)
    return changed.some(({ now }) => !runs(now))
      ? null
      : changed.map(({ node, now }) => [node, runs(now)[0]])
  }

  /** What the legend says of each of its traces, old and now. */
  told(before, after) {
    return [...this.div.querySelectorAll(".legend .traces")].map((node) => {
      const { index } = node.__data__[0].trace
      return {
        node: node.querySelector(".legendtext"),
        old: before[index].name,
        now: after[index].name,
      }
    })
  }

  /** Paint, once all of its images are there, unless something newer has been painted or Plotly has drawn by then. */
  begin(room) {
    const images = (room.figure.layout.images ?? []).map(({ source }) => load(source))
    const missing = images.filter((image) => !(image.complete && image.naturalWidth))
    if (!missing.length) return this.draw(room)
    Promise.all(missing.map((image) => image.decode())).then(() => {
      if (this.waiting && room.number > this.painted) this.draw(room)
    }, () => {}) // one that cannot be read is Plotly's to draw
  }

  draw(room) {
    const { full, axes, drawn, figure, words } = room
    const { shapes = [], images = [], annotations: notes = [] } = figure.layout
    this.painted = room.number
    if (room === this.waiting) this.waiting = null
    const before = this.restore()
    const context = this.clean(full)
    const layer = (name) => {
      for (const shape of shapes) {
        if (shape.visible !== false && layerOf(shape) === name) drawShape(context, shape, room)
      }
    }
    layer("below")
    for (const image of images) drawImage(context, image, load(image.source), room)
    drawGrid(context, full, axes)
    layer("between")
    drawTraces(context, figure.data, room)
    layer("above")
    this.hide(LAYERS)
    const moved = [...axes.values()].filter((axis) => axis.moved)
    if (moved.length || !same(drawn.layout.annotations, figure.layout.annotations)) {
      for (const note of notes) drawNote(context, note, room)
      this.hide(".annotation")
    }
    for (const axis of moved) this.label(context, axis, full)
    for (const [node, line] of words) this.write(node, line)
    this.unwrite(new Set(words.map(([node]) => node)))
    show([...before].filter((node) => !this.hidden.has(node)))
  }

  label(context, axis, full) {
    drawLabels(context, axis, full)
    this.hide(`.${axis.id}tick`)
  }

  change(node, name, value) {
    const before = node.getAttribute(name)
    this.undo.push(() => node.setAttribute(name, before))
    node.setAttribute(name, value)
  }

  write(node, line) {
    const known = this.written.get(node)
    if (known?.spans.length === line.length) {
      known.spans.forEach((span, place) => setSpan(span, line[place]))
      return
    }
    const before = known?.before ?? [...node.childNodes]
    const written = spans(line)
    node.replaceChildren(...written)
    this.written.set(node, { before, spans: written })
  }

  /** Give Plotly's nodes back what they said, but for those that `stay` as they are. */
  unwrite(stay = new Set()) {
    for (const [node, { before }] of this.written) {
      if (stay.has(node)) continue
      node.replaceChildren(...before)
      this.written.delete(node)
    }
  }

  /** The canvas, empty, as large as the chart. */
  clean({ width, height }) {
    const { canvas, context, div } = this
    const scale = devicePixelRatio
    const container = div.querySelector(".svg-container")
    if (canvas.parentNode !== container) container.prepend(canvas)
    const [across, down] = [Math.round(width * scale), Math.round(height * scale)]
    if (canvas.width !== across || canvas.height !== down) {
      Object.assign(canvas, { width: across, height: down })
      Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` })
    }
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, across, down)
    context.setTransform(scale, 0, 0, scale, 0, 0)
    return context
  }

  hide(nodes) {
    for (const node of this.div.querySelectorAll(nodes)) {
      this.hidden.add(node)
      node.style.visibility = "hidden"
    }
  }

  /** Undo what was changed in Plotly's nodes; those that are still hidden. */
  restore() {
    for (const back of this.undo.splice(0).reverse()) back()
    const before = this.hidden
    this.hidden = new Set()
    return before
  }

  release() {
    this.waiting = null
    this.painted = this.asked
    this.unwrite()
    show(this.restore())
    this.canvas.remove()
  }
}

/** Whether all of a figure is known here, but for its axes and titles; `before`: the layout that Plotly has drawn. */
function knows(full, before, { data, layout }) {
  const { shapes = [], images = [], annotations: notes = [] } = layout
  const stays = (name) => PAINTED.has(name) || AXIS.test(name) || same(before[name], layout[name])
  return CLEAR.test(full.paper_bgcolor) && CLEAR.test(full.plot_bgcolor) &&
    Object.keys({ ...before, ...layout }).every(stays) && shapes.every(knowsShape) &&
    images.every(knowsImage) &&
    notes.every(knowsNote) && data.every((trace) => knowsTrace(trace, full))
}

/** All that a legend shows of a trace but its words; its mark may keep the mean size of other points meanwhile. */
function told({ showlegend, visible, mode, line, marker, fillcolor, name }) {
  const mark = marker && { ...marker, size: typeof marker.size === "object" ? null : marker.size }
  return JSON.stringify([showlegend, visible, mode, line, mark, fillcolor, Boolean(name)])
}

function show(nodes) {
  for (const node of nodes) node.style.visibility = ""
}

/** The title of a layout, or of one of its axes. */
function titleOf(layout, name) {
  const title = name === "title" ? layout.title : AXIS.test(name) ? layout[name]?.title : null
  return typeof title === "string" ? { text: title } : { text: "", ...title }
}

function inView(div) {
  const { top, bottom } = div.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
}
