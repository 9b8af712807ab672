// Watches the connection to the server, and mends parts of Streamlit's page. When the connection is
// back, it asks for a run of the whole page: Streamlit starts none by itself if the last run had
// ended, and a server that was restarted knows no fragment before the page has run once. The slider
// panels then send again what was moved meanwhile.

import { reportReconnect } from "../channel/events.js"
import { SilenceMonitor } from "../channel/timeout.js"
import { copySentences } from "./copy.js"
import { restoreFocus } from "./focus.js"
import { joinHistoryEntries } from "./history.js"
import { followLinks } from "./links.js"
import { mendMenu } from "./menu.js"
import { retryTabs } from "./tabs.js"
import { explainUploads } from "./uploads.js"

const CONNECTION_STATE = "data-test-connection-state"
const RUN_STATE = "data-test-script-state"
const LOST =
  "Connection lost: what you see may be out of date. What you move is kept, and sent when " +
  "the server is back."
// On the whole page while what it shows may be out of date.
const OUTDATED_ATTRIBUTE = "data-silent"
const SECONDS_UP_TO = 120

/** @type {WeakMap<Node, ConnectionMonitor>} */
const monitors = new WeakMap()

/**
 * Format how long the server has been silent.
 *
 * @param {number} milliseconds
 */
export function formatDuration(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000)
  return seconds < SECONDS_UP_TO ? `${seconds} s` : `${Math.floor(seconds / 60)} min`
}

/**
 * Say for which settings the shown results are.
 *
 * @param {string} outdatedSettings "" where nothing is known to differ.
 */
export function outdatedText(outdatedSettings) {
  if (!outdatedSettings) return "The results shown may be out of date."
  return `The results shown are for ${outdatedSettings}.`
}

/**
 * Close Streamlit's dialog about a lost connection whenever it opens: the notice says the same, and
 * the dialog keeps everybody from the page.
 *
 * @returns {() => void} Ends it.
 */
function closeConnectionDialog() {
  const observer = new MutationObserver(() => {
    const dialog = document.querySelector("[data-testid=stDialog]")
    if (dialog?.querySelector("h2")?.textContent !== "Connection error") return
    const button = dialog.querySelector("button[aria-label=Close]")
    button.dispatchEvent(new MouseEvent("click", { bubbles: true }))
  })
  observer.observe(document.body, { childList: true })
  return () => observer.disconnect()
}

/**
 * Mount or update the monitor, as Streamlit asks for.
 *
 * @param {any} component
 */
export default function ({ data, parentElement, setTriggerValue }) {
  let monitor = monitors.get(parentElement)
  if (!monitor) {
    monitor = new ConnectionMonitor(parentElement)
    monitors.set(parentElement, monitor)
  }
  monitor.requestRun = () => setTriggerValue("back", true)
  monitor.uploadMegabytes = data.uploads
  return () => {
    if (parentElement.isConnected) return
    monitor.stop()
    monitors.delete(parentElement)
  }
}

class ConnectionMonitor {
  constructor(root) {
    this.requestRun = null // Streamlit's, a new one at every run
    this.uploadMegabytes = 0 // that uploads may take
    this.isLost = false
    this.silentMs = null // for how long the server has been silent
    this.shownText = ""
    this.notice = document.createElement("p")
    this.notice.className = "lost"
    this.notice.setAttribute("role", "status") // there before its text, so that it is read aloud
    root.append(this.notice)
    this.duration = document.createElement("span")
    this.duration.setAttribute("aria-hidden", "true") // a screen reader says the rest, once
    this.silence = new SilenceMonitor((silentMs) => {
      this.silentMs = silentMs
      this.updateNotice()
    })
    this.cleanups = [
      mendMenu(),
      retryTabs(),
      followLinks(),
      copySentences(),
      restoreFocus(),
      explainUploads(() => this.uploadMegabytes),
      joinHistoryEntries(),
      closeConnectionDialog(),
    ]
    this.watchApp()
  }

  watchApp() {
    this.app = document.querySelector(`[${CONNECTION_STATE}]`)
    if (!this.app) return
    const observer = new MutationObserver(() => this.readState())
    observer.observe(this.app, {
      attributes: true,
      attributeFilter: [CONNECTION_STATE, RUN_STATE],
    })
    this.cleanups.push(() => observer.disconnect())
    this.readState()
  }

  readState() {
    const isLost = this.app.getAttribute(CONNECTION_STATE) !== "CONNECTED"
    const isRunning = !isLost && this.app.getAttribute(RUN_STATE) === "running"
    this.silence.setAwaiting("run", isRunning)
    if (isLost === this.isLost) return
    this.isLost = isLost
    this.updateNotice()
    if (isLost) return
    reportReconnect()
    this.requestRun()
  }

  updateNotice() {
    const isSilent = this.silentMs !== null && !this.isLost
    document.documentElement.toggleAttribute(OUTDATED_ATTRIBUTE, isSilent || this.isLost)
    if (isSilent) this.duration.textContent = ` for ${formatDuration(this.silentMs)}`
    let text = ""
    if (this.isLost) text = LOST
    else if (isSilent) text = outdatedText(this.silence.outdatedSettings)
    if (text === this.shownText) return
    this.shownText = text
    if (isSilent) this.notice.replaceChildren("No answer", this.duration, `. ${text}`)
    else this.notice.textContent = text
  }

  stop() {
    this.silence.stop()
    document.documentElement.removeAttribute(OUTDATED_ATTRIBUTE)
    for (const cleanup of this.cleanups) cleanup()
    this.notice.remove()
  }
}
