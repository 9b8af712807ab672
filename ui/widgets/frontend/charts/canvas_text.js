// Words on a canvas, in the few tags that Plotly's texts have: line breaks, colours, bold, italic, raised and lowered.

export const LINE = 1.3 // from one line to the next, in heights of the font
const TAG = /<(\/?)(br|b|i|sup|sub|span)(?:\s+style="color:\s*([^";]+);?")?\s*\/?>/gi
const SIGNS = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&nbsp;": "\u00a0" }

/** A text as lines of runs {text, colour, bold, italic, shift}; null where it holds a tag that is not known. */
export function runs(text) {
  if (/<\/?[a-z]/i.test(text.replace(TAG, ""))) return null
  const lines = [[]]
  const open = [{}]
  let end = 0
  const add = (part) =>
    part &&
    lines.at(-1).push({
      ...open.at(-1),
      text: part.replace(/&\w+;/g, (sign) => SIGNS[sign] ?? sign),
    })
  for (const { 0: tag, 1: closes, 2: name, 3: colour, index } of text.matchAll(TAG)) {
    add(text.slice(end, index))
    end = index + tag.length
    if (name.toLowerCase() === "br") lines.push([])
    else if (!closes) open.push({ ...open.at(-1), ...styled(name.toLowerCase(), colour) })
    else if (open.length > 1) open.pop()
  }
  add(text.slice(end))
  return lines
}

function styled(name, colour) {
  if (name === "b") return { bold: true }
  if (name === "i") return { italic: true }
  if (name === "sup") return { shift: -0.6 }
  return name === "sub" ? { shift: 0.3 } : { colour }
}

function set(context, run, { size, family, weight }) {
  const height = size * (run.shift ? 0.7 : 1)
  context.font = `${run.italic ? "italic " : ""}${
    run.bold ? "bold" : weight ?? "normal"
  } ${height}px ${family}`
}

function widthOf(context, line, font) {
  return line.reduce(
    (sum, run) => (set(context, run, font), sum + context.measureText(run.text).width),
    0,
  )
}

/** {width, height, ascent} in pixels of the box around these lines. */
export function extent(context, lines, font) {
  set(context, {}, font)
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = context.measureText(
    "x",
  )
  const width = Math.max(...lines.map((line) => widthOf(context, line, font)))
  return { width, height: ascent + descent + (lines.length - 1) * LINE * font.size, ascent }
}

/** Write lines, the first one's baseline at `y`, from, around or up to `x`: `share` is 0, 0.5 or 1. */
export function write(context, lines, x, y, font, share) {
  context.textBaseline = "alphabetic"
  lines.forEach((line, place) => {
    let left = x - share * widthOf(context, line, font)
    for (const run of line) {
      set(context, run, font)
      context.fillStyle = run.colour ?? font.color
      context.fillText(run.text, left, y + (place * LINE + 0.7 * (run.shift ?? 0)) * font.size)
      left += context.measureText(run.text).width
    }
  })
}

/** The same runs as nodes of a line of SVG. */
export function spans(line) {
  return line.map((run) => {
    const span = document.createElementNS("http://www.w3.org/2000/svg", "tspan")
    span.append("")
    setSpan(span, run)
    return span
  })
}

/** Have a node of `spans` show another run, without a change of nodes: each that comes or goes has the browser look at
 * all rules of the page that ask what an element holds. */
export function setSpan(span, { text, colour, bold, italic }) {
  span.firstChild.data = text
  Object.assign(span.style, {
    fill: colour ?? "",
    fontWeight: bold ? "bold" : "",
    fontStyle: italic ? "italic" : "",
  })
}
