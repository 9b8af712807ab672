// One knob: its label, track, number field, notes, help and error. It moves under the finger, whatever the server does.

import {
  entered,
  fractionOf,
  lastStop,
  spoken,
  stopAfter,
  stopOf,
  unitOf,
  valueAt,
  written,
} from "./scale.js"

const STEPS = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
  Home: -Infinity,
  End: Infinity,
}

/** A new element with a class and attributes. */
export function element(tag, className = "", attributes = {}) {
  const node = document.createElement(tag)
  if (className) node.className = className
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) node.setAttribute(name, value)
  }
  return node
}

function text(tag, className, words, attributes) {
  const node = element(tag, className, attributes)
  node.textContent = words
  return node
}

export class Row {
  /** `moved(value, final)` is told of every movement; value is a number, or the text that was typed. */
  constructor(knob, moved) {
    this.knob = knob
    this.moved = moved
    this.value = knob.low
    this.unreleased = false // moved since the last final message
    this.held = false // a pointer or a key is down on the thumb
    this.dirty = false // something is being typed that was not committed
    this.typed = null // what was committed, until the server has answered
    this.drawnMarks = "[]"
    this.player = null // the buttons of a knob that plays
    this.meaning = null // [value, what the page says that it means]
    this.build()
    this.listenToTrack()
    this.listenToField()
  }

  /** While true, the server must not change what the person sees. */
  get busy() {
    return this.held || this.dirty
  }

  /** What the person last said: the value, or what was typed and has not been accepted. */
  get meant() {
    return this.typed === null ? this.value : entered(this.typed)
  }

  /** Where the value stands: -1 at the low end, 1 at the high end, 0 between. */
  get end() {
    return this.value <= this.knob.low ? -1 : this.value >= this.knob.high ? 1 : 0
  }

  /** Show the server's value, and its error if it refused the last entry; a refused text stays for correction. */
  show(value, error, meaning = "") {
    this.value = value
    this.meaning = [value, meaning]
    if (!error) this.typed = null
    this.draw()
    this.complain(error)
  }

  build() {
    const { knob } = this
    const id = (part) => `${part}-${knob.name}`
    const described = [knob.help && id("help"), this.noted && id("notes"), id("error")].filter(
      Boolean,
    ).join(" ")
    this.range = element("input", "range", {
      type: "range",
      id: id("range"),
      min: 0,
      max: lastStop(knob),
      step: 1,
      "aria-label": knob.label,
      "aria-describedby": described,
    })
    this.field = element("input", "field", {
      type: "text",
      inputmode: knob.low < 0 ? "text" : "decimal",
      autocomplete: "off",
      spellcheck: "false",
      enterkeyhint: "done",
      "aria-label": `${knob.label}, exact value`,
      "aria-describedby": id("error"),
      "aria-invalid": "false",
    })
    const head = element("div", "head")
    const label = text("label", "label", knob.label, { for: id("range") })
    if (knob.symbol) {
      label.append(text("span", "symbol", ` (${knob.symbol})`, { "aria-hidden": "true" }))
    }
    head.append(label)
    this.help = knob.help ? text("p", "help", knob.help, { id: id("help"), hidden: "" }) : null
    if (this.help) head.append(this.helpButton(id("help")))
    head.append(this.field)
    if (unitOf(knob)) head.append(text("span", "unit", unitOf(knob)))
    this.track = element("div", "track")
    this.track.append(this.range)
    this.error = text("p", "error", "", { id: id("error"), role: "alert" })
    this.node = element("div", `row ${knob.group}`, { "data-knob": knob.name })
    this.fix(knob.low === knob.high)
    this.node.append(
      head,
      ...(this.help ? [this.help] : []),
      this.track,
      ...this.notes(),
      this.error,
    )
  }

  /** A range of one point leaves nothing to move: its value is only shown. */
  fix(only) {
    this.track.hidden = this.range.disabled = this.field.disabled = only
  }

  /** The notes at the ends of the track, which to the ear have no ends. */
  notes() {
    const { name, low_note: low, high_note: high } = this.knob
    if (!this.noted) return []
    const notes = element("div", "notes", { "aria-hidden": "true" })
    notes.append(text("span", "", low), text("span", "", high))
    return [
      notes,
      text("p", "", `Lower: ${low || "–"}; higher: ${high || "–"}.`, {
        id: `notes-${name}`,
        hidden: "",
      }),
    ]
  }

  get noted() {
    return Boolean(this.knob.low_note || this.knob.high_note)
  }

  helpButton(controls) {
    const button = text("button", "ask", "?", {
      type: "button",
      "aria-label": `About ${this.knob.label}`,
      "aria-expanded": "false",
      "aria-controls": controls,
    })
    const turn = (open) => {
      this.help.hidden = !open
      button.setAttribute("aria-expanded", String(open))
    }
    button.addEventListener("click", () => turn(this.help.hidden))
    button.addEventListener("keydown", (event) => event.key === "Escape" && turn(false))
    return button
  }

  listenToTrack() {
    const { range } = this
    range.addEventListener("input", () => this.slide(Number(range.value)))
    range.addEventListener("pointerdown", () => {
      this.held = true
      this.before = this.value
    })
    range.addEventListener("pointercancel", () => this.cancel())
    range.addEventListener("keydown", (event) => this.key(event))
    // a browser reports the change after every press of a key: with a key held down it is not yet the release
    range.addEventListener("change", () => this.keyHeld || this.release())
    for (const end of ["pointerup", "keyup", "blur"]) {
      range.addEventListener(end, () => this.release())
    }
  }

  key(event) {
    const step = STEPS[event.key]
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    this.held = this.keyHeld = true
    this.slide(this.reach(step))
  }

  /** Put the thumb so many stops further; the stop where it then stands. */
  reach(step) {
    return (this.range.value = stopAfter(this.knob, Number(this.range.value), step, this.value))
  }

  /** Go so many stops further without the person's hand; the new value, of which nobody is told. */
  advance(step) {
    this.value = valueAt(this.knob, this.reach(step))
    this.typed = null
    this.draw()
    this.complain("")
    return this.value
  }

  slide(stop) {
    const value = valueAt(this.knob, stop)
    if (value === this.value && this.typed === null) return
    this.value = value
    this.typed = null
    this.dirty = false
    this.unreleased = true
    this.draw()
    this.complain("")
    this.moved(this.value, false)
  }

  release() {
    this.held = this.keyHeld = false
    if (!this.unreleased) return
    this.unreleased = false
    this.moved(this.value, true)
  }

  /** The finger has turned to scrolling the page: it had touched the track, and meant no change. */
  cancel() {
    if (this.unreleased) this.value = this.before
    this.draw()
    this.release()
  }

  listenToField() {
    const { field } = this
    field.addEventListener("focus", () => field.select())
    field.addEventListener("input", () => (this.dirty = true))
    field.addEventListener("blur", () => this.commit())
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.commit()
      else if (event.key === "Escape") this.restore()
    })
  }

  /** Send what was typed. The server is the judge; the thumb follows at once only where the entry is surely good. */
  commit() {
    if (!this.dirty) return
    this.dirty = false
    const words = this.field.value.trim()
    if (!words || words === written(this.value)) return this.restore()
    const { low, high, whole } = this.knob
    const value = entered(words)
    this.typed = words
    if (value >= low && value <= high && (!whole || Number.isInteger(value))) this.value = value
    this.draw()
    this.moved(value, true)
  }

  /** Give up what was typed. If the server had refused it, tell it that the old value is meant after all. */
  restore() {
    const refused = this.error.textContent !== ""
    this.dirty = false
    this.typed = null
    this.draw()
    this.complain("")
    if (refused) this.moved(this.value, true)
  }

  draw() {
    const { knob, range, field, value } = this
    const stop = stopOf(knob, value)
    const here = Number(range.value)
    // a thumb that stands on another stop of the same number is left where the finger has put it
    if (here !== stop && valueAt(knob, here) !== value) range.value = stop
    range.style.setProperty("--at", Number(range.value) / lastStop(knob))
    range.setAttribute("aria-valuetext", this.said)
    const words = this.typed ?? written(value)
    if (!this.dirty && field.value !== words) field.value = words
    this.player?.draw()
  }

  /** The value in words: with its unit and, where the page has answered to this very value, what it means. */
  get said() {
    const [value, meaning] = this.meaning ?? []
    return spoken(this.knob, this.value) + (meaning && value === this.value ? `, ${meaning}` : "")
  }

  complain(words) {
    if (this.error.textContent !== words) this.error.textContent = words
    this.field.setAttribute("aria-invalid", String(words !== ""))
    this.node.classList.toggle("refused", words !== "")
  }

  /** Small marks on the track: [value, label] each. */
  mark(marks) {
    const described = JSON.stringify(marks)
    if (described === this.drawnMarks) return
    this.drawnMarks = described
    this.track.querySelectorAll(".mark").forEach((old) => old.remove())
    for (const [value, label] of marks) {
      const mark = text("span", "mark", label, { title: `${label}: ${written(value)}` })
      mark.style.setProperty("--at", fractionOf(this.knob, value))
      this.track.append(mark)
    }
    this.track.classList.toggle("marked", marks.length > 0)
  }
}
