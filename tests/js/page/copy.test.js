import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { copySentences } from "../../../ui/widgets/frontend/page/copy.js"

const ADDRESS = "http://lab/what-if?target=90"
let clicked, copied, executed, timers

const document = {
  addEventListener: (_type, listener) => clicked = listener,
  removeEventListener: () => clicked = null,
  createElement: (name) => name === "template" ? template() : textArea(),
  body: { append: () => {} },
  execCommand: (name) => executed.push(name),
}

/** A template that drops tags, as the browser's does in its text. */
function template() {
  const node = { content: { textContent: "" } }
  Object.defineProperty(node, "innerHTML", {
    set: (html) => node.content.textContent = html.replace(/<[^>]*>/g, ""),
  })
  return node
}

function textArea() {
  const node = { value: "", select: () => copied.push(node.value), remove: () => {} }
  return node
}

function lend(clipboard) {
  Object.defineProperty(globalThis, "navigator", { value: { clipboard }, configurable: true })
}

function makeButton() {
  return { dataset: { copy: "Take <b>epsilon 1.76</b>." }, textContent: "Copy" }
}

beforeEach(() => {
  copied = []
  executed = []
  timers = []
  Object.assign(globalThis, { document, setTimeout: (callback) => timers.push(callback) })
  Object.defineProperty(globalThis, "location", { value: { href: ADDRESS }, configurable: true })
  lend({ writeText: (text) => copied.push(text) })
})

test("sentences are copied without tags and with the address", async () => {
  copySentences()
  const button = makeButton()

  await clicked({ target: { closest: () => button } })

  assert.deepEqual(copied, [`Take epsilon 1.76. ${ADDRESS}`])
})

test("a button says for a while that it has copied", async () => {
  copySentences()
  const button = makeButton()

  await clicked({ target: { closest: () => button } })
  const label = button.textContent
  for (const timer of timers) timer()

  assert.equal(label, "Copied")
  assert.equal(button.textContent, "Copy")
})

test("a page that came without encryption copies too", async () => {
  lend(undefined)
  copySentences()

  await clicked({ target: { closest: () => makeButton() } })

  assert.deepEqual(copied, [`Take epsilon 1.76. ${ADDRESS}`])
  assert.deepEqual(executed, ["copy"])
})

test("another click copies nothing", async () => {
  copySentences()

  await clicked({ target: { closest: () => null } })

  assert.deepEqual(copied, [])
})
