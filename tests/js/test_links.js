// A link of a text to a page of the lab is followed in the same tab; every other link is the browser's.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { followLinks } from "../../ui/widgets/frontend/page/links.js"

let heard, visited, told = []

class PopStateEvent {
  constructor(type) {
    this.type = type
  }
}
const document = {
  addEventListener: (_name, act) => heard.add(act),
  removeEventListener: (_name, act) => heard.delete(act),
  querySelector: () => null,
}
const history = { pushState: (_state, _title, address) => visited.push(address) }
const dispatchEvent = (event) => told.push(event.type)
Object.defineProperty(globalThis, "location", {
  value: { origin: "http://lab", search: "" },
  configurable: true,
})
Object.assign(globalThis, { document, history, dispatchEvent, PopStateEvent })

/** Press a link; whether the browser still follows it by itself. */
function press(link, event = {}) {
  let follows = true
  const target = {
    closest: () => link && { origin: "http://lab", hash: "", hasAttribute: () => false, ...link },
  }
  const preventDefault = () => follows = false
  heard.forEach((act) =>
    act({ target, button: 0, preventDefault, stopPropagation: () => {}, ...event })
  )
  return follows
}

beforeEach(() => {
  heard = new Set()
  visited = []
  told = []
})

test("a page of the lab opens in the same session", () => {
  followLinks()
  assert.equal(press({ href: "http://lab/glossary?term=epsilon" }), false)
  assert.deepEqual(visited, ["http://lab/glossary?term=epsilon"])
  assert.deepEqual(told, ["popstate"])
})

test("a page in a frame stays as it is shown there", () => {
  followLinks()
  location.search = "?embed=true&epsilon=1"
  press({ href: "http://lab/glossary?term=epsilon" })
  location.search = ""
  assert.deepEqual(visited, ["http://lab/glossary?term=epsilon&embed=true"])
})

test("other links, and those that are wanted in a new tab, are the browser's", () => {
  followLinks()
  assert.ok(press(null))
  assert.ok(press({ href: "http://far/x", origin: "http://far" }))
  assert.ok(press({ href: "http://lab/glossary#epsilon", hash: "#epsilon" }))
  assert.ok(press({ href: "http://lab/file.csv", hasAttribute: () => true }))
  for (
    const event of [{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { altKey: true }, {
      button: 1,
    }]
  ) {
    assert.ok(press({ href: "http://lab/glossary" }, event))
  }
  assert.deepEqual([visited, told], [[], []])
})

test("it ends", () => {
  followLinks()()
  assert.ok(press({ href: "http://lab/glossary" }))
})
