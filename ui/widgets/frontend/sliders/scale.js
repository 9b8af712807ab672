// Where the thumb of a knob can rest, and how its values are written. A knob is as the server describes it.

const SIGNIFICANT = 3

/** How many stops lie between the two ends. */
export function lastStop(knob) {
  const span = knob.scale === "log"
    ? Math.log10(knob.high / knob.low) * knob.stops
    : (knob.high - knob.low) / knob.step
  return Math.max(1, Math.ceil(span - 1e-9))
}

/** The stop nearest to a value; a value between two stops keeps its own number all the same. */
export function stopOf(knob, value) {
  const last = lastStop(knob)
  const fraction = fractionOf(knob, value)
  if (fraction >= 1) return last
  const stop = knob.scale === "log"
    ? Math.log10(value / knob.low) * knob.stops
    : (value - knob.low) / knob.step
  return Math.min(last, Math.max(0, Math.round(stop)))
}

/** The value at a stop. Both ends of the range are reached exactly. */
export function valueAt(knob, stop) {
  if (stop <= 0) return knob.low
  if (stop >= lastStop(knob)) return knob.high
  const log = knob.scale === "log"
  const raw = log ? knob.low * 10 ** (stop / knob.stops) : knob.low + stop * knob.step
  // 12 digits take the dust off sums such as 0.1 + 0.2, and are no rounding that anyone could see
  const neat = knob.whole ? Math.round(raw) : Number(raw.toPrecision(log ? SIGNIFICANT : 12))
  return Math.min(knob.high, Math.max(knob.low, neat))
}

/** So many stops from this one, as far as there are stops; where that changes nothing, on to the next that does. */
export function stopAfter(knob, stop, step, value) {
  const last = lastStop(knob)
  let next = Math.min(last, Math.max(0, stop + step))
  // on a logarithmic scale of whole numbers, neighbouring stops can be one number: a press must still change it
  while (valueAt(knob, next) === value && next > 0 && next < last) next += Math.sign(step)
  return next
}

/** The values at so many stops after that of this one; fewer where the range ends. */
export function following(knob, value, count) {
  const first = stopOf(knob, value) + 1
  const left = Math.max(0, lastStop(knob) - first + 1)
  return Array.from({ length: Math.min(count, left) }, (_, place) => valueAt(knob, first + place))
}

/** The values at so many stops around a value, the nearest first. */
export function around(knob, value, count) {
  const here = stopOf(knob, value)
  const stops = Array.from({ length: lastStop(knob) + 1 }, (_, stop) => stop)
  stops.sort((one, other) => Math.abs(one - here) - Math.abs(other - here))
  return [...new Set(stops.slice(0, count).map((stop) => valueAt(knob, stop)))]
}

/** How far along the track a value lies, 0 to 1. */
export function fractionOf(knob, value) {
  const fraction = knob.scale === "log"
    ? Math.log(value / knob.low) / Math.log(knob.high / knob.low)
    : (value - knob.low) / (knob.high - knob.low)
  return Math.min(1, Math.max(0, Number.isFinite(fraction) ? fraction : 0))
}

/** The number as text, as short as it can be without hiding digits that matter: 3, 0.25, 1e-5. */
export function written(value) {
  if (!Number.isFinite(value)) return ""
  const neat = Number(value.toPrecision(10))
  const size = Math.abs(neat)
  return size !== 0 && (size < 1e-3 || size >= 1e9)
    ? neat.toExponential().replace("e+", "e")
    : String(neat)
}

/** What stands behind the number; a knob that plays whole numbers says where it will end: 12 of 60. */
export function unitOf(knob) {
  return knob.unit || (knob.play && knob.whole ? `of ${written(knob.high)}` : "")
}

/** The number with its unit, for a screen reader. */
export function spoken(knob, value) {
  return `${written(value)} ${unitOf(knob)}`.trim()
}

/** What a typed text says: a number if it is one, otherwise the text itself, for the server to answer. */
export function entered(text) {
  const plain = text.trim().replace(/^−/, "-")
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) && Number.isFinite(Number(plain))
    ? Number(plain)
    : plain
}
