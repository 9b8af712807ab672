// One slider: its label, track, number field, notes, help and error. The thumb follows the finger,
// whatever the server does.

import {
  formatNumber,
  formatWithUnit,
  lastStop,
  nearestStop,
  parseEntry,
  stopAfter,
  trackFraction,
  unitText,
  valueAtStop,
} from "./scale.js"

// Stops that a key moves the thumb.
export const KEY_STEPS = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
  Home: -Infinity,
  End: Infinity,
}

/** @typedef {import("./scale.js").Slider} Slider */

/**
 * Make an element.
 *
 * @param {string} tag
 * @param {string} className
 * @param {Record<string, any>} attributes Those that are null are left out.
 * @returns {HTMLElement}
 */
export function element(tag, className = "", attributes = {}) {
  const node = document.createElement(tag)
  if (className) node.className = className
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) node.setAttribute(name, value)
  }
  return node
}

function textElement(tag, className, text, attributes) {
  const node = element(tag, className, attributes)
  node.textContent = text
  return node
}

/** A row of the panel: one slider with all that belongs to it. */
export class SliderRow {
  /**
   * @param {Slider} slider
   * @param {(value: number | string, final: boolean) => void} onMove Called with every movement; the
   *     value is a text where what was typed is no number.
   */
  constructor(slider, onMove) {
    this.slider = slider
    this.onMove = onMove
    this.value = slider.low
    this.isUnreleased = false // moved since the last final movement
    this.isPressed = false // a pointer or a key is down on the thumb
    this.isKeyDown = false
    this.isEditing = false // something is being typed that is not committed
    this.refusedEntry = null // a committed text that the server may refuse
    this.shownMarks = "[]"
    this.player = null // the buttons of a slider that plays
    this.meaning = { value: null, text: "" } // what the page says about a value
    this.build()
    this.listenToTrack()
    this.listenToField()
  }

  /** Whether the server must not change what the person sees. */
  get isBusy() {
    return this.isPressed || this.isEditing
  }

  /** What the person set last: the value, or a committed text that was not accepted. */
  get entry() {
    return this.refusedEntry === null ? this.value : parseEntry(this.refusedEntry)
  }

  get isAtLow() {
    return this.value <= this.slider.low
  }

  get isAtHigh() {
    return !this.isAtLow && this.value >= this.slider.high
  }

  /**
   * Show the server's value. A text that it refused stays in the field, to be corrected.
   *
   * @param {number} value
   * @param {string} error
   * @param {string} meaning What the value means, for a screen reader.
   */
  show(value, error, meaning = "") {
    this.value = value
    this.meaning = { value, text: meaning }
    if (!error) this.refusedEntry = null
    this.draw()
    this.showError(error)
  }

  get hasNotes() {
    return this.slider.low_note !== "" || this.slider.high_note !== ""
  }

  id(part) {
    return `${part}-${this.slider.name}`
  }

  build() {
    const { slider } = this
    this.range = this.makeRange()
    this.field = this.makeField()
    this.track = element("div", "track")
    this.track.append(this.range)
    this.error = textElement("p", "error", "", { id: this.id("error"), role: "alert" })
    this.node = element("div", `row ${slider.group}`, { "data-slider": slider.name })
    this.help = null
    const head = this.makeHead()
    this.node.append(head)
    if (slider.help) {
      this.help = textElement("p", "help", slider.help, { id: this.id("help"), hidden: "" })
      head.insertBefore(this.makeHelpButton(), this.field)
      this.node.append(this.help)
    }
    this.node.append(this.track)
    if (this.hasNotes) this.node.append(...this.makeNotes())
    this.node.append(this.error)
    this.disable(slider.low === slider.high)
  }

  makeRange() {
    const { slider } = this
    const described = []
    if (slider.help) described.push(this.id("help"))
    if (this.hasNotes) described.push(this.id("notes"))
    described.push(this.id("error"))
    const range = element("input", "range", {
      type: "range",
      id: this.id("range"),
      min: 0,
      max: lastStop(slider),
      step: 1,
      "aria-label": slider.label,
      "aria-describedby": described.join(" "),
    })
    return /** @type {HTMLInputElement} */ (range)
  }

  makeField() {
    const { slider } = this
    const field = element("input", "field", {
      type: "text",
      inputmode: slider.low < 0 ? "text" : "decimal", // the decimal keyboard has no minus sign
      autocomplete: "off",
      spellcheck: "false",
      enterkeyhint: "done",
      "aria-label": `${slider.label}, exact value`,
      "aria-describedby": this.id("error"),
      "aria-invalid": "false",
    })
    return /** @type {HTMLInputElement} */ (field)
  }

  makeHead() {
    const { slider } = this
    const head = element("div", "head")
    const label = textElement("label", "label", slider.label, { for: this.id("range") })
    if (slider.symbol) {
      const symbol = ` (${slider.symbol})`
      label.append(textElement("span", "symbol", symbol, { "aria-hidden": "true" }))
    }
    head.append(label, this.field)
    const unit = unitText(slider)
    if (unit) head.append(textElement("span", "unit", unit))
    return head
  }

  /** Make the notes at the ends of the track, and their text for a screen reader. */
  makeNotes() {
    const { low_note: low, high_note: high } = this.slider
    const notes = element("div", "notes", { "aria-hidden": "true" })
    notes.append(textElement("span", "", low), textElement("span", "", high))
    const text = `Lower: ${low || "–"}; higher: ${high || "–"}.`
    return [notes, textElement("p", "", text, { id: this.id("notes"), hidden: "" })]
  }

  makeHelpButton() {
    const button = textElement("button", "help-button", "?", {
      type: "button",
      "aria-label": `About ${this.slider.label}`,
      "aria-expanded": "false",
      "aria-controls": this.id("help"),
    })
    const setOpen = (isOpen) => {
      this.help.hidden = !isOpen
      button.setAttribute("aria-expanded", String(isOpen))
    }
    button.addEventListener("click", () => setOpen(this.help.hidden))
    button.addEventListener("keydown", (event) => {
      if (event.key === "Escape") setOpen(false)
    })
    return button
  }

  /** A range of one point leaves nothing to move: its value is only shown. */
  disable(isDisabled) {
    this.track.hidden = isDisabled
    this.range.disabled = isDisabled
    this.field.disabled = isDisabled
  }

  listenToTrack() {
    const { range } = this
    range.addEventListener("input", () => this.slide(Number(range.value)))
    range.addEventListener("pointerdown", () => {
      this.isPressed = true
      this.valueBefore = this.value
    })
    range.addEventListener("pointercancel", () => this.cancel())
    range.addEventListener("keydown", (event) => this.pressKey(event))
    // while a key is held down the browser reports a change after each repetition, which is no
    // release
    range.addEventListener("change", () => {
      if (!this.isKeyDown) this.release()
    })
    for (const type of ["pointerup", "keyup", "blur"]) {
      range.addEventListener(type, () => this.release())
    }
  }

  pressKey(event) {
    const steps = KEY_STEPS[event.key]
    if (!steps || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    this.isPressed = true
    this.isKeyDown = true
    this.slide(this.moveThumb(steps))
  }

  /** Move the thumb so many stops, and return the stop where it then is. */
  moveThumb(steps) {
    const stop = stopAfter(this.slider, Number(this.range.value), steps, this.value)
    this.range.value = String(stop)
    return stop
  }

  /**
   * Move so many stops by program, without a call of `onMove`.
   *
   * @param {number} steps
   * @returns {number} The new value.
   */
  advance(steps) {
    this.value = valueAtStop(this.slider, this.moveThumb(steps))
    this.refusedEntry = null
    this.draw()
    this.showError("")
    return this.value
  }

  slide(stop) {
    const value = valueAtStop(this.slider, stop)
    if (value === this.value && this.refusedEntry === null) return
    this.value = value
    this.refusedEntry = null
    this.isEditing = false
    this.isUnreleased = true
    this.draw()
    this.showError("")
    this.onMove(this.value, false)
  }

  release() {
    this.isPressed = false
    this.isKeyDown = false
    if (!this.isUnreleased) return
    this.isUnreleased = false
    this.onMove(this.value, true)
  }

  /** Take a touch back that became a scroll of the page. */
  cancel() {
    if (this.isUnreleased) this.value = this.valueBefore
    this.draw()
    this.release()
  }

  listenToField() {
    const { field } = this
    field.addEventListener("focus", () => field.select())
    field.addEventListener("input", () => {
      this.isEditing = true
    })
    field.addEventListener("blur", () => this.commit())
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.commit()
      else if (event.key === "Escape") this.restore()
    })
  }

  /** Send what was typed. The thumb follows at once only if the server will surely accept it. */
  commit() {
    if (!this.isEditing) return
    this.isEditing = false
    const text = this.field.value.trim()
    if (!text || text === formatNumber(this.value)) {
      this.restore()
      return
    }
    const entry = parseEntry(text)
    this.refusedEntry = text
    if (typeof entry === "number" && this.accepts(entry)) this.value = entry
    this.draw()
    this.onMove(entry, true)
  }

  accepts(value) {
    const { low, high, whole } = this.slider
    if (value < low || value > high) return false
    return !whole || Number.isInteger(value)
  }

  /** Give up what was typed. The server is told of the old value if it had refused the text. */
  restore() {
    const wasRefused = this.error.textContent !== ""
    this.isEditing = false
    this.refusedEntry = null
    this.draw()
    this.showError("")
    if (wasRefused) this.onMove(this.value, true)
  }

  draw() {
    const { slider, range, field, value } = this
    const stop = nearestStop(slider, value)
    const thumb = Number(range.value)
    // a thumb on another stop of the same number stays where the finger has moved it
    if (thumb !== stop && valueAtStop(slider, thumb) !== value) range.value = String(stop)
    range.style.setProperty("--fraction", String(Number(range.value) / lastStop(slider)))
    range.setAttribute("aria-valuetext", this.valueText)
    const text = this.refusedEntry ?? formatNumber(value)
    if (!this.isEditing && field.value !== text) field.value = text
    this.player?.draw()
  }

  /** The value with its unit and, where the page has answered to it, its meaning. */
  get valueText() {
    const text = formatWithUnit(this.slider, this.value)
    const { value, text: meaning } = this.meaning
    return meaning && value === this.value ? `${text}, ${meaning}` : text
  }

  /** @param {string} error Why the last entry was refused; "" if it was accepted. */
  showError(error) {
    if (this.error.textContent !== error) this.error.textContent = error
    this.field.setAttribute("aria-invalid", String(error !== ""))
    this.node.classList.toggle("refused", error !== "")
  }

  /**
   * Show small marks on the track.
   *
   * @param {[value: number, label: string][]} marks
   */
  showMarks(marks) {
    const described = JSON.stringify(marks)
    if (described === this.shownMarks) return
    this.shownMarks = described
    for (const mark of this.track.querySelectorAll(".mark")) mark.remove()
    for (const [value, label] of marks) {
      const title = `${label}: ${formatNumber(value)}`
      const mark = textElement("span", "mark", label, { title })
      mark.style.setProperty("--fraction", String(trackFraction(this.slider, value)))
      this.track.append(mark)
    }
    this.track.classList.toggle("marked", marks.length > 0)
  }
}
