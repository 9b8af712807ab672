// Traces on a canvas: bands, curves, error bars, markers, words at points, bars.

import { piecesOf } from "./curves.js"
import { extent, LINE, runs, write } from "./canvas_text.js"
import { clipped, drawable, pen, within } from "./shapes.js"

const COMMON =
  "type name x y xaxis yaxis text textfont textposition cliponaxis visible showlegend legendgroup uid meta customdata hoverinfo hovertemplate hoverlabel hovertext hoveron"
const SCATTER = new Set(`${COMMON} mode line marker fill fillcolor opacity error_y`.split(" "))
const BAR = new Set(`${COMMON} orientation marker texttemplate constraintext`.split(" "))
const MARKER = new Set("color size symbol opacity line".split(" "))
const ERRORS = new Set("type symmetric array arrayminus color thickness width".split(" "))
const MODE = /^(lines|markers|text|none)(\+(lines|markers|text))*$/
const FILLS = ["none", "toself", "tozeroy"]
const COLOURS = [
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
const [ROOT2, ROOT3] = [Math.SQRT2, Math.sqrt(3)]
const SYMBOLS = {
  circle: (r) => `M${r},0A${r},${r} 0 1,1 0,${-r}A${r},${r} 0 0,1 ${r},0Z`,
  square: (r) => `M${r},${r}H${-r}V${-r}H${r}Z`,
  diamond: (r) => `M${1.3 * r},0L0,${1.3 * r}L${-1.3 * r},0L0,${-1.3 * r}Z`,
  "triangle-up": (r) => `M${-2 * r / ROOT3},${r / 2}H${2 * r / ROOT3}L0,${-r}Z`,
  "x-thin": (r) => `M${r},${r}L${-r},${-r}M${r},${-r}L${-r},${r}`,
  "line-ns": (r) => `M0,${1.4 * r}V${-1.4 * r}`,
  x: (r) => crossed(0.8 * r / ROOT2),
}
const crossed = (a) =>
  `M0,${a}l${a},${a}l${a},${-a}l${-a},${-a}l${a},${-a}l${-a},${-a}l${-a},${a}l${-a},${-a}l${-a},${a}l${a},${a}l${-a},${a}l${a},${a}Z`
const PAD = 3 // pixels between a bar and its words

export function knowsTrace(trace, { barmode }) {
  if (trace.type === "bar") return knowsBar(trace) && barmode === "group"
  const { mode, fill = "none", fillcolor, marker = {}, error_y: errors, line } = trace
  const filled = FILLS.includes(fill) && (fill === "none" || Boolean(fillcolor))
  return trace.type === "scatter" && within(trace, SCATTER) && MODE.test(mode) && filled &&
    drawable(line) &&
    knowsMarker(marker) &&
    (!errors || (within(errors, ERRORS) && errors.type === "data")) && knowsText(trace)
}

function knowsMarker(marker) {
  const symbol = marker.symbol ?? "circle"
  const sized = typeof (marker.size ?? 6) === "number" ||
    (marker.line?.width !== undefined && marker.opacity !== undefined)
  return within(marker, MARKER) && typeof symbol === "string" &&
    symbol.replace("-open", "") in SYMBOLS && sized &&
    numberless(marker.color)
}

/** Colours that are colours, and no numbers on a scale. */
const numberless = (colour = "") => [colour].flat().every((one) => typeof one === "string")

const knowsText = ({ mode, text = [] }) =>
  !/text/.test(mode) || (Array.isArray(text) && text.every((one) => runs(String(one)) !== null))

function knowsBar(trace) {
  const { marker = {}, texttemplate = "%{x}", textposition = "none", constraintext } = trace
  const worded = textposition === "none" ||
    (textposition === "outside" && constraintext === "none" && VALUE.test(texttemplate))
  return within(trace, BAR) && typeof marker.color === "string" &&
    Object.keys(marker).length === 1 && worded
}

/** All traces, each in its axes, in Plotly's order: bars under curves, axes that overlay others above them. */
export function drawTraces(context, traces, room) {
  const colours = room.full.colorway ?? COLOURS
  const numbered = traces.map((trace, place) => ({
    ...trace,
    colour: colours[place % colours.length],
  })).filter((
    { visible = true },
  ) => visible === true)
  for (const { xaxis, yaxis } of Object.values(room.full._plots)) {
    const here = numbered.filter((trace) =>
      (trace.xaxis ?? "x") === xaxis._id && (trace.yaxis ?? "y") === yaxis._id
    )
    const axes = [room.axes.get(xaxis._id), room.axes.get(yaxis._id)]
    drawBars(context, here.filter(({ type }) => type === "bar"), ...axes, room)
    for (const trace of here) {
      if (trace.type === "scatter") drawScatter(context, trace, ...axes, room)
    }
  }
}

function drawScatter(context, trace, xaxis, yaxis, { full }) {
  const { mode, line, fill = "none", opacity = 1, error_y: errors, cliponaxis = true, colour } =
    trace
  const x = Float64Array.from(trace.x, (value) => xaxis.at(value))
  const y = Float64Array.from(trace.y, (value) => yaxis.at(value))
  context.globalAlpha = opacity
  context.miterLimit = 2
  clipped(context, xaxis, yaxis, full, () => {
    const pieces = fill === "none" && !/lines/.test(mode) ? [] : piecesOf(trace, xaxis, yaxis)
    if (fill !== "none") area(context, trace, pieces, yaxis)
    if (errors) whiskers(context, errors, x, trace.y, yaxis)
    if (/lines/.test(mode) && line?.width !== 0) {
      pen(context, { color: trace.marker?.color ?? colour, ...line })
      context.stroke(joined(pieces))
    }
  })
  const inside = (place) => cliponaxis || (xaxis.holds(x[place]) && yaxis.holds(y[place]))
  clipped(context, cliponaxis ? xaxis : null, cliponaxis ? yaxis : null, full, () => {
    if (/markers/.test(mode)) markers(context, trace, x, y, inside, opacity)
    if (/text/.test(mode)) words(context, trace, x, y, inside, full)
  })
  context.globalAlpha = 1
}

/** Each piece of a curve joined; for a band, pieces that make one outline. */
function joined(pieces) {
  const path = new Path2D()
  for (const [first, ...rest] of pieces) {
    path.moveTo(first[0], first[1])
    for (const [x, y] of rest) path.lineTo(x, y)
  }
  return path
}

function area(context, { fill, fillcolor }, pieces, yaxis) {
  if (!pieces.length) return
  const zero = yaxis.log ? yaxis.high : yaxis.at(0)
  const [first, last] = [pieces[0][0], pieces.at(-1).at(-1)]
  context.fillStyle = fillcolor
  context.fill(
    joined(fill === "tozeroy" ? [[...pieces.flat(), [last[0], zero], [first[0], zero]]] : pieces),
  )
}

function whiskers(
  context,
  { array, arrayminus, symmetric = !arrayminus, color, thickness = 2, width = 4 },
  x,
  values,
  yaxis,
) {
  const path = new Path2D()
  x.forEach((at, place) => {
    const [top, bottom] = [
      yaxis.at(values[place] + array[place]),
      yaxis.at(values[place] - (symmetric ? array : arrayminus)[place]),
    ]
    const foot = Number.isFinite(bottom) ? bottom : yaxis.high
    for (
      const [x0, y0, x1, y1] of [[at - width, top, at + width, top], [at, top, at, foot], [
        at - width,
        bottom,
        at + width,
        bottom,
      ]]
    ) {
      path.moveTo(x0, y0)
      path.lineTo(x1, y1)
    }
  })
  pen(context, { color, width: thickness })
  context.stroke(path)
}

/** One for each point, or the same for all. */
const each = (value, place) => (value !== null && typeof value === "object" ? value[place] : value)

function markers(context, { marker, line, colour }, x, y, inside, opacity) {
  const { size = 6, symbol = "circle", color = line?.color ?? colour, line: edge = {} } = marker ??
    {}
  const [open, shape] = [symbol.endsWith("-open"), SYMBOLS[symbol.replace("-open", "")]]
  const stamps = new Map()
  const still = context.getTransform()
  context.globalAlpha = opacity * (marker?.opacity ?? 1)
  context.setLineDash([])
  for (let place = 0; place < x.length; place++) {
    if (!Number.isFinite(x[place]) || !Number.isFinite(y[place]) || !inside(place)) continue
    const radius = each(size, place) / 2
    if (!stamps.has(radius)) stamps.set(radius, new Path2D(shape(radius)))
    const stamp = stamps.get(radius)
    const [paint, width] = [each(color, place), each(edge.width, place) ?? 0]
    context.setTransform(
      still.a,
      0,
      0,
      still.d,
      still.e + still.a * x[place],
      still.f + still.d * y[place],
    )
    context.fillStyle = paint
    if (!open) context.fill(stamp)
    context.lineWidth = width || 1
    context.strokeStyle = open ? paint : each(edge.color, place) ?? "#444"
    if (open || width) context.stroke(stamp)
  }
  context.setTransform(still)
  context.globalAlpha = opacity
}

/** Words beside points, so far from them that markers have room. */
function words(
  context,
  { text = [], textfont, textposition = "middle center", mode, marker },
  x,
  y,
  inside,
  full,
) {
  const font = { ...full.font, ...textfont }
  text.forEach((one, place) => {
    if (one === "" || !inside(place) || !Number.isFinite(x[place] + y[place])) return
    const [lines, position] = [runs(String(one)), each(textposition, place)]
    const away = /markers/.test(mode) ? each(marker?.size ?? 6, place) / 1.6 + 1 : 0
    const side = /left/.test(position) ? -1 : /right/.test(position) ? 1 : 0
    const height = /top/.test(position) ? -1 : /bottom/.test(position) ? 1 : 0
    const lift = (height - 1) * ((lines.length - 1) * LINE + 1) * font.size / 2
    write(
      context,
      lines,
      x[place] + side * away,
      y[place] + 0.75 * font.size + height * away + lift,
      font,
      (1 - side) / 2,
    )
  })
}

const VALUE = /^%\{[xy]:?([^}]*)\}$/

/** Bars beside each other in groups. */
function drawBars(context, traces, xaxis, yaxis, { full }) {
  traces.forEach((trace, nth) => {
    const lying = trace.orientation === "h"
    const [along, across] = lying ? [xaxis, yaxis] : [yaxis, xaxis]
    const [lengths, places] = lying ? [trace.x, trace.y] : [trace.y, trace.x]
    const width = (1 - full.bargap) / traces.length
    Array.from(lengths).forEach((length, place) => {
      const middle = across.at(places[place])
      const start = middle + across.scale * (nth - traces.length / 2) * width
      bar(context, trace, [along.at(0), along.at(length)], [start, start + across.scale * width], [
        xaxis,
        yaxis,
      ], full)
      if (trace.textposition === "outside") {
        beside(
          context,
          trace,
          length,
          along.at(length),
          start + across.scale * width / 2,
          lying,
          full,
          along,
        )
      }
    })
  })
}

function bar(context, { orientation, marker }, [foot, end], [start, stop], axes, full) {
  // one that is hardly there is made a pixel long, as Plotly does
  const far = Math.abs(end - foot) >= 2 || end === foot
    ? end
    : end > foot
    ? Math.ceil(end)
    : Math.floor(end)
  context.fillStyle = marker.color
  clipped(context, axes[0], axes[1], full, () => {
    if (orientation === "h") context.fillRect(foot, start, far - foot, stop - start)
    else context.fillRect(start, foot, stop - start, far - foot)
  })
}

function beside(context, { texttemplate, textfont }, length, end, middle, lying, full, along) {
  const font = { ...full.font, ...textfont }
  const text = along.full._numFormat(VALUE.exec(texttemplate)[1])(length)
  const { height, ascent } = extent(context, runs(text), font)
  if (lying) write(context, runs(text), end + PAD, middle - height / 2 + ascent, font, 0)
  else write(context, runs(text), middle, end - PAD - height + ascent, font, 0.5)
}
