// Which entries of the browser's history a page makes.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { joinEntries } from "../../ui/widgets/frontend/page/history.js"

let entries, end

/** @type {any} */
const here = {
  get href() {
    return entries.at(-1)
  },
}
const absolute = (url) => new URL(url, entries.at(-1)).href
/** @type {any} */
const fake = {}
Object.defineProperty(globalThis, "location", { value: here, configurable: true })
Object.defineProperty(globalThis, "history", { value: fake, configurable: true })

const push = (url) => history.pushState({}, "", url)
const click = () => globalThis.dispatchEvent(new Event("click"))
const made = () => entries.map((entry) => entry.replace("http://lab", ""))

beforeEach(() => {
  end?.()
  entries = ["http://lab/?epsilon=1"]
  fake.pushState = (_state, _title, url) => entries.push(absolute(url))
  fake.replaceState = (_state, _title, url) => (entries[entries.length - 1] = absolute(url))
  end = joinEntries()
})

test("each setting that the person rests at is an entry", () => {
  push("/?epsilon=2")
  push("/?epsilon=3")
  assert.deepEqual(made(), ["/?epsilon=1", "/?epsilon=2", "/?epsilon=3"])
})

test("a page that opens is one entry, in whatever order its address is written", () => {
  click()
  push("/?steps=9")
  push("/accounting?steps=9")
  assert.deepEqual(made(), ["/?epsilon=1", "/accounting?steps=9"])
  click()
  push("/attack")
  push("/attack?seed=4")
  assert.deepEqual(made(), ["/?epsilon=1", "/accounting?steps=9", "/attack?seed=4"])
  push("/attack?seed=5")
  assert.equal(entries.length, 4)
})

test("a page with the very settings of the page before is an entry", () => {
  push("/?epsilon=2")
  click()
  push("/classifier?epsilon=2")
  assert.deepEqual(made(), ["/?epsilon=1", "/?epsilon=2", "/classifier?epsilon=2"])
})

test("a link from a page without settings to a place of the same page is an entry", () => {
  click()
  push("/glossary")
  click()
  push("/glossary?term=epsilon")
  assert.deepEqual(made(), ["/?epsilon=1", "/glossary", "/glossary?term=epsilon"])
})

test("what says how a page is embedded is no setting", () => {
  click()
  push("/accounting?embed=true")
  push("/accounting?embed=true&steps=9")
  assert.deepEqual(made(), ["/?epsilon=1", "/accounting?embed=true&steps=9"])
})
