// Streamlit's theme, put under a figure's layout: whatever the layout says itself wins, what it leaves open follows the
// theme, and so do a few colours that it has by name. Read anew at every draw, so that a chart changes with the page.

export const CLEAR = "rgba(0,0,0,0)"
const AXIS = /^[xy]axis\d*$/
// `ui/charts/theme.py` names these: a name -> whose colour it stands for
const NAMED = {
  black: "text",
  royalblue: "private",
  seagreen: "public",
  dimgray: "quiet",
  orangered: "bound",
  firebrick: "void",
}
const PAIR = /^light-dark\((.*), ?(.*)\)$/
const INKED = /(style="color: ?)([a-z]+)/g

const themes = new Map() // colours of NAMED -> part of a figure -> the same part in these colours

/** The colours and the font in force at a node. */
export function lookOf(node) {
  const style = getComputedStyle(node)
  const read = (name, otherwise) => style.getPropertyValue(`--st-${name}`).trim() || otherwise
  const own = (name, otherwise) => {
    const [value, light, dark] = PAIR.exec(style.getPropertyValue(`--lab-${name}`).trim()) ?? []
    return value ? style.colorScheme === "dark" ? dark : light : otherwise
  }
  return {
    font: read("font", "sans-serif"),
    text: read("text-color", "#31333f"),
    line: read("border-color", "rgba(128,128,128,0.4)"),
    grid: read("border-color-light", "rgba(128,128,128,0.2)"),
    quiet: read("gray-text-color", "#5a6072"),
    back: read("background-color", "#ffffff"),
    private: own("private-in-charts", "#1f66b8"),
    public: own("public", "#00795a"),
    bound: own("bound", "#b34e00"),
    void: own("void", "#b3261e"),
  }
}

/** A figure in the colours of a look. What has no colour by name is the very same object, and so is what was asked
 * before, because whoever draws compares by identity. */
export function coloured(figure, look) {
  const colours = Object.fromEntries(
    Object.entries(NAMED).map(([name, whose]) => [name, look[whose]]),
  )
  const key = JSON.stringify(colours)
  if (!themes.has(key)) themes.set(key, new WeakMap())
  return inColours(figure, { colours, made: themes.get(key) }, "")
}

function inColours(part, theme, name) {
  if (typeof part === "string") return named(part, theme.colours, name)
  if (part === null || typeof part !== "object" || ArrayBuffer.isView(part)) return part
  if (!theme.made.has(part)) theme.made.set(part, partsInColours(part, theme, name))
  return theme.made.get(part)
}

function named(text, colours, name) {
  if (name.endsWith("color")) return colours[text] ?? text
  if (!(name === "text" || name === "name") || !text.includes("<span")) return text
  return text.replace(INKED, (_, start, word) => start + (colours[word] ?? word))
}

function partsInColours(whole, theme, name) {
  const parts = Array.isArray(whole) ? [] : {}
  let same = true
  for (const key in whole) {
    parts[key] = inColours(whole[key], theme, Array.isArray(whole) ? name : key)
    if (parts[key] !== whole[key]) same = false
  }
  return same ? whole : parts
}

/** A layout for one draw. Everything that Plotly may write into is a copy, so that the original stays as it came. */
export function themed(layout, look, { width, height, resets }) {
  const out = {
    uirevision: "kept", // what the person zoomed stays zoomed when the data change
    paper_bgcolor: CLEAR,
    plot_bgcolor: CLEAR,
    ...layout,
    width,
    height,
    font: { family: look.font, color: look.text, ...layout.font },
    legend: { bgcolor: CLEAR, ...layout.legend },
    hoverlabel: { bgcolor: look.back, bordercolor: look.line, ...layout.hoverlabel },
  }
  const { size } = out.font
  out.hoverlabel.font = {
    family: look.font,
    color: look.text,
    ...(size && { size }),
    ...out.hoverlabel.font,
  }
  const named = Object.keys(layout).filter((name) => AXIS.test(name))
  for (const axis of new Set(["xaxis", "yaxis", ...named])) {
    out[axis] = {
      gridcolor: look.grid,
      zerolinecolor: look.line,
      linecolor: look.line,
      uirevision: resets,
      ...layout[axis],
    }
    if (out[axis].range) out[axis].range = [...out[axis].range] // a zoom is written into it
  }
  return out
}
