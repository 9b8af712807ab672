// @ts-nocheck: what it imports, and Plotly, are there in the page that the test serves.
// A page of charts without a server's app: Plotly draws figures, the painter paints others over them. `bench` is what
// the tests call.

const ASSETS = "/frontend/charts/" // where the test serves them
const { adopt } = await import(ASSETS + "figure_diff.js")
const { paint, release } = await import(ASSETS + "painter.js")
const { applyColours, applyTheme, readTheme } = await import(ASSETS + "theme.js")
const { ticksOf } = await import(ASSETS + "ticks.js")

const CONFIG = { displaylogo: false, displayModeBar: false }
const divs = new Map() // name of a chart -> its graph div

/** The figure as the browser keeps it: what has not changed since the last one is the same object. */
function adoptFigure(div, figure) {
  div.newest = adopt(div.newest, figure)
  return div.newest
}

async function draw(div) {
  const theme = readTheme(div)
  const { data, layout } = applyColours(div.drawn, theme)
  const traces = data.map((trace) => ({ ...trace }))
  await Plotly.react(div, traces, applyTheme(layout, theme, { ...div.size, resets: 1 }), CONFIG)
}

globalThis.bench = {
  release: (name) => release(divs.get(name)),
  div: (name) => divs.get(name),

  /** Empty cells for [[name, height], ...]. */
  place(charts, width) {
    for (const div of divs.values()) {
      Plotly.purge(div)
      div.parentNode.remove()
    }
    divs.clear()
    for (const [name, height] of charts) {
      const cell = document.createElement("div")
      const div = document.createElement("div")
      cell.style.cssText = `float:left;width:${width}px;height:${height}px`
      div.size = { width, height }
      cell.append(div)
      document.body.append(cell)
      divs.set(name, div)
    }
    const boxes = {}
    for (const [name, div] of divs) boxes[name] = div.parentNode.getBoundingClientRect().toJSON()
    return boxes
  },

  /** With `afresh` as if the chart had never been drawn: else Plotly draws a shape that changes above those that do not. */
  async draw(figures, afresh = false) {
    for (const [name, figure] of Object.entries(figures)) {
      const div = divs.get(name)
      release(div)
      if (afresh) Plotly.purge(div)
      const fresh = afresh || !div.drawn
      div.drawn = adoptFigure(div, figure)
      await draw(div)
      if (fresh) await draw(div) // Plotly lays out a title beside labels that it has not drawn yet
    }
  },

  /** Chart -> [whether it was painted, milliseconds]. */
  async paint(figures) {
    const painted = {}
    for (const [name, figure] of Object.entries(figures)) {
      const div = divs.get(name)
      const next = adoptFigure(div, figure)
      const theme = readTheme(div)
      const start = performance.now()
      const isPainted = paint(div, applyColours(div.drawn, theme), applyColours(next, theme))
      painted[name] = [isPainted, performance.now() - start]
    }
    await new Promise((done) => setTimeout(done, 60)) // for images to be decoded
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    return painted
  },

  /** Ticks of an axis as a figure describes it: [Plotly's, the painter's], each [[at, text], ...]. */
  async ticks(wanted, isVertical, size) {
    const div = document.createElement("div")
    document.body.append(div)
    const name = isVertical ? "yaxis" : "xaxis"
    const margin = { l: 0, r: 0, t: 0, b: 0 }
    await Plotly.newPlot(div, [], { ...size, margin, [name]: wanted }, CONFIG)
    const full = div._fullLayout[name]
    const drawn = full._vals.map(({ x, text }) => [x, text])
    const axis = { full, isVertical, range: full.range, log: full.type === "log" }
    const painted = ticksOf(axis, wanted)
    Plotly.purge(div)
    div.remove()
    return [drawn, painted?.map(({ at, text }) => [at, text])]
  },
}
