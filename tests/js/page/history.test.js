import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { joinHistoryEntries } from "../../../ui/widgets/frontend/page/history.js"

const ORIGIN = "http://lab"
/** @type {string[]} */
let entries
/** @type {() => void} */
let stop = () => {}

/** @type {any} */
const fakeLocation = {
  get href() {
    return entries.at(-1)
  },
}
/** @type {any} */
const fakeHistory = {}
Object.defineProperty(globalThis, "location", { value: fakeLocation, configurable: true })
Object.defineProperty(globalThis, "history", { value: fakeHistory, configurable: true })

function absolute(url) {
  return new URL(url, entries.at(-1)).href
}

function push(url) {
  history.pushState({}, "", url)
}

function click() {
  globalThis.dispatchEvent(new Event("click"))
}

function relativeEntries() {
  return entries.map((entry) => entry.replace(ORIGIN, ""))
}

beforeEach(() => {
  stop()
  entries = [`${ORIGIN}/?epsilon=1`]
  fakeHistory.pushState = (_state, _title, url) => {
    entries.push(absolute(url))
  }
  fakeHistory.replaceState = (_state, _title, url) => {
    entries[entries.length - 1] = absolute(url)
  }
  stop = joinHistoryEntries()
})

test("each setting at which the person rests is an entry", () => {
  push("/?epsilon=2")
  push("/?epsilon=3")

  assert.deepEqual(relativeEntries(), ["/?epsilon=1", "/?epsilon=2", "/?epsilon=3"])
})

test("a page that opens is one entry if its settings are written before its path", () => {
  click()
  push("/?steps=9")
  push("/accounting?steps=9")

  assert.deepEqual(relativeEntries(), ["/?epsilon=1", "/accounting?steps=9"])
})

test("a page that opens is one entry if its settings are written after its path", () => {
  click()
  push("/attack")
  push("/attack?seed=4")
  assert.deepEqual(relativeEntries(), ["/?epsilon=1", "/attack?seed=4"])

  push("/attack?seed=5")
  assert.equal(entries.length, 3)
})

test("a page with the very settings of the page before is an entry", () => {
  push("/?epsilon=2")
  click()
  push("/classifier?epsilon=2")

  assert.deepEqual(relativeEntries(), ["/?epsilon=1", "/?epsilon=2", "/classifier?epsilon=2"])
})

test("a link from a page without settings to a part of the same page is an entry", () => {
  click()
  push("/glossary")
  click()
  push("/glossary?term=epsilon")

  assert.deepEqual(relativeEntries(), ["/?epsilon=1", "/glossary", "/glossary?term=epsilon"])
})

test("a parameter that embeds a page is no setting", () => {
  click()
  push("/accounting?embed=true")
  push("/accounting?embed=true&steps=9")

  assert.deepEqual(relativeEntries(), ["/?epsilon=1", "/accounting?embed=true&steps=9"])
})
