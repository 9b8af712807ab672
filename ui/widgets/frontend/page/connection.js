// Watches the connection to the server. While it is lost, says so. When it is back, asks for a run of the whole page:
// Streamlit starts none by itself if the last run had ended, and a server that was restarted knows no fragment that a
// knob could ask for before the page has run once. The knob panels then send again what the person has moved meanwhile.
// In the same place it says that the server is silent.

import { keepFocus } from "./focus.js"
import { joinEntries } from "./history.js"
import { followLinks } from "./links.js"
import { mendMenu } from "./menu.js"
import { Silence } from "../channel/timeout.js"
import { holdTabs } from "./tabs.js"
import { explainUploads } from "./uploads.js"

const STATE = "data-test-connection-state"
const RUN = "data-test-script-state"
const LOST =
  "Connection lost: what you see may be out of date. What you move is kept, and sent when the server is back."
const BACK = "epsilon-lab:back"
const STALE = "data-silent" // on the whole page while what it shows may be out of date
const watches = new WeakMap()

/** How long the server has been silent. */
export function span(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000)
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`
}

/** Of which settings what is shown is, as far as that is known. */
export function shownFor(older) {
  return older ? `The results shown are for ${older}.` : "The results shown may be out of date."
}

/** Close Streamlit's dialog about a lost connection whenever it opens: the notice says it, and the dialog keeps everybody
 * from the page. Returns a function that ends it. */
function withoutDialog() {
  const opens = () => {
    const dialog = document.querySelector("[data-testid=stDialog]")
    if (dialog?.querySelector("h2")?.textContent !== "Connection error") return
    dialog.querySelector("button[aria-label=Close]").dispatchEvent(
      new MouseEvent("click", { bubbles: true }),
    )
  }
  const watch = new MutationObserver(opens)
  watch.observe(document.body, { childList: true })
  return () => watch.disconnect()
}

/** Call this when the connection is back; returns a function that ends it. */
export function whenBack(act) {
  globalThis.addEventListener(BACK, act)
  return () => globalThis.removeEventListener(BACK, act)
}

export default function ({ data, parentElement, setTriggerValue }) {
  let watch = watches.get(parentElement)
  if (!watch) watches.set(parentElement, watch = new Watch(parentElement))
  watch.ask = () => setTriggerValue("back", true)
  watch.uploads = data.uploads
  return () => {
    if (parentElement.isConnected) return
    watch.stop()
    watches.delete(parentElement)
  }
}

class Watch {
  constructor(root) {
    this.notice = document.createElement("p")
    this.notice.className = "lost"
    this.notice.setAttribute("role", "status") // there from the start, so that a screen reader says what comes into it
    root.append(this.notice)
    this.count = document.createElement("span") // for the eye only: a screen reader says the rest, once
    this.count.setAttribute("aria-hidden", "true")
    this.lost = false
    this.said = ""
    this.quiet = null // milliseconds for which the server has been silent
    this.silence = new Silence((quiet) => (this.quiet = quiet, this.say()))
    this.ask = null // Streamlit's, a new one at every run
    this.uploads = 0 // megabytes that uploads may take
    const uploads = explainUploads(() => this.uploads)
    this.mended = [
      mendMenu(),
      holdTabs(),
      followLinks(),
      keepFocus(),
      uploads,
      joinEntries(),
      withoutDialog(),
    ]
    this.app = document.querySelector(`[${STATE}]`)
    this.observer = new MutationObserver(() => this.look())
    if (!this.app) return
    this.look()
    this.observer.observe(this.app, { attributes: true, attributeFilter: [STATE, RUN] })
  }

  look() {
    const lost = this.app.getAttribute(STATE) !== "CONNECTED"
    const runs = !lost && this.app.getAttribute(RUN) === "running"
    this.silence.awaits("run", runs)
    if (lost === this.lost) return
    this.lost = lost
    this.say()
    if (lost) return
    globalThis.dispatchEvent(new Event(BACK))
    this.ask()
  }

  say() {
    const silent = this.quiet !== null && !this.lost
    document.documentElement.toggleAttribute(STALE, silent || this.lost)
    if (silent) this.count.textContent = ` for ${span(this.quiet)}`
    const words = this.lost ? LOST : silent ? shownFor(this.silence.older) : ""
    if (words === this.said) return
    this.said = words
    this.notice.replaceChildren(
      ...(silent ? ["No answer", this.count, `. ${words}`] : [words].filter(Boolean)),
    )
  }

  stop() {
    this.silence.stop()
    document.documentElement.removeAttribute(STALE)
    this.observer.disconnect()
    this.mended.forEach((end) => end())
    this.notice.remove()
  }
}
