// Sentences that follow a playing knob, over Streamlit's own.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { Words } from "../../ui/widgets/frontend/charts/live_text.js"
import { Element } from "./fakes.js"

let page, watching, words

class MutationObserver {
  constructor(act) {
    this.observe = () => (watching = act)
    this.disconnect = () => (watching = null)
  }
}
/** An element of words alone, which stand in one text node. */
class Sentence extends Element {
  get content() {
    return this
  }

  get childNodes() {
    const text = { nodeName: "#text", nodeType: 3, childNodes: [] }
    const access = { get: () => this.innerHTML, set: (words) => (this.innerHTML = words) }
    return [Object.defineProperty(text, "data", access)]
  }

  closest() {
    return null
  }
}

const document = {
  querySelector: (selector) => page[selector] ?? null,
  createElement: () => new Sentence(),
}
Object.assign(globalThis, { document, MutationObserver, Node: { ELEMENT_NODE: 1 } })

beforeEach(() => {
  page = { p: new Sentence("step 1"), q: new Sentence("loss 9") }
  watching = null
  words = new Words()
})

test("the page says what the picture shows, and is not read out while it plays", () => {
  words.say({ p: "step 2" })
  assert.equal(page.p.innerHTML, "step 2")
  assert.equal(page.p.getAttribute("aria-busy"), "true")
  assert.equal(page.q.innerHTML, "loss 9")
  assert.equal(page.q.getAttribute("aria-busy"), null)
})

test("what Streamlit makes anew is put right at once", () => {
  words.say({ p: "step 2" })
  page.p = new Sentence("step 1")
  watching()
  assert.equal(page.p.innerHTML, "step 2")
})

test("what is not on the page yet is said once it comes", () => {
  words.say({ late: "step 2" })
  page.late = new Sentence("step 1")
  watching()
  assert.equal(page.late.innerHTML, "step 2")
})

test("what is said already is not written again", () => {
  words.say({ p: "step 2" })
  page.p.innerHTML = "step 1" // by another's hand: the same node is not fought over
  watching()
  assert.equal(page.p.innerHTML, "step 1")
})

test("released, the page says again what Streamlit had written", () => {
  words.say({ p: "step 2", q: "loss 8" })
  words.say({ p: "step 3", q: "loss 7" })
  words.release()
  assert.deepEqual([page.p.innerHTML, page.q.innerHTML], ["step 1", "loss 9"])
  assert.equal(page.p.getAttribute("aria-busy"), null)
  assert.equal(watching, null)
  words.again()
  assert.equal(page.p.innerHTML, "step 1")
})
