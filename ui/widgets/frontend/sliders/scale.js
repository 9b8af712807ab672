// The stops where the thumb of a slider can rest, and numbers as text. A stop is counted from the low
// end of the range.

const LOG_DIGITS = 3
// Takes the rounding errors off sums such as 0.1 + 0.2, and rounds nothing that can be seen.
const LINEAR_DIGITS = 12
const TEXT_DIGITS = 10
// The sizes between which a number is written without an exponent.
const SMALLEST_PLAIN = 1e-3
const LARGEST_PLAIN = 1e9
// A range that is longer than whole stops by a rounding error has no stop more.
const STOP_TOLERANCE = 1e-9
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i

/**
 * @typedef {object} Slider As the server describes it (`Slider` in `ui/widgets/slider_panel.py`).
 * @property {string} name
 * @property {string} label
 * @property {number} low
 * @property {number} high
 * @property {"linear" | "log"} scale
 * @property {number} step Distance between stops of a linear scale.
 * @property {number} stops Stops in a decade of a logarithmic scale.
 * @property {boolean} whole
 * @property {string} unit
 * @property {string} help
 * @property {string} symbol
 * @property {string} low_note
 * @property {string} high_note
 * @property {"hero" | "play" | "main" | "more"} group
 * @property {boolean} play
 * @property {number} pace Milliseconds from one step to the next while it plays.
 */

/** @param {number} value @param {number} low @param {number} high */
function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value))
}

/** Stops from the low end to a value, not rounded. */
function stopsUpTo(slider, value) {
  if (slider.scale === "log") return Math.log10(value / slider.low) * slider.stops
  return (value - slider.low) / slider.step
}

/**
 * The stop at the high end.
 *
 * @param {Partial<Slider>} slider
 */
export function lastStop(slider) {
  const span = stopsUpTo(slider, slider.high)
  return Math.max(1, Math.ceil(span - STOP_TOLERANCE))
}

/**
 * The stop nearest to a value.
 *
 * @param {Partial<Slider>} slider
 * @param {number} value
 */
export function nearestStop(slider, value) {
  const last = lastStop(slider)
  if (trackFraction(slider, value) >= 1) return last
  return clamp(Math.round(stopsUpTo(slider, value)), 0, last)
}

/**
 * The value at a stop. Both ends of the range are reached exactly.
 *
 * @param {Partial<Slider>} slider
 * @param {number} stop
 */
export function valueAtStop(slider, stop) {
  if (stop <= 0) return slider.low
  if (stop >= lastStop(slider)) return slider.high
  const value = roundToScale(slider, exactValueAt(slider, stop))
  return clamp(value, slider.low, slider.high)
}

function exactValueAt(slider, stop) {
  if (slider.scale === "log") return slider.low * 10 ** (stop / slider.stops)
  return slider.low + stop * slider.step
}

function roundToScale(slider, value) {
  if (slider.whole) return Math.round(value)
  const digits = slider.scale === "log" ? LOG_DIGITS : LINEAR_DIGITS
  return Number(value.toPrecision(digits))
}

/**
 * The stop so many steps further, within the range.
 *
 * @param {Partial<Slider>} slider
 * @param {number} stop
 * @param {number} steps
 * @param {number} value The value that has to change.
 */
export function stopAfter(slider, stop, steps, value) {
  const last = lastStop(slider)
  let next = clamp(stop + steps, 0, last)
  // neighbouring stops of a logarithmic scale of whole numbers can be one number, which a key must
  // change all the same
  while (valueAtStop(slider, next) === value && next > 0 && next < last) next += Math.sign(steps)
  return next
}

/**
 * The values at the stops after that of a value, fewer where the range ends.
 *
 * @param {Partial<Slider>} slider
 * @param {number} value
 * @param {number} count
 */
export function valuesAfter(slider, value, count) {
  const first = nearestStop(slider, value) + 1
  const end = Math.min(first + count, lastStop(slider) + 1)
  const values = []
  for (let stop = first; stop < end; stop++) values.push(valueAtStop(slider, stop))
  return values
}

/**
 * The values at the stops around a value, the nearest first.
 *
 * @param {Partial<Slider>} slider
 * @param {number} value
 * @param {number} count How many stops; fewer values where stops share one.
 */
export function valuesAround(slider, value, count) {
  const centre = nearestStop(slider, value)
  const last = lastStop(slider)
  const values = new Set()
  for (let distance = 0, visited = 0; distance <= last && visited < count; distance++) {
    const stops = distance === 0 ? [centre] : [centre - distance, centre + distance]
    for (const stop of stops) {
      if (stop < 0 || stop > last || visited === count) continue
      values.add(valueAtStop(slider, stop))
      visited += 1
    }
  }
  return [...values]
}

/**
 * How far along the track a value lies, 0 to 1.
 *
 * @param {Partial<Slider>} slider
 * @param {number} value
 */
export function trackFraction(slider, value) {
  let fraction = (value - slider.low) / (slider.high - slider.low)
  if (slider.scale === "log") {
    fraction = Math.log(value / slider.low) / Math.log(slider.high / slider.low)
  }
  if (!Number.isFinite(fraction)) return 0
  return clamp(fraction, 0, 1)
}

/**
 * Format a number as shortly as all of its digits allow: 3, 0.25, 1e-5.
 *
 * @param {number} value
 */
export function formatNumber(value) {
  if (!Number.isFinite(value)) return ""
  const rounded = Number(value.toPrecision(TEXT_DIGITS))
  const size = Math.abs(rounded)
  const isPlain = size === 0 || (size >= SMALLEST_PLAIN && size < LARGEST_PLAIN)
  if (isPlain) return String(rounded)
  return rounded.toExponential().replace("e+", "e")
}

/**
 * The text behind the number. A slider that plays whole numbers has its end there: `12 of 60`.
 *
 * @param {Partial<Slider>} slider
 */
export function unitText(slider) {
  if (slider.unit) return slider.unit
  if (slider.play && slider.whole) return `of ${formatNumber(slider.high)}`
  return ""
}

/**
 * Format a value with its unit.
 *
 * @param {Partial<Slider>} slider
 * @param {number} value
 */
export function formatWithUnit(slider, value) {
  return `${formatNumber(value)} ${unitText(slider)}`.trim()
}

/**
 * Parse a typed text. A text that is no number stays a text, for the server to refuse.
 *
 * @param {string} text
 * @returns {number | string}
 */
export function parseEntry(text) {
  const trimmed = text.trim().replace(/^−/, "-")
  const number = Number(trimmed)
  return NUMBER.test(trimmed) && Number.isFinite(number) ? number : trimmed
}
