import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { FakeElement } from "../fakes.js"

class CSSStyleSheet {
  replaceSync() {}
}
const document = { adoptedStyleSheets: [], createElement: () => new FakeElement() }
Object.assign(globalThis, { CSSStyleSheet, document })
const { ChartHelp } = await import("../../../ui/widgets/frontend/charts/help.js")

/** @type {any} */
let cell
/** @type {any} */
let help

beforeEach(() => {
  cell = new FakeElement()
  help = new ChartHelp(cell, "chart-1")
  help.setText("Each dot is a run.")
})

function assertOpen() {
  assert.ok(!help.text.hidden)
  assert.equal(help.button.getAttribute("aria-expanded"), "true")
}

function assertClosed() {
  assert.ok(help.text.hidden)
  assert.equal(help.button.getAttribute("aria-expanded"), "false")
}

test("the button stands in the cell before its text, and names the image that it explains", () => {
  assert.deepEqual(cell.children, [help.button, help.text])
  assert.equal(help.button.type, "button")
  assert.equal(help.button.getAttribute("aria-label"), "What is this?")
  assert.equal(help.button.getAttribute("aria-describedby"), "chart-1")
  assert.equal(help.button.getAttribute("aria-controls"), help.text.id)
  assert.equal(help.text.textContent, "Each dot is a run.")
})

test("the texts of two images have different ids", () => {
  const second = new ChartHelp(cell, "chart-2")

  assert.notEqual(second.text.id, help.text.id)
})

test("a click opens the text, and another click closes it", () => {
  assertClosed()

  help.button.fire("click")
  assertOpen()

  help.button.fire("click")
  assertClosed()
})

test("Escape closes the text, and no other key does", () => {
  help.button.fire("click")

  help.button.fire("keydown", { key: "Tab" })
  assertOpen()

  help.button.fire("keydown", { key: "Escape" })
  assertClosed()
})

test("the text closes when the focus leaves the button", () => {
  help.button.fire("click")

  help.button.fire("blur")

  assertClosed()
})

test("an image without a text has no button", () => {
  help.setText("")
  assert.equal(help.button.hidden, true)

  help.setText("Each line is a run.")
  assert.equal(help.button.hidden, false)
  assert.equal(help.text.textContent, "Each line is a run.")
})

test("a new text does not close what is open", () => {
  help.button.fire("click")

  help.setText("Each line is a run.")

  assertOpen()
})
