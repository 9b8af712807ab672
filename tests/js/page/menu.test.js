import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { mendMenu } from "../../../ui/widgets/frontend/page/menu.js"
import { FakeElement } from "../fakes.js"

const APP = "[data-testid=stAppViewContainer]"
const MENU = "[data-testid=stSidebar]"
let page, lists, observed

class MutationObserver {
  constructor(callback) {
    this.callback = callback
  }
  observe(node, options) {
    observed.set(node, { observer: this, options })
  }
  disconnect() {
    for (const [node, { observer }] of observed) {
      if (observer === this) observed.delete(node)
    }
  }
}
const document = {
  querySelector: (selector) => page[selector] ?? null,
  querySelectorAll: (selector) => (selector.includes("stSidebarNavItems") ? lists : []),
}
Object.assign(globalThis, { document, MutationObserver })

beforeEach(() => {
  page = { [APP]: new FakeElement() }
  lists = []
  observed = new Map()
})

function addMenu() {
  page[MENU] = new FakeElement()
  lists = [new FakeElement(), new FakeElement()]
}

/** Report to the observer of a node that something has changed. */
function reportChange(node) {
  observed.get(node).observer.callback()
}

function isMended() {
  return lists.every((node) => node.getAttribute("role") === "presentation")
}

test("a present menu is mended at once", () => {
  addMenu()

  mendMenu()

  assert.ok(isMended())
})

test("a menu that comes later is mended then", () => {
  mendMenu()
  addMenu()
  assert.ok(!isMended())

  reportChange(page[APP])

  assert.ok(isMended())
})

test("what is put into the menu later is mended, however deep", () => {
  addMenu()
  mendMenu()
  assert.deepEqual(observed.get(page[MENU]).options, { childList: true, subtree: true })
  lists.push(new FakeElement())
  assert.ok(!isMended())

  reportChange(page[MENU])

  assert.ok(isMended())
})

test("a menu that has gone and come again is observed again", () => {
  addMenu()
  mendMenu()
  addMenu()
  reportChange(page[APP])
  lists.push(new FakeElement())

  reportChange(page[MENU])

  assert.ok(isMended())
})

test("a page without a menu and without a place for one is left alone", () => {
  page = {}

  const stop = mendMenu()
  stop()

  assert.equal(observed.size, 0)
})

test("nothing is observed after the end", () => {
  addMenu()
  const stop = mendMenu()
  assert.equal(observed.size, 2)

  stop()

  assert.equal(observed.size, 0)
})
