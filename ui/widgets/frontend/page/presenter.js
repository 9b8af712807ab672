// A presented screen: its stops, by buttons and by keys. Page Down and Page Up, which remotes send,
// work wherever the focus is; the arrows stay the slider's.

import { goToStop } from "../channel/events.js"

// Key -> what it does.
const KEY_ACTIONS = {
  PageDown: (presenter) => presenter.step(1),
  PageUp: (presenter) => presenter.step(-1),
  b: (presenter) => presenter.toggleBlank(),
  ".": (presenter) => presenter.toggleBlank(),
  f: (presenter) => presenter.toggleFullscreen(),
  p: (presenter) => presenter.showNextPicture(),
  Escape: (presenter) => presenter.escape(),
}
// Keys that work also where one types: they do nothing there.
const GLOBAL_KEYS = new Set(["PageDown", "PageUp"])
const TEXT_FIELDS = "textarea, input:not([type=range])"
const USUAL_LETTERS = 16 // pixels, of a page that is not presented
const SERVER_UPDATE_MS = 1500 // until the server knows a stop

/** @type {WeakMap<Node, Presenter>} */
const presenters = new WeakMap()

/**
 * The action of a key.
 *
 * @param {KeyboardEvent} event
 * @returns {((presenter: Presenter) => void) | undefined} Undefined where the key is not for the
 *     presenter.
 */
export function actionOf(event) {
  const { key, ctrlKey, altKey, metaKey } = event
  if (ctrlKey || altKey || metaKey) return undefined
  if (!GLOBAL_KEYS.has(key) && isTextField(event.composedPath()[0])) return undefined
  return KEY_ACTIONS[key.length === 1 ? key.toLowerCase() : key]
}

function isTextField(node) {
  return node?.isContentEditable || node?.matches?.(TEXT_FIELDS)
}

/**
 * Mount or update a presenter, as Streamlit asks for.
 *
 * @param {any} component
 */
export default function ({ parentElement, data, setTriggerValue }) {
  let presenter = presenters.get(parentElement)
  if (!presenter) {
    presenter = new Presenter(parentElement)
    presenters.set(parentElement, presenter)
  }
  presenter.send = setTriggerValue
  presenter.update(data)
  return () => {
    if (parentElement.isConnected) return
    presenter.stop()
    presenters.delete(parentElement)
  }
}

/** The buttons and keys of a presented screen. */
export class Presenter {
  constructor(root) {
    this.send = null // Streamlit's, a new one at every run
    this.data = null
    this.index = 0 // of the stop
    this.pendingIndex = null // of the stop that the server does not know yet
    this.steppedAt = -Infinity
    this.blank = null // the node that covers the screen
    this.counter = document.createElement("span")
    this.counter.setAttribute("role", "status")
    this.pictureButton = makeButton("Picture", "Another picture (P)", () => this.showNextPicture())
    root.append(this.makeBar())
    this.onKeyDown = (event) => this.pressKey(event)
    this.setZoom = () => {
      const zoom = String(letterSize() / USUAL_LETTERS)
      document.documentElement.style.setProperty("--lab-zoom", zoom)
    }
    document.addEventListener("keydown", this.onKeyDown, true)
    globalThis.addEventListener("resize", this.setZoom)
    this.setZoom()
  }

  makeBar() {
    const bar = document.createElement("div")
    bar.className = "stops"
    bar.setAttribute("role", "group")
    bar.setAttribute("aria-label", "Presentation")
    bar.style.opacity = "0" // until the style sheet sets it
    bar.append(
      makeButton("‹", "Previous stop (Page Up)", () => this.step(-1)),
      this.counter,
      makeButton("›", "Next stop (Page Down)", () => this.step(1)),
      this.pictureButton,
      makeButton("Leave", "Leave (Escape)", () => this.leave()),
    )
    return bar
  }

  /** @param {{slider: string, stops: number[], at: number, pictures: string[]}} data */
  update(data) {
    this.data = data
    // a step that the server does not know yet goes before its state
    if (this.pendingIndex === null || this.pendingIndex === data.at) {
      this.index = data.at
      this.pendingIndex = null
    }
    this.pictureButton.hidden = data.pictures.length === 0
    this.showCount()
  }

  pressKey(event) {
    const action = actionOf(event)
    if (!action) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (!event.repeat) action(this)
  }

  /** Go so many stops further; after the last comes the first. */
  step(count) {
    const { slider, stops } = this.data
    const next = (this.index + count + stops.length) % stops.length
    if (next === this.index) return
    this.index = next
    this.pendingIndex = next
    this.steppedAt = performance.now()
    goToStop([[slider, stops[next]]])
    this.showCount()
  }

  /** Ask the server for another screen, once it knows what was moved. */
  request(name, value) {
    const waitMs = this.steppedAt + SERVER_UPDATE_MS - performance.now()
    goToStop([])
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.send(name, value), Math.max(0, waitMs))
  }

  showNextPicture() {
    const [next] = this.data.pictures
    if (next) this.request("picture", next)
  }

  escape() {
    if (this.blank) this.toggleBlank()
    else this.leave()
  }

  leave() {
    if (document.fullscreenElement) document.exitFullscreen()
    this.request("leave", true)
  }

  toggleFullscreen() {
    if (document.fullscreenElement) {
      document.exitFullscreen()
      return
    }
    // a frame in another page may not be allowed to
    document.documentElement.requestFullscreen()?.catch(() => {})
  }

  toggleBlank() {
    if (this.blank) {
      this.blank.remove()
      this.blank = null
      return
    }
    this.blank = document.createElement("div")
    this.blank.className = "lab-blank"
    document.body.append(this.blank)
  }

  showCount() {
    this.counter.textContent = `${this.index + 1} / ${this.data.stops.length}`
  }

  stop() {
    document.removeEventListener("keydown", this.onKeyDown, true)
    globalThis.removeEventListener("resize", this.setZoom)
    document.documentElement.style.removeProperty("--lab-zoom")
    clearTimeout(this.timer)
    this.blank?.remove()
  }
}

function letterSize() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize)
}

function makeButton(text, label, act) {
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = text
  button.title = label
  button.setAttribute("aria-label", label)
  button.addEventListener("click", act)
  return button
}
