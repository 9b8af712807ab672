// A figure for a large screen: its letters, and the room around it, grow with those of the page.

const AXIS = /^[xy]axis\d*$/
const LENGTHS = new Set(["size", "pad", "xshift", "yshift", "l", "r", "t", "b"])
const PARTS = new Set(["font", "tickfont", "title", "margin", "annotations", "legend", "pad"])

const grownParts = new WeakMap() // part -> [scale, the same part at this scale], so that what stays is known to stay

/** `figure` with letters and margins `scale` times as large; the very same where that is 1. */
export function grown(figure, scale) {
  if (scale === 1) return figure
  return once(
    figure,
    scale,
    () => ({ ...figure, layout: once(figure.layout ?? {}, scale, (all) => layout(all, scale)) }),
  )
}

function layout(all, scale) {
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name, PARTS.has(name) || AXIS.test(name) ? part(value, scale) : value]),
  )
}

function part(value, scale) {
  if (value === null || typeof value !== "object") return value
  return once(value, scale, () => {
    if (Array.isArray(value)) return value.map((one) => part(one, scale))
    const pairs = Object.entries(value).map(([name, one]) => {
      if (LENGTHS.has(name) && typeof one === "number") return [name, one * scale]
      return [name, PARTS.has(name) ? part(one, scale) : one]
    })
    return Object.fromEntries(pairs)
  })
}

function once(value, scale, make) {
  const known = grownParts.get(value)
  if (known?.[0] === scale) return known[1]
  const made = make(value)
  grownParts.set(value, [scale, made])
  return made
}

/** How much larger than usual the page's letters are. */
export function scaleOf() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
}
