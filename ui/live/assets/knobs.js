// The knob panel: lays out the rows, and keeps them and the server in step. Streamlit calls the default export again
// at every run of the fragment; the nodes are made once and stay, so that focus and a drag in progress survive.

import { complete, whenStirred } from "./drawing.js"
import { Player } from "./play.js"
import { Row, element } from "./row.js"
import { Sender } from "./sender.js"

const panels = new WeakMap()

export default function ({ parentElement, data, setStateValue }) {
  let panel = panels.get(parentElement)
  if (!panel) panels.set(parentElement, (panel = new Panel(parentElement)))
  panel.setStateValue = setStateValue
  panel.update(data)
  // Streamlit may run the clean-up of a call that a newer one has overtaken: only a node that is gone is let go
  return () => {
    if (parentElement.isConnected) return
    for (const row of panel.playing) row.player.stop()
    panel.ignore()
    panel.sender.stop()
    panels.delete(parentElement)
  }
}

class Panel {
  constructor(root) {
    this.root = root
    this.rows = new Map()
    this.described = ""
    this.sender = new Sender((message) => this.setStateValue("movement", message))
    this.ignore = whenStirred((waits) => this.sender.stirred(waits))
    this.groups = {}
    for (const group of ["hero", "play", "main", "more"]) this.groups[group] = element("div", `rows ${group}`)
    this.bar = element("div", "bar", { role: "progressbar", "aria-label": "Work in progress", "aria-valuemin": 0, "aria-valuemax": 100 })
    this.bar.append(element("div", "done"))
    this.more = element("details", "more")
    const title = element("summary")
    title.textContent = "More"
    this.more.append(title, this.groups.more)
    const frame = element("div", "panel")
    frame.style.opacity = 0 // until the style sheet, which may arrive later, says otherwise
    frame.append(this.groups.hero, this.groups.play, this.bar, this.groups.main, this.more)
    root.append(frame)
  }

  /** Show what the server says, wherever the person is not a step ahead of it; then let the next message go out. */
  update({ knobs, values, ack, pending, behind, progress, errors, marks }) {
    this.place(knobs)
    this.sender.acknowledged(ack, { work: pending, page: behind }) // first: the server works on the next while this is drawn
    for (const { player, knob: { name } } of this.playing) {
      const elsewhere = errors[name] || values[name] !== this.sender.sent.get(name)
      if (elsewhere && !this.sender.ahead(name, ack)) player.stop() // the server has put it there
      else player.follow()
    }
    complete()
    for (const [name, row] of this.rows) {
      row.mark(marks[name] ?? [])
      if (row.busy || row.player?.on || this.sender.ahead(name, ack)) continue
      row.show(values[name], errors[name] ?? "")
      if (errors[name] && row.knob.group === "more") this.more.open = true
    }
    this.working(pending, progress)
  }

  /** Make, move and remove rows so that they are the given knobs in the given order; an unchanged row is not touched. */
  place(knobs) {
    const described = JSON.stringify(knobs)
    if (described === this.described) return
    this.described = described
    const focused = this.focused()
    const kept = new Map()
    for (const knob of knobs) kept.set(knob.name, this.rowFor(knob))
    for (const row of this.rows.values()) if (kept.get(row.knob.name) !== row) this.remove(row)
    this.rows = kept
    for (const [group, box] of Object.entries(this.groups)) this.fill(box, knobs.filter((knob) => knob.group === group))
    this.more.hidden = !this.groups.more.childElementCount
    this.root.host?.toggleAttribute("data-plays", knobs.some((knob) => knob.play)) // for the page's own layout
    if (focused) this.parts(focused.name)[focused.part]?.focus({ preventScroll: true })
  }

  rowFor(knob) {
    const old = this.rows.get(knob.name)
    if (old && JSON.stringify(old.knob) === JSON.stringify(knob)) return old
    const row = new Row(knob, (value, final) => {
      this.pause() // a hand on any knob ends the playing
      this.sender.moved(knob.name, value, final)
    })
    if (knob.play) row.player = new Player(row, this.sender, () => this.pause())
    return row
  }

  remove(row) {
    row.player?.stop()
    row.node.remove()
  }

  get playing() {
    return [...this.rows.values()].filter((row) => row.player?.on)
  }

  pause() {
    for (const row of this.playing) row.player.pause()
  }

  fill(box, knobs) {
    knobs.forEach((knob, place) => {
      const { node } = this.rows.get(knob.name)
      if (box.children[place] !== node) box.insertBefore(node, box.children[place] ?? null)
    })
    box.hidden = !knobs.length
  }

  focused() {
    for (const name of this.rows.keys()) {
      for (const [part, node] of Object.entries(this.parts(name))) if (this.root.activeElement === node) return { name, part }
    }
    return null
  }

  /** What of a row can have the focus. */
  parts(name) {
    const { range, field, player } = this.rows.get(name) ?? {}
    return { range, field, ...player?.buttons }
  }

  working(pending, progress) {
    this.bar.classList.toggle("on", pending)
    this.bar.setAttribute("aria-hidden", String(!pending))
    this.bar.classList.toggle("unknown", progress === null)
    if (progress === null) return this.bar.removeAttribute("aria-valuenow")
    const share = Math.min(1, Math.max(0, progress))
    this.bar.setAttribute("aria-valuenow", Math.round(share * 100))
    this.bar.firstChild.style.transform = `scaleX(${share})`
  }
}
