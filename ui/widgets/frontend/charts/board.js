// A board: rows of charts, redrawn where they stand. Streamlit calls the default export at every run
// with the figures as bytes.

import { onFrame } from "../channel/events.js"
import { onRunComplete } from "./batching.js"
import { Chart } from "./chart.js"
import { ClickMoves } from "./clicks.js"
import { LiveText } from "./live_text.js"

const ROW_STYLE = "display:flex;flex-wrap:wrap;gap:4px 16px;margin-bottom:4px"
// The context of a board whose charts the channel does not know, as JSON.
const NO_CONTEXT = "null"
// The board that shows the texts of a frame.
const TEXT_BOARD = "board"
const decoder = new TextDecoder()

/** @type {WeakMap<Node, Board>} */
const boards = new WeakMap()

/**
 * Mount or update a board, as Streamlit asks for.
 *
 * @param {any} component
 */
export default function ({ parentElement, data, setStateValue }) {
  let board = boards.get(parentElement)
  if (!board) {
    board = new Board(parentElement)
    boards.set(parentElement, board)
  }
  board.setStateValue = setStateValue
  board.update(JSON.parse(decoder.decode(data)))
  // Streamlit may run the clean-up of a call that a newer one has overtaken: only a board whose node
  // is gone is disposed of
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
    /** @type {Map<string, Chart>} */
    this.charts = new Map()
    this.clicks = new ClickMoves((message) => this.setStateValue("movement", message))
    this.liveText = new LiveText()
    this.name = "" // as the channel calls it
    this.chartNames = "[]" // of each row, as JSON
    this.context = "" // what the charts of Streamlit are of, as JSON
    this.frame = null // of the channel, in place of the charts of Streamlit
    this.onPainted = null
    this.awaitedContext = null // the frame stays until charts of this context have come
    this.stopFrames = onFrame(
      (frame, onPainted) => this.showFrame(frame, onPainted),
      (context) => this.release(context),
    )
    // by then Streamlit has written its own texts
    this.stopRuns = onRunComplete(() => {
      if (!this.frame) this.liveText.release()
    })
  }

  /** @param {any} message See `board` in `ui/widgets/chart_board.py`. */
  update({ name, rows, ack, of, paper, plotly }) {
    this.name = name
    this.clicks.acknowledge(ack)
    this.placeCharts(rows)
    for (const message of rows.flat()) {
      this.updateChart(this.charts.get(message.name), message, paper, plotly)
    }
    this.chartNames = JSON.stringify(rows.map((messages) => messages.map((chart) => chart.name)))
    this.context = JSON.stringify(of)
    if (this.frame && this.fits(this.frame)) {
      this.showStreamlit()
      return
    }
    this.frame = null
    for (const chart of this.charts.values()) chart.showSent()
  }

  /** Put the charts in their rows, make those that are new, and dispose of the others. */
  placeCharts(rows) {
    const charts = new Map()
    rows.forEach((messages, rowIndex) => {
      const row = this.rowAt(rowIndex)
      messages.forEach(({ name }, column) => {
        const chart = this.charts.get(name) ?? new Chart(name)
        charts.set(name, chart)
        const present = row.children[column] ?? null
        if (present !== chart.cell) row.insertBefore(chart.cell, present)
      })
    })
    for (const [name, chart] of this.charts) {
      if (!charts.has(name)) chart.dispose()
    }
    for (const row of this.rows.splice(rows.length)) row.remove()
    this.charts = charts
  }

  updateChart(chart, message, paper, plotly) {
    chart.update(message, plotly)
    chart.paper = paper
    if (!message.clicks) return
    chart.clicks = this.clicks
    this.clicks.listen(chart.node, message.clicks)
  }

  rowAt(index) {
    if (!this.rows[index]) {
      const row = document.createElement("div")
      row.style.cssText = ROW_STYLE
      this.rows[index] = row
      this.root.append(row)
    }
    return this.rows[index]
  }

  /** Whether a frame has the charts of this board. */
  fits({ rows }) {
    return this.chartNames === JSON.stringify(rows[this.name])
  }

  /** Show a frame of the channel when the browser paints next; see `onFrame`. */
  showFrame(frame, onPainted) {
    if (this.context === NO_CONTEXT) return null
    if (!this.fits(frame)) return false
    this.frame = frame
    this.onPainted = onPainted
    this.awaitedContext = null
    this.animationFrame ??= requestAnimationFrame(() => this.paint())
    return true
  }

  paint() {
    this.animationFrame = null
    if (!this.frame) return
    const { charts, words } = this.frame
    for (const [name, chart] of this.charts) chart.showFrame(charts[name], this.clicks)
    if (this.name !== TEXT_BOARD) return
    this.liveText.show(words)
    this.onPainted()
  }

  /** Show the output of Streamlit once it is of a context; with null, what has come last. */
  release(context) {
    this.awaitedContext = context ?? this.context
    this.showStreamlit()
  }

  /** Show charts and texts of Streamlit together, if they are what is awaited. */
  showStreamlit() {
    if (!this.frame || this.context !== this.awaitedContext) return
    this.frame = null
    for (const chart of this.charts.values()) chart.showSent()
    this.liveText.release()
  }

  dispose() {
    this.stopRuns()
    this.stopFrames()
    this.clicks.dispose()
    this.liveText.release()
    for (const chart of this.charts.values()) chart.dispose()
  }
}
