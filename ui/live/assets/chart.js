// Plotly charts, redrawn where they stand. Streamlit calls the default export at every run with the figures as bytes.

import { Clicks } from "./clicks.js"
import { Cursor } from "./cursor.js"
import { drawNow, drawSoon, whenComplete } from "./drawing.js"
import { adopt } from "./figure.js"
import { config, HOVERS } from "./files.js"
import { Reel } from "./reel.js"
import { Swift } from "./swift.js"
import { lookOf, themed } from "./theme.js"
import { Words } from "./words.js"

const boards = new WeakMap()
const owners = new WeakMap() // node that Plotly draws into -> its chart
const letters = new TextDecoder()
const PHONE = matchMedia("(max-width: 899px)")
let library = null // one copy of Plotly for all charts of the page

export default function ({ parentElement, data, setStateValue }) {
  let board = boards.get(parentElement)
  if (!board) boards.set(parentElement, (board = new Board(parentElement)))
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
    this.rows = []
    this.charts = new Map()
    this.clicks = new Clicks((message) => this.setStateValue("movement", message))
    this.words = new Words()
    this.reel = new Reel(({ charts, words }) => {
      for (const [name, picture] of charts) this.charts.get(name)?.leap(picture)
      this.words.say(words)
      drawNow()
    })
    // by then Streamlit has written its own words
    this.ignore = whenComplete(() => this.reel.at === null && this.words.release())
    this.reorder = () => this.charts.forEach((chart) => chart.place())
    PHONE.addEventListener("change", this.reorder)
  }

  update({ rows, reel, ack, plotly: version }) {
    this.clicks.ack = ack
    const named = new Map()
    rows.forEach((pictures, place) => {
      const row = this.row(place)
      pictures.forEach((picture, column) => {
        const chart = this.charts.get(picture.name) ?? new Chart(picture.name)
        named.set(picture.name, chart)
        if (row.children[column] !== chart.cell) row.insertBefore(chart.cell, row.children[column] ?? null)
        chart.update(picture, version)
        if (picture.clicks) (chart.clicks = this.clicks).listen(chart.node, picture.clicks)
      })
    })
    for (const [name, chart] of this.charts) if (!named.has(name)) chart.dispose()
    for (const row of this.rows.splice(rows.length)) row.remove()
    this.charts = named
    const moment = this.reel.take(reel, new Map([...named].map(([name, chart]) => [name, chart.sent])))
    for (const [name, picture] of moment?.charts ?? []) this.charts.get(name).show(picture)
    if (reel && moment) this.words.say(moment.words)
  }

  row(place) {
    if (!this.rows[place]) {
      const row = document.createElement("div")
      row.style.cssText = "display:grid;gap:4px 16px;margin-bottom:12px;grid-template-columns:repeat(auto-fit,minmax(min(100%,260px),1fr))"
      this.root.append((this.rows[place] = row))
    }
    return this.rows[place]
  }

  dispose() {
    PHONE.removeEventListener("change", this.reorder)
    this.reel.dispose()
    this.ignore()
    this.clicks.dispose()
    this.words.release()
    this.charts.forEach((chart) => chart.dispose())
  }
}

/** Plotly, from the wheel that is installed beside Streamlit. */
function plotly(version) {
  library ??= load(new URL(`../epsilon_lab.plotly/plotly.min.js?v=${version}`, import.meta.url)).catch((error) => {
    library = null // the next chart may try again
    throw error
  })
  return library
}

/** The server gives the file no lifetime; the address holds the version, so any copy the browser has is the right one. */
async function load(address) {
  const answer = await fetch(address, { cache: "force-cache" })
  if (!answer.ok) throw new Error(`the server answered ${answer.status} for ${address}`)
  const source = URL.createObjectURL(new Blob([await answer.blob()], { type: "text/javascript" }))
  const script = document.createElement("script")
  await new Promise((resolve, reject) => {
    script.onload = resolve
    script.onerror = () => reject(new Error("Plotly could not be read"))
    script.src = source
    document.head.append(script)
  })
  script.remove()
  URL.revokeObjectURL(source)
  return { Plotly: window.Plotly, config: config(window.Plotly, address, (node) => owners.get(node)) }
}

class Chart {
  constructor(name) {
    this.cell = document.createElement("div")
    this.cell.dataset.chart = name
    this.cell.style.minWidth = 0 // so that a cell may become narrower than what is drawn in it
    this.node = document.createElement("div")
    this.node.setAttribute("role", "img")
    this.words = document.createElement("p")
    this.words.hidden = true
    this.words.style.padding = "1rem"
    this.cell.append(this.node, this.words)
    this.line = new Cursor(this.cell, this.node)
    this.swift = new Swift(this.node)
    owners.set(this.node, this)
    this.sent = null // the newest that the server has sent: {alt, cursor, figure}
    this.figure = null
    this.drawn = null // what Plotly has drawn: {figure, wanted}
    this.shown = null // and what is to be seen, which may be a later moment
    this.tools = null
    this.width = 0 // as last observed: to ask for it at each draw would make the browser lay out the page twice
    this.watcher = new ResizeObserver(([seen]) => this.resized(Math.floor(seen.contentRect.width)))
    this.watcher.observe(this.cell)
    this.seen = true // until the browser says that it is out of view
    this.eye = new IntersectionObserver((news) => this.looked(news.at(-1).isIntersecting))
    this.eye.observe(this.cell)
  }

  /** Take a new figure (or the same one, under a new theme), for `show` to show. */
  update({ figure, alt, height, late, cursor }, version) {
    this.node.style.minHeight = `${height}px` // nothing on the page moves when the picture comes
    this.height = height
    this.late = late
    this.place()
    this.sent = { alt, cursor, figure: adopt(this.sent?.figure, figure) }
    this.version = version
  }

  /** Show what was sent, drawn with the others of the run. */
  show(picture) {
    this.hold(picture)
    if (this.tools) return drawSoon(this)
    plotly(this.version).then((tools) => {
      this.tools = tools
      drawSoon(this)
    }, (error) => this.failed(error))
  }

  /** Show a moment that was sent ahead. */
  leap(picture) {
    this.hold(picture)
    const { drawn, figure } = this
    if (!drawn || (figure !== this.shown.figure && !this.swift.move(drawn.figure, figure))) return this.tools && drawSoon(this)
    this.shown = { figure, wanted: drawn.wanted }
  }

  hold({ figure, alt, cursor }) {
    this.node.setAttribute("aria-label", alt)
    this.node.dataset.file = alt.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60)
    this.figure = figure
    this.line.move(cursor)
  }

  place() {
    this.cell.style.order = this.late && PHONE.matches ? 1 : 0
  }

  resized(width) {
    this.width = width
    cancelAnimationFrame(this.frame)
    this.frame = requestAnimationFrame(() => (this.seen ? this.draw() : drawSoon(this)))
  }

  looked(seen) {
    this.seen = seen
    if (seen) this.draw()
  }

  draw(look = lookOf(this.node)) {
    const { tools, figure, width, height } = this
    if (!tools || !width) return // in a closed tab there is no width: drawn when it opens
    const wanted = JSON.stringify([look, width, height])
    if (this.shown?.figure === figure && this.shown.wanted === wanted) return
    this.swift.undo()
    this.shown = this.drawn = { figure, wanted }
    try {
      // shallow copies, because Plotly notes in a trace what was clicked in the legend
      const traces = figure.data.map((trace) => ({ ...trace }))
      const layout = themed(figure.layout ?? {}, look, { width, height })
      if (!HOVERS) layout.dragmode = false // a finger on a chart scrolls the page, and does not draw a zoom box
      const drawing = tools.Plotly.react(this.node, traces, layout, tools.config)
      drawing.then(() => this.drew(), (error) => this.failed(error))
    } catch (error) {
      this.failed(error)
    }
  }

  drew() {
    this.say("")
    this.line.place()
    this.clicks?.drew(this.node)
  }

  failed(error) {
    console.warn("chart not drawn:", error)
    this.shown = this.drawn = null // so that the next call tries again, and afresh
    this.tools?.Plotly.purge(this.node)
    this.say("This chart could not be drawn. Moving a slider tries again; reloading the page starts afresh.")
  }

  say(words) {
    if (this.words.textContent === words) return
    this.words.textContent = words
    this.words.hidden = !words
    this.node.hidden = Boolean(words)
  }

  dispose() {
    this.width = 0
    cancelAnimationFrame(this.frame)
    this.watcher.disconnect()
    this.eye.disconnect()
    this.tools?.Plotly.purge(this.node)
    this.cell.remove()
  }
}
