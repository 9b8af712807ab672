// Texts on a canvas, with the few tags that Plotly's texts have: line breaks, colours, bold, italic,
// raised and lowered letters.

export const LINE_HEIGHT = 1.3 // of the font size
const TAG = /<(\/?)(br|b|i|sup|sub|span)(?:\s+style="color:\s*([^";]+);?")?\s*\/?>/gi
const ANY_TAG = /<\/?[a-z]/i
const ENTITY = /&\w+;/g
const CHARACTERS = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&nbsp;": "\u00a0" }
// Of the font size: how far letters are raised or lowered, and how large they are then.
const RAISED = -0.6
const LOWERED = 0.3
const SHIFT_UNIT = 0.7
const SHIFTED_SIZE = 0.7
const SVG = "http://www.w3.org/2000/svg"

/**
 * @typedef {object} Run A piece of text in one style.
 * @property {string} text
 * @property {string} [colour]
 * @property {boolean} [bold]
 * @property {boolean} [italic]
 * @property {number} [shift] Below 0 for raised letters.
 */

/**
 * @typedef {object} Font
 * @property {number} size
 * @property {string} family
 * @property {string} color
 * @property {string | number} [weight]
 */

/**
 * Split a text into lines of runs.
 *
 * @param {string} text
 * @returns {Run[][] | null} Null where the text holds an unknown tag.
 */
export function parseText(text) {
  if (ANY_TAG.test(text.replace(TAG, ""))) return null
  /** @type {Run[][]} */
  const lines = [[]]
  const styles = [{}]
  let end = 0
  const addRun = (part) => {
    if (!part) return
    const decoded = part.replace(ENTITY, (entity) => CHARACTERS[entity] ?? entity)
    lines.at(-1).push({ ...styles.at(-1), text: decoded })
  }
  for (const match of text.matchAll(TAG)) {
    const [tag, closes, name, colour] = match
    addRun(text.slice(end, match.index))
    end = match.index + tag.length
    if (name.toLowerCase() === "br") lines.push([])
    else if (!closes) styles.push({ ...styles.at(-1), ...styleOf(name.toLowerCase(), colour) })
    else if (styles.length > 1) styles.pop()
  }
  addRun(text.slice(end))
  return lines
}

function styleOf(tag, colour) {
  switch (tag) {
    case "b":
      return { bold: true }
    case "i":
      return { italic: true }
    case "sup":
      return { shift: RAISED }
    case "sub":
      return { shift: LOWERED }
    default:
      return { colour }
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Partial<Run>} run
 * @param {Font} font
 */
function setFont(context, run, { size, family, weight }) {
  const height = size * (run.shift ? SHIFTED_SIZE : 1)
  const style = run.italic ? "italic " : ""
  const thickness = run.bold ? "bold" : weight ?? "normal"
  context.font = `${style}${thickness} ${height}px ${family}`
}

function lineWidth(context, line, font) {
  let width = 0
  for (const run of line) {
    setFont(context, run, font)
    width += context.measureText(run.text).width
  }
  return width
}

/**
 * Measure the box around lines, in pixels.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {Run[][]} lines
 * @param {Font} font
 * @returns {{width: number, height: number, ascent: number}}
 */
export function measure(context, lines, font) {
  setFont(context, {}, font)
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = context.measureText(
    "x",
  )
  const width = Math.max(...lines.map((line) => lineWidth(context, line, font)))
  const height = ascent + descent + (lines.length - 1) * LINE_HEIGHT * font.size
  return { width, height, ascent }
}

/**
 * Write lines.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {Run[][]} lines
 * @param {number} x
 * @param {number} y Of the base line of the first line.
 * @param {Font} font
 * @param {number} share Of the width of a line that lies left of `x`: 0, 0.5 or 1.
 */
export function writeText(context, lines, x, y, font, share) {
  context.textBaseline = "alphabetic"
  lines.forEach((line, index) => {
    let left = x - share * lineWidth(context, line, font)
    for (const run of line) {
      setFont(context, run, font)
      context.fillStyle = run.colour ?? font.color
      const down = index * LINE_HEIGHT + SHIFT_UNIT * (run.shift ?? 0)
      context.fillText(run.text, left, y + down * font.size)
      left += context.measureText(run.text).width
    }
  })
}

/**
 * Make the nodes of a line of SVG.
 *
 * @param {Run[]} line
 */
export function makeSpans(line) {
  return line.map((run) => {
    const span = document.createElementNS(SVG, "tspan")
    span.append("")
    setSpan(span, run)
    return span
  })
}

/**
 * Show another run in a node of `makeSpans`.
 *
 * The node stays: each node that comes or goes makes the browser check all rules of the page that ask
 * what an element holds.
 *
 * @param {SVGTSpanElement | Element} span
 * @param {Run} run
 */
export function setSpan(span, { text, colour, bold, italic }) {
  const node = /** @type {SVGTSpanElement} */ (span)
  const textNode = /** @type {Text} */ (node.firstChild)
  textNode.data = text
  node.style.fill = colour ?? ""
  node.style.fontWeight = bold ? "bold" : ""
  node.style.fontStyle = italic ? "italic" : ""
}
