// Watches the connection to the server. While it is lost, says so. When it is back, asks for a run of the whole page:
// Streamlit starts none by itself if the last run had ended, and a server that was restarted knows no fragment that a
// knob could ask for before the page has run once. The knob panels then send again what the person has moved meanwhile.
// In the same place it says that one has to wait for long.

import { Busy } from "./busy.js"
import { keepFocus } from "./focus.js"
import { followLinks } from "./links.js"
import { mendMenu } from "./menu.js"
import { holdTabs } from "./tabs.js"
import { explainUploads } from "./uploads.js"

const STATE = "data-test-connection-state"
const RUN = "data-test-script-state"
const LOST =
  "Connection lost: what you see may be out of date. What you move is kept, and sent when the server is back."
const BACK = "epsilon-lab:back"
const watches = new WeakMap()

/** Call this when the connection is back; returns a function that ends it. */
export function whenBack(act) {
  globalThis.addEventListener(BACK, act)
  return () => globalThis.removeEventListener(BACK, act)
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  let watch = watches.get(parentElement)
  if (!watch) watches.set(parentElement, watch = new Watch(parentElement))
  watch.ask = () => setTriggerValue("back", true)
  watch.tell = (travels) => setStateValue("travels", travels)
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
    this.lost = false
    this.busy = new Busy((words) => (this.words = words, this.say()))
    this.words = ""
    this.ask = this.tell = null // Streamlit's, new ones at every run
    this.travels = 0
    // Streamlit's own message about it has been sent by then: its address is the one that the browser went to
    this.travelled = () => setTimeout(() => this.tell(++this.travels))
    globalThis.addEventListener("popstate", this.travelled)
    this.app = document.querySelector(`[${STATE}]`)
    this.observer = new MutationObserver(() => this.look())
    this.uploads = 0 // megabytes that uploads may take
    this.mended = [mendMenu(), holdTabs(), followLinks(), keepFocus(), explainUploads(() => this.uploads)]
    if (this.app) this.observer.observe(this.app, { attributes: true, attributeFilter: [STATE, RUN] })
  }

  look() {
    const lost = this.app.getAttribute(STATE) !== "CONNECTED"
    this.busy.runs(!lost && this.app.getAttribute(RUN) === "running")
    if (lost === this.lost) return
    this.lost = lost
    this.say()
    if (lost) return
    globalThis.dispatchEvent(new Event(BACK))
    this.ask()
  }

  say() {
    const words = this.lost ? LOST : this.words
    if (words !== this.notice.textContent) this.notice.textContent = words
  }

  stop() {
    globalThis.removeEventListener("popstate", this.travelled)
    this.busy.stop()
    this.observer.disconnect()
    this.mended.forEach((end) => end())
    this.notice.remove()
  }
}
