// Traces on a canvas: bands, curves, error bars, markers, texts at points, bars.

import { LINE_HEIGHT, measure, parseText, writeText } from "./canvas_text.js"
import { curvePieces } from "./curves.js"
import { attributes, drawClipped, hasOnly, isKnownLine, setLine } from "./shapes.js"

const COMMON =
  "type name x y xaxis yaxis text textfont textposition cliponaxis visible showlegend " +
  "legendgroup uid meta customdata hoverinfo hovertemplate hoverlabel hovertext hoveron"
const SCATTER_ATTRIBUTES = attributes(COMMON, "mode line marker fill fillcolor opacity error_y")
const BAR_ATTRIBUTES = attributes(COMMON, "orientation marker texttemplate constraintext")
const MARKER_ATTRIBUTES = attributes("color size symbol opacity line")
const ERROR_ATTRIBUTES = attributes("type symmetric array arrayminus color thickness width")
const MODE = /^(lines|markers|text|none)(\+(lines|markers|text))*$/
const FILLS = ["none", "toself", "tozeroy"]
const VALUE_TEMPLATE = /^%\{[xy]:?([^}]*)\}$/
// Plotly's own defaults.
const COLOURWAY = [
  "#1f77b4",
  "#ff7f0e",
  "#2ca02c",
  "#d62728",
  "#9467bd",
  "#8c564b",
  "#e377c2",
  "#7f7f7f",
  "#bcbd22",
  "#17becf",
]
const MARKER_SIZE = 6
const MARKER_LINE = "#444"
const MITER_LIMIT = 2
const ROOT2 = Math.SQRT2
const ROOT3 = Math.sqrt(3)
// Marker -> its path, as Plotly draws it, for a radius.
const SYMBOLS = {
  circle: (r) => `M${r},0A${r},${r} 0 1,1 0,${-r}A${r},${r} 0 0,1 ${r},0Z`,
  square: (r) => `M${r},${r}H${-r}V${-r}H${r}Z`,
  diamond: (r) => `M${1.3 * r},0L0,${1.3 * r}L${-1.3 * r},0L0,${-1.3 * r}Z`,
  "triangle-up": (r) => `M${-2 * r / ROOT3},${r / 2}H${2 * r / ROOT3}L0,${-r}Z`,
  "x-thin": (r) => `M${r},${r}L${-r},${-r}M${r},${-r}L${-r},${r}`,
  "line-ns": (r) => `M0,${1.4 * r}V${-1.4 * r}`,
  x: (r) => crossPath(0.8 * r / ROOT2),
}
const BAR_TEXT_GAP = 3 // pixels
const MIN_BAR = 2 // pixels: a shorter bar is rounded up to whole pixels
// Of the marker's size, and pixels more: from a point to its text.
const TEXT_GAP_SHARE = 1 / 1.6
const TEXT_GAP = 1
const TEXT_ASCENT = 0.75 // of the font size

/** @typedef {import("./axes.js").Axis} Axis */
/** @typedef {import("./shapes.js").Scene} Scene */

function crossPath(a) {
  return `M0,${a}l${a},${a}l${a},${-a}l${-a},${-a}l${a},${-a}l${-a},${-a}l${-a},${a}` +
    `l${-a},${-a}l${-a},${a}l${a},${a}l${-a},${a}l${a},${a}Z`
}

function isObject(value) {
  return value !== null && typeof value === "object"
}

/**
 * Whether a trace can be painted as Plotly would draw it.
 *
 * @param {any} trace
 * @param {{barmode?: string}} layout
 */
export function isKnownTrace(trace, { barmode }) {
  if (trace.type === "bar") return barmode === "group" && isKnownBar(trace)
  if (trace.type !== "scatter" || !hasOnly(trace, SCATTER_ATTRIBUTES)) return false
  const { mode, fill = "none", fillcolor, marker = {}, error_y: errors, line } = trace
  if (!MODE.test(mode) || !FILLS.includes(fill)) return false
  if (fill !== "none" && !fillcolor) return false
  if (errors && !isKnownErrors(errors)) return false
  return isKnownLine(line) && isKnownMarker(marker) && hasKnownText(trace)
}

function isKnownErrors(errors) {
  return hasOnly(errors, ERROR_ATTRIBUTES) && errors.type === "data"
}

function isKnownMarker(marker) {
  if (!hasOnly(marker, MARKER_ATTRIBUTES)) return false
  const symbol = marker.symbol ?? "circle"
  if (typeof symbol !== "string" || !(symbol.replace("-open", "") in SYMBOLS)) return false
  // where sizes differ, Plotly chooses what is not set by whether it takes them for bubbles
  const hasOneSize = typeof (marker.size ?? MARKER_SIZE) === "number"
  const isBubbleSet = marker.line?.width !== undefined && marker.opacity !== undefined
  return (hasOneSize || isBubbleSet) && isWithoutScale(marker.color)
}

/** Whether colours are colours, and no numbers on a scale. */
function isWithoutScale(colour = "") {
  return [colour].flat().every((value) => typeof value === "string")
}

function hasKnownText({ mode, text = [] }) {
  if (!mode.includes("text")) return true
  return Array.isArray(text) && text.every((label) => parseText(String(label)) !== null)
}

function isKnownBar(trace) {
  if (!hasOnly(trace, BAR_ATTRIBUTES)) return false
  const { marker = {}, texttemplate = "%{x}", textposition = "none", constraintext } = trace
  if (typeof marker.color !== "string" || Object.keys(marker).length > 1) return false
  if (textposition === "none") return true
  if (textposition !== "outside" || constraintext !== "none") return false
  return VALUE_TEMPLATE.test(texttemplate)
}

/**
 * Draw all traces in Plotly's order: bars under curves, and axes that overlay others above them.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {any[]} traces
 * @param {Scene} scene
 */
export function drawTraces(context, traces, scene) {
  const { full, axes } = scene
  const visible = colourTraces(traces, full.colorway ?? COLOURWAY)
  for (const { xaxis, yaxis } of Object.values(full._plots)) {
    const inPlot = visible.filter((trace) => isInPlot(trace, xaxis._id, yaxis._id))
    const x = axes.get(xaxis._id)
    const y = axes.get(yaxis._id)
    drawBars(context, inPlot.filter(({ type }) => type === "bar"), x, y, full)
    for (const trace of inPlot) {
      if (trace.type === "scatter") drawScatter(context, trace, x, y, full)
    }
  }
}

/** The visible traces, each with the colour that it has by its place among all. */
function colourTraces(traces, colourway) {
  const coloured = []
  traces.forEach((trace, index) => {
    const colour = colourway[index % colourway.length]
    if ((trace.visible ?? true) === true) coloured.push({ ...trace, colour })
  })
  return coloured
}

function isInPlot(trace, xaxis, yaxis) {
  return (trace.xaxis ?? "x") === xaxis && (trace.yaxis ?? "y") === yaxis
}

function drawScatter(context, trace, xaxis, yaxis, full) {
  const { mode = "none", opacity = 1, cliponaxis = true } = trace
  const x = Float64Array.from(trace.x, (value) => xaxis.at(value))
  const y = Float64Array.from(trace.y, (value) => yaxis.at(value))
  context.globalAlpha = opacity
  context.miterLimit = MITER_LIMIT
  drawClipped(context, xaxis, yaxis, full, () => drawCurve(context, trace, x, xaxis, yaxis))
  const isDrawn = (index) => {
    if (!Number.isFinite(x[index]) || !Number.isFinite(y[index])) return false
    return cliponaxis || (xaxis.contains(x[index]) && yaxis.contains(y[index]))
  }
  const points = { x, y, isDrawn }
  const clipX = cliponaxis ? xaxis : null
  const clipY = cliponaxis ? yaxis : null
  drawClipped(context, clipX, clipY, full, () => {
    if (mode.includes("markers")) drawMarkers(context, trace, points, opacity)
    if (mode.includes("text")) drawPointTexts(context, trace, points, full)
  })
  context.globalAlpha = 1
}

/** Draw the band, the error bars and the line of a trace. */
function drawCurve(context, trace, x, xaxis, yaxis) {
  const { mode = "none", line, fill = "none", error_y: errors } = trace
  const hasLine = mode.includes("lines")
  const pieces = hasLine || fill !== "none" ? curvePieces(trace, xaxis, yaxis) : []
  if (fill !== "none") fillArea(context, trace, pieces, yaxis)
  if (errors) drawErrorBars(context, errors, x, trace.y, yaxis)
  if (!hasLine || line?.width === 0) return
  setLine(context, { color: trace.marker?.color ?? trace.colour, ...line })
  context.stroke(joinPieces(pieces))
}

/** Join each piece of a curve; of a band, the pieces are one outline. */
function joinPieces(pieces) {
  const path = new Path2D()
  for (const piece of pieces) {
    path.moveTo(piece[0][0], piece[0][1])
    for (let index = 1; index < piece.length; index++) path.lineTo(piece[index][0], piece[index][1])
  }
  return path
}

function fillArea(context, { fill, fillcolor }, pieces, yaxis) {
  if (pieces.length === 0) return
  context.fillStyle = fillcolor
  if (fill === "toself") {
    context.fill(joinPieces(pieces))
    return
  }
  const zero = yaxis.log ? yaxis.high : yaxis.at(0)
  const [first] = pieces[0]
  const last = pieces.at(-1).at(-1)
  context.fill(joinPieces([[...pieces.flat(), [last[0], zero], [first[0], zero]]]))
}

function drawErrorBars(context, errors, x, values, yaxis) {
  const { array, arrayminus, color, thickness = 2, width = 4 } = errors
  const isSymmetric = errors.symmetric ?? !arrayminus
  const below = isSymmetric ? array : arrayminus
  const path = new Path2D()
  const addLine = (x0, y0, x1, y1) => {
    path.moveTo(x0, y0)
    path.lineTo(x1, y1)
  }
  x.forEach((middle, index) => {
    const top = yaxis.at(values[index] + array[index])
    const bottom = yaxis.at(values[index] - below[index])
    // a bar whose end has no logarithm goes down to the axis
    const foot = Number.isFinite(bottom) ? bottom : yaxis.high
    addLine(middle - width, top, middle + width, top)
    addLine(middle, top, middle, foot)
    addLine(middle - width, bottom, middle + width, bottom)
  })
  setLine(context, { color, width: thickness })
  context.stroke(path)
}

/** The value of one point, where an attribute is a value of each or the same for all. */
function valueOf(attribute, index) {
  return isObject(attribute) ? attribute[index] : attribute
}

function drawMarkers(context, trace, { x, y, isDrawn }, opacity) {
  const symbol = trace.marker?.symbol ?? "circle"
  const isOpen = symbol.endsWith("-open")
  const makePath = SYMBOLS[symbol.replace("-open", "")]
  const paths = new Map() // by radius
  const base = context.getTransform()
  context.globalAlpha = opacity * (trace.marker?.opacity ?? 1)
  context.setLineDash([])
  for (let index = 0; index < x.length; index++) {
    if (!isDrawn(index)) continue
    const { radius, colour, edgeWidth, edgeColour } = markerStyle(trace, index)
    if (!paths.has(radius)) paths.set(radius, new Path2D(makePath(radius)))
    const left = base.e + base.a * x[index]
    const top = base.f + base.d * y[index]
    context.setTransform(base.a, 0, 0, base.d, left, top)
    if (isOpen) strokeMarker(context, paths.get(radius), edgeWidth || 1, colour)
    else fillMarker(context, paths.get(radius), colour)
    if (!isOpen && edgeWidth) strokeMarker(context, paths.get(radius), edgeWidth, edgeColour)
  }
  context.setTransform(base)
  context.globalAlpha = opacity
}

/** The style of the marker at one point. */
function markerStyle({ marker, line, colour }, index) {
  const { size = MARKER_SIZE, color = line?.color ?? colour, line: edge = {} } = marker ?? {}
  return {
    radius: valueOf(size, index) / 2,
    colour: valueOf(color, index),
    edgeWidth: valueOf(edge.width, index) ?? 0,
    edgeColour: valueOf(edge.color, index) ?? MARKER_LINE,
  }
}

function fillMarker(context, path, colour) {
  context.fillStyle = colour
  context.fill(path)
}

function strokeMarker(context, path, width, colour) {
  context.lineWidth = width
  context.strokeStyle = colour
  context.stroke(path)
}

/** Write texts beside points, so far from them that markers have room. */
function drawPointTexts(context, trace, { x, y, isDrawn }, full) {
  const { text = [], textfont, textposition = "middle center", mode, marker } = trace
  const font = { ...full.font, ...textfont }
  const hasMarkers = mode.includes("markers")
  text.forEach((label, index) => {
    if (label === "" || !isDrawn(index)) return
    const lines = parseText(String(label))
    const { across, down } = sidesOf(valueOf(textposition, index))
    let gap = 0
    if (hasMarkers) gap = valueOf(marker?.size ?? MARKER_SIZE, index) * TEXT_GAP_SHARE + TEXT_GAP
    const textHeight = ((lines.length - 1) * LINE_HEIGHT + 1) * font.size
    const baseline = y[index] + TEXT_ASCENT * font.size + down * gap + (down - 1) * textHeight / 2
    writeText(context, lines, x[index] + across * gap, baseline, font, (1 - across) / 2)
  })
}

/** On which sides of a point its text stands: -1 is left or above, 1 is right or below. */
function sidesOf(position) {
  let across = 0
  if (position.includes("left")) across = -1
  else if (position.includes("right")) across = 1
  let down = 0
  if (position.includes("top")) down = -1
  else if (position.includes("bottom")) down = 1
  return { across, down }
}

/** Draw bars beside each other in groups. */
function drawBars(context, traces, xaxis, yaxis, full) {
  const width = (1 - full.bargap) / traces.length // of a bar, in units of the axis
  traces.forEach((trace, order) => {
    const shift = (order - traces.length / 2) * width // of the bar from the middle of its group
    drawBarsOfTrace(context, trace, shift, width, xaxis, yaxis, full)
  })
}

function drawBarsOfTrace(context, trace, shift, width, xaxis, yaxis, full) {
  const isHorizontal = trace.orientation === "h"
  let along = { axis: yaxis, values: trace.y } // what the length of a bar shows
  let across = { axis: xaxis, values: trace.x } // its group
  if (isHorizontal) [along, across] = [across, along]
  const thickness = across.axis.scale * width
  const foot = along.axis.at(0)
  along.values.forEach((length, index) => {
    const start = across.axis.at(across.values[index]) + across.axis.scale * shift
    const end = along.axis.at(length)
    drawClipped(context, xaxis, yaxis, full, () => {
      context.fillStyle = trace.marker.color
      fillBar(context, isHorizontal, foot, visibleEnd(foot, end), start, start + thickness)
    })
    if (trace.textposition !== "outside") return
    const format = along.axis.full._numFormat(VALUE_TEMPLATE.exec(trace.texttemplate)[1])
    const font = { ...full.font, ...trace.textfont }
    drawBarText(context, format(length), end, start + thickness / 2, isHorizontal, font)
  })
}

/** The end of a bar; one that is hardly there is a pixel long, as Plotly draws it. */
function visibleEnd(foot, end) {
  if (Math.abs(end - foot) >= MIN_BAR || end === foot) return end
  return end > foot ? Math.ceil(end) : Math.floor(end)
}

function fillBar(context, isHorizontal, foot, end, start, stop) {
  if (isHorizontal) context.fillRect(foot, start, end - foot, stop - start)
  else context.fillRect(start, foot, stop - start, end - foot)
}

function drawBarText(context, text, end, middle, isHorizontal, font) {
  const lines = parseText(text)
  const { height, ascent } = measure(context, lines, font)
  if (isHorizontal) {
    writeText(context, lines, end + BAR_TEXT_GAP, middle - height / 2 + ascent, font, 0)
  } else {
    writeText(context, lines, middle, end - BAR_TEXT_GAP - height + ascent, font, 0.5)
  }
}
