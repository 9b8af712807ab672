// A figure for this screen: its letters, and the room around it, grow with those of the page. Where a
// title has no room, what it says beyond its name is left out.

const USUAL_LETTERS = 16 // pixels
const AXIS = /^[xy]axis\d*$/
const LENGTHS = new Set(["size", "pad", "xshift", "yshift", "l", "r", "t", "b"])
const PARTS_WITH_LENGTHS = new Set([
  "font",
  "tickfont",
  "title",
  "margin",
  "annotations",
  "legend",
  "pad",
])
const PAIR = /(-?[\d.]+(?:e[-+]?\d+)?),(-?[\d.]+(?:e[-+]?\d+)?)/g
// A title with a finding behind its name.
const TITLE_WITH_FINDING = /^(<b>.*?):<\/b> .*$/
const ANY_TAG = /<.*?>/g
const TITLE_SIZE = 17 // Plotly's default, in pixels
const LETTER_WIDTH = 0.55 // of the font size
const BUTTON_WIDTH = 34 // pixels beside a title
// The place of the annotation that names the vertical axis.
const AXIS_NAME_PLACE = {
  xref: "paper",
  x: 0,
  yref: "paper",
  y: 1,
  xanchor: "left",
  yanchor: "bottom",
}

/**
 * Part -> what was made of it last, so that what stays the same is the very same object.
 *
 * @type {WeakMap<any, {how: string, made: any}>}
 */
const cache = new WeakMap()

/**
 * Fit a figure to the screen.
 *
 * @param {any} figure
 * @param {number} scale Of letters and margins.
 * @param {number} width In pixels; 0 where it is not known.
 * @param {number} minSize For a hall: no letters that were smaller, and lines and marks grow as well.
 *     0 for a page.
 * @returns {any} The very same figure where nothing has to change.
 */
export function fitFigure(figure, scale, width, minSize = 0) {
  let fitted = figure
  if (figure.layout?.showlegend) {
    fitted = makeOnce(figure, "legend", () => withLegendInRows(figure))
  }
  if (scale !== 1 || minSize > 0) fitted = growFigure(fitted, scale, minSize)
  const title = fitted.layout?.title
  if (!TITLE_WITH_FINDING.test(title?.text) || hasRoom(title, scale, width)) return fitted
  return makeOnce(fitted, "short title", () => withoutFinding(fitted))
}

function hasRoom(title, scale, width) {
  if (!width) return true
  const text = title.text.replace(ANY_TAG, "")
  const needed = text.length * LETTER_WIDTH * (title.font?.size ?? TITLE_SIZE)
  return needed <= width - BUTTON_WIDTH * scale
}

function withoutFinding(figure) {
  const { title } = figure.layout
  const text = title.text.replace(TITLE_WITH_FINDING, "$1</b>")
  return { ...figure, layout: { ...figure.layout, title: { ...title, text } } }
}

/**
 * Put the legend in rows between the title and the axes, as many as it takes.
 *
 * The legend's own title is the name of the vertical axis. Each trace is a group, so that one follows
 * another as words do.
 */
function withLegendInRows({ data, layout, ...figure }) {
  const { annotations = [], legend, ...rest } = layout
  const axisName = annotations.find(isAxisName)
  const title = { text: `<br>${axisName?.text ?? ""}`, side: "top", font: legend.font }
  const grouped = data.map((trace, index) => {
    return makeOnce(trace, `group ${index}`, () => ({ ...trace, legendgroup: String(index) }))
  })
  return {
    ...figure,
    data: grouped,
    layout: {
      ...rest,
      annotations: annotations.filter((annotation) => annotation !== axisName),
      legend: { ...legend, title, traceorder: "grouped", tracegroupgap: 0 },
    },
  }
}

function isAxisName(annotation) {
  return Object.entries(AXIS_NAME_PLACE).every(([name, value]) => annotation[name] === value)
}

function growFigure(figure, scale, minSize) {
  const how = `${scale} ${minSize}`
  return makeOnce(figure, how, () => ({
    ...figure,
    data: growTraces(figure.data, scale, minSize),
    layout: growLayout(figure.layout ?? {}, scale, minSize),
  }))
}

/** Grow the texts of traces and, for a hall, their lines and marks. */
function growTraces(traces, scale, minSize) {
  const how = `${scale} ${minSize}`
  const grown = traces.map((trace) => {
    if (!minSize && !trace.textfont) return trace
    return makeOnce(trace, how, () => growTrace(trace, scale, minSize))
  })
  const isSame = grown.every((trace, index) => trace === traces[index])
  return isSame ? traces : makeOnce(traces, how, () => grown)
}

function growTrace(trace, scale, minSize) {
  const { textfont, line, marker } = trace
  const grown = { ...trace }
  if (textfont) grown.textfont = growPart(textfont, scale, minSize)
  if (minSize && line) grown.line = growLine(line, scale)
  if (minSize && marker) grown.marker = growMarker(marker, scale)
  return grown
}

function growLine(line, scale) {
  if (typeof line.width !== "number") return line
  return { ...line, width: line.width * scale }
}

function growMarker(marker, scale) {
  const { size, line } = marker
  const grown = { ...marker }
  if (typeof size === "number") grown.size = size * scale
  else if (size?.map) grown.size = size.map((value) => value * scale)
  if (line) grown.line = growLine(line, scale)
  return grown
}

/** Grow the line of a shape, and its path where that is in pixels. */
function growShape(shape, scale) {
  const grown = { ...shape }
  if (shape.line) grown.line = growLine(shape.line, scale)
  const scaleX = shape.xsizemode === "pixel" ? scale : 1
  const scaleY = shape.ysizemode === "pixel" ? scale : 1
  if (shape.path && (scaleX !== 1 || scaleY !== 1)) {
    grown.path = shape.path.replace(PAIR, (_, x, y) => `${x * scaleX},${y * scaleY}`)
  }
  return grown
}

function growLayout(layout, scale, minSize) {
  const grown = {}
  for (const [name, value] of Object.entries(layout)) {
    if (name === "shapes" && minSize) grown.shapes = growShapes(value, scale, minSize)
    else if (PARTS_WITH_LENGTHS.has(name) || AXIS.test(name)) {
      grown[name] = growPart(value, scale, minSize)
    } else grown[name] = value
  }
  return grown
}

function growShapes(shapes, scale, minSize) {
  const how = `${scale} ${minSize}`
  return shapes.map((shape) => makeOnce(shape, how, () => growShape(shape, scale)))
}

/** Grow all lengths in a part of a layout. */
function growPart(part, scale, minSize) {
  if (part === null || typeof part !== "object") return part
  return makeOnce(part, `${scale} ${minSize}`, () => {
    if (Array.isArray(part)) return part.map((child) => growPart(child, scale, minSize))
    const grown = {}
    for (const [name, value] of Object.entries(part)) {
      if (LENGTHS.has(name) && typeof value === "number") {
        grown[name] = scale * (name === "size" ? Math.max(value, minSize) : value)
      } else if (PARTS_WITH_LENGTHS.has(name)) {
        grown[name] = growPart(value, scale, minSize)
      } else grown[name] = value
    }
    return grown
  })
}

function makeOnce(part, how, make) {
  const cached = cache.get(part)
  if (cached?.how === how) return cached.made
  const made = make()
  cache.set(part, { how, made })
  return made
}

/** How much larger than usual the letters of the page are. */
export function pageScale() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_LETTERS
}
