// Streamlit's theme, put under a figure's layout: whatever the layout says itself wins, what it leaves open follows the
// theme. Read anew at every draw, so that a chart changes with the page.

export const CLEAR = "rgba(0,0,0,0)"
const AXIS = /^[xy]axis\d*$/

/** The colours and the font in force at a node. */
export function lookOf(node) {
  const style = getComputedStyle(node)
  const read = (name, otherwise) => style.getPropertyValue(`--st-${name}`).trim() || otherwise
  return {
    font: read("font", "sans-serif"),
    text: read("text-color", "#31333f"),
    line: read("border-color", "rgba(128,128,128,0.4)"),
    grid: read("border-color-light", "rgba(128,128,128,0.2)"),
    quiet: read("gray-text-color", "#808495"),
    back: read("background-color", "#ffffff"),
  }
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
    hoverlabel: { bgcolor: look.back, bordercolor: look.line, ...layout.hoverlabel },
  }
  out.hoverlabel.font = { family: look.font, color: look.text, ...out.hoverlabel.font }
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
