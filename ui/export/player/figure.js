// Draws a figure on a canvas as Plotly would, but for its title and its legend.

import { Axis, axisName, drawGrid, valuesAlong } from "../../widgets/frontend/charts/axes.js"
import { measure, parseText, writeText } from "../../widgets/frontend/charts/canvas_text.js"
import { loadImage } from "../../widgets/frontend/channel/images.js"
import {
  drawAnnotation,
  drawClipped,
  drawImage,
  drawShape,
  layerOf,
  setLine,
} from "../../widgets/frontend/charts/shapes.js"
import { drawLabels, ticksOf } from "../../widgets/frontend/charts/ticks.js"
import { drawTraces } from "../../widgets/frontend/charts/traces.js"

const AXIS = /^[xy]axis\d*$/
// Plotly's own defaults, as far as the lab's charts use them.
const AXIS_DEFAULTS = {
  type: "linear",
  visible: true,
  showgrid: true,
  zeroline: true,
  showticklabels: true,
  showline: true,
  linewidth: 1,
}
const BAR_GAP = 0.2
const LABEL_HEIGHT = 1.3 // of the font size
const TITLE_STANDOFF = 8 // pixels
const TITLE_FOOT = 3 // pixels from the title of an axis to the edge of the figure, at least
const HATCH_WIDTH = 1.5

/**
 * Draw a figure.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {any[]} data
 * @param {any} layout
 */
export function drawFigure(context, data, layout) {
  const full = describeLayout(data, layout)
  const axes = makeAxes(full, layout, data)
  const scene = { full, axes }
  const { shapes = [], images = [], annotations = [] } = layout
  const drawShapes = (layer) => {
    for (const shape of shapes) {
      if (shape.visible !== false && layerOf(shape) === layer) drawShape(context, shape, scene)
    }
  }
  drawShapes("below")
  for (const image of images) drawImage(context, image, loadImage(image.source), scene)
  drawGrid(context, full, axes)
  drawShapes("between")
  for (const { fillpattern } of data) {
    if (fillpattern) drawHatch(context, fillpattern, scene)
  }
  drawTraces(context, data, scene)
  drawShapes("above")
  for (const annotation of annotations) drawAnnotation(context, annotation, scene)
  for (const axis of axes.values()) {
    drawAxisLine(context, axis)
    drawLabels(context, axis, full)
    if (!axis.isVertical) drawAxisTitle(context, axis, full)
  }
}

function axisNames(layout) {
  return Object.keys(layout).filter((name) => AXIS.test(name))
}

/** Describe a layout as Plotly would, as far as the painter asks. */
function describeLayout(data, layout) {
  const { l, r, t, b } = layout.margin
  const size = { l, r, t, b, w: layout.width - l - r, h: layout.height - t - b }
  const full = { bargap: BAR_GAP, barmode: "group", ...layout, _size: size, _plots: {} }
  const names = axisNames(layout)
  for (const name of names) full[name] = describeAxis(name, layout, size)
  const axisOf = (id) => full[axisName(id)]
  for (const name of names) full[name]._mainLinePosition = mainLinePosition(full[name], axisOf)
  full._plots.xy = { xaxis: axisOf("x"), yaxis: axisOf("y") }
  for (const { xaxis = "x", yaxis = "y" } of data) {
    full._plots[xaxis + yaxis] = { xaxis: axisOf(xaxis), yaxis: axisOf(yaxis) }
  }
  return full
}

/** Where the line of an axis stands: at one of the ends of the axis that it is anchored to. */
function mainLinePosition({ _id: id, anchor, side }, axisOf) {
  const isVertical = id[0] === "y"
  const usualAnchor = isVertical ? "x" : "y"
  const across = axisOf(anchor ?? usualAnchor)
  const isAtEnd = isVertical ? side === "right" : side !== "top"
  return isAtEnd ? across._offset + across._length : across._offset
}

function describeAxis(name, layout, size) {
  const wanted = layout[name]
  const isVertical = name[0] === "y"
  const [start, end] = wanted.domain ?? [0, 1]
  const length = isVertical ? size.h : size.w
  return {
    ...AXIS_DEFAULTS,
    side: isVertical ? "left" : "bottom",
    ...wanted,
    tickfont: { ...layout.font, ...wanted.tickfont },
    _id: name.replace("axis", ""),
    _name: name,
    _offset: isVertical ? size.t + (1 - end) * size.h : size.l + start * size.w,
    _length: (end - start) * length,
  }
}

function makeAxes(full, layout, data) {
  const axes = new Map()
  for (const name of axisNames(layout)) {
    const axis = makeAxis(full[name], data)
    axis.ticks = ticksOf(axis, layout[name]) ?? []
    axes.set(axis.id, axis)
  }
  return axes
}

function makeAxis(full, data) {
  const categories = hasNames(full._id, data) ? valuesAlong(full._id, data) : null
  full._vals = categories
  const count = categories ? categories.length : 1
  const range = full.range ?? [-0.5, count - 0.5]
  return new Axis(full, range, true, categories)
}

/** Whether there are names among the values along an axis; a typed array holds none. */
function hasNames(id, data) {
  const letter = id[0]
  return data.some((trace) => {
    const isAlongAxis = (trace[`${letter}axis`] ?? letter) === id
    const values = trace[letter]
    return isAlongAxis && Array.isArray(values) && values.some((value) => typeof value === "string")
  })
}

function drawAxisLine(context, { isVertical, low, high, full }) {
  const { visible, showline, linecolor, side, _mainLinePosition: position } = full
  if (!visible || !showline) return
  const isBefore = side === "left" || side === "top"
  const start = isBefore ? position - 1 : position
  context.fillStyle = linecolor
  if (isVertical) context.fillRect(start, low, 1, high - low)
  else context.fillRect(low, start, high - low, 1)
}

/** Write the name of an axis along the bottom, under its numbers. */
function drawAxisTitle(context, axis, layout) {
  const { title, tickfont, visible, showticklabels, _mainLinePosition: line } = axis.full
  if (!visible || !title?.text) return
  const lines = parseText(title.text)
  if (!lines) return
  const font = { ...layout.font, ...title.font }
  const rows = Math.max(1, ...axis.ticks.map(({ text }) => parseText(text)?.length ?? 1))
  const labels = showticklabels ? rows * LABEL_HEIGHT * tickfont.size : 0
  const standoff = title.standoff ?? TITLE_STANDOFF
  const y = line + labels + standoff + measure(context, lines, font).ascent
  const middle = axis.full._offset + axis.full._length / 2
  writeText(context, lines, middle, Math.min(y, layout.height - TITLE_FOOT), font, 0.5)
}

/** Draw slanted lines over the first axes, for what is covered. */
function drawHatch(context, { fgcolor, size }, { axes, full }) {
  const xaxis = axes.get("x")
  const yaxis = axes.get("y")
  const height = yaxis.high - yaxis.low
  drawClipped(context, xaxis, yaxis, full, () => {
    setLine(context, { color: fgcolor, width: HATCH_WIDTH })
    context.beginPath()
    for (let start = xaxis.low - height; start < xaxis.high; start += size) {
      context.moveTo(start, yaxis.high)
      context.lineTo(start + height, yaxis.low)
    }
    context.stroke()
  })
}
