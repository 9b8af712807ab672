// Parts of a layout on a canvas: shapes, images under them, annotations over them.

import { Ruler } from "./axes.js"
import { extent, runs, write } from "./canvas_text.js"

const PLACE = /(-?[\d.]+(?:e[-+]?\d+)?),(-?[\d.]+(?:e[-+]?\d+)?)/g
const PLAIN = /^[MLCZ\d.,e+\s-]*$/ // a path that PLACE finds all numbers of
const SHAPE = new Set(
  "type name path x0 x1 y0 y1 xref yref xsizemode ysizemode xanchor yanchor line fillcolor fillrule opacity layer visible"
    .split(" "),
)
const IMAGE = new Set("source x y sizex sizey xref yref sizing layer".split(" "))
const NOTE = new Set(
  "text x y xref yref xanchor yanchor xshift yshift align showarrow font textangle captureevents"
    .split(" "),
)
const REFERENCE = /^(paper|[xy]\d*)$/
const AHEAD = { left: 0.5, top: 0.5, center: 0, middle: 0, right: -0.5, bottom: -0.5 }
const HAIR = 1.001 // pixels of the screen
const ALIGN = { left: 0, center: 0.5, right: 1 }
const PIXELS = /^[\d.]+px(,[\d.]+px)*$/ // of dashes and gaps in turn
const DASHES = {
  solid: [],
  dot: [1, 1],
  dash: [3, 3],
  longdash: [5, 5],
  dashdot: [3, 1, 1, 1],
  longdashdot: [5, 2, 1, 2],
}

/** Whether a part has no attribute but these. */
export function within(part, names) {
  for (const name in part) if (!names.has(name)) return false
  return true
}

/** Draw with this line from now on. */
export function pen(context, { color = "#444", width = 2, dash = "solid" } = {}) {
  context.strokeStyle = color
  context.lineWidth = width
  const inPixels = () => dash.split(",").map((length) => parseFloat(length))
  context.setLineDash(DASHES[dash]?.map((length) => length * Math.max(3, width)) ?? inPixels())
}

/** Whether `pen` knows this line. */
export const drawable = ({ dash = "solid", shape = "linear" } = {}) =>
  (dash in DASHES || PIXELS.test(dash)) && shape === "linear"

/** Do this with what is outside of these axes (null: all of the chart's) cut off. */
export function clipped(context, xaxis, yaxis, { width, height }, draw) {
  context.save()
  context.beginPath()
  context.rect(
    xaxis?.low ?? 0,
    yaxis?.low ?? 0,
    xaxis ? xaxis.high - xaxis.low : width,
    yaxis ? yaxis.high - yaxis.low : height,
  )
  context.clip()
  draw()
  context.restore()
}

export function knowsShape(shape) {
  const { type, path = "", xref = "x", yref = "y" } = shape
  const kind = type === "path" ? PLAIN.test(path) : ["line", "rect", "circle"].includes(type)
  return kind && within(shape, SHAPE) && REFERENCE.test(xref) && REFERENCE.test(yref) &&
    drawable(shape.line)
}

/** Where Plotly draws a shape: under the grid, between it and the curves, or above all. */
export function layerOf({ layer = "above", xref, yref }) {
  return layer === "between" && (xref === "paper" || yref === "paper") ? "below" : layer
}

export function drawShape(context, shape, { axes, full }) {
  const { line, opacity = 1, fillcolor, fillrule = "evenodd", xref = "x", yref = "y" } = shape
  const outline = outlined(shape, ruler(axes, full, "x", shape), ruler(axes, full, "y", shape))
  clipped(context, axes.get(xref), axes.get(yref), full, () => {
    context.globalAlpha = opacity
    context.fillStyle = fillcolor ?? "transparent"
    if (fillcolor) context.fill(outline, fillrule)
    pen(context, line)
    // a line of a pixel would be drawn piece by piece, each over the last one, and where they cross twice as dark
    if (opacity < 1) context.lineWidth = Math.max(context.lineWidth, HAIR / devicePixelRatio)
    if (line?.width !== 0) context.stroke(outline)
  })
}

/** How one of a shape's coordinates becomes pixels. */
function ruler(axes, { _size: size }, letter, shape) {
  const [ref, up] = [shape[`${letter}ref`] ?? letter, letter === "y"]
  const along = ref !== "paper"
    ? axes.get(ref)
    : up
    ? new Ruler(-size.h, size.t + size.h)
    : new Ruler(size.w, size.l)
  return shape[`${letter}sizemode`] === "pixel"
    ? new Ruler(up ? -1 : 1, along.at(shape[`${letter}anchor`]))
    : along
}

function outlined({ type, path, x0, x1, y0, y1 }, x, y) {
  if (type === "path") return traced(path, x, y)
  const [left, right, bottom, top] = [x.at(x0), x.at(x1), y.at(y0), y.at(y1)]
  const outline = new Path2D()
  if (type === "rect") outline.rect(left, bottom, right - left, top - bottom)
  else if (type === "circle") {
    outline.ellipse(
      (left + right) / 2,
      (bottom + top) / 2,
      Math.abs(right - left) / 2,
      Math.abs(top - bottom) / 2,
      0,
      0,
      7,
    )
  } else {
    outline.moveTo(left, bottom)
    outline.lineTo(right, top)
  }
  return outline
}

function traced(path, x, y) {
  if (x.log || y.log) {
    return new Path2D(
      path.replace(
        PLACE,
        (_, a, b) => `${x.at(Number(a)).toFixed(2)},${y.at(Number(b)).toFixed(2)}`,
      ),
    )
  }
  const outline = new Path2D()
  outline.addPath(new Path2D(path), new DOMMatrix([x.scale, 0, 0, y.scale, x.shift, y.shift]))
  return outline
}

export const knowsImage = (image) =>
  within(image, IMAGE) && image.layer === "below" && image.sizing === "stretch"

export function drawImage(
  context,
  { x, y, sizex, sizey, xref = "x", yref = "y" },
  picture,
  { axes, full },
) {
  const [xaxis, yaxis] = [axes.get(xref), axes.get(yref)]
  const [left, top] = [xaxis.at(x), yaxis.at(y)]
  clipped(
    context,
    xaxis,
    yaxis,
    full,
    () =>
      context.drawImage(picture, left, top, xaxis.at(x + sizex) - left, yaxis.at(y - sizey) - top),
  )
}

export function knowsNote(note) {
  const { text, xref = "x", yref = "y", showarrow, align = "center" } = note
  return within(note, NOTE) && showarrow === false && runs(text) !== null && align in ALIGN &&
    REFERENCE.test(xref) &&
    REFERENCE.test(yref)
}

/** An annotation, in the box that Plotly would put around it. */
export function drawNote(context, note, { axes, full }) {
  const { align = "center", textangle = 0 } = note
  const [font, lines, angle] = [
    { ...full.font, ...note.font },
    runs(note.text),
    textangle * Math.PI / 180,
  ]
  const { width, height, ascent } = extent(context, lines, font)
  const [across, down] = [Math.round(width + 2), Math.round(height + 2)]
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))]
  const x = middle("x", note, across * cos + down * sin, axes, full)
  const y = middle("y", note, across * sin + down * cos, axes, full)
  if (x === null || y === null) return
  const [left, top] = [Math.round(x - across / 2) + 1, Math.round(y - down / 2) + 1]
  context.save()
  context.translate(x, y)
  context.rotate(angle)
  write(context, lines, left - x + ALIGN[align] * width, top - y + ascent, font, ALIGN[align])
  context.restore()
}

/** Where the middle of a note of this size stands; null where its place is out of view. */
function middle(letter, note, size, axes, { _size: room }) {
  const [up, at, shift] = [letter === "y", note[letter], note[`${letter}shift`] ?? 0]
  const axis = axes.get(note[`${letter}ref`] ?? letter)
  const base = axis ? axis.place(at) : up ? room.t + (1 - at) * room.h : room.l + at * room.w
  if (axis && (base < axis.low || base > axis.high)) return null
  return base + size * AHEAD[anchored(note[`${letter}anchor`], axis ? 0.5 : up ? 1 - at : at)] +
    (up ? -shift : shift)
}

function anchored(anchor = "auto", share) {
  if (anchor !== "auto") return anchor
  return share < 1 / 3 ? "left" : share > 2 / 3 ? "right" : "center"
}
