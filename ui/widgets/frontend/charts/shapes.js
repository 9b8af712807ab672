// Parts of a layout on a canvas: shapes, images under them, annotations over them.

import { Ruler } from "./axes.js"
import { measure, parseText, writeText } from "./canvas_text.js"

const PAIR = /(-?[\d.]+(?:e[-+]?\d+)?),(-?[\d.]+(?:e[-+]?\d+)?)/g
// A path whose numbers `PAIR` finds, all of them.
const PLAIN_PATH = /^[MLCZ\d.,e+\s-]*$/
const SHAPE_ATTRIBUTES = attributes(
  "type name path x0 x1 y0 y1 xref yref xsizemode ysizemode xanchor yanchor line fillcolor",
  "fillrule opacity layer visible",
)
const IMAGE_ATTRIBUTES = attributes("source x y sizex sizey xref yref sizing layer")
const ANNOTATION_ATTRIBUTES = attributes(
  "text x y xref yref xanchor yanchor xshift yshift align showarrow font textangle captureevents",
  "bgcolor bordercolor borderwidth borderpad",
)
const OUTLINES = ["line", "rect", "circle"]
const REFERENCE = /^(paper|[xy]\d*)$/
// Anchor -> shares of the size from the anchor to the middle.
const TO_MIDDLE = { left: 0.5, top: 0.5, center: 0, middle: 0, right: -0.5, bottom: -0.5 }
// Alignment -> share of the width left of the text's position.
const ALIGN = { left: 0, center: 0.5, right: 1 }
// Dashes and gaps in turn, in pixels.
const PIXEL_DASHES = /^[\d.]+px(,[\d.]+px)*$/
// The same by name, in widths of the line.
const DASHES = {
  solid: [],
  dot: [1, 1],
  dash: [3, 3],
  longdash: [5, 5],
  dashdot: [3, 1, 1, 1],
  longdashdot: [5, 2, 1, 2],
}
const MIN_DASH_WIDTH = 3
const WHOLE_TURN = 7 // radians, more than a circle has
const ABOVE_HAIRLINE = 1.001 // pixels of the screen
const BOX_PADDING = 1 // pixels around the text of an annotation

/** @typedef {import("./axes.js").Axis} Axis */

/**
 * @typedef {object} Scene What a figure is drawn with.
 * @property {any} full Plotly's full layout.
 * @property {Map<string, Axis>} axes
 */

/**
 * A set of attribute names, out of texts.
 *
 * @param {string[]} texts
 */
export function attributes(...texts) {
  return new Set(texts.join(" ").split(" "))
}

/**
 * Whether a part of a figure has no attributes but these.
 *
 * @param {object} part
 * @param {Set<string>} names
 */
export function hasOnly(part, names) {
  for (const name in part) {
    if (!names.has(name)) return false
  }
  return true
}

/**
 * Set the line that is drawn from now on.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {{color?: string, width?: number, dash?: string}} line
 */
export function setLine(context, { color = "#444", width = 2, dash = "solid" } = {}) {
  context.strokeStyle = color
  context.lineWidth = width
  context.setLineDash(dashLengths(dash, width))
}

function dashLengths(dash, width) {
  if (!(dash in DASHES)) return dash.split(",").map((length) => parseFloat(length))
  return DASHES[dash].map((length) => length * Math.max(MIN_DASH_WIDTH, width))
}

/**
 * Whether `setLine` knows a line.
 *
 * @param {{dash?: string, shape?: string}} line
 */
export function isKnownLine({ dash = "solid", shape = "linear" } = {}) {
  return (dash in DASHES || PIXEL_DASHES.test(dash)) && shape === "linear"
}

/**
 * Draw with what is outside of two axes cut off.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {Axis | null | undefined} xaxis Without one, nothing is cut off across the chart.
 * @param {Axis | null | undefined} yaxis
 * @param {{width: number, height: number}} size Of the chart.
 * @param {() => void} draw
 */
export function drawClipped(context, xaxis, yaxis, { width, height }, draw) {
  const left = xaxis ? xaxis.low : 0
  const right = xaxis ? xaxis.high : width
  const top = yaxis ? yaxis.low : 0
  const bottom = yaxis ? yaxis.high : height
  context.save()
  context.beginPath()
  context.rect(left, top, right - left, bottom - top)
  context.clip()
  draw()
  context.restore()
}

/** @param {any} shape */
export function isKnownShape(shape) {
  const { type, path = "", xref = "x", yref = "y" } = shape
  const isKnownOutline = type === "path" ? PLAIN_PATH.test(path) : OUTLINES.includes(type)
  if (!isKnownOutline || !hasOnly(shape, SHAPE_ATTRIBUTES)) return false
  return REFERENCE.test(xref) && REFERENCE.test(yref) && isKnownLine(shape.line)
}

/**
 * The layer in which Plotly draws a shape: under the grid ("below"), between the grid and the curves,
 * or above all.
 *
 * @param {any} shape
 */
export function layerOf({ layer = "above", xref, yref }) {
  const isOnPaper = xref === "paper" || yref === "paper"
  return layer === "between" && isOnPaper ? "below" : layer
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {any} shape
 * @param {Scene} scene
 */
export function drawShape(context, shape, { axes, full }) {
  const { line, opacity = 1, fillcolor, fillrule = "evenodd", xref = "x", yref = "y" } = shape
  const outline = outlineOf(shape, rulerOf(axes, full, "x", shape), rulerOf(axes, full, "y", shape))
  drawClipped(context, axes.get(xref), axes.get(yref), full, () => {
    context.globalAlpha = opacity
    context.fillStyle = fillcolor ?? "transparent"
    if (fillcolor) context.fill(outline, fillrule)
    setLine(context, line)
    // a hairline is drawn piece by piece, each over the last one, and would be darker where they meet
    if (opacity < 1) {
      context.lineWidth = Math.max(context.lineWidth, ABOVE_HAIRLINE / devicePixelRatio)
    }
    if (line?.width !== 0) context.stroke(outline)
  })
}

/** Maps the coordinates of a shape in one direction to pixels. */
function rulerOf(axes, { _size: size }, letter, shape) {
  const reference = shape[`${letter}ref`] ?? letter
  const isVertical = letter === "y"
  /** @type {Ruler} */
  let ruler = axes.get(reference)
  if (reference === "paper" && isVertical) ruler = new Ruler(-size.h, size.t + size.h)
  else if (reference === "paper") ruler = new Ruler(size.w, size.l)
  if (shape[`${letter}sizemode`] !== "pixel") return ruler
  const direction = isVertical ? -1 : 1
  return new Ruler(direction, ruler.at(shape[`${letter}anchor`]))
}

function outlineOf({ type, path, x0, x1, y0, y1 }, x, y) {
  if (type === "path") return pathOutline(path, x, y)
  const left = x.at(x0)
  const right = x.at(x1)
  const bottom = y.at(y0)
  const top = y.at(y1)
  const outline = new Path2D()
  if (type === "rect") {
    outline.rect(left, bottom, right - left, top - bottom)
  } else if (type === "circle") {
    const radiusX = Math.abs(right - left) / 2
    const radiusY = Math.abs(top - bottom) / 2
    outline.ellipse((left + right) / 2, (bottom + top) / 2, radiusX, radiusY, 0, 0, WHOLE_TURN)
  } else {
    outline.moveTo(left, bottom)
    outline.lineTo(right, top)
  }
  return outline
}

function pathOutline(path, x, y) {
  if (x.log || y.log) {
    const toPixels = (_, first, second) => {
      return `${x.at(Number(first)).toFixed(2)},${y.at(Number(second)).toFixed(2)}`
    }
    return new Path2D(path.replace(PAIR, toPixels))
  }
  const outline = new Path2D()
  outline.addPath(new Path2D(path), new DOMMatrix([x.scale, 0, 0, y.scale, x.shift, y.shift]))
  return outline
}

/** @param {any} image */
export function isKnownImage(image) {
  if (!hasOnly(image, IMAGE_ATTRIBUTES)) return false
  return image.layer === "below" && image.sizing === "stretch"
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {any} image
 * @param {HTMLImageElement} source
 * @param {Scene} scene
 */
export function drawImage(context, image, source, { axes, full }) {
  const { x, y, sizex, sizey, xref = "x", yref = "y" } = image
  const xaxis = axes.get(xref)
  const yaxis = axes.get(yref)
  const left = xaxis.at(x)
  const top = yaxis.at(y)
  const width = xaxis.at(x + sizex) - left
  const height = yaxis.at(y - sizey) - top
  drawClipped(context, xaxis, yaxis, full, () => {
    context.drawImage(source, left, top, width, height)
  })
}

/** @param {any} annotation */
export function isKnownAnnotation(annotation) {
  const { text, xref = "x", yref = "y", showarrow, align = "center" } = annotation
  if (!hasOnly(annotation, ANNOTATION_ATTRIBUTES) || showarrow !== false) return false
  if (parseText(text) === null || !(align in ALIGN)) return false
  return REFERENCE.test(xref) && REFERENCE.test(yref)
}

/**
 * Draw an annotation, in the box that Plotly would put around it.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {any} annotation
 * @param {Scene} scene
 */
export function drawAnnotation(context, annotation, { axes, full }) {
  const { align = "center", textangle = 0 } = annotation
  const font = { ...full.font, ...annotation.font }
  const lines = parseText(annotation.text)
  const angle = textangle * Math.PI / 180
  const { width, height, ascent } = measure(context, lines, font)
  const { bgcolor, bordercolor, borderwidth = 0, borderpad = BOX_PADDING } = annotation
  const padding = borderwidth + borderpad
  const boxWidth = Math.round(width + 2 * padding)
  const boxHeight = Math.round(height + 2 * padding)
  const cos = Math.abs(Math.cos(angle))
  const sin = Math.abs(Math.sin(angle))
  const x = middleOf("x", annotation, boxWidth * cos + boxHeight * sin, axes, full)
  const y = middleOf("y", annotation, boxWidth * sin + boxHeight * cos, axes, full)
  if (x === null || y === null) return
  const left = Math.round(x - boxWidth / 2) + padding
  const top = Math.round(y - boxHeight / 2) + padding
  context.save()
  context.translate(x, y)
  context.rotate(angle)
  if (bgcolor) {
    const inset = borderwidth / 2 - padding
    const box = new Path2D()
    box.rect(left - x + inset, top - y + inset, boxWidth - borderwidth, boxHeight - borderwidth)
    context.fillStyle = bgcolor
    context.fill(box)
    setLine(context, { color: bordercolor, width: borderwidth })
    context.stroke(box)
  }
  const share = ALIGN[align]
  writeText(context, lines, left - x + share * width, top - y + ascent, font, share)
  context.restore()
}

/** The middle of an annotation of this size, in one direction; null where it is out of view. */
function middleOf(letter, annotation, size, axes, { _size: room }) {
  const isVertical = letter === "y"
  const at = annotation[letter]
  const axis = axes.get(annotation[`${letter}ref`] ?? letter)
  const shift = annotation[`${letter}shift`] ?? 0
  let position
  let share = 0.5 // of the chart, before the annotation
  if (axis) {
    position = axis.atLinear(at)
    if (position < axis.low || position > axis.high) return null
  } else if (isVertical) {
    share = 1 - at
    position = room.t + share * room.h
  } else {
    share = at
    position = room.l + share * room.w
  }
  const anchor = anchorOf(annotation[`${letter}anchor`], share)
  return position + size * TO_MIDDLE[anchor] + (isVertical ? -shift : shift)
}

/** The anchor that Plotly chooses by the place in the chart, where none is set. */
function anchorOf(anchor = "auto", share) {
  if (anchor !== "auto") return anchor
  if (share < 1 / 3) return "left"
  return share > 2 / 3 ? "right" : "center"
}
