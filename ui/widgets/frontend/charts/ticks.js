// The ticks of an axis that moves: Plotly's own rules, for the kinds of axes that the lab's charts have.

const ROUND = [2, 5, 10]
const SMALL = { D1: [1, 2, 3, 4, 5, 6, 7, 8, 9], D2: [1, 2, 5] }
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

/** [{at, text, small}] from the axis's low end to its high end, `at` in its own numbers, of which a logarithmic one has
 * logarithms; null where the rules are not known. `asked`: the axis as the figure describes it. */
export function ticksOf(axis, asked) {
  if (asked.tickvals) return asked.ticktext ? given(axis, asked) : null
  if (axis.categories) {
    return axis.full._vals.length === axis.categories.length
      ? axis.categories.map((text, at) => ({ at, text }))
      : null
  }
  const dtick = asked.dtick ?? automatic(axis)
  const places = typeof dtick === "number"
    ? multiples(axis, dtick)
    : dtick[0] === "L"
    ? even(axis, Number(dtick.slice(1)))
    : digits(axis, SMALL[dtick])
  const ticks = places.map((at) => ({ at, ...written(axis, asked, dtick, at) }))
  return ticks.every(({ text }) => text !== null) ? ticks : null
}

/** Both ends of the range, the lower first, with room for what rounding took off. */
function ends({ range }) {
  const [low, high] = [Math.min(...range), Math.max(...range)]
  return [low - (high - low) * 1e-4, high + (high - low) * 1e-4]
}

function given(axis, { tickvals, ticktext }) {
  const [low, high] = ends(axis)
  const ticks = Array.from(
    tickvals,
    (value, place) => ({ at: axis.log ? Math.log10(value) : value, text: String(ticktext[place]) }),
  )
  return ticks.filter(({ at }) => at > low && at < high)
}

/** The distance between ticks that Plotly would choose: so many of them as there is room for. */
function automatic({ full, range, log, up }) {
  const span = Math.abs(range[1] - range[0])
  const count = full.nticks || Math.min(9, Math.max(4, full._length / (up ? 40 : 80))) + 1
  const rough = span / count
  if (!log) return rounded(rough)
  if (rough > 0.7) return Math.ceil(rough)
  if (span < 1) return `L${rounded(Math.abs(10 ** range[1] - 10 ** range[0]) / (1.5 * count))}`
  return rough > 0.3 ? "D2" : "D1"
}

function rounded(rough) {
  const base = 10 ** Math.floor(Math.log(rough) / Math.LN10)
  return base * ROUND.find((one, place) => place === ROUND.length - 1 || rough / base < one)
}

function multiples(axis, step) {
  const [low, high] = ends(axis)
  const first = Math.ceil(low / step)
  return Array.from(
    { length: Math.max(0, Math.floor(high / step) - first + 1) },
    (_, place) => Number(((first + place) * step).toPrecision(12)),
  )
}

/** On a logarithmic axis, equal steps of the numbers themselves. */
function even(axis, step) {
  const [low, high] = ends(axis).map((end) => 10 ** end)
  const first = Math.ceil(low / step)
  return Array.from(
    { length: Math.max(0, Math.floor(high / step) - first + 1) },
    (_, place) => Math.log10((first + place) * step),
  )
}

/** On a logarithmic axis, these digits of each decade. */
function digits(axis, leading) {
  const [low, high] = ends(axis)
  const places = []
  for (let power = Math.floor(low); power <= high; power++) {
    for (const digit of leading) places.push(power + Math.log10(digit))
  }
  return places.filter((at) => at >= low && at <= high)
}

function written({ full, log, range }, { tickformat }, dtick, at) {
  const value = log ? 10 ** at : at
  if (tickformat) return { text: full._numFormat?.(tickformat)(value).replace(/-/g, "−") ?? null }
  if (!log) return { text: number(value, dtick, Math.max(...range.map(Math.abs))) }
  if (dtick[0] === "L") {
    return { text: number(value, Number(dtick.slice(1)), 10 ** Math.max(...range)) }
  }
  if (dtick[0] === "D" && Math.abs(at - Math.round(at)) > 0.01) {
    return { text: String(Math.round(10 ** (at - Math.floor(at)))), small: true }
  }
  return dtick === "D1" ? { text: null } : { text: number(value, value / 1e4, value) }
}

/** A number, to two digits more than the step between ticks; thousands and millionths by their letters. */
function number(value, step, largest) {
  const size = Math.floor(Math.log(largest) / Math.LN10 + 0.01)
  const exponent = Math.abs(size) > 3 ? 3 * Math.round((size - 1) / 3) : 0
  const places = 2 - Math.floor(Math.log(step) / Math.LN10 + 0.01)
  if (Math.abs(value) < 10 ** -places / 2) return "0"
  if (!(exponent in PREFIXES)) return null
  const mantissa = (Math.abs(value) * 10 ** -exponent).toFixed(
    Math.min(20, Math.max(0, places + exponent)),
  )
  const neat = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa
  return (value < 0 ? "−" : "") + neat + PREFIXES[exponent]
}
