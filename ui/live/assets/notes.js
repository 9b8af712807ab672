// The speaker's window: what the window that presents says on the same machine, a clock, and the same keys.

import { actOf, TALK } from "./present.js"

const SILENT = 2000 // milliseconds without a word: nobody presents
const windows = new WeakMap()

export default function ({ parentElement }) {
  if (!windows.has(parentElement)) windows.set(parentElement, new Notes(parentElement))
  return () => {
    if (parentElement.isConnected) return
    windows.get(parentElement)?.stop()
    windows.delete(parentElement)
  }
}

/** Minutes and seconds of so many milliseconds: 3:07. */
export function minutes(span) {
  const seconds = Math.max(0, Math.floor(span / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

class Notes {
  constructor(root) {
    this.parts = {}
    const frame = document.createElement("main")
    frame.className = "notes"
    frame.style.opacity = "0" // until the style sheet says otherwise
    for (const name of ["clock", "here", "verdict", "numbers", "why", "next", "ask", "keys"]) {
      const part = this.parts[name] = document.createElement(name === "here" ? "h1" : "div")
      part.className = name
      frame.append(part)
    }
    this.parts.keys.textContent = "Page Down and Page Up step here, too, and B blanks the screen."
    root.append(frame)
    this.state = null
    this.talk = new BroadcastChannel(TALK)
    this.talk.onmessage = ({ data }) => this.heard(data)
    this.talk.postMessage({ hello: true })
    this.none = setTimeout(() => this.heard({ over: true }), SILENT)
    this.timer = setInterval(() => this.tick(), 1000)
    this.hear = (event) => this.key(event)
    document.addEventListener("keydown", this.hear, true)
  }

  heard(state) {
    if (state.hello || state.go || state.blank) return // of another window with notes
    clearTimeout(this.none)
    const { here, verdict, numbers, why, next, ask } = this.parts
    if (state.over) {
      this.state = null
      here.textContent = "Nobody presents on this machine: press Present on a page, in its tab Share."
      for (const part of [verdict, numbers, why, next, ask]) part.replaceChildren()
      return
    }
    this.state = state
    here.textContent = `${state.at + 1} of ${state.of}: ${state.here}${state.dark ? " (the screen is blank)" : ""}`
    next.textContent = `Next: ${state.next}`
    const html = { verdict: state.verdict, numbers: state.numbers, why: state.why, ask: state.ask }
    for (const [name, words] of Object.entries(html)) this.parts[name].innerHTML = words
    document.title = `Notes: ${state.title}`
    this.tick()
  }

  tick() {
    const now = new Date()
    const time = now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    this.parts.clock.textContent = this.state ? `${minutes(now.getTime() - this.state.began)} · ${time}` : time
  }

  key(event) {
    const does = {
      go: (by) => this.talk.postMessage({ go: by }),
      blank: () => this.talk.postMessage({ blank: true }),
      fill: () => {},
      notes: () => {},
      picture: () => {},
      leave: () => {},
    }
    const act = actOf(event)
    if (!act) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (!event.repeat) act(does)
  }

  stop() {
    clearTimeout(this.none)
    clearInterval(this.timer)
    document.removeEventListener("keydown", this.hear, true)
    this.talk.close()
  }
}
