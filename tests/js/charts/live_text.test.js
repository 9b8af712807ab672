import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { LiveText } from "../../../ui/widgets/frontend/charts/live_text.js"
import { FakeElement } from "../fakes.js"

let page, observe, liveText

class MutationObserver {
  constructor(callback) {
    this.callback = callback
  }
  observe() {
    observe = this.callback
  }
  disconnect() {
    observe = null
  }
}

/** An element with one text node. */
class FakeSentence extends FakeElement {
  get content() {
    return this
  }
  get childNodes() {
    const text = { nodeName: "#text", nodeType: 3, childNodes: [] }
    const access = {
      get: () => this.innerHTML,
      set: (value) => {
        this.innerHTML = value
      },
    }
    return [Object.defineProperty(text, "data", access)]
  }
  closest() {
    return null
  }
}

const document = {
  querySelector: (selector) => page[selector] ?? null,
  createElement: () => new FakeSentence(),
}
Object.assign(globalThis, { document, MutationObserver, Node: { ELEMENT_NODE: 1 } })

beforeEach(() => {
  page = { step: new FakeSentence("step 1"), loss: new FakeSentence("loss 9") }
  observe = null
  liveText = new LiveText()
})

test("the page shows the text, and does not read it aloud while it changes", () => {
  liveText.show({ step: "step 2" })

  assert.equal(page.step.innerHTML, "step 2")
  assert.equal(page.step.getAttribute("aria-busy"), "true")
  assert.equal(page.loss.innerHTML, "loss 9")
  assert.equal(page.loss.getAttribute("aria-busy"), null)
})

test("the text is written at once into a node that Streamlit makes anew", () => {
  liveText.show({ step: "step 2" })

  page.step = new FakeSentence("step 1")
  observe()

  assert.equal(page.step.innerHTML, "step 2")
})

test("the text is written into a node that comes later", () => {
  liveText.show({ late: "step 2" })

  page.late = new FakeSentence("step 1")
  observe()

  assert.equal(page.late.innerHTML, "step 2")
})

test("the text is not written again into a node that somebody else changes", () => {
  liveText.show({ step: "step 2" })

  page.step.innerHTML = "step 1"
  observe()

  assert.equal(page.step.innerHTML, "step 1")
})

test("the page shows Streamlit's own texts again after the release", () => {
  liveText.show({ step: "step 2", loss: "loss 8" })
  liveText.show({ step: "step 3", loss: "loss 7" })

  liveText.release()

  assert.deepEqual([page.step.innerHTML, page.loss.innerHTML], ["step 1", "loss 9"])
  assert.equal(page.step.getAttribute("aria-busy"), null)
})

test("nothing is watched or written after the release", () => {
  liveText.show({ step: "step 2" })

  liveText.release()
  liveText.apply()

  assert.equal(observe, null)
  assert.equal(page.step.innerHTML, "step 1")
})
