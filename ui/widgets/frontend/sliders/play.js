// The buttons under a slider that plays: it moves on by itself, one stop each time the charts have
// followed. The frames of the next stops are requested ahead.

import { valuesAfter } from "./scale.js"
import { element } from "./slider.js"

// Frames that are requested ahead at once, and how few are left when the next are requested.
const PREFETCH_COUNT = 24
const PREFETCH_BELOW = 8

const SVG = "http://www.w3.org/2000/svg"
// Paths in a box of 24 by 24.
const ICONS = {
  restart: "M6 5h2.6v14H6zM19 5v14L9.5 12z",
  back: "M14.8 5v14L5 12zM16.6 5H19v14h-2.4z",
  play: "M7 4.5v15L20 12z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  forward: "M9.2 5v14L19 12zM5 5h2.4v14H5z",
}

/**
 * @typedef {object} Connection What a player needs of the ways to the server.
 * @property {(value: number, final: boolean) => void} move
 * @property {(values: number[]) => void} prefetch
 * @property {(value: number) => boolean} isAvailable Whether a frame has come, or was requested.
 * @property {(playing: boolean) => void} setPlaying Called before it plays, and after.
 */

/** Plays one slider. A hand on another slider ends it: the panel then calls `pause`. */
export class Player {
  /**
   * @param {import("./slider.js").SliderRow} row
   * @param {Connection} connection
   */
  constructor(row, connection) {
    this.row = row
    this.connection = connection
    this.isPlaying = false
    this.timer = null
    this.frame = null
    this.steppedAt = 0
    this.buttons = {
      restart: this.makeButton("Restart", "restart", () => this.step(-Infinity)),
      back: this.makeButton("One step back", "back", () => this.stepByHand(-1)),
      toggle: this.makeButton("Play", "play", () => this.toggle()),
      forward: this.makeButton("One step on", "forward", () => this.stepByHand(1)),
    }
    this.build()
    this.listen()
    this.draw()
  }

  build() {
    const { row } = this
    const sheet = new URL("play.css", import.meta.url).href
    const box = element("div", "player", {
      role: "group",
      "aria-label": `${row.slider.label}: play`,
    })
    box.style.opacity = "0" // until the style sheet sets it
    box.append(
      element("link", "", { rel: "stylesheet", href: sheet }),
      ...Object.values(this.buttons),
    )
    row.node.append(box)
    row.node.classList.add("plays")
  }

  makeButton(label, icon, act) {
    const button = element("button", `player-button ${icon}`, { type: "button" })
    labelButton(button, label, icon)
    button.addEventListener("click", () => {
      // an end of the range disables a button, but leaves it the focus
      if (button.getAttribute("aria-disabled") !== "true") act()
    })
    return button
  }

  /** The thumb and the field end the playing; the space bar on the track does as the button. */
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
    if (this.isPlaying) {
      this.pause()
      return
    }
    this.connection.setPlaying(true)
    this.isPlaying = true
    const steps = this.row.isAtHigh ? -Infinity : 1 // from the end it begins anew
    this.step(steps)
  }

  /** Stop, and send the value to the server. */
  pause() {
    if (this.isPlaying) this.connection.move(this.row.value, true)
    this.stop()
  }

  /** Stop, without a word to the server. */
  stop() {
    clearTimeout(this.timer)
    cancelAnimationFrame(this.frame)
    if (!this.isPlaying) return
    this.isPlaying = false
    this.draw()
    this.connection.setPlaying(false)
  }

  stepByHand(steps) {
    this.pause()
    this.step(steps)
  }

  step(steps) {
    const { row, connection } = this
    const { pace } = row.slider
    clearTimeout(this.timer)
    // a step that is late is made up for, by half of the pace at most
    this.steppedAt = Math.max(this.steppedAt + pace, performance.now() - pace / 2)
    const value = row.advance(steps)
    connection.move(value, !this.isPlaying)
    if (!this.isPlaying) return
    if (steps > 0 && row.isAtHigh) this.pause()
    else this.prefetch(value)
  }

  prefetch(value) {
    const values = valuesAfter(this.row.slider, value, PREFETCH_COUNT)
    if (values.length === 0) return
    const last = values[Math.min(PREFETCH_BELOW, values.length) - 1]
    if (!this.connection.isAvailable(last)) this.connection.prefetch(values)
  }

  /** Go on, as the charts have followed. */
  follow() {
    if (this.isPlaying) this.scheduleStep()
  }

  /** Step no sooner than the pace allows, and in a frame of its own, so that each is painted. */
  scheduleStep() {
    clearTimeout(this.timer)
    cancelAnimationFrame(this.frame)
    const waitMs = this.steppedAt + this.row.slider.pace - performance.now()
    this.timer = setTimeout(() => {
      this.frame = requestAnimationFrame(() => this.step(1))
    }, Math.max(0, waitMs))
  }

  draw() {
    const { restart, back, toggle, forward } = this.buttons
    const icon = this.isPlaying ? "pause" : "play"
    const label = this.isPlaying ? "Pause" : "Play"
    if (!toggle.classList.contains(icon)) {
      toggle.classList.remove("play", "pause")
      toggle.classList.add(icon)
      labelButton(toggle, label, icon)
    }
    restart.setAttribute("aria-disabled", String(this.row.isAtLow))
    back.setAttribute("aria-disabled", String(this.row.isAtLow))
    forward.setAttribute("aria-disabled", String(this.row.isAtHigh))
  }
}

/** Give a button its name, tooltip and icon. */
function labelButton(button, label, icon) {
  button.setAttribute("aria-label", label)
  button.title = label
  const image = document.createElementNS(SVG, "svg")
  image.setAttribute("viewBox", "0 0 24 24")
  image.setAttribute("aria-hidden", "true")
  const path = document.createElementNS(SVG, "path")
  path.setAttribute("d", ICONS[icon])
  image.append(path)
  button.replaceChildren(image)
}
