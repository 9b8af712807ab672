// Streamlit's theme under the layout of a figure: what the layout sets itself wins, and what it leaves
// open follows the theme. So do a few colours that the layout has by name. The theme is read at every
// draw, so that a chart changes with the page.

export const TRANSPARENT = "rgba(0,0,0,0)"
const AXIS = /^[xy]axis\d*$/
// Colours by name, as `ui/charts/theme/palette.py` uses them -> colour of the theme.
const NAMED_COLOURS = {
  black: "text",
  royalblue: "private",
  seagreen: "public",
  dimgray: "quiet",
  orangered: "bound",
  snow: "back",
}
const LIGHT_DARK = /^light-dark\((.*), ?(.*)\)$/
const COLOURED_SPAN = /(style="color: ?)([a-z]+)/g

/**
 * @typedef {object} Theme Colours and font of a page.
 * @property {string} font
 * @property {string} text
 * @property {string} line
 * @property {string} grid
 * @property {string} quiet
 * @property {string} back
 * @property {string} private
 * @property {string} public
 * @property {string} bound
 */

/**
 * Colours -> parts of a figure -> the same parts in these colours.
 *
 * @type {Map<string, WeakMap<any, any>>}
 */
const colouredParts = new Map()

/**
 * Read the colours and the font in force at a node.
 *
 * @param {Element} node
 * @returns {Theme}
 */
export function readTheme(node) {
  const style = getComputedStyle(node)
  const streamlit = (name, fallback) => {
    return style.getPropertyValue(`--st-${name}`).trim() || fallback
  }
  const lab = (name, fallback) => {
    const pair = LIGHT_DARK.exec(style.getPropertyValue(`--lab-${name}`).trim())
    if (!pair) return fallback
    const [, light, dark] = pair
    return style.colorScheme === "dark" ? dark : light
  }
  return {
    font: streamlit("font", "sans-serif"),
    text: streamlit("text-color", "#31333f"),
    line: streamlit("border-color", "rgba(128,128,128,0.4)"),
    grid: streamlit("border-color-light", "rgba(128,128,128,0.2)"),
    quiet: streamlit("gray-text-color", "#5a6072"),
    back: streamlit("background-color", "#ffffff"),
    private: lab("private-in-charts", "#1f66b8"),
    public: lab("public", "#00795a"),
    bound: lab("bound", "#b34e00"),
  }
}

/**
 * Put the colours of a theme into a figure.
 *
 * A part without colours by name is the very same object, and so is what was asked for before:
 * whoever draws compares by identity.
 *
 * @template T
 * @param {T} figure
 * @param {Theme} theme
 * @returns {T}
 */
export function applyColours(figure, theme) {
  const colours = {}
  for (const [name, themeColour] of Object.entries(NAMED_COLOURS)) {
    colours[name] = theme[themeColour]
  }
  const key = JSON.stringify(colours)
  if (!colouredParts.has(key)) colouredParts.set(key, new WeakMap())
  return colourPart(figure, { colours, done: colouredParts.get(key) }, "")
}

function colourPart(part, context, name) {
  if (typeof part === "string") return colourText(part, context.colours, name)
  if (part === null || typeof part !== "object" || ArrayBuffer.isView(part)) return part
  if (!context.done.has(part)) context.done.set(part, colourChildren(part, context, name))
  return context.done.get(part)
}

function colourText(text, colours, name) {
  if (name.endsWith("color")) return colours[text] ?? text
  const canHoldSpans = ["text", "name", "ticktext"].includes(name)
  if (!canHoldSpans || !text.includes("<span")) return text
  return text.replace(COLOURED_SPAN, (_, start, colour) => start + (colours[colour] ?? colour))
}

function colourChildren(part, context, name) {
  const isArray = Array.isArray(part)
  const coloured = isArray ? [] : {}
  let isSame = true
  for (const key in part) {
    // elements of an array are named as the array
    coloured[key] = colourPart(part[key], context, isArray ? name : key)
    if (coloured[key] !== part[key]) isSame = false
  }
  return isSame ? part : coloured
}

/**
 * Complete a layout by the theme, for one draw.
 *
 * Everything that Plotly may write into is a copy, so that the original stays as it came.
 *
 * @param {any} layout
 * @param {Theme} theme
 * @param {{width: number, height: number, resets: number}} size `resets`: another number makes
 *     Plotly forget what was zoomed.
 */
export function applyTheme(layout, theme, { width, height, resets }) {
  const themed = {
    uirevision: "kept", // what the person zoomed stays zoomed when the data change
    paper_bgcolor: TRANSPARENT,
    plot_bgcolor: TRANSPARENT,
    ...layout,
    width,
    height,
    font: { family: theme.font, color: theme.text, ...layout.font },
    legend: { bgcolor: TRANSPARENT, ...layout.legend },
    hoverlabel: { bgcolor: theme.back, bordercolor: theme.line, ...layout.hoverlabel },
  }
  /** @type {any} */
  const hoverFont = { family: theme.font, color: theme.text }
  if (themed.font.size) hoverFont.size = themed.font.size
  themed.hoverlabel.font = { ...hoverFont, ...themed.hoverlabel.font }
  const axes = Object.keys(layout).filter((name) => AXIS.test(name))
  for (const name of new Set(["xaxis", "yaxis", ...axes])) {
    themed[name] = themeAxis(layout[name], theme, resets)
  }
  return themed
}

function themeAxis(axis, theme, resets) {
  const themed = {
    gridcolor: theme.grid,
    zerolinecolor: theme.line,
    linecolor: theme.line,
    uirevision: resets,
    ...axis,
  }
  if (themed.range) themed.range = [...themed.range] // Plotly writes a zoom into it
  return themed
}
