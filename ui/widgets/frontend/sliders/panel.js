// The knob panel: lays out the rows, and keeps them and the server in step. Streamlit calls the default export again
// at every run of the fragment; the nodes are made once and stay, so that focus and a drag in progress survive.

import { Channel, whenMoved, whenStepped } from "../channel/channel.js"
import { whenBack } from "../page/connection.js"
import { complete, onceDrawn, whenStirred } from "../charts/batching.js"
import { Move } from "./suggestion.js"
import { Player } from "./play.js"
import { element, Row } from "./slider.js"
import { around, spoken } from "./scale.js"
import { Sender } from "./sender.js"
import { whenOlder } from "../channel/timeout.js"
import { odds, Voice } from "./announcements.js"

// Stops around a knob's value to have ahead: under a pointer that may only pass, and under a hand.
const PASSING = 24
const HELD = 200
// What the server is told of the drawer, as if it were a knob: 1 for open.
const DRAWER = "more"

const PHONE = matchMedia("(max-width: 899px)") // there all knobs but the first are folded away

const panels = new WeakMap()

export default function ({ parentElement, data, setStateValue }) {
  let panel = panels.get(parentElement)
  if (!panel) panels.set(parentElement, panel = new Panel(parentElement))
  panel.setStateValue = setStateValue
  panel.update(data)
  // Streamlit may run the clean-up of a call that a newer one has overtaken: only a node that is gone is let go
  return () => {
    if (parentElement.isConnected) return
    for (const row of panel.playing) row.player.stop()
    PHONE.removeEventListener("change", panel.arrange)
    panel.ignore()
    panel.alone()
    panel.deaf()
    panel.still()
    globalThis.removeEventListener("popstate", panel.travelled)
    globalThis.removeEventListener("click", panel.left, true)
    panel.unnamed()
    globalThis.removeEventListener("pointerdown", panel.elsewhere, true)
    panel.sender.stop()
    panel.channel.stop()
    panel.voice.stop()
    panel.move.stop()
    panels.delete(parentElement)
  }
}

class Panel {
  constructor(root) {
    this.root = root
    this.setStateValue = null // Streamlit's, a new one at every run
    this.rows = new Map()
    this.described = ""
    this.sender = new Sender((message) => this.setStateValue("movement", message))
    this.ignore = whenStirred((waits) => this.sender.stirred(waits || this.channel.ahead))
    this.unsure = false // whether the server has what was sent: the connection was lost since
    this.session = null // name of what the server knows of this page: another one is of another session
    this.alone = whenBack(() => (this.unsure = true))
    this.deaf = whenMoved((name, value) => this.asked(name, value))
    this.still = whenStepped((moves) => this.go(moves))
    this.unnamed = whenOlder(() => this.older())
    this.voice = new Voice()
    this.move = new Move(root.host, (knob, focused) => this.light(knob, focused))
    this.values = {} // as Streamlit says
    this.selectors = false // whether the page has selectors in the drawer
    this.linked = new URLSearchParams(location.search).has("tab") // whether a link has opened a tab, yet out of view
    this.unfolded = false // whether the server says that the drawer is open
    this.touched = null // on this row
    // who takes hold of something else means it with what was moved
    this.elsewhere = (event) => event.composedPath().includes(root) || this.channel.settle(true)
    globalThis.addEventListener("pointerdown", this.elsewhere, true)
    // back or forward means the settings of that address, not what was moved since and may be on its way
    this.travelled = () => {
      this.sender.clear()
      this.channel.forget()
    }
    globalThis.addEventListener("popstate", this.travelled)
    // and so does who follows a link to another page: a run of this one, asked for again, would empty that
    this.left = ({ target }) => {
      const link = target.closest?.("a[href]")
      if (link?.origin === location.origin && link.pathname !== location.pathname) this.travelled()
    }
    globalThis.addEventListener("click", this.left, true)
    this.channel = new Channel({
      hand: (moves, rested) => this.hand(moves, rested),
      stir: (waits) => this.sender.stirred(waits),
      shown: (frame) => this.shown(frame),
      released: () => this.voice.answered(this.playing.length > 0), // Streamlit may have nothing more to say
    })
    this.groups = {}
    for (const group of ["hero", "play", "main", "more"]) {
      this.groups[group] = element("div", `rows ${group}`)
    }
    this.bar = element("div", "bar", {
      role: "progressbar",
      "aria-label": "Work in progress",
      "aria-valuemin": 0,
      "aria-valuemax": 100,
    })
    this.bar.append(element("div", "done"))
    this.more = element("details", "more")
    this.more.append(element("summary"), this.groups.more)
    this.more.firstChild.textContent = "More settings"
    // the page's own selectors stand below, and come and go with the sliders
    this.more.addEventListener(
      "toggle",
      () => root.host?.toggleAttribute("data-open", this.more.open),
    )
    // the address holds whether it is open, as the person has left it
    this.more.firstChild.addEventListener("click", () => {
      this.channel.settle(true)
      this.sender.drop(DRAWER)
      this.sender.moved(DRAWER, this.more.open ? 0 : 1, true)
    })
    this.frame = element("div", "panel")
    this.frame.style.opacity = 0 // until the style sheet, which may arrive later, says otherwise
    this.frame.append(this.groups.hero, this.groups.play, this.bar, this.more)
    root.append(this.frame)
    this.arrange = () => {
      const { main, more } = this.groups
      PHONE.matches ? more.before(main) : this.more.before(main)
      this.fold()
    }
    PHONE.addEventListener("change", this.arrange)
    this.arrange()
  }

  /** Show what the server says, wherever the person is not a step ahead of it; then let the next message go out. */
  update(
    {
      knobs,
      values,
      ack,
      session,
      pending,
      behind,
      progress,
      errors,
      marks,
      channel,
      stage,
      selectors,
      move,
      unfolded,
    },
  ) {
    this.selectors = selectors
    if (unfolded !== this.unfolded && !this.sender.ahead(DRAWER, ack)) {
      this.more.open = this.unfolded = unfolded
    }
    this.frame.classList.toggle("stage", stage)
    this.place(knobs)
    this.move.update(move)
    if (this.linked) onceDrawn(() => document.querySelector(".st-key-below")?.scrollIntoView())
    this.linked = false
    const anew = this.session !== null && session !== this.session
    this.session = session
    if (this.unsure || anew) this.repeat(values)
    // first: the server works on the next while this is drawn
    const landed = this.sender.acknowledged(ack, { work: pending, page: behind })
    this.channel.update(channel, landed, pending)
    this.values = values
    for (const { player, knob: { name } } of this.channel.ahead ? [] : this.playing) {
      const elsewhere = errors[name] || values[name] !== this.sender.sent.get(name)
      if (elsewhere && !this.sender.ahead(name, ack)) player.stop() // the server has put it there
      else if (!this.sender.busy) onceDrawn(() => player.follow())
    }
    complete()
    const goesOn = this.playing.length > 0 || this.channel.ahead
    this.voice.answered(pending || goesOn)
    const means = odds()
    for (const [name, row] of this.rows) {
      row.mark(marks[name] ?? [])
      if (
        row.busy || row.player?.on || this.sender.ahead(name, ack) || this.channel.moves.has(name)
      ) continue
      row.show(values[name], errors[name] ?? "", row.knob.group === "hero" ? means : "")
      if (errors[name] && row.knob.group === "more") this.more.open = true
    }
    if (this.channel.ahead) return
    this.working(pending, progress)
    if (this.touched && !this.playing.length) this.near(this.touched)
  }

  /** Light up this knob only; give the focus to another one. */
  light(knob, focused) {
    for (const [name, { node }] of this.rows) node.classList.toggle("lit", name === knob)
    this.rows.get(focused)?.range.focus({ preventScroll: true })
  }

  /** [label, value] of each knob that stands elsewhere than in what is shown. */
  older() {
    const shown = { ...this.values, ...this.channel.shows }
    const apart = [...this.rows].filter(([name, row]) =>
      row.meant !== shown[name] && !row.error.textContent
    )
    return apart.map(([name, { knob }]) => [knob.label, spoken(knob, shown[name])])
  }

  /** A frame of the channel is to be seen. */
  shown({ done, errors, values }) {
    for (const [name, row] of this.rows) {
      const own = this.channel.moves.has(name)
      if (own && errors[name]) row.player?.stop()
      if (own && !row.dirty) row.complain(errors[name] ?? "")
      else if (!own && !row.busy && !row.typed) row.show(values[name] ?? this.values[name], "")
    }
    for (const { player } of this.playing) player.follow()
    this.working(done < 1, done)
  }

  /** Ask on the channel about something that was moved. */
  asked(name, value) {
    this.voice.stop()
    return this.channel.take(name, value)
  }

  /** A knob was moved: by the channel if there is one, else Streamlit is told. */
  moved(name, value, final) {
    if (this.asked(name, value)) this.sender.drop(name)
    else this.sender.moved(name, value, final)
  }

  /** To a stop of a presentation: its values at once, as if the knobs had been moved there. */
  go(moves) {
    if (!moves.length) return this.channel.settle(true)
    this.pause()
    this.voice.stop()
    for (const [name, value] of moves) this.rows.get(name)?.show(value, "")
    const [name, value] = moves.at(-1)
    const asked = this.channel.take(name, value, moves.slice(0, -1))
    for (const [one, there] of moves) {
      asked ? this.sender.drop(one) : this.sender.moved(one, there, true)
    }
  }

  /** Tell Streamlit what the channel knows already, all but the last with the least work. */
  hand(moves, rested) {
    moves.forEach(([name, value], place) => {
      this.sender.drop(name)
      this.sender.moved(name, value, true, rested && place === moves.length - 1)
    })
  }

  /** Send again whatever the person sees and the server, which may be another one, does not have. */
  repeat(values) {
    this.unsure = false
    for (const { player } of this.playing) player.stop()
    this.sender.afresh()
    this.channel.forget()
    for (const [name, row] of this.rows) {
      if (row.typed !== null || row.value !== values[name]) this.sender.moved(name, row.meant, true)
    }
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
    for (const [group, box] of Object.entries(this.groups)) {
      this.fill(
        box,
        knobs.filter((knob) => knob.group === group),
      )
    }
    this.fold()
    this.root.host?.toggleAttribute("data-there", true) // for the page's own layout
    if (focused) this.parts(focused.name)[focused.part]?.focus({ preventScroll: true })
  }

  /** Show the drawer if there is anything in it. */
  fold() {
    this.more.hidden = !this.selectors && !this.more.querySelector("[data-knob]")
  }

  rowFor(knob) {
    const old = this.rows.get(knob.name)
    if (old && JSON.stringify(old.knob) === JSON.stringify(knob)) return old
    const row = new Row(knob, (value, final) => {
      this.pause() // a hand on any knob ends the playing
      this.moved(knob.name, value, final)
    })
    if (knob.play) row.player = new Player(row, this.wayOf(row))
    this.feel(row)
    return row
  }

  /** Have the next stops of a row ahead while a hand is on it, or near. */
  feel(row) {
    const { range } = row
    range.addEventListener("pointerenter", () => this.near(row, PASSING))
    for (const begin of ["focus", "pointerdown"]) {
      range.addEventListener(begin, () => this.near(this.touched = row))
    }
    for (const end of ["blur", "pointerleave"]) {
      range.addEventListener(end, () => {
        if (this.root.activeElement === range) return
        this.touched = null
        this.near(row, 0)
      })
    }
  }

  near(row, count = HELD) {
    this.channel.near(row.knob.name, around(row.knob, row.value, count))
  }

  /** What a player needs to know of the ways to the server. */
  wayOf(row) {
    const { name } = row.knob
    return {
      moved: (value, final) => this.moved(name, value, final),
      near: (values) => this.channel.near(name, values),
      has: (value) => this.channel.has(name, value),
      hold: (on) => {
        if (on) this.pause()
        this.sender.hold(on)
        this.channel.play(on)
      },
    }
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
      for (const [part, node] of Object.entries(this.parts(name))) {
        if (this.root.activeElement === node) return { name, part }
      }
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
