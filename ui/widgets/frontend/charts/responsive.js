// A figure for this screen: its letters, and the room around it, grow with those of the page; where its title has no room,
// what it says beyond its name goes.

const AXIS = /^[xy]axis\d*$/
const LENGTHS = new Set(["size", "pad", "xshift", "yshift", "l", "r", "t", "b"])
const PARTS = new Set(["font", "tickfont", "title", "margin", "annotations", "legend", "pad"])

const PAIR = /(-?[\d.]+(?:e[-+]?\d+)?),(-?[\d.]+(?:e[-+]?\d+)?)/g

const FINDING = /^(<b>.*?):<\/b> .*$/
const LETTER = 0.55 // widths of a letter, in heights of the font
const ASIDE = 34 // pixels for the button beside a title

const ABOVE = { xref: "paper", x: 0, yref: "paper", y: 1, xanchor: "left", yanchor: "bottom" } // the axis: its name

const made = new WeakMap() // part -> [how, the same part so], so that what stays is known to stay

/** `figure` with letters and margins `scale` times as large, in `width` pixels; the very same where nothing has to change.
 * With `least`, for a hall: no letters that were smaller than this, and lines and marks grow, too. */
export function fitted(figure, scale, width, least = 0) {
  const whole = figure.layout?.showlegend ? once(figure, "rows", () => rows(figure)) : figure
  const grown = scale === 1 && !least ? whole : once(whole, `${scale} ${least}`, () => ({
    ...whole,
    data: traces(whole.data, scale, least),
    layout: layout(whole.layout ?? {}, scale, least),
  }))
  const title = grown.layout?.title
  const letters = title?.text?.replace(/<.*?>/g, "").length * LETTER * (title?.font?.size ?? 17)
  if (!(width && letters > width - ASIDE * scale) || !FINDING.test(title.text)) return grown
  return once(grown, "short", () => {
    const text = title.text.replace(FINDING, "$1</b>")
    return { ...grown, layout: { ...grown.layout, title: { ...title, text } } }
  })
}

/** A figure with its legend in rows between its title and its axes, as many as they take: under the name of the axis
 * upwards, which is the legend's own title, and each trace a group, so that one follows another as words do. */
function rows({ data, layout: { annotations = [], legend, ...rest }, ...figure }) {
  const named = annotations.find((note) =>
    Object.entries(ABOVE).every(([name, value]) => note[name] === value)
  )
  const title = { text: `<br>${named?.text ?? ""}`, side: "top", font: legend.font }
  return {
    ...figure,
    data: data.map((trace, place) =>
      once(trace, `row ${place}`, () => ({ ...trace, legendgroup: `${place}` }))
    ),
    layout: {
      ...rest,
      annotations: annotations.filter((note) => note !== named),
      legend: { ...legend, title, traceorder: "grouped", tracegroupgap: 0 },
    },
  }
}

/** Of a trace its words and, where all is for a hall, its lines and marks. */
function traces(all, scale, least) {
  const how = `${scale} ${least}`
  const grown = all.map((trace) =>
    least || trace.textfont ? once(trace, how, () => grownTrace(trace, scale, least)) : trace
  )
  return grown.every((trace, place) => trace === all[place]) ? all : once(all, how, () => grown)
}

function grownTrace(trace, scale, least) {
  const { textfont, line, marker } = trace
  return {
    ...trace,
    ...(textfont && { textfont: part(textfont, scale, least) }),
    ...(least && line && { line: stroke(line, scale) }),
    ...(least && marker && { marker: mark(marker, scale) }),
  }
}

const stroke = (line, scale) =>
  typeof line.width === "number" ? { ...line, width: line.width * scale } : line

function mark(marker, scale) {
  const { size, line } = marker
  const large = typeof size === "number" ? size * scale : size?.map?.((one) => one * scale)
  return { ...marker, ...(large && { size: large }), ...(line && { line: stroke(line, scale) }) }
}

/** A shape whose path is in pixels, in either direction, is as much larger. */
function shape(one, scale) {
  const [across, up] = [one.xsizemode, one.ysizemode].map((mode) => mode === "pixel" ? scale : 1)
  const path = across * up !== 1 && one.path?.replace(PAIR, (_, x, y) => `${x * across},${y * up}`)
  return { ...one, ...(path && { path }), ...(one.line && { line: stroke(one.line, scale) }) }
}

function layout(all, scale, least) {
  const grown = (name, value) => {
    if (name === "shapes" && least) {
      return value.map((one) => once(one, `${scale} ${least}`, () => shape(one, scale)))
    }
    return PARTS.has(name) || AXIS.test(name) ? part(value, scale, least) : value
  }
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, grown(name, value)]))
}

function part(value, scale, least) {
  if (value === null || typeof value !== "object") return value
  return once(value, `${scale} ${least}`, () => {
    if (Array.isArray(value)) return value.map((one) => part(one, scale, least))
    const pairs = Object.entries(value).map(([name, one]) => {
      if (LENGTHS.has(name) && typeof one === "number") {
        return [name, scale * (name === "size" ? Math.max(one, least) : one)]
      }
      return [name, PARTS.has(name) ? part(one, scale, least) : one]
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
