import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { onStop } from "../../../ui/widgets/frontend/channel/events.js"
import { actionOf, Presenter } from "../../../ui/widgets/frontend/page/presenter.js"
import { FakeClock, FakeElement } from "../fakes.js"

const clock = new FakeClock()
const RANGE = { matches: (selector) => !selector.includes("range") }
const FIELD = { matches: () => true }
const SLIDER = "epsilon"
const STOPS = [1, 2, 3]
let listener, stops, sent

class FakeNode extends FakeElement {
  remove() {}
}
Object.assign(globalThis, {
  getComputedStyle: () => ({ fontSize: "32px" }),
  document: {
    createElement: () => new FakeNode(),
    addEventListener: (_type, added) => {
      listener = added
    },
    removeEventListener: () => {
      listener = null
    },
    documentElement: { style: { setProperty() {}, removeProperty() {} } },
    body: new FakeNode(),
  },
})
onStop((moves) => stops.push(moves))

/** Press a key, and return whether the presenter has taken it. */
function press(key, node = RANGE, modifiers = {}) {
  let isPrevented = false
  let isStopped = false
  listener({
    key,
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    repeat: false,
    composedPath: () => [node],
    preventDefault: () => {
      isPrevented = true
    },
    stopImmediatePropagation: () => {
      isStopped = true
    },
    ...modifiers,
  })
  return isPrevented && isStopped
}

function makePresenter(data = {}) {
  const presenter = new Presenter(new FakeNode())
  presenter.send = (name, value) => sent.push([name, value])
  presenter.update({ slider: SLIDER, stops: STOPS, at: 0, pictures: ["map"], ...data })
  return presenter
}

beforeEach(() => {
  stops = []
  sent = []
})

test("page keys go round the stops, forwards", () => {
  makePresenter()

  for (let times = 0; times < 3; times++) press("PageDown")

  assert.deepEqual(stops, [[["epsilon", 2]], [["epsilon", 3]], [["epsilon", 1]]])
})

test("page keys go round the stops, backwards", () => {
  makePresenter()

  press("PageUp")

  assert.deepEqual(stops, [[["epsilon", 3]]])
})

for (const { name, node } of [{ name: "slider", node: RANGE }, { name: "field", node: FIELD }]) {
  test(`a page key works while a ${name} has the focus`, () => {
    makePresenter()

    assert.ok(press("PageDown", node))
    assert.equal(stops.length, 1)
  })
}

for (const key of ["ArrowUp", "ArrowLeft", "Home", " ", "Tab", "x"]) {
  test(`the key "${key}" is left to others`, () => {
    makePresenter()

    assert.ok(!press(key))
  })
}

for (const modifier of ["ctrlKey", "altKey", "metaKey"]) {
  test(`a page key with ${modifier} is left to others`, () => {
    makePresenter()

    assert.ok(!press("PageDown", RANGE, { [modifier]: true }))
  })
}

test("a key that is held down steps once, and does not move the slider", () => {
  makePresenter()
  press("PageDown")

  assert.ok(press("PageDown", RANGE, { repeat: true }))
  assert.equal(stops.length, 1)
})

test("no key is heard after the end", () => {
  const presenter = makePresenter()

  presenter.stop()

  assert.equal(listener, null)
})

for (const key of ["b", "B", ".", "f", "p", "Escape"]) {
  test(`the key "${key}" acts, but not where one types`, () => {
    const event = (node) => /** @type {any} */ ({ key, composedPath: () => [node] })

    assert.ok(actionOf(event(RANGE)))
    assert.equal(actionOf(event(FIELD)), undefined)
  })
}

test("the server's stop counts only after it knows the last step", () => {
  const presenter = makePresenter()
  press("PageDown")
  press("PageDown")

  presenter.update({ slider: SLIDER, stops: STOPS, at: 1, pictures: [] })
  assert.equal(presenter.index, 2)

  presenter.update({ slider: SLIDER, stops: STOPS, at: 2, pictures: [] })
  presenter.update({ slider: SLIDER, stops: STOPS, at: 0, pictures: [] })
  assert.equal(presenter.index, 0, "a slider was moved")
})

test("another screen is asked for once the server knows the last step", () => {
  makePresenter()
  press("PageDown")
  press("p")

  clock.advance(1499)
  assert.deepEqual(sent, [])
  clock.advance(1)
  assert.deepEqual(sent, [["picture", "map"]])
})

test("Escape shows again what is blank, and then leaves", () => {
  const presenter = makePresenter()
  press("b")
  assert.ok(presenter.blank)

  press("Escape")
  assert.equal(presenter.blank, null)
  assert.deepEqual(sent, [])

  press("Escape")
  clock.advance(0)
  assert.deepEqual(sent, [["leave", true]])
})
