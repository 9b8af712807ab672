// The ticks of an axis that moves, by Plotly's own rules, for the kinds of axes that the lab has, and
// their labels where Plotly would put them.

import { measure, parseText, writeText } from "./canvas_text.js"

const ROUND_STEPS = [2, 5, 10]
const LEADING_DIGITS = { D1: [1, 2, 3, 4, 5, 6, 7, 8, 9], D2: [1, 2, 5] }
const PREFIXES = {
  "-15": "f",
  "-12": "p",
  "-9": "n",
  "-6": "μ",
  "-3": "m",
  0: "",
  3: "k",
  6: "M",
  9: "B",
  12: "T",
}
// Of the length of a range, by which rounding may push a tick beyond its end.
const END_TOLERANCE = 1e-4
const MIN_TICKS = 4
const MAX_TICKS = 9
// Pixels for one tick.
const VERTICAL_ROOM = 40
const HORIZONTAL_ROOM = 80
// Decades from one tick to the next, above which only powers of ten have one, or the digits 2 and 5.
const POWERS_ABOVE = 0.7
const TWO_DIGITS_ABOVE = 0.3
// Takes the rounding errors off logarithms of powers of ten.
const LOG_TOLERANCE = 0.01
const MAX_PLAIN_EXPONENT = 3
const MAX_DECIMALS = 20

const DIGIT_MIDDLE = 0.35 // of the font size, from the base line to the middle of a digit
const SMALL_DIGIT = 0.75 // of the font size, for digits between powers of ten
const LINE_GAP = 0.2 // of the font size, between an axis that has a line and its labels
const ABOVE_LINE = 0.2 // of the font size, from labels over an axis to the axis
const LABEL_GAP = 2 // pixels between labels along the bottom; closer, Plotly would turn them

/** @typedef {import("./axes.js").Axis} Axis */
/** @typedef {import("./axes.js").Tick} Tick */

/**
 * The ticks of an axis, from its low end to its high end.
 *
 * @param {any} axis An `Axis`, or as much of it as the rules need.
 * @param {any} wanted The axis as the figure describes it.
 * @returns {Tick[] | null} Null where the rules are not known.
 */
export function ticksOf(axis, wanted) {
  if (wanted.tickvals) return wanted.ticktext ? givenTicks(axis, wanted) : null
  if (axis.categories) return categoryTicks(axis)
  const step = wanted.dtick ?? automaticStep(axis)
  const ticks = []
  for (const at of tickPositions(axis, step)) {
    const label = tickLabel(axis, wanted, step, at)
    if (label.text === null) return null
    ticks.push({ at, ...label })
  }
  return ticks
}

/** @param {any} step As Plotly writes it: a number, "L5" for steps of 5, or "D1" or "D2". */
function tickPositions(axis, step) {
  if (typeof step === "number") return multiples(axis, step)
  if (step[0] === "L") return linearSteps(axis, Number(step.slice(1)))
  return decadeDigits(axis, LEADING_DIGITS[step])
}

/** Both ends of a range, the lower first, with room for what rounding took off. */
function rangeEnds({ range }) {
  const low = Math.min(...range)
  const high = Math.max(...range)
  const room = (high - low) * END_TOLERANCE
  return [low - room, high + room]
}

function givenTicks(axis, { tickvals, ticktext }) {
  const [low, high] = rangeEnds(axis)
  const ticks = []
  tickvals.forEach((value, index) => {
    const at = axis.log ? Math.log10(value) : value
    if (at > low && at < high) ticks.push({ at, text: String(ticktext[index]) })
  })
  return ticks
}

function categoryTicks(axis) {
  // where Plotly leaves some names out, as they have no room, it chooses which
  if (axis.full._vals.length !== axis.categories.length) return null
  return axis.categories.map((text, at) => ({ at, text }))
}

/** The step that Plotly would choose: as many ticks as there is room for. */
function automaticStep({ full, range, log, isVertical }) {
  const span = Math.abs(range[1] - range[0])
  const room = full._length / (isVertical ? VERTICAL_ROOM : HORIZONTAL_ROOM)
  const count = full.nticks || Math.min(MAX_TICKS, Math.max(MIN_TICKS, room)) + 1
  const roughStep = span / count
  if (!log) return roundStep(roughStep)
  if (roughStep > POWERS_ABOVE) return Math.ceil(roughStep)
  if (span < 1) {
    const numbers = Math.abs(10 ** range[1] - 10 ** range[0])
    return `L${roundStep(numbers / (1.5 * count))}`
  }
  return roughStep > TWO_DIGITS_ABOVE ? "D2" : "D1"
}

function roundStep(roughStep) {
  const power = 10 ** Math.floor(Math.log(roughStep) / Math.LN10)
  const fitting = ROUND_STEPS.find((factor) => roughStep / power < factor)
  return power * (fitting ?? ROUND_STEPS.at(-1))
}

function multiples(axis, step) {
  const [low, high] = rangeEnds(axis)
  const first = Math.ceil(low / step)
  const last = Math.floor(high / step)
  const positions = []
  for (let index = first; index <= last; index++) {
    positions.push(Number((index * step).toPrecision(12)))
  }
  return positions
}

/** On a logarithmic axis, equal steps of the numbers themselves. */
function linearSteps(axis, step) {
  const [low, high] = rangeEnds(axis)
  const first = Math.ceil(10 ** low / step)
  const last = Math.floor(10 ** high / step)
  const positions = []
  for (let index = first; index <= last; index++) positions.push(Math.log10(index * step))
  return positions
}

/** On a logarithmic axis, these digits of each decade. */
function decadeDigits(axis, digits) {
  const [low, high] = rangeEnds(axis)
  const positions = []
  for (let power = Math.floor(low); power <= high; power++) {
    for (const digit of digits) {
      const at = power + Math.log10(digit)
      if (at >= low && at <= high) positions.push(at)
    }
  }
  return positions
}

/** The label of one tick; its text is null where the rules are not known. */
function tickLabel({ full, log, range }, { tickformat }, step, at) {
  const value = log ? 10 ** at : at
  if (tickformat) return { text: customText(full, tickformat, value) }
  if (!log) return { text: numberText(value, step, Math.max(...range.map(Math.abs))) }
  if (step[0] === "L") {
    return { text: numberText(value, Number(step.slice(1)), 10 ** Math.max(...range)) }
  }
  const isBetweenPowers = Math.abs(at - Math.round(at)) > LOG_TOLERANCE
  if (step[0] === "D" && isBetweenPowers) {
    return { text: String(Math.round(10 ** (at - Math.floor(at)))), small: true }
  }
  if (step === "D1") return { text: null }
  return { text: numberText(value, value / 1e4, value) }
}

function customText(full, tickformat, value) {
  const text = full._numFormat?.(tickformat)(value)
  return text === undefined ? null : text.replace(/-/g, "−")
}

/** A number to two digits more than the step, thousands and thousandths by their letters. */
function numberText(value, step, largest) {
  const size = Math.floor(Math.log(largest) / Math.LN10 + LOG_TOLERANCE)
  let exponent = 0
  if (Math.abs(size) > MAX_PLAIN_EXPONENT) exponent = 3 * Math.round((size - 1) / 3)
  const decimals = 2 - Math.floor(Math.log(step) / Math.LN10 + LOG_TOLERANCE)
  if (Math.abs(value) < 10 ** -decimals / 2) return "0"
  if (!(exponent in PREFIXES)) return null
  const shownDecimals = Math.min(MAX_DECIMALS, Math.max(0, decimals + exponent))
  let text = (Math.abs(value) * 10 ** -exponent).toFixed(shownDecimals)
  if (text.includes(".")) text = text.replace(/\.?0+$/, "")
  const sign = value < 0 ? "−" : ""
  return sign + text + PREFIXES[exponent]
}

/** Where the labels of an axis stand, as far as they are within the chart. */
function placeLabels(context, axis, { width, height }) {
  if (!hasLabels(axis)) return []
  const { full, ticks, isVertical } = axis
  const labels = []
  for (const { at, text, small } of ticks) {
    let size = full.tickfont.size
    if (small) size *= SMALL_DIGIT
    const font = { ...full.tickfont, size }
    const lines = parseText(text)
    const labelWidth = measure(context, lines, font).width
    const position = axis.atLinear(at)
    const half = labelWidth / 2
    let isInside = position - half >= 0 && position + half <= width
    let place = placeAcross(full, position, size)
    if (isVertical) {
      place = placeDown(full, position, size)
      isInside = place.y <= height && place.y >= size / 2
    }
    if (isInside) labels.push({ lines, font, labelWidth, ...place })
  }
  return labels
}

/** Whether an axis is on the side where positions are largest. */
function isOnFarSide({ side }) {
  return side === "right" || side === "bottom"
}

/** Where the labels of an axis begin, across it. */
function labelEdge(full) {
  let gap = (full.linewidth || 1) / 2
  if (full.showline) gap += LINE_GAP * full.tickfont.size
  return isOnFarSide(full) ? full._mainLinePosition + gap : full._mainLinePosition - gap
}

/** The base line of a label beside a vertical axis, and the share of its width left of `x`. */
function placeDown(full, position, size) {
  const share = isOnFarSide(full) ? 0 : 1
  return { x: labelEdge(full), y: position + DIGIT_MIDDLE * size, share }
}

/** The same of a label over or under a horizontal axis. */
function placeAcross(full, position, size) {
  const down = isOnFarSide(full) ? size : -ABOVE_LINE * size
  return { x: position, y: labelEdge(full) + down, share: 0.5 }
}

function hasLabels({ full }) {
  return full.visible && full.showticklabels
}

/**
 * Whether the labels of an axis can be painted: known words, upright, without strokes, and without a
 * title beside them, which Plotly moves out of their way.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {Axis} axis
 * @param {any} layout Plotly's full layout.
 */
export function canPaintLabels(context, axis, layout) {
  const { full, ticks } = axis
  if (!axis.hasMoved || !hasLabels(axis)) return true
  if (full.ticks || full.ticklabelposition !== "outside" || full.tickangle > 0) return false
  if (full.side === "left" && hasTitle(full, layout)) return false
  if (!ticks.every(({ text }) => parseText(text)?.length === 1)) return false
  return axis.isVertical || haveRoom(placeLabels(context, axis, layout))
}

function hasTitle(full, layout) {
  return ![undefined, "", layout._dfltTitle.y].includes(full.title.text)
}

function haveRoom(labels) {
  const sorted = [...labels].sort((first, second) => first.x - second.x)
  for (let index = 1; index < sorted.length; index++) {
    const left = sorted[index - 1]
    const right = sorted[index]
    const gap = right.x - right.labelWidth / 2 - (left.x + left.labelWidth / 2)
    if (gap <= LABEL_GAP) return false
  }
  return true
}

/**
 * Draw the labels of an axis.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {Axis} axis
 * @param {any} layout Plotly's full layout.
 */
export function drawLabels(context, axis, layout) {
  for (const { lines, x, y, font, share } of placeLabels(context, axis, layout)) {
    writeText(context, lines, x, y, font, share)
  }
}
