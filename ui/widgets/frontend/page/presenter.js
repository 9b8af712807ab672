// A screen that is presented: its stops, by button and by key, wherever the focus is. Page Down and Page Up, which remotes
// send, are taken from whatever has the focus; the arrows stay the knob's.

import { step } from "../channel/channel.js"

const KEYS = {
  PageDown: (one) => one.go(1),
  PageUp: (one) => one.go(-1),
  b: (one) => one.blank(),
  ".": (one) => one.blank(),
  f: (one) => one.fill(),
  p: (one) => one.picture(),
  Escape: (one) => one.dark ? one.blank() : one.leave(),
}
// Also where one types: they do nothing there.
const EVERYWHERE = new Set(["PageDown", "PageUp"])
const USUAL = 16 // pixels: the letters of a page that is not presented
const SETTLED = 1500 // milliseconds until the server has heard of a step
const presenters = new WeakMap()

/** What a key does to a presenter; undefined where it is somebody else's. */
export function actOf(event) {
  const { key, ctrlKey, altKey, metaKey } = event
  if (ctrlKey || altKey || metaKey) return undefined
  const act = KEYS[key.length === 1 ? key.toLowerCase() : key]
  return act && (EVERYWHERE.has(key) || !types(event.composedPath()[0])) ? act : undefined
}

const types = (node) =>
  node?.isContentEditable || node?.matches?.("textarea, input:not([type=range])")

export default function ({ parentElement, data, setTriggerValue }) {
  let one = presenters.get(parentElement)
  if (!one) presenters.set(parentElement, one = new Presenter(parentElement))
  one.send = setTriggerValue
  one.update(data)
  return () => {
    if (parentElement.isConnected) return
    one.stop()
    presenters.delete(parentElement)
  }
}

export class Presenter {
  constructor(root) {
    this.send = null // Streamlit's, a new one at every run
    this.at = 0
    this.meant = null // the stop on the way to, until the server is there
    this.steppedAt = -Infinity
    this.bar = document.createElement("div")
    this.bar.className = "stops"
    this.bar.setAttribute("role", "group")
    this.bar.setAttribute("aria-label", "Presentation")
    this.bar.style.opacity = "0" // until the style sheet says otherwise
    this.count = document.createElement("span")
    this.count.setAttribute("role", "status")
    this.others = this.button("Picture", "Another picture (P)", () => this.picture())
    this.bar.append(
      this.button("‹", "Previous stop (Page Up)", () => this.go(-1)),
      this.count,
      this.button("›", "Next stop (Page Down)", () => this.go(1)),
      this.others,
      this.button("Leave", "Leave (Escape)", () => this.leave()),
    )
    root.append(this.bar)
    this.dark = null
    this.hear = (event) => this.key(event)
    this.zoom = () =>
      document.documentElement.style.setProperty("--lab-zoom", String(this.letters() / USUAL))
    document.addEventListener("keydown", this.hear, true)
    globalThis.addEventListener("resize", this.zoom)
    this.zoom()
  }

  letters() {
    return parseFloat(getComputedStyle(document.documentElement).fontSize)
  }

  button(words, name, act) {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = words
    button.title = name
    button.setAttribute("aria-label", name)
    button.addEventListener("click", act)
    return button
  }

  update(data) {
    this.data = data
    // a step that the server has not heard of goes before what it says
    if (this.meant === null || this.meant === data.at) [this.at, this.meant] = [data.at, null]
    this.others.hidden = !data.pictures.length
    this.tell()
  }

  key(event) {
    const act = actOf(event)
    if (!act) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (!event.repeat) act(this)
  }

  /** So many stops on; after the last comes the first. */
  go(by) {
    const { stops } = this.data
    const next = (this.at + by + stops.length) % stops.length
    if (next === this.at) return
    this.at = this.meant = next
    this.steppedAt = performance.now()
    const { moves } = stops[next]
    if (moves) step(moves)
    else this.hand("go", next)
    this.tell()
  }

  /** Ask the server for another screen, once it has heard of what was moved. */
  hand(name, value) {
    step([])
    clearTimeout(this.timer)
    const wait = name === "go" ? 0 : this.steppedAt + SETTLED - performance.now()
    this.timer = setTimeout(() => this.send(name, value), Math.max(0, wait))
  }

  picture() {
    const [next] = this.data.pictures
    if (next) this.hand("picture", next)
  }

  leave() {
    if (document.fullscreenElement) document.exitFullscreen()
    this.hand("leave", true)
  }

  fill() {
    if (document.fullscreenElement) document.exitFullscreen()
    else document.documentElement.requestFullscreen()?.catch(() => {}) // a frame may not be allowed to
  }

  /** Nothing is to be seen, until it is asked for again. */
  blank() {
    if (this.dark) this.dark.remove()
    else {
      this.dark = document.createElement("div")
      this.dark.className = "lab-blank"
      document.body.append(this.dark)
      return
    }
    this.dark = null
  }

  /** Say where among the stops the screen is. */
  tell() {
    this.count.textContent = `${this.at + 1} / ${this.data.stops.length}`
  }

  stop() {
    document.removeEventListener("keydown", this.hear, true)
    globalThis.removeEventListener("resize", this.zoom)
    document.documentElement.style.removeProperty("--lab-zoom")
    clearTimeout(this.timer)
    this.dark?.remove()
  }
}
