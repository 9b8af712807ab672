// A whole chart on a canvas, without Plotly: a description of its axes as Plotly would have it, and
// then all that Plotly would draw. Its title and its legend stand over it as text of the page, where
// Plotly would write them.

import { isLoaded, loadImage } from "../../widgets/frontend/channel/images.js"
import { parseText } from "../../widgets/frontend/charts/canvas_text.js"
import { adopt } from "../../widgets/frontend/charts/figure_diff.js"
import { fitFigure, pageScale } from "../../widgets/frontend/charts/responsive.js"
import { applyColours, applyTheme, readTheme } from "../../widgets/frontend/charts/theme.js"
import { drawFigure } from "./figure.js"

const TITLE_HEIGHT = 26 // pixels over a figure, which are no part of the canvas
const MIN_TOP = 8 // pixels of the canvas over the axes, for half a number
const PRINT_SCALE = 3 // pixels of a print for each of the page
const SAMPLE_WIDTH = 30 // pixels of a sample in the legend
const SAMPLE_HEIGHT = 14
const MAX_SAMPLE_MARKER = 11

// Pixels of a canvas for each of the page, at least.
let minScale = 1
// Read once: to read it between two drawings makes the browser compute all styles anew.
let theme = null

/**
 * Repaint charts in the theme of the page as it is now.
 *
 * @param {Chart[]} charts
 * @param {boolean} isPrint Whether they are painted as finely as a print needs.
 */
export function repaintCharts(charts, isPrint = false) {
  minScale = isPrint ? PRINT_SCALE : 1
  theme = null
  for (const chart of charts) chart.draw()
}

/** A chart in a cell: <figure> with a title, a legend and a canvas. */
export class Chart {
  /**
   * @param {HTMLElement} cell
   * @param {number} paperScale Of the letters on paper, where a title may have several lines; 0 for
   *     letters as large as those of the page.
   */
  constructor(cell, paperScale = 0) {
    this.cell = cell
    this.isOnPaper = paperScale > 0
    this.scale = paperScale || pageScale()
    /** @type {HTMLCanvasElement} */
    this.canvas = cell.querySelector(".room > canvas")
    this.caption = cell.querySelector("figcaption")
    this.raw = null // the figure as it came
    this.drawCount = 0
    this.shownCaption = ""
    // As last observed: to ask at each draw would make the browser lay out the page.
    this.width = null
    this.height = null
    const observer = new ResizeObserver(([entry]) => this.resized(entry.contentRect))
    observer.observe(this.canvas.parentElement)
  }

  resized({ width, height }) {
    this.width = Math.floor(width)
    this.height = Math.floor(height)
    this.draw()
  }

  /**
   * Show a figure.
   *
   * @param {{data: any[], layout: any, alt: string}} figure As the channel sends it, with what a
   *     screen reader reads in its place.
   */
  show({ data, layout, alt }) {
    this.raw = adopt(this.raw, { data, layout })
    if (this.canvas.getAttribute("aria-label") !== alt) this.canvas.setAttribute("aria-label", alt)
    this.draw()
  }

  /** Paint the figure as large as its room, once its images can be read; the newest call wins. */
  draw() {
    const { width, height } = this
    if (!this.raw || width === 0) return
    theme ??= readTheme(this.cell)
    const fitted = fitFigure(this.raw, this.scale, this.isOnPaper ? 0 : width)
    const { data, layout } = applyColours(fitted, theme)
    this.showCaption(data, layout)
    if (!width || !height) return
    this.drawCount += 1
    const count = this.drawCount
    const canvasLayout = this.withoutCaption(layout)
    const paint = () => {
      if (count !== this.drawCount) return
      const context = clearCanvas(this.canvas, width, height)
      drawFigure(context, data, applyTheme(canvasLayout, theme, { width, height, resets: 1 }))
    }
    const images = (layout.images ?? []).map(({ source }) => loadImage(source))
    const missing = images.filter((image) => !isLoaded(image))
    if (missing.length === 0) paint()
    else Promise.all(missing.map((image) => image.decode())).then(paint, () => {})
  }

  /** A layout without what stands in the caption, and without the room for it. */
  withoutCaption(layout) {
    const { showlegend, margin } = layout
    const titleMargin = margin.t - TITLE_HEIGHT * this.scale
    const top = showlegend ? MIN_TOP : Math.max(MIN_TOP, titleMargin)
    const rest = { ...layout, margin: { ...margin, t: top } }
    delete rest.title
    delete rest.showlegend
    delete rest.legend
    return rest
  }

  /** Write the title and, with the name of the vertical axis, the legend, where they have changed. */
  showCaption(data, { title, showlegend, legend, margin }) {
    const named = showlegend ? data.filter(isInLegend) : []
    const legendKeys = named.map((trace) => {
      return [trace.name, trace.mode, trace.line, trace.marker?.color, trace.fillcolor]
    })
    const axisName = legend?.title?.text
    const key = JSON.stringify([title?.text, axisName, legendKeys])
    if (key === this.shownCaption) return
    this.shownCaption = key
    this.caption.replaceChildren(textElement("p", "title", title?.text))
    if (!showlegend) return
    const axis = textElement("p", "axis", axisName?.replace(/^<br>/, ""))
    const legendNode = makeLegend(named)
    axis.style.marginLeft = `${margin.l}px`
    legendNode.style.marginLeft = `${margin.l}px`
    this.caption.append(axis, legendNode)
  }
}

function isInLegend({ name, showlegend, visible }) {
  return name && showlegend !== false && (visible ?? true)
}

function makeLegend(traces) {
  const legend = textElement("p", "key", "")
  for (const trace of traces) {
    const entry = textElement("span", "", trace.name)
    entry.prepend(drawSample(trace))
    legend.append(entry)
  }
  return legend
}

/** Make an element with a text of a figure, whose few tags are all that it may hold. */
function textElement(tag, className, text = "") {
  const node = document.createElement(tag)
  if (className) node.className = className
  const lines = parseText(text) ?? []
  lines.forEach((line, index) => {
    if (index > 0) node.append(document.createElement("br"))
    for (const run of line) {
      const part = document.createElement(tagOf(run))
      part.textContent = run.text
      if (run.colour) part.style.color = run.colour
      node.append(part)
    }
  })
  return node
}

/** @param {import("../../widgets/frontend/charts/canvas_text.js").Run} run */
function tagOf({ bold, italic, shift }) {
  if (shift) return shift < 0 ? "sup" : "sub"
  if (bold) return "b"
  return italic ? "i" : "span"
}

/** Draw what a trace looks like in a legend. */
function drawSample(trace) {
  const canvas = document.createElement("canvas")
  canvas.setAttribute("aria-hidden", "true")
  const context = clearCanvas(canvas, SAMPLE_WIDTH, SAMPLE_HEIGHT)
  if (trace.fillcolor && trace.fill !== "none") {
    context.fillStyle = trace.fillcolor
    context.fillRect(0, 1, SAMPLE_WIDTH, SAMPLE_HEIGHT - 2)
  }
  drawFigure(context, sampleTraces(trace), {
    width: SAMPLE_WIDTH,
    height: SAMPLE_HEIGHT,
    font: { size: 13, family: "sans-serif", color: "black" },
    margin: { l: 0, r: 0, t: 0, b: 0 },
    xaxis: { range: [0, 1], visible: false },
    yaxis: { range: [-1, 1], visible: false },
  })
  return canvas
}

/** A line across the sample and a marker in its middle, as far as the trace has them. */
function sampleTraces(trace) {
  const { mode = "none" } = trace
  const base = {
    ...trace,
    xaxis: "x",
    yaxis: "y",
    text: [],
    error_y: null,
    fill: "none",
    visible: true,
  }
  const traces = []
  if (mode.includes("lines")) traces.push({ ...base, mode: "lines", x: [0, 1], y: [0, 0] })
  if (mode.includes("markers")) {
    const marker = sampleMarker(trace.marker)
    traces.push({ ...base, mode: "markers", x: [0.5], y: [0], marker })
  }
  return traces
}

/** The marker of the first point. */
function sampleMarker(marker) {
  if (!marker) return marker
  const sample = {}
  for (const [name, value] of Object.entries(marker)) {
    const isOfEachPoint = value !== null && typeof value === "object" && !("width" in value)
    sample[name] = isOfEachPoint ? value[0] : value
  }
  if (typeof sample.size === "number") sample.size = Math.min(sample.size, MAX_SAMPLE_MARKER)
  return sample
}

/** Clear a canvas, and make it so many pixels of the page large. */
function clearCanvas(canvas, width, height) {
  const scale = Math.max(minScale, devicePixelRatio)
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  canvas.style.width = `${width}px`
  canvas.style.height = `${height}px`
  const context = canvas.getContext("2d")
  context.setTransform(scale, 0, 0, scale, 0, 0)
  return context
}
