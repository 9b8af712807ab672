// Tells when the server is silent: something has been asked, and for two seconds nothing has come, neither an answer nor
// anything else. After the first of them it is asked for a sign of life: a server that works for long still gives one.

const AWAITED = "epsilon-lab:awaited"
const OLDER = "epsilon-lab:older"
const ADDRESS = new URL("../../../health", import.meta.url) // of Streamlit, below whatever path the lab is served at
const STREAMLIT = "/_stcore/stream"
// Milliseconds: without a word until a sign of life is asked for, from then until the server counts as silent, after a sign
// of life until the next is asked for, and until such a question is given up for a new one.
const ASK = 1000
const SILENT = 1000
const AGAIN = 2000
const LONGEST = 5000
const COMMITTED = 100 // milliseconds until Streamlit has drawn what came with the end of a run

/** Say whether an answer is awaited on the lab's channel. */
export function tellAwaited(on) {
  globalThis.dispatchEvent(new CustomEvent(AWAITED, { detail: on }))
}

/** `name()` lists the settings of which the shown result is, [label, value], where a control shows another. Returns a
 * function that ends it. */
export function whenOlder(name) {
  /** @param {any} event */
  const heard = ({ detail }) => detail.push(...name())
  globalThis.addEventListener(OLDER, heard)
  return () => globalThis.removeEventListener(OLDER, heard)
}

/** What Streamlit's controls say: label -> value. */
function choices() {
  const said = new Map()
  for (
    const one of document.querySelectorAll("[role=combobox], [type=number], [role=radiogroup]")
  ) {
    const label = one.getAttribute("aria-label")
    const chosen = one.querySelector("[aria-checked=true], [data-selected]")
    const value = one instanceof HTMLInputElement ? one.value : chosen?.textContent.trim()
    if (label && value) said.set(label, value)
  }
  return said
}

/** Tell `sent(on)` whether Streamlit has sent something that nothing has come to yet, and `heard()` of all that comes. */
function overhear(sent, heard) {
  const known = new WeakSet()
  const { send } = WebSocket.prototype
  WebSocket.prototype.send = function (message) {
    const streamlit = this.url.includes(STREAMLIT)
    if (!known.has(this)) {
      known.add(this)
      const over = () => streamlit && sent(false)
      this.addEventListener("message", () => (heard(), over()))
      this.addEventListener("close", over)
    }
    send.call(this, message)
    if (streamlit) sent(true)
  }
  return () => (WebSocket.prototype.send = send)
}

export class Silence {
  /** `say(since)` is told how many milliseconds the server has been silent, null: no more. */
  constructor(say) {
    this.say = say
    this.ways = new Set() // by which an answer is awaited
    this.since = 0 // of the last word, or of the question
    this.asked = null // when a sign of life was asked for that has not come
    this.silent = false
    this.settled = new Map() // what the controls said when all was answered
    /** @param {any} event */
    this.channel = ({ detail }) => this.awaits("channel", detail)
    globalThis.addEventListener(AWAITED, this.channel)
    this.opened = () => this.ways.size || (this.settled = new Map([...choices(), ...this.settled]))
    globalThis.addEventListener("focusin", this.opened) // what has been unfolded since; before it is changed
    this.deaf = overhear((on) => this.awaits("streamlit", on), () => this.heard())
  }

  /** An answer is awaited by this way, or no longer. */
  awaits(way, on) {
    if (on === this.ways.has(way)) return
    on ? this.ways.add(way) : this.ways.delete(way)
    if (!this.ways.size) this.over()
    else if (on && this.ways.size === 1) {
      this.since = performance.now()
      this.wait(ASK)
    }
  }

  wait(milliseconds) {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.look(), milliseconds)
  }

  /** The server has said something; if it then says nothing for so long, it is asked. */
  heard(wait = ASK) {
    this.since = performance.now()
    this.asked = null
    this.tell(false)
    if (this.ways.size) this.wait(wait)
  }

  over() {
    clearTimeout(this.timer)
    this.asked = null
    this.tell(false)
    this.settled = choices()
    this.timer = setTimeout(() => (this.settled = choices()), COMMITTED)
  }

  tell(silent) {
    if (silent || this.silent) this.say(silent ? performance.now() - this.since : null)
    this.silent = silent
  }

  look() {
    if (this.asked === null) this.ask()
    else if (performance.now() - this.asked >= SILENT) this.tell(true)
    this.wait(SILENT)
  }

  async ask() {
    const asked = this.asked = performance.now()
    while (this.asked === asked) {
      try {
        await fetch(ADDRESS, { cache: "no-store", signal: AbortSignal.timeout(LONGEST) })
        if (this.asked === asked) this.heard(AGAIN)
        return
      } catch {
        // no connection, which is said elsewhere
        await new Promise((again) => setTimeout(again, SILENT))
      }
    }
  }

  /** Of which settings the shown result is, where the controls show others: "Epsilon 0.5, Method “Sound”". */
  get older() {
    const now = choices()
    const changed = [...this.settled].filter(([label, value]) =>
      now.has(label) && now.get(label) !== value
    )
    const knobs = []
    globalThis.dispatchEvent(new CustomEvent(OLDER, { detail: knobs }))
    return [...knobs, ...changed.map(([label, value]) => [label, `“${value}”`])].map((one) =>
      one.join(" ")
    ).join(", ")
  }

  stop() {
    clearTimeout(this.timer)
    this.ways.clear()
    this.asked = null
    this.deaf()
    globalThis.removeEventListener(AWAITED, this.channel)
    globalThis.removeEventListener("focusin", this.opened)
  }
}
