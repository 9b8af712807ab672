import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { retryTabs } from "../../../ui/widgets/frontend/page/tabs.js"

let listeners, frames, observed

class MutationObserver {
  constructor(callback) {
    this.callback = callback
  }
  observe(tab) {
    observed.set(this, tab)
  }
  disconnect() {
    observed.delete(this)
  }
}
const document = {
  addEventListener: (_type, listener) => listeners.add(listener),
  removeEventListener: (_type, listener) => listeners.delete(listener),
}
function requestAnimationFrame(act) {
  frames.push(act)
  return frames.length - 1
}
function cancelAnimationFrame(index) {
  frames[index] = null
}
Object.assign(globalThis, {
  document,
  MutationObserver,
  requestAnimationFrame,
  cancelAnimationFrame,
})

/** One of Streamlit's tabs. It opens when it is clicked, unless it is disabled or does not respond. */
class FakeTab {
  isDisabled = false
  isOpen = false
  isConnected = true
  responds = true
  clicks = 0

  getAttribute(name) {
    return String(name === "aria-selected" ? this.isOpen : this.isDisabled)
  }
  closest(selector) {
    return selector === "[role=tab]" ? this : null
  }
  click() {
    this.clicks += 1
    for (const listener of listeners) listener({ target: this })
    if (!this.isDisabled && this.responds) this.change({ isOpen: true })
  }
  change(state) {
    Object.assign(this, state)
    for (const [observer, tab] of [...observed]) {
      if (tab === this) observer.callback()
    }
  }
}

function runFrame() {
  for (const act of frames.splice(0)) act?.()
}

beforeEach(() => {
  listeners = new Set()
  frames = []
  observed = new Map()
})

test("a tab that opens at once is left alone", () => {
  retryTabs()
  const tab = new FakeTab()

  tab.click()
  runFrame()

  assert.equal(tab.clicks, 1)
  assert.equal(observed.size, 0)
})

test("a disabled tab opens as soon as it is enabled", () => {
  retryTabs()
  const tab = new FakeTab()
  tab.isDisabled = true
  tab.click()
  runFrame()
  assert.ok(!tab.isOpen)

  tab.change({ isDisabled: false })
  assert.ok(tab.isOpen)
  assert.equal(tab.clicks, 2)

  runFrame()
  assert.equal(observed.size, 0)
})

test("a click without a response is repeated", () => {
  retryTabs()
  const tab = new FakeTab()
  tab.responds = false
  tab.click()

  tab.responds = true
  runFrame()

  assert.ok(tab.isOpen)
})

test("a click is repeated once, not for ever", () => {
  retryTabs()
  const tab = new FakeTab()
  tab.responds = false

  tab.click()
  runFrame()
  runFrame()

  assert.equal(tab.clicks, 2)
})

test("only the newest click is repeated", () => {
  retryTabs()
  const first = new FakeTab()
  const second = new FakeTab()
  first.isDisabled = true
  second.isDisabled = true
  first.click()
  second.click()

  first.change({ isDisabled: false })
  second.change({ isDisabled: false })

  assert.ok(!first.isOpen)
  assert.ok(second.isOpen)
})

test("a tab that has gone meanwhile is not clicked", () => {
  retryTabs()
  const tab = new FakeTab()
  tab.isDisabled = true
  tab.click()

  tab.change({ isConnected: false, isDisabled: false })

  assert.equal(tab.clicks, 1)
})

test("clicks on anything else are not watched", () => {
  retryTabs()

  for (const listener of listeners) {
    listener({ target: { closest: () => null } })
    listener({ target: {} })
  }

  assert.equal(observed.size, 0)
})

test("nothing is listened to after the end", () => {
  const stop = retryTabs()

  stop()

  assert.equal(listeners.size, 0)
})
