// Plotly charts, redrawn where they stand. Streamlit calls the default export at every run with the figures as bytes.

import { About } from "./help.js"
import { whenFramed } from "../channel/channel.js"
import { Clicks } from "./clicks.js"
import { drawSoon, whenComplete } from "./batching.js"
import { adopt } from "./figure_diff.js"
import { buttons, HOVERS } from "./download.js"
import { fitted, scaleOf } from "./responsive.js"
import { loadPlotly } from "./library.js"
import { coloured, lookOf, themed } from "./theme.js"
import { paint, release } from "./painter.js"
import { toolbar } from "./toolbar.js"
import { Waiting } from "./placeholder.js"
import { Words } from "./live_text.js"

const boards = new WeakMap()
const letters = new TextDecoder()
// one object for all charts, because one that differs would make Plotly begin anew
const CONFIG = { displaylogo: false, displayModeBar: false }
const NOTHING = "null" // what a board is of whose pictures the channel does not know
const NARROW = 220 // pixels
const LEAST = 13 // height of letters in a picture that has the screen to itself, before they grow with the page
const ONE_COLUMN = "(max-width: 899px)"
const FIRST = "board" // the one that speaks for the page
let address = "" // of Plotly, as the server says it
let library = null // one copy of Plotly for all charts of the page
let made = 0

export default function ({ parentElement, data, setStateValue }) {
  let board = boards.get(parentElement)
  if (!board) boards.set(parentElement, board = new Board(parentElement))
  board.setStateValue = setStateValue
  board.update(JSON.parse(letters.decode(data)))
  // Streamlit may run the clean-up of a call that a newer one has overtaken: only a node that is gone is let go
  return () => {
    if (parentElement.isConnected) return
    board.dispose()
    boards.delete(parentElement)
  }
}

/** Rows of charts. A chart is known by its name, and stays the same node wherever it moves. */
class Board {
  constructor(root) {
    this.root = root
    this.setStateValue = null // Streamlit's, a new one at every run
    this.rows = []
    this.charts = new Map()
    this.clicks = new Clicks((message) => this.setStateValue("movement", message))
    this.words = new Words()
    this.name = "" // as the channel calls it
    this.names = "" // of the charts in their rows
    this.of = "" // what the pictures that Streamlit has sent are of
    this.frame = null // of the channel, which is shown in place of what Streamlit has sent
    this.awaited = null // until it has sent those of this: the panel's word of its answer may come before the pictures
    this.deaf = whenFramed((frame, then) => this.take(frame, then), (of) => this.release(of))
    // by then Streamlit has written its own words
    this.ignore = whenComplete(() => this.frame || this.words.release())
  }

  update({ name, rows, ack, of, paper, plotly }) {
    address = plotly
    this.name = name
    this.clicks.contained(ack)
    const named = new Map()
    rows.forEach((pictures, place) => {
      const row = this.row(place)
      pictures.forEach((picture, column) => {
        const chart = this.charts.get(picture.name) ?? new Chart(picture.name)
        named.set(picture.name, chart)
        if (row.children[column] !== chart.cell) {
          row.insertBefore(chart.cell, row.children[column] ?? null)
        }
        chart.update(picture)
        chart.paper = paper
        if (picture.clicks) (chart.clicks = this.clicks).listen(chart.node, picture.clicks)
      })
    })
    for (const [name, chart] of this.charts) if (!named.has(name)) chart.dispose()
    for (const row of this.rows.splice(rows.length)) row.remove()
    this.charts = named
    this.names = JSON.stringify(rows.map((pictures) => pictures.map(({ name }) => name)))
    this.of = JSON.stringify(of)
    if (this.frame && this.fits(this.frame)) return this.back()
    this.frame = null
    for (const chart of named.values()) chart.show(chart.sent)
  }

  fits({ rows }) {
    return this.names === JSON.stringify(rows[this.name])
  }

  /** Show a frame of the channel when the browser next paints, if it is one of these charts. */
  take(frame, then) {
    if (this.of === NOTHING) return null
    if (!this.fits(frame)) return false
    this.frame = frame
    this.awaited = null
    this.then = then
    this.painting ??= requestAnimationFrame(() => this.paint())
    return true
  }

  paint() {
    this.painting = null
    if (!this.frame) return
    const { charts, words } = this.frame
    for (const [name, chart] of this.charts) chart.stream(charts[name], this.clicks)
    if (this.name !== FIRST) return
    this.words.say(words)
    this.then()
  }

  /** What Streamlit sends of this is as new; with null, what it has sent last. */
  release(of) {
    this.awaited = of ?? this.of
    this.back()
  }

  /** Show again what Streamlit has sent, pictures and words in one, once it is what is awaited. */
  back() {
    if (!this.frame || this.of !== this.awaited) return
    this.frame = null
    for (const chart of this.charts.values()) chart.show(chart.sent)
    this.words.release()
  }

  row(place) {
    if (!this.rows[place]) {
      const row = document.createElement("div")
      row.style.cssText = "display:flex;flex-wrap:wrap;gap:4px 16px;margin-bottom:4px"
      this.root.append(this.rows[place] = row)
    }
    return this.rows[place]
  }

  dispose() {
    this.ignore()
    this.deaf()
    this.clicks.dispose()
    this.words.release()
    this.charts.forEach((chart) => chart.dispose())
  }
}

/** Plotly, from where the server has it, which is below the same path as this module. */
function plotly() {
  library ??= load(new URL(`../../../..${address}`, import.meta.url).href).catch((error) => {
    library = null // the next chart may try again
    throw error
  })
  return library
}

async function load(source) {
  const Plotly = await loadPlotly(source)
  return { Plotly, buttons: buttons(Plotly) }
}

class Chart {
  constructor(name) {
    this.cell = document.createElement("div")
    this.cell.dataset.chart = name
    this.cell.style.minWidth = "0" // so that a cell may become narrower than what is drawn in it
    this.node = document.createElement("div")
    this.node.setAttribute("role", "img")
    this.node.id = `lab-chart-${++made}`
    this.words = document.createElement("p")
    this.words.hidden = true
    this.words.style.padding = "1rem"
    this.cell.append(this.node, this.words)
    this.waiting = new Waiting(this.cell)
    this.about = new About(this.cell, this.node.id)
    this.sent = null // the newest that Streamlit has sent: {alt, figure, raw}
    this.raw = null // the newest figure, whichever way it came
    this.latest = null // the same, for this screen
    this.scale = scaleOf()
    this.figure = null
    this.drawn = null // what Plotly has drawn: {figure, look, wanted}
    this.painted = false // whether something newer is painted over it
    this.paper = null // what a saved picture says of itself
    this.tools = null
    this.bar = null // its buttons
    this.clicks = null // what hears of them, if they mean something
    this.resets = 1 // Plotly keeps what was zoomed as long as this is what it was; 0 would mean: never
    this.width = this.room = 0 // as last observed: to ask at each draw would make the browser lay out the page twice
    this.watcher = new ResizeObserver(([seen]) => this.resized(seen.contentRect))
    this.watcher.observe(this.cell)
    this.seen = true // until the browser says that it is out of view
    this.eye = new IntersectionObserver((news) => this.looked(news.at(-1).isIntersecting))
    this.eye.observe(this.cell)
  }

  /** Take a new figure (or the same one, under a new theme), for `show` to show. */
  update({ figure, alt, height, narrow, wide, about }) {
    this.about.say(about)
    this.cell.style.flex = `${wide} 1 min(100%, ${wide * NARROW}px)` // below which a row is broken
    this.asked = { height, narrow: narrow ?? height }
    this.reserve()
    this.sent = { alt, figure: this.read(figure), raw: this.raw }
  }

  read(figure) {
    this.raw = adopt(this.raw, figure)
    return this.latest = this.sized(this.raw)
  }

  /** A figure for the room there is; the one picture of a screen has no letters that a hall could not read. */
  sized(figure) {
    return fitted(figure, this.scale, this.width, this.asked.height ? 0 : LEAST)
  }

  /** Keep the room for the picture, so that nothing on the page moves when it comes. One of no height has all there is. */
  reserve() {
    const asked = matchMedia(ONE_COLUMN).matches ? this.asked.narrow : this.asked.height
    this.height = asked ? Math.round(asked * this.scale) : this.room
    this.node.style.minHeight = `${this.height}px`
  }

  /** Take the size of the page's letters, and the room there is. */
  fit() {
    this.scale = scaleOf()
    this.reserve()
    if (this.raw) this.figure = this.latest = this.sized(this.raw)
    if (this.sent) this.sent.figure = this.sized(this.sent.raw)
  }

  /** Show a picture that came on the channel: painted over what Plotly has drawn or, where that takes more, drawn. */
  stream({ figure, alt, clicks }, hearer) {
    this.hold({ alt, figure: this.read(figure) })
    if (clicks) hearer.listen(this.node, clicks)
    this.painted = this.drawn !== null && this.latest !== this.drawn.figure &&
      this.paints(this.drawn)
    if (!this.painted && this.seen) this.draw()
  }

  paints({ figure, look }) {
    return paint(this.node, coloured(figure, look), coloured(this.latest, look))
  }

  /** Show what was sent, drawn with the others of the run. */
  show(picture) {
    this.hold(picture)
    if (this.tools) return drawSoon(this)
    plotly().then((tools) => {
      this.tools = tools
      drawSoon(this)
    }, (error) => this.failed(error))
  }

  hold({ figure, alt }) {
    this.node.setAttribute("aria-label", alt)
    this.figure = figure
  }

  resized({ width, height }) {
    this.width = Math.floor(width)
    this.room = Math.floor(height)
    this.fit()
    cancelAnimationFrame(this.frame)
    this.frame = requestAnimationFrame(() => (this.seen ? this.draw() : drawSoon(this)))
  }

  looked(seen) {
    this.seen = seen
    if (seen) this.draw()
  }

  draw(look = lookOf(this.node)) {
    const { tools, figure, width, height, resets } = this
    if (!tools || !width || !height) return // in a closed tab there is no width: drawn when it opens
    const wanted = JSON.stringify([look, width, height, resets])
    if (this.painted || this.drawn?.figure === figure) release(this.node)
    this.painted = false
    if (this.drawn?.figure === figure && this.drawn.wanted === wanted) return
    this.drawn = { figure, look, wanted }
    try {
      const inked = coloured(figure, look)
      // shallow copies, because Plotly notes in a trace what was clicked in the legend
      const traces = inked.data.map((trace) => ({ ...trace }))
      const layout = themed(inked.layout ?? {}, look, { width, height, resets })
      if (!HOVERS) layout.dragmode = false // a finger on a chart scrolls the page, and does not draw a zoom box
      const drawing = tools.Plotly.react(this.node, traces, layout, CONFIG)
      drawing.then(() => this.drew(), (error) => this.failed(error))
    } catch (error) {
      this.failed(error)
    }
  }

  /** Undo what was zoomed. */
  reset() {
    this.resets += 1
    this.draw()
  }

  drew() {
    this.say("")
    // on paper it is as wide as its cell there, where nothing is drawn anew
    this.cell.style.setProperty("--lab-ratio", `${this.width} / ${this.height}`)
    for (const one of this.node.querySelectorAll(".main-svg")) {
      one.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`)
    }
    if (!this.bar && this.tools.buttons.length) {
      this.cell.append(this.bar = toolbar(this, this.tools.buttons, this.node.id))
    }
    this.clicks?.drew(this.node)
  }

  failed(error) {
    console.warn("chart not drawn:", error)
    this.drawn = null // so that the next call tries again, and afresh
    this.tools?.Plotly.purge(this.node)
    this.say(
      "This chart could not be drawn. Moving a slider tries again; reloading the page starts afresh.",
    )
  }

  /** What stands in place of the picture; none where it is drawn. */
  say(words) {
    this.waiting.end()
    if (this.words.textContent === words) return
    this.words.textContent = words
    this.words.hidden = !words
    this.node.hidden = Boolean(words)
    this.bar?.toggleAttribute("hidden", Boolean(words))
  }

  dispose() {
    this.waiting.end()
    this.width = 0
    cancelAnimationFrame(this.frame)
    this.watcher.disconnect()
    this.eye.disconnect()
    this.tools?.Plotly.purge(this.node)
    this.cell.remove()
  }
}
