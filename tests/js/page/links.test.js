import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { followLinks } from "../../../ui/widgets/frontend/page/links.js"

const ORIGIN = "http://lab"
const GLOSSARY = `${ORIGIN}/glossary`
let listeners, visited
// The runtime dispatches events of its own before the first test.
let events = []

class PopStateEvent {
  constructor(type) {
    this.type = type
  }
}
const document = {
  addEventListener: (_type, listener) => listeners.add(listener),
  removeEventListener: (_type, listener) => listeners.delete(listener),
  querySelector: () => null,
}
const history = { pushState: (_state, _title, address) => visited.push(address) }
const dispatchEvent = (event) => events.push(event.type)
Object.defineProperty(globalThis, "location", {
  value: { origin: ORIGIN, search: "" },
  configurable: true,
})
Object.assign(globalThis, { document, history, dispatchEvent, PopStateEvent })

/** Click a link, and return whether the browser follows it by itself. */
function click(link, event = {}) {
  let isBrowsers = true
  const target = {
    closest: () => link && { origin: ORIGIN, hash: "", hasAttribute: () => false, ...link },
  }
  const preventDefault = () => {
    isBrowsers = false
  }
  const stopPropagation = () => {}
  for (const listener of listeners) {
    listener({ target, button: 0, preventDefault, stopPropagation, ...event })
  }
  return isBrowsers
}

beforeEach(() => {
  listeners = new Set()
  visited = []
  events = []
  location.search = ""
})

test("a page of the lab opens in the same session", () => {
  followLinks()

  const isBrowsers = click({ href: `${GLOSSARY}?term=epsilon` })

  assert.ok(!isBrowsers)
  assert.deepEqual(visited, [`${GLOSSARY}?term=epsilon`])
  assert.deepEqual(events, ["popstate"])
})

test("a page in a frame stays embedded", () => {
  followLinks()
  location.search = "?embed=true&epsilon=1"

  click({ href: `${GLOSSARY}?term=epsilon` })

  assert.deepEqual(visited, [`${GLOSSARY}?term=epsilon&embed=true`])
})

for (
  const { name, link } of [
    { name: "no link", link: null },
    { name: "a link to another site", link: { href: "http://far/x", origin: "http://far" } },
    { name: "a link within the page", link: { href: `${GLOSSARY}#epsilon`, hash: "#epsilon" } },
    { name: "a download", link: { href: `${ORIGIN}/file.csv`, hasAttribute: () => true } },
  ]
) {
  test(`${name} is left to the browser`, () => {
    followLinks()

    assert.ok(click(link))
    assert.deepEqual([visited, events], [[], []])
  })
}

for (
  const event of [
    { ctrlKey: true },
    { metaKey: true },
    { shiftKey: true },
    { altKey: true },
    { button: 1 },
  ]
) {
  test(`a click with ${JSON.stringify(event)} is left to the browser`, () => {
    followLinks()

    assert.ok(click({ href: GLOSSARY }, event))
    assert.deepEqual([visited, events], [[], []])
  })
}

test("links are left to the browser after the end", () => {
  const stop = followLinks()

  stop()

  assert.ok(click({ href: GLOSSARY }))
})
