// A tab that is pressed while Streamlit has turned it off opens when it may, once.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { holdTabs } from "../../ui/widgets/frontend/page/tabs.js"

let heard, frames, watches

class MutationObserver {
  constructor(act) {
    this.act = act
  }
  observe(tab) {
    watches.set(this, tab)
  }
  disconnect() {
    watches.delete(this)
  }
}
const document = {
  addEventListener: (_name, act) => heard.add(act),
  removeEventListener: (_name, act) => heard.delete(act),
}
const requestAnimationFrame = (act) => (frames.push(act), frames.length - 1)
const cancelAnimationFrame = (one) => (frames[one] = null)
Object.assign(globalThis, {
  document,
  MutationObserver,
  requestAnimationFrame,
  cancelAnimationFrame,
})

/** One of Streamlit's tabs: it opens when it is pressed, but for while it is off. */
class Tab {
  off = false
  open = false
  isConnected = true
  pressed = 0

  constructor(works = true) {
    this.works = works
  }

  getAttribute(name) {
    return String(name === "aria-selected" ? this.open : this.off)
  }
  closest(what) {
    return what === "[role=tab]" ? this : null
  }
  click() {
    this.pressed += 1
    heard.forEach((act) => act({ target: this }))
    if (!this.off && this.works) this.turn({ open: true })
  }
  turn(how) {
    Object.assign(this, how)
    for (const [watch, tab] of [...watches]) if (tab === this) watch.act()
  }
}
const frame = () => frames.splice(0).forEach((act) => act?.())

beforeEach(() => {
  heard = new Set()
  frames = []
  watches = new Map()
})

test("one that opens at once is let alone", () => {
  holdTabs()
  const tab = new Tab()
  tab.click()
  frame()
  assert.equal(tab.pressed, 1)
  assert.equal(watches.size, 0)
})

test("one that is off opens as soon as it is on again", () => {
  holdTabs()
  const tab = new Tab()
  tab.off = true
  tab.click()
  frame()
  assert.ok(!tab.open)
  tab.turn({ off: false })
  assert.ok(tab.open)
  assert.equal(tab.pressed, 2)
  frame()
  assert.equal(watches.size, 0)
})

test("a press that was broken off in the middle is made again", () => {
  holdTabs()
  const tab = new Tab(false)
  tab.click()
  tab.works = true
  frame()
  assert.ok(tab.open)
})

test("it is tried once, not for ever", () => {
  holdTabs()
  const tab = new Tab(false)
  tab.click()
  frame()
  frame()
  assert.equal(tab.pressed, 2)
})

test("the newest press counts", () => {
  holdTabs()
  const [first, second] = [new Tab(), new Tab()]
  for (const tab of [first, second]) tab.off = true
  first.click()
  second.click()
  first.turn({ off: false })
  second.turn({ off: false })
  assert.ok(!first.open && second.open)
})

test("one that has gone meanwhile is not pressed, nor anything that is no tab", () => {
  const end = holdTabs()
  const tab = new Tab()
  tab.off = true
  tab.click()
  tab.turn({ isConnected: false, off: false })
  assert.equal(tab.pressed, 1)
  heard.forEach((act) => act({ target: { closest: () => null } }))
  heard.forEach((act) => act({ target: {} }))
  assert.equal(watches.size, 0)
  end()
  assert.equal(heard.size, 0)
})
