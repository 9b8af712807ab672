// One Plotly chart, redrawn where it stands.

import { drawSoon } from "./batching.js"
import { CAN_HOVER, chartTools } from "./download.js"
import { adopt } from "./figure_diff.js"
import { ChartHelp } from "./help.js"
import { loadPlotly } from "./library.js"
import { paint, release } from "./painter.js"
import { Placeholder } from "./placeholder.js"
import { fitFigure, pageScale } from "./responsive.js"
import { applyColours, applyTheme, readTheme } from "./theme.js"
import { makeToolbar } from "./toolbar.js"

// One object for all charts: another one would make Plotly begin anew.
const CONFIG = { displaylogo: false, displayModeBar: false }
const MIN_WIDTH = 220 // pixels of a chart in a row; below that the row is broken
// Pixels: letters of a chart that has the screen to itself, before they grow with the page.
const HALL_LETTERS = 13
const ONE_COLUMN = "(max-width: 899px)"
const FAILED = "This chart could not be drawn. Moving a slider tries again; reloading the page " +
  "starts afresh."

/** @type {Promise<{Plotly: any, tools: import("./toolbar.js").Tool[]}> | null} for all charts */
let library = null
let madeCount = 0

/** Run plotly.js from where the server has it, below the same path as this module. */
function loadLibrary(address) {
  if (!library) {
    library = loadTools(new URL(`../../../..${address}`, import.meta.url).href)
    library.catch(() => {
      library = null // so that the next chart tries again
    })
  }
  return library
}

async function loadTools(source) {
  const Plotly = await loadPlotly(source)
  return { Plotly, tools: chartTools(Plotly) }
}

/** A chart in its cell. */
export class Chart {
  /** @param {string} name */
  constructor(name) {
    this.makeCell(name)
    this.placeholder = new Placeholder(this.cell)
    this.help = new ChartHelp(this.cell, this.node.id)
    this.plotlyAddress = ""
    this.sent = null // what Streamlit has sent last: {alt, figure, raw}
    this.raw = null // the newest figure, whichever way it came
    this.newest = null // the same, fitted to this screen
    this.figure = null // the figure to draw
    this.drawn = null // what Plotly has drawn: {figure, theme, key}
    this.isPainted = false // whether a newer figure is painted over it
    this.scale = pageScale()
    this.library = null
    this.toolbar = null
    this.paper = null // the foot of a saved image
    this.clicks = null
    // Plotly keeps what was zoomed as long as this number stays; 0 would mean never.
    this.resets = 1
    // As last observed: to ask at each draw would make the browser lay out the page twice.
    this.width = 0
    this.cellHeight = 0
    this.isInView = true // until the browser reports otherwise
    this.sizeObserver = new ResizeObserver(([entry]) => this.resized(entry.contentRect))
    this.sizeObserver.observe(this.cell)
    this.viewObserver = new IntersectionObserver((entries) => {
      this.setInView(entries.at(-1).isIntersecting)
    })
    this.viewObserver.observe(this.cell)
  }

  makeCell(name) {
    this.cell = document.createElement("div")
    this.cell.dataset.chart = name
    this.cell.style.minWidth = "0" // so that it can become narrower than what is drawn in it
    /** @type {any} the graph div */
    this.node = document.createElement("div")
    this.node.setAttribute("role", "img")
    madeCount += 1
    this.node.id = `lab-chart-${madeCount}`
    this.message = document.createElement("p")
    this.message.hidden = true
    this.message.style.padding = "1rem"
    this.cell.append(this.node, this.message)
  }

  /**
   * Take a figure of Streamlit, for `showSent`.
   *
   * @param {any} message See `Chart` in `ui/widgets/chart_board.py`.
   * @param {string} plotlyAddress
   */
  update({ figure, alt, height, narrow, wide, about }, plotlyAddress) {
    this.plotlyAddress = plotlyAddress
    this.help.setText(about)
    this.cell.style.flex = `${wide} 1 min(100%, ${wide * MIN_WIDTH}px)`
    this.wantedHeight = { wide: height, narrow: narrow ?? height }
    this.reserveHeight()
    this.sent = { alt, figure: this.read(figure), raw: this.raw }
  }

  read(figure) {
    this.raw = adopt(this.raw, figure)
    this.newest = this.fit(this.raw)
    return this.newest
  }

  fit(figure) {
    const isAlone = this.wantedHeight.wide === 0
    const letters = isAlone ? HALL_LETTERS : 0
    return fitFigure(figure, this.scale, this.width, letters)
  }

  /** Keep the room for the chart, so that nothing moves when it comes. Without a height, all of it. */
  reserveHeight() {
    const { wide, narrow } = this.wantedHeight
    const wanted = matchMedia(ONE_COLUMN).matches ? narrow : wide
    this.height = wanted ? Math.round(wanted * this.scale) : this.cellHeight
    this.node.style.minHeight = `${this.height}px`
  }

  resized({ width, height }) {
    this.width = Math.floor(width)
    this.cellHeight = Math.floor(height)
    this.scale = pageScale()
    this.reserveHeight()
    if (this.raw) {
      this.newest = this.fit(this.raw)
      this.figure = this.newest
    }
    if (this.sent) this.sent.figure = this.fit(this.sent.raw)
    cancelAnimationFrame(this.animationFrame)
    this.animationFrame = requestAnimationFrame(() => {
      if (this.isInView) this.draw()
      else drawSoon(this)
    })
  }

  setInView(isInView) {
    this.isInView = isInView
    if (isInView) this.draw()
  }

  /**
   * Show a figure of the channel: painted over what Plotly has drawn or, if it cannot, drawn.
   *
   * @param {any} message
   * @param {import("./clicks.js").ClickMoves} clicks
   */
  showFrame({ figure, alt, clicks: targets }, clicks) {
    this.setFigure(this.read(figure), alt)
    if (targets) clicks.listen(this.node, targets)
    if (this.paint()) {
      this.isPainted = true
      return
    }
    // `draw` releases what was painted before
    if (this.isInView) this.draw()
  }

  /** @returns {boolean} False where Plotly has to draw. */
  paint() {
    if (this.drawn === null || this.newest === this.drawn.figure) return false
    const { figure, theme } = this.drawn
    return paint(this.node, applyColours(figure, theme), applyColours(this.newest, theme))
  }

  /** Show what Streamlit has sent, drawn with the other charts of the run. */
  showSent() {
    this.setFigure(this.sent.figure, this.sent.alt)
    if (this.library) {
      drawSoon(this)
      return
    }
    const loaded = (library) => {
      this.library = library
      drawSoon(this)
    }
    loadLibrary(this.plotlyAddress).then(loaded, (error) => this.fail(error))
  }

  setFigure(figure, alt) {
    this.node.setAttribute("aria-label", alt)
    this.figure = figure
  }

  /**
   * Draw with Plotly, unless it has drawn the same already.
   *
   * @param {import("./theme.js").Theme} theme
   */
  draw(theme = readTheme(this.node)) {
    const { figure, width, height, resets } = this
    if (!this.library || !width || !height) return // a closed tab has no width
    const key = JSON.stringify([theme, width, height, resets])
    const isSameFigure = this.drawn?.figure === figure
    if (this.isPainted || isSameFigure) release(this.node)
    this.isPainted = false
    if (isSameFigure && this.drawn.key === key) return
    this.drawn = { figure, theme, key }
    try {
      this.react(figure, theme)
    } catch (error) {
      this.fail(error)
    }
  }

  react(figure, theme) {
    const { width, height, resets } = this
    const coloured = applyColours(figure, theme)
    // copies, because Plotly notes in a trace what was clicked in the legend
    const traces = coloured.data.map((trace) => ({ ...trace }))
    const layout = applyTheme(coloured.layout ?? {}, theme, { width, height, resets })
    if (!CAN_HOVER) layout.dragmode = false // a finger scrolls the page, and draws no zoom box
    const reaction = this.library.Plotly.react(this.node, traces, layout, CONFIG)
    reaction.then(() => this.afterDraw(), (error) => this.fail(error))
  }

  /** Undo what was zoomed. */
  reset() {
    this.resets += 1
    this.draw()
  }

  afterDraw() {
    this.setMessage("")
    // on paper, where nothing is drawn anew, the chart is as wide as its cell
    this.cell.style.setProperty("--lab-ratio", `${this.width} / ${this.height}`)
    for (const svg of this.node.querySelectorAll(".main-svg")) {
      svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`)
    }
    const { tools } = this.library
    if (!this.toolbar && tools.length > 0) {
      this.toolbar = makeToolbar(this, tools, this.node.id)
      this.cell.append(this.toolbar)
    }
    this.clicks?.chartDrawn(this.node)
  }

  fail(error) {
    console.warn("chart not drawn:", error)
    this.drawn = null // so that the next call draws afresh
    this.library?.Plotly.purge(this.node)
    this.setMessage(FAILED)
  }

  /** @param {string} message Shown in place of the chart; "" where the chart is drawn. */
  setMessage(message) {
    this.placeholder.remove()
    if (this.message.textContent === message) return
    this.message.textContent = message
    this.message.hidden = !message
    this.node.hidden = message !== ""
    this.toolbar?.toggleAttribute("hidden", message !== "")
  }

  dispose() {
    this.placeholder.remove()
    this.width = 0 // nothing is drawn any more
    cancelAnimationFrame(this.animationFrame)
    this.sizeObserver.disconnect()
    this.viewObserver.disconnect()
    this.library?.Plotly.purge(this.node)
    this.cell.remove()
  }
}
