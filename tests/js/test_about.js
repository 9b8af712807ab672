// A "?" beside a picture says what one sees, to whoever asks and for as long as they look.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { Element } from "./fakes.js"

class CSSStyleSheet {
  replaceSync() {}
}
const document = { adoptedStyleSheets: [], createElement: () => new Element() }
Object.assign(globalThis, { CSSStyleSheet, document })
const { About } = await import("../../ui/widgets/frontend/charts/help.js")

let cell, about

beforeEach(() => {
  cell = new Element()
  about = new About(cell, "chart-1")
  about.say("Each dot is a run.")
})

const open = () => !about.words.hidden && about.button.getAttribute("aria-expanded") === "true"
const closed = () => about.words.hidden && about.button.getAttribute("aria-expanded") === "false"

test("the button stands in the cell, before its words, and is named for the picture that it is about", () => {
  assert.deepEqual(cell.children, [about.button, about.words])
  assert.equal(about.button.type, "button")
  assert.equal(about.button.getAttribute("aria-label"), "What is this?")
  assert.equal(about.button.getAttribute("aria-describedby"), "chart-1")
  assert.equal(about.button.getAttribute("aria-controls"), about.words.id)
  assert.equal(about.words.textContent, "Each dot is a run.")
})

test("two pictures' words have different names", () => {
  assert.notEqual(new About(cell, "chart-2").words.id, about.words.id)
})

test("the words are there once asked for, and go when asked again", () => {
  assert.ok(closed())
  about.button.fire("click")
  assert.ok(open())
  about.button.fire("click")
  assert.ok(closed())
})

test("Escape closes them, and no other key does", () => {
  about.button.fire("click")
  about.button.fire("keydown", { key: "Tab" })
  assert.ok(open())
  about.button.fire("keydown", { key: "Escape" })
  assert.ok(closed())
})

test("they go when the focus goes elsewhere", () => {
  about.button.fire("click")
  about.button.fire("blur")
  assert.ok(closed())
})

test("a picture of which nothing is said has no button", () => {
  about.say("")
  assert.equal(about.button.hidden, true)
  about.say("Each line is a run.")
  assert.equal(about.button.hidden, false)
  assert.equal(about.words.textContent, "Each line is a run.")
})

test("new words do not close what is open", () => {
  about.button.fire("click")
  about.say("Each line is a run.")
  assert.ok(open())
})
