// A dotted line over a chart at what is now. It is a node of its own: a shape of Plotly's that moves makes it lay out the
// whole chart, which a training that plays cannot wait for.

export class Cursor {
  constructor(cell, node) {
    this.cell = cell
    this.node = node
    this.at = null
    this.line = null
    this.listening = false
  }

  /** From now on at this {x, colour}; nowhere if there is none. */
  move(at) {
    this.at = at ?? null
    this.place()
  }

  /** Put the line where its x is drawn, once the chart is, and whenever its axes have moved. */
  place() {
    const { xaxis, yaxis } = this.node._fullLayout ?? {}
    if (!this.at || !xaxis || !yaxis) return this.line?.remove()
    if (!this.listening && this.node.on) {
      this.listening = true
      for (const event of ["plotly_relayout", "plotly_relayouting"]) this.node.on(event, () => this.place())
    }
    const x = xaxis.d2p(this.at.x)
    this.line ??= this.make()
    this.line.hidden = !(x >= 0 && x <= xaxis._length)
    this.line.style.borderLeftColor = this.at.colour
    this.line.style.top = `${yaxis._offset}px`
    this.line.style.height = `${yaxis._length}px`
    this.line.style.transform = `translateX(${xaxis._offset + x}px)`
    if (!this.line.isConnected) this.cell.append(this.line)
  }

  make() {
    const line = document.createElement("div")
    line.dataset.cursor = ""
    line.style.cssText = "position:absolute;left:0;width:0;border-left:1.3px dashed;pointer-events:none"
    this.cell.style.position = "relative"
    return line
  }

  /** The same line as shapes of Plotly's, for a file. */
  get shapes() {
    if (!this.at) return []
    const line = { color: this.at.colour, width: 1.2, dash: "dot" }
    return [{ type: "line", x0: this.at.x, x1: this.at.x, yref: "paper", y0: 0, y1: 1, line }]
  }
}
