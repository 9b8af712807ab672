// The buttons under a knob that plays: it goes on by itself, one stop each time the picture has followed. The pictures of
// the next stops are asked for in good time.

import { element } from "./slider.js"
import { following } from "./scale.js"

// Pictures to ask for ahead, and how few are left by then.
const BLOCK = 24
const FEW = 8

// Drawn in a box of 24 by 24.
const ICONS = {
  restart: "M6 5h2.6v14H6zM19 5v14L9.5 12z",
  back: "M14.8 5v14L5 12zM16.6 5H19v14h-2.4z",
  play: "M7 4.5v15L20 12z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  forward: "M9.2 5v14L19 12zM5 5h2.4v14H5z",
}

export class Player {
  /**
   * Stand under this row. `way`: `moved(value, final)`; `near(values)`, which are wanted ahead; `has(value)`, whether one is
   * at hand or on its way; `hold(on)`, said before it plays and after. A hand on another knob ends it: the panel calls
   * `pause`.
   */
  constructor(row, way) {
    this.row = row
    this.way = way
    this.on = false
    this.timer = this.frame = null
    this.at = 0 // when it last went a stop further
    this.buttons = {
      restart: this.button("Restart", "restart", () => this.step(-Infinity)),
      back: this.button("One step back", "back", () => this.walk(-1)),
      toggle: this.button("Play", "play", () => this.toggle()),
      forward: this.button("One step on", "forward", () => this.walk(1)),
    }
    const rules = element("link", "", {
      rel: "stylesheet",
      href: new URL("play.css", import.meta.url).href,
    })
    const box = element("div", "player", { role: "group", "aria-label": `${row.knob.label}: play` })
    box.style.opacity = 0 // until the style sheet says otherwise
    box.append(rules, ...Object.values(this.buttons))
    row.node.append(box)
    row.node.classList.add("plays")
    this.listen()
    this.draw()
  }

  button(name, icon, act) {
    const button = element("button", `go ${icon}`, { type: "button" })
    dress(button, name, icon)
    // an end of the range disables a button for the eye and the ear, but leaves it the focus
    button.addEventListener("click", () => button.getAttribute("aria-disabled") === "true" || act())
    return button
  }

  /** To take hold of the thumb, or to enter the field, ends it; the space bar does on the track what the button does. */
  listen() {
    const { range, field } = this.row
    range.addEventListener("pointerdown", () => this.pause())
    field.addEventListener("focus", () => this.pause())
    range.addEventListener("keydown", (event) => {
      if (event.key !== " ") return
      event.preventDefault()
      if (!event.repeat) this.toggle()
    })
  }

  toggle() {
    if (this.on) return this.pause()
    this.way.hold(true)
    this.on = true
    this.step(this.row.end === 1 ? -Infinity : 1)
  }

  /** Rest where it stands, and tell the server where that is. */
  pause() {
    if (this.on) this.way.moved(this.row.value, true)
    this.stop()
  }

  /** Play no longer. */
  stop() {
    clearTimeout(this.timer)
    cancelAnimationFrame(this.frame)
    if (!this.on) return
    this.on = false
    this.draw()
    this.way.hold(false)
  }

  /** One stop by hand. */
  walk(by) {
    this.pause()
    this.step(by)
  }

  step(by) {
    const { row, way } = this
    clearTimeout(this.timer)
    const now = performance.now()
    this.at = Math.max(this.at + row.knob.pace, now - row.knob.pace / 2) // a late step is made up for, half of it at most
    const value = row.advance(by)
    way.moved(value, !this.on)
    if (!this.on) return
    if (by > 0 && row.end === 1) return this.pause()
    const next = following(row.knob, value, BLOCK)
    if (next.length && !way.has(next[Math.min(FEW, next.length) - 1])) way.near(next)
  }

  /** The picture has followed: go on. */
  follow() {
    if (this.on) this.soon()
  }

  /** The next step, no sooner than the knob's pace allows, and each in a frame of its own, so that it is painted. */
  soon() {
    clearTimeout(this.timer)
    cancelAnimationFrame(this.frame)
    const wait = Math.max(0, this.at + this.row.knob.pace - performance.now())
    this.timer = setTimeout(() => (this.frame = requestAnimationFrame(() => this.step(1))), wait)
  }

  draw() {
    const { restart, back, toggle, forward } = this.buttons
    const wanted = this.on ? "pause" : "play"
    if (!toggle.classList.contains(wanted)) {
      toggle.classList.replace(this.on ? "play" : "pause", wanted)
      dress(toggle, this.on ? "Pause" : "Play", wanted)
    }
    for (const button of [restart, back]) {
      button.setAttribute("aria-disabled", String(this.row.end === -1))
    }
    forward.setAttribute("aria-disabled", String(this.row.end === 1))
  }
}

/** Give a button its name, for eye, ear and pointer. */
function dress(button, name, icon) {
  button.setAttribute("aria-label", name)
  button.title = name
  const space = "http://www.w3.org/2000/svg"
  const picture = document.createElementNS(space, "svg")
  picture.setAttribute("viewBox", "0 0 24 24")
  picture.setAttribute("aria-hidden", "true")
  const path = document.createElementNS(space, "path")
  path.setAttribute("d", ICONS[icon])
  picture.append(path)
  button.replaceChildren(picture)
}
