// A figure for this screen: its letters, and the room around it, grow with those of the page; where its title has no room,
// what it says beyond its name goes.

const AXIS = /^[xy]axis\d*$/
const LENGTHS = new Set(["size", "pad", "xshift", "yshift", "l", "r", "t", "b"])
const PARTS = new Set(["font", "tickfont", "title", "margin", "annotations", "legend", "pad"])

const FINDING = /^(<b>.*?):<\/b> .*$/
const LETTER = 0.55 // widths of a letter, in heights of the font
const ASIDE = 34 // pixels for the button beside a title

const made = new WeakMap() // part -> [how, the same part so], so that what stays is known to stay

/** `figure` with letters and margins `scale` times as large, in `width` pixels; the very same where nothing has to change. */
export function fitted(figure, scale, width) {
  const grown = scale === 1
    ? figure
    : once(figure, scale, () => ({ ...figure, layout: layout(figure.layout ?? {}, scale) }))
  const title = grown.layout?.title
  const letters = title?.text?.replace(/<.*?>/g, "").length * LETTER * (title?.font?.size ?? 17)
  if (!(width && letters > width - ASIDE * scale) || !FINDING.test(title.text)) return grown
  return once(grown, "short", () => {
    const text = title.text.replace(FINDING, "$1</b>")
    return { ...grown, layout: { ...grown.layout, title: { ...title, text } } }
  })
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

function once(value, how, make) {
  const known = made.get(value)
  if (known?.[0] === how) return known[1]
  const fresh = make()
  made.set(value, [how, fresh])
  return fresh
}

/** How much larger than usual the page's letters are. */
export function scaleOf() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
}
