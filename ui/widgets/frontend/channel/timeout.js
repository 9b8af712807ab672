// Detects a server that does not respond. An answer is awaited, and for a second nothing comes: then
// the server is asked for a sign of life. If that does not come for another second, the server is
// silent. A server that works for long still gives signs of life.

import { collectOutdated, onAwaiting } from "./events.js"

// Streamlit's, below whatever path the lab is served at.
const HEALTH_ADDRESS = new URL("../../../health", import.meta.url)
const STREAMLIT_PATH = "/_stcore/stream"
const CONTROLS = "[role=combobox], [type=number], [role=radiogroup]"
const SELECTED = "[aria-checked=true], [data-selected]"
// Milliseconds: from the last message to the request for a sign of life, from that to silence, from
// a sign of life to the next request, and until a request is given up.
const PROBE_AFTER_MS = 1000
const SILENT_AFTER_MS = 1000
const NEXT_PROBE_MS = 2000
const PROBE_TIMEOUT_MS = 5000
// Milliseconds until Streamlit has drawn what came with the end of a run.
const DRAWN_AFTER_MS = 100

/** @typedef {"channel" | "streamlit" | "run"} Source Who awaits an answer. */

/** Read the values of Streamlit's controls: label -> value. */
function readControls() {
  const values = new Map()
  for (const control of document.querySelectorAll(CONTROLS)) {
    const label = control.getAttribute("aria-label")
    let value = control.querySelector(SELECTED)?.textContent.trim()
    if (control instanceof HTMLInputElement) value = control.value
    if (label && value) values.set(label, value)
  }
  return values
}

/**
 * Watch all websockets of the page.
 *
 * @param {(awaiting: boolean) => void} onStreamlit Something was sent to Streamlit, or it answered.
 * @param {() => void} onMessage Any message has come.
 * @returns {() => void} Stops watching.
 */
function watchSockets(onStreamlit, onMessage) {
  const watched = new WeakSet()
  const { send } = WebSocket.prototype

  function watch(socket, isStreamlit) {
    watched.add(socket)
    socket.addEventListener("message", () => {
      onMessage()
      if (isStreamlit) onStreamlit(false)
    })
    socket.addEventListener("close", () => {
      if (isStreamlit) onStreamlit(false)
    })
  }

  WebSocket.prototype.send = function (message) {
    const isStreamlit = this.url.includes(STREAMLIT_PATH)
    if (!watched.has(this)) watch(this, isStreamlit)
    send.call(this, message)
    if (isStreamlit) onStreamlit(true)
  }
  return () => {
    WebSocket.prototype.send = send
  }
}

/** Reports for how long the server has been silent. */
export class SilenceMonitor {
  /**
   * @param {(silentMs: number | null) => void} report Called again and again while the server is
   *     silent, and with null when it has responded.
   */
  constructor(report) {
    this.report = report
    /** @type {Set<Source>} */
    this.awaiting = new Set()
    this.lastMessageAt = 0 // or when an answer was first awaited
    this.probedAt = null // of the request for a sign of life that has no answer yet
    this.isSilent = false
    this.settledControls = new Map() // what the controls showed when all was answered
    const stopSockets = watchSockets(
      (awaiting) => this.setAwaiting("streamlit", awaiting),
      () => this.messageCame(),
    )
    const stopChannel = onAwaiting((awaiting) => this.setAwaiting("channel", awaiting))
    // a control that was unfolded is read before it is changed
    const readUnfolded = () => {
      if (this.awaiting.size > 0) return
      this.settledControls = new Map([...readControls(), ...this.settledControls])
    }
    globalThis.addEventListener("focusin", readUnfolded)
    this.cleanups = [
      stopSockets,
      stopChannel,
      () => globalThis.removeEventListener("focusin", readUnfolded),
    ]
  }

  /**
   * Set whether a source awaits an answer.
   *
   * @param {Source} source
   * @param {boolean} awaiting
   */
  setAwaiting(source, awaiting) {
    if (awaiting === this.awaiting.has(source)) return
    if (!awaiting) {
      this.awaiting.delete(source)
      if (this.awaiting.size === 0) this.allAnswered()
      return
    }
    this.awaiting.add(source)
    if (this.awaiting.size > 1) return
    this.lastMessageAt = performance.now()
    this.scheduleCheck(PROBE_AFTER_MS)
  }

  scheduleCheck(waitMs) {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.check(), waitMs)
  }

  /** The server has sent something; if it then sends nothing for so long, it is probed. */
  messageCame(probeAfterMs = PROBE_AFTER_MS) {
    this.lastMessageAt = performance.now()
    this.probedAt = null
    this.setSilent(false)
    if (this.awaiting.size > 0) this.scheduleCheck(probeAfterMs)
  }

  allAnswered() {
    clearTimeout(this.timer)
    this.probedAt = null
    this.setSilent(false)
    this.settledControls = readControls()
    this.timer = setTimeout(() => {
      this.settledControls = readControls()
    }, DRAWN_AFTER_MS)
  }

  setSilent(isSilent) {
    if (isSilent) this.report(performance.now() - this.lastMessageAt)
    else if (this.isSilent) this.report(null)
    this.isSilent = isSilent
  }

  check() {
    if (this.probedAt === null) this.probe()
    else if (performance.now() - this.probedAt >= SILENT_AFTER_MS) this.setSilent(true)
    this.scheduleCheck(SILENT_AFTER_MS)
  }

  /** Ask for a sign of life until there is one, or something else has come. */
  async probe() {
    const startedAt = performance.now()
    this.probedAt = startedAt
    while (this.probedAt === startedAt) {
      try {
        const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS)
        await fetch(HEALTH_ADDRESS, { cache: "no-store", signal })
        if (this.probedAt === startedAt) this.messageCame(NEXT_PROBE_MS)
        return
      } catch {
        // there is no connection, which the page reports by itself: try again
        await new Promise((resolve) => setTimeout(resolve, SILENT_AFTER_MS))
      }
    }
  }

  /** The settings of the shown result that differ from the controls: `Epsilon 0.5, Method “A”`. */
  get outdatedSettings() {
    const current = readControls()
    const sliders = collectOutdated().map(([label, value]) => `${label} ${value}`)
    const controls = []
    for (const [label, value] of this.settledControls) {
      const hasChanged = current.has(label) && current.get(label) !== value
      if (hasChanged) controls.push(`${label} “${value}”`)
    }
    return [...sliders, ...controls].join(", ")
  }

  stop() {
    clearTimeout(this.timer)
    this.awaiting.clear()
    this.probedAt = null
    for (const cleanup of this.cleanups) cleanup()
  }
}
