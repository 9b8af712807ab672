// A whole chart on a canvas, without Plotly: an account of its axes as Plotly would keep it, and then all that Plotly
// would draw. Its title and its legend stand over it as words of the page, where Plotly would write them.

import { Axis, drawGrid } from "../../widgets/frontend/charts/axes.js"
import { adopt } from "../../widgets/frontend/charts/figure_diff.js"
import { fitted, scaleOf } from "../../widgets/frontend/charts/responsive.js"
import { drawLabels } from "../../widgets/frontend/charts/tick_labels.js"
import { extent, runs, write } from "../../widgets/frontend/charts/canvas_text.js"
import { coloured, lookOf, themed } from "../../widgets/frontend/charts/theme.js"
import { drawTraces } from "../../widgets/frontend/charts/traces.js"
import { load } from "../../widgets/frontend/channel/images.js"
import {
  clipped,
  drawImage,
  drawNote,
  drawShape,
  layerOf,
  pen,
} from "../../widgets/frontend/charts/shapes.js"
import { ticksOf } from "../../widgets/frontend/charts/ticks.js"

const TITLE = 26 // pixels over a figure for its title, which is no part of the canvas
const TOP = 8 // pixels of the canvas over the axes, for half a number
const AXIS = /^[xy]axis\d*$/
const USUAL = {
  type: "linear",
  visible: true,
  showgrid: true,
  zeroline: true,
  showticklabels: true,
  showline: true,
  linewidth: 1,
}
const PRINT = 3 // pixels of a print for each of the page
const SWATCH = [30, 14] // pixels of a sample in the legend

/** A chart in a cell: <figure> with a title, a legend and a canvas. */
export class Chart {
  /** `scale`: of its letters, on paper, where a title may have several lines; else they are as large as the page's. */
  constructor(cell, scale = 0) {
    this.cell = cell
    this.scale = scale || scaleOf()
    this.wraps = scale > 0
    this.canvas = cell.querySelector(".room > canvas")
    this.words = cell.querySelector("figcaption")
    this.raw = null
    this.asked = 0
    this.said = ""
    this.width = this.height = null // as last observed: to ask at each draw would make the browser lay out the page
    new ResizeObserver(([seen]) => this.resized(seen.contentRect)).observe(
      this.canvas.parentElement,
    )
  }

  resized({ width, height }) {
    this.width = Math.floor(width)
    this.height = Math.floor(height)
    this.draw()
  }

  /** Show a figure, as the channel sends it, with what a screen reader reads in its place. */
  show({ data, layout, alt }) {
    this.raw = adopt(this.raw, { data, layout })
    if (this.canvas.getAttribute("aria-label") !== alt) this.canvas.setAttribute("aria-label", alt)
    this.draw()
  }

  /** Paint it as large as its place is, once its images can be read; the newest figure wins. */
  draw() {
    const { width, height } = this
    if (!this.raw || width === 0) return
    look ??= lookOf(this.cell)
    const { data, layout: whole } = coloured(
      fitted(this.raw, this.scale, this.wraps ? 0 : width),
      look,
    )
    this.say(data, whole)
    if (!width || !height) return
    const { title: _, showlegend, legend: __, ...layout } = whole
    const top = Math.max(TOP, showlegend ? 0 : layout.margin.t - TITLE * this.scale)
    layout.margin = { ...layout.margin, t: top }
    const number = ++this.asked
    const images = (layout.images ?? []).map(({ source }) => load(source))
    const paint = () => {
      if (number !== this.asked) return
      const context = cleaned(this.canvas, width, height)
      drawWhole(context, data, themed(layout, look, { width, height, resets: 1 }))
    }
    const missing = images.filter((image) => !(image.complete && image.naturalWidth))
    if (!missing.length) return paint()
    Promise.all(missing.map((image) => image.decode())).then(paint, () => {})
  }

  /** Write the title and, with the name of the axis upwards, the legend, where they say something new. */
  say(data, { title, showlegend, legend, margin }) {
    const named = showlegend
      ? data.filter((one) => one.name && one.showlegend !== false && (one.visible ?? true))
      : []
    const said = JSON.stringify([
      title?.text,
      legend?.title?.text,
      named.map((
        { name, mode, line, marker, fillcolor },
      ) => [name, mode, line, marker?.color, fillcolor]),
    ])
    if (said === this.said) return
    this.said = said
    const heading = element("p", "title", title?.text)
    const axis = element("p", "axis", legend?.title?.text.replace(/^<br>/, ""))
    const key = element("p", "key")
    axis.style.marginLeft = key.style.marginLeft = `${margin.l}px`
    for (const trace of named) {
      const entry = element("span", "", trace.name)
      entry.prepend(sample(trace))
      key.append(entry)
    }
    this.words.replaceChildren(heading, ...(showlegend ? [axis, key] : []))
  }
}

/** An element with the text of a figure, whose few tags are all that it may hold. */
function element(tag, className, text = "") {
  const node = document.createElement(tag)
  if (className) node.className = className
  runs(text)?.forEach((line, place) => {
    if (place) node.append(document.createElement("br"))
    for (const { text: words, colour, bold, italic, shift } of line) {
      const part = document.createElement(
        shift ? shift < 0 ? "sup" : "sub" : bold ? "b" : italic ? "i" : "span",
      )
      part.textContent = words
      if (colour) part.style.color = colour
      node.append(part)
    }
  })
  return node
}

/** What a trace looks like in a legend. */
function sample(trace) {
  const canvas = document.createElement("canvas")
  const [width, height] = SWATCH
  canvas.setAttribute("aria-hidden", "true")
  const context = cleaned(canvas, width, height)
  const one = (
    value,
  ) => (value !== null && typeof value === "object" && !("width" in value) ? value[0] : value)
  const marker = trace.marker &&
    Object.fromEntries(Object.entries(trace.marker).map(([name, value]) => [name, one(value)]))
  if (typeof marker?.size === "number") marker.size = Math.min(marker.size, 11)
  const usual = {
    ...trace,
    xaxis: "x",
    yaxis: "y",
    text: [],
    error_y: null,
    fill: "none",
    visible: true,
    opacity: trace.opacity,
  }
  const line = { ...usual, mode: "lines", x: [0, 1], y: [0, 0] }
  const dot = { ...usual, mode: "markers", x: [0.5], y: [0], marker }
  const layout = {
    width,
    height,
    font: { size: 13, family: "sans-serif", color: "black" },
    margin: { l: 0, r: 0, t: 0, b: 0 },
    xaxis: { range: [0, 1], visible: false },
    yaxis: { range: [-1, 1], visible: false },
  }
  if (trace.fillcolor && trace.fill !== "none") {
    context.fillStyle = trace.fillcolor
    context.fillRect(0, 1, width, height - 2)
  }
  drawWhole(
    context,
    [/lines/.test(trace.mode) ? line : null, /markers/.test(trace.mode) ? dot : null].filter(
      Boolean,
    ),
    layout,
  )
  return canvas
}

let least = 1
let look = null // asked once: to ask between two draws makes the browser work out all styles anew

/** Paint these charts anew, in the page's look as it is now; `fine`: as finely as a print needs. */
export function repaint(charts, fine = false) {
  least = fine ? PRINT : 1
  look = null
  for (const chart of charts) chart.draw()
}

/** The context of a canvas, empty, with so many pixels of the page. */
function cleaned(canvas, width, height) {
  const scale = Math.max(least, devicePixelRatio)
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` })
  const context = canvas.getContext("2d")
  context.setTransform(scale, 0, 0, scale, 0, 0)
  return context
}

/** Draw all of a figure but its title and legend; the account that was drawn by. */
function drawWhole(context, data, layout) {
  const full = accountOf(data, layout)
  const room = { full, axes: axesOf(full, layout, data) }
  const { shapes = [], images = [], annotations = [] } = layout
  const layer = (name) => {
    for (const one of shapes) {
      if (one.visible !== false && layerOf(one) === name) drawShape(context, one, room)
    }
  }
  layer("below")
  for (const image of images) drawImage(context, image, load(image.source), room)
  drawGrid(context, full, room.axes)
  layer("between")
  for (const { fillpattern } of data) if (fillpattern) hatch(context, fillpattern, room)
  drawTraces(context, data, room)
  layer("above")
  for (const note of annotations) drawNote(context, note, room)
  for (const axis of room.axes.values()) {
    framed(context, axis)
    drawLabels(context, axis, full)
    if (!axis.up) named(context, axis, full)
  }
  return full
}

/** What Plotly would know of a layout, as far as the painter asks. */
function accountOf(data, layout) {
  const { l, r, t, b } = layout.margin
  const size = { l, r, t, b, w: layout.width - l - r, h: layout.height - t - b }
  const full = { bargap: 0.2, barmode: "group", ...layout, _size: size, _plots: {} }
  const names = Object.keys(layout).filter((name) => AXIS.test(name))
  for (const name of names) full[name] = axisAccount(name, layout, size)
  const axis = (id) => full[`${id[0]}axis${id.slice(1)}`]
  for (const name of names) {
    const one = full[name]
    const across = axis(one.anchor ?? (one._id[0] === "x" ? "y" : "x"))
    const far = one._id[0] === "x" ? one.side !== "top" : one.side === "right"
    one._mainLinePosition = across._offset + (far ? across._length : 0)
  }
  for (const { xaxis = "x", yaxis = "y" } of [{}, ...data]) {
    full._plots[xaxis + yaxis] = { xaxis: axis(xaxis), yaxis: axis(yaxis) }
  }
  return full
}

function axisAccount(name, layout, size) {
  const { font, [name]: asked } = layout
  const [letter, up, [from, to]] = [name[0], name[0] === "y", asked.domain ?? [0, 1]]
  return {
    ...USUAL,
    side: up ? "left" : "bottom",
    ...asked,
    tickfont: { ...font, ...asked.tickfont },
    _id: letter + name.slice(5),
    _name: name,
    _offset: up ? size.t + (1 - to) * size.h : size.l + from * size.w,
    _length: (to - from) * (up ? size.h : size.w),
  }
}

function axesOf(full, layout, data) {
  const axes = new Map()
  for (const name of Object.keys(layout).filter((one) => AXIS.test(one))) {
    const { _id: id } = full[name]
    const along = data.filter((trace) => (trace[`${id[0]}axis`] ?? id[0]) === id).flatMap((
      trace,
    ) => [...trace[id[0]]])
    const categories = along.some((one) => typeof one === "string") ? [...new Set(along)] : null
    full[name]._vals = categories
    const axis = new Axis(
      full[name],
      full[name].range ?? [-0.5, (categories?.length ?? 1) - 0.5],
      true,
      categories,
    )
    axis.ticks = ticksOf(axis, layout[name]) ?? []
    axes.set(id, axis)
  }
  return axes
}

/** The line of an axis. */
function framed(
  context,
  { up, low, high, full: { visible, showline, linecolor, side, _mainLinePosition: place } },
) {
  if (!visible || !showline) return
  const [at, size] = [place - (side === "left" || side === "top" ? 1 : 0), high - low]
  context.fillStyle = linecolor
  context.fillRect(up ? at : low, up ? low : at, up ? 1 : size, up ? size : 1)
}

/** The name of an axis along the bottom, under its numbers. */
function named(
  context,
  { full: { title, tickfont, visible, _offset, _length, _mainLinePosition, showticklabels } },
  full,
) {
  const lines = title?.text && visible ? runs(title.text) : null
  if (!lines) return
  const font = { ...full.font, ...title.font }
  const numbers = showticklabels ? 1.3 * tickfont.size : 0
  const y = _mainLinePosition + numbers + (title.standoff ?? 8) +
    extent(context, lines, font).ascent
  write(context, lines, _offset + _length / 2, Math.min(y, full.height - 3), font, 0.5)
}

/** Slanted lines over the first axes: what is covered. */
function hatch(context, { fgcolor, size }, { axes, full }) {
  const [x, y] = [axes.get("x"), axes.get("y")]
  clipped(context, x, y, full, () => {
    pen(context, { color: fgcolor, width: 1.5 })
    context.beginPath()
    for (let at = x.low - (y.high - y.low); at < x.high; at += size) {
      context.moveTo(at, y.high)
      context.lineTo(at + y.high - y.low, y.low)
    }
    context.stroke()
  })
}
