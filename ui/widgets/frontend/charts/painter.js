// Paints a figure over the one that Plotly has drawn, many times as quickly: on a canvas under
// Plotly's transparent nodes, in Plotly's own axes. What is painted is hidden in Plotly's nodes
// meanwhile; ticks, titles and texts that stay are Plotly's.

import { isLoaded, loadImage } from "../channel/images.js"
import { axesOf, drawGrid, isEqual } from "./axes.js"
import { makeSpans, parseText, setSpan } from "./canvas_text.js"
import {
  drawAnnotation,
  drawImage,
  drawShape,
  isKnownAnnotation,
  isKnownImage,
  isKnownShape,
  layerOf,
} from "./shapes.js"
import { canPaintLabels, drawLabels } from "./ticks.js"
import { drawTraces, isKnownTrace } from "./traces.js"

const PAINTED_LAYERS =
  ".shapelayer, .imagelayer, .gridlayer, .zerolinelayer, .overplot, .hoverlayer"
const PAINTED_PARTS = new Set(["shapes", "images", "annotations", "title"])
const AXIS = /^[xy]axis\d*$/
const TRANSPARENT = /^(transparent|rgba\(.*, ?0\))$/

/**
 * Graph div -> what is painted over it.
 *
 * @type {WeakMap<Element, Overlay>}
 */
const overlays = new WeakMap()

/**
 * Show a figure on a graph div where Plotly has drawn another one. Out of view it is painted once it
 * comes into view.
 *
 * @param {any} div
 * @param {any} drawnFigure The figure that Plotly has drawn.
 * @param {any} figure
 * @returns {boolean} False, and nothing is done, where Plotly has to draw.
 */
export function paint(div, drawnFigure, figure) {
  if (!div._fullLayout?._plots) return false
  if (!overlays.has(div)) overlays.set(div, new Overlay(div))
  return overlays.get(div).show(drawnFigure, figure)
}

/**
 * Show what Plotly has drawn. Call it when Plotly draws, or when what it has drawn holds again.
 *
 * @param {any} div
 */
export function release(div) {
  overlays.get(div)?.release()
}

/**
 * @typedef {object} Painting What it takes to paint a figure.
 * @property {number} number
 * @property {any} drawnFigure
 * @property {any} figure
 * @property {any} full Plotly's full layout.
 * @property {Map<string, import("./axes.js").Axis>} axes
 * @property {[node: Element, line: import("./canvas_text.js").Run[]][]} texts Changed texts in
 *     Plotly's own nodes.
 */

class Overlay {
  constructor(div) {
    this.div = div
    this.canvas = document.createElement("canvas")
    this.context = this.canvas.getContext("2d")
    this.canvas.style.cssText = "position:absolute;left:0;top:0;pointer-events:none"
    /** @type {Set<any>} nodes of Plotly that are hidden */
    this.hidden = new Set()
    this.rewritten = new Map() // node of Plotly with another text -> {before, spans}, its children
    this.newestNumber = 0 // of the newest figure
    this.paintedNumber = 0 // of the figure that is painted
    /** @type {Painting | null} a figure out of view, or whose images are being read */
    this.waiting = null
    this.isInView = isInWindow(div)
    this.viewObserver = new IntersectionObserver((entries) => {
      this.setInView(entries.at(-1).isIntersecting)
    })
    this.viewObserver.observe(div)
  }

  show(drawnFigure, figure) {
    const painting = this.prepare(drawnFigure, figure)
    if (!painting) return false
    this.newestNumber = painting.number
    this.waiting = painting
    if (this.isInView) this.paintWhenLoaded(painting)
    return true
  }

  setInView(isInView) {
    this.isInView = isInView
    if (isInView && this.waiting) this.paintWhenLoaded(this.waiting)
  }

  /** @returns {Painting | null} Null where the figure cannot be painted. */
  prepare(drawnFigure, figure) {
    const full = this.div._fullLayout
    if (!isKnownFigure(full, drawnFigure.layout, figure)) return null
    const axes = axesOf(this.div, drawnFigure, figure)
    if (!axes) return null
    for (const axis of axes.values()) {
      if (!canPaintLabels(this.context, axis, full)) return null
    }
    const titles = this.changedTitles(drawnFigure.layout, figure.layout)
    const names = this.changedLegend(drawnFigure.data, figure.data, full)
    if (!titles || !names) return null
    const number = this.newestNumber + 1
    return { number, drawnFigure, figure, full, axes, texts: [...titles, ...names] }
  }

  /**
   * The titles that change, with their nodes.
   *
   * @returns {Painting["texts"] | null} Null where a title changes by more than its text, or has no
   *     node of one line.
   */
  changedTitles(before, after) {
    /** @type {Painting["texts"]} */
    const changed = []
    for (const name of Object.keys(after)) {
      const oldTitle = titleOf(before, name)
      const newTitle = titleOf(after, name)
      if (isEqual(oldTitle, newTitle)) continue
      const node = this.titleNode(name)
      const lines = parseText(newTitle.text)
      const isOneLine = node && !node.querySelector(".line") && lines?.length === 1
      if (!isOneLine || !isEqual({ ...oldTitle, text: newTitle.text }, newTitle)) return null
      changed.push([node, lines[0]])
    }
    return changed
  }

  titleNode(name) {
    const prefix = name === "title" ? "g" : name.replace("axis", "")
    return this.div.querySelector(`.${prefix}title`)
  }

  /**
   * The names in the legend that change, with their nodes.
   *
   * @returns {Painting["texts"] | null} Null where Plotly has to draw the legend.
   */
  changedLegend(before, after, { showlegend }) {
    if (!showlegend) return []
    if (before.length !== after.length) return null
    const isSameLegend = after.every((trace, index) => {
      return legendKey(trace) === legendKey(before[index])
    })
    if (!isSameLegend) return null
    /** @type {Painting["texts"]} */
    const changed = []
    for (const item of this.div.querySelectorAll(".legend .traces")) {
      const { index } = item.__data__[0].trace
      const { name } = after[index]
      if (name === before[index].name) continue
      const lines = parseText(name)
      if (!lines) return null
      changed.push([item.querySelector(".legendtext"), lines[0]])
    }
    return changed
  }

  /** Paint once all images are read, unless a newer figure is painted or Plotly has drawn by then. */
  paintWhenLoaded(painting) {
    const images = painting.figure.layout.images ?? []
    const missing = images.map(({ source }) => loadImage(source)).filter((image) =>
      !isLoaded(image)
    )
    if (missing.length === 0) {
      this.paint(painting)
      return
    }
    const loaded = () => {
      if (this.waiting && painting.number > this.paintedNumber) this.paint(painting)
    }
    // an image that cannot be read is Plotly's to draw
    Promise.all(missing.map((image) => image.decode())).then(loaded, () => {})
  }

  /** @param {Painting} painting */
  paint(painting) {
    this.paintedNumber = painting.number
    if (painting === this.waiting) this.waiting = null
    const hiddenBefore = this.hidden
    this.hidden = new Set()
    const context = this.clearCanvas(painting.full)
    drawLayers(context, painting)
    this.hide(PAINTED_LAYERS)
    this.paintAnnotationsAndLabels(context, painting)
    this.rewriteTexts(painting.texts)
    for (const node of hiddenBefore) {
      if (!this.hidden.has(node)) unhide(node)
    }
  }

  paintAnnotationsAndLabels(context, painting) {
    const { full, axes, drawnFigure, figure } = painting
    const { annotations } = figure.layout
    const moved = [...axes.values()].filter((axis) => axis.hasMoved)
    if (moved.length > 0 || !isEqual(drawnFigure.layout.annotations, annotations)) {
      for (const annotation of annotations ?? []) drawAnnotation(context, annotation, painting)
      this.hide(".annotation")
    }
    for (const axis of moved) {
      drawLabels(context, axis, full)
      this.hide(`.${axis.id}tick`)
    }
  }

  /** Write changed texts, and give the other nodes their own texts back. */
  rewriteTexts(texts) {
    for (const [node, line] of texts) this.rewriteText(node, line)
    this.restoreTexts(new Set(texts.map(([node]) => node)))
  }

  rewriteText(node, line) {
    const rewritten = this.rewritten.get(node)
    if (rewritten?.spans.length === line.length) {
      rewritten.spans.forEach((span, index) => setSpan(span, line[index]))
      return
    }
    const before = rewritten?.before ?? [...node.childNodes]
    const spans = makeSpans(line)
    node.replaceChildren(...spans)
    this.rewritten.set(node, { before, spans })
  }

  restoreTexts(kept) {
    for (const [node, { before }] of this.rewritten) {
      if (kept.has(node)) continue
      node.replaceChildren(...before)
      this.rewritten.delete(node)
    }
  }

  /** Clear the canvas, and make it as large as the chart. */
  clearCanvas({ width, height }) {
    const { canvas, context } = this
    const container = this.div.querySelector(".svg-container")
    if (canvas.parentNode !== container) container.prepend(canvas)
    const scale = devicePixelRatio
    const pixelsAcross = Math.round(width * scale)
    const pixelsDown = Math.round(height * scale)
    if (canvas.width !== pixelsAcross || canvas.height !== pixelsDown) {
      canvas.width = pixelsAcross
      canvas.height = pixelsDown
      canvas.style.width = `${width}px`
      canvas.style.height = `${height}px`
    }
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, pixelsAcross, pixelsDown)
    context.setTransform(scale, 0, 0, scale, 0, 0)
    return context
  }

  hide(selector) {
    for (const node of this.div.querySelectorAll(selector)) {
      this.hidden.add(node)
      node.style.visibility = "hidden"
    }
  }

  release() {
    this.waiting = null
    this.paintedNumber = this.newestNumber
    this.restoreTexts(new Set())
    for (const node of this.hidden) unhide(node)
    this.hidden = new Set()
    this.canvas.remove()
  }
}

/** Draw shapes, images, grid and traces, in Plotly's order. */
function drawLayers(context, painting) {
  const { full, axes, figure } = painting
  const { shapes = [], images = [] } = figure.layout
  const drawShapes = (layer) => {
    for (const shape of shapes) {
      if (shape.visible !== false && layerOf(shape) === layer) drawShape(context, shape, painting)
    }
  }
  drawShapes("below")
  for (const image of images) drawImage(context, image, loadImage(image.source), painting)
  drawGrid(context, full, axes)
  drawShapes("between")
  drawTraces(context, figure.data, painting)
  drawShapes("above")
}

/**
 * Whether all of a figure can be painted, but for its axes and titles.
 *
 * @param {any} full Plotly's full layout.
 * @param {any} before The layout that Plotly has drawn.
 * @param {any} figure
 */
function isKnownFigure(full, before, { data, layout }) {
  // the canvas is under Plotly's background
  if (!TRANSPARENT.test(full.paper_bgcolor) || !TRANSPARENT.test(full.plot_bgcolor)) return false
  for (const name of Object.keys({ ...before, ...layout })) {
    if (PAINTED_PARTS.has(name) || AXIS.test(name)) continue
    if (!isEqual(before[name], layout[name])) return false
  }
  const { shapes = [], images = [], annotations = [] } = layout
  return shapes.every(isKnownShape) && images.every(isKnownImage) &&
    annotations.every(isKnownAnnotation) && data.every((trace) => isKnownTrace(trace, full))
}

/**
 * All that a legend shows of a trace but its name. A mark may keep the mean size of other points
 * meanwhile.
 */
function legendKey({ showlegend, visible, mode, line, marker, fillcolor, name }) {
  let mark = marker
  if (typeof marker?.size === "object") mark = { ...marker, size: null }
  return JSON.stringify([showlegend, visible, mode, line, mark, fillcolor, Boolean(name)])
}

function unhide(node) {
  node.style.visibility = ""
}

/** The title of a layout, or of one of its axes; one without text where the part has none. */
function titleOf(layout, name) {
  let title = null
  if (name === "title") title = layout.title
  else if (AXIS.test(name)) title = layout[name]?.title
  return typeof title === "string" ? { text: title } : { text: "", ...title }
}

function isInWindow(div) {
  const { top, bottom } = div.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
}
