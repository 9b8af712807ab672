// The keys of a presented screen: which are its own, and what they leave to others.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { actOf, Presenter } from "../../ui/widgets/frontend/page/presenter.js"
import { Clock, Element } from "./fakes.js"

const clock = new Clock()
const RANGE = { matches: (selector) => !/range/.test(selector) }
const FIELD = { matches: () => true }
let heard, stepped, sent

class Node extends Element {
  remove() {}
}
Object.assign(globalThis, {
  getComputedStyle: () => ({ fontSize: "32px" }),
  document: {
    createElement: () => new Node(),
    addEventListener: (_name, act) => (heard = act),
    removeEventListener: () => (heard = null),
    querySelector: () => null,
    documentElement: { style: { setProperty() {}, removeProperty() {} } },
    body: new Node(),
  },
})
globalThis.addEventListener(
  "epsilon-lab:stepped",
  (/** @type {any} */ { detail }) => stepped.push(detail),
)

const press = (key, node = RANGE, how = {}) => {
  const event = {
    key,
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    repeat: false,
    taken: 0,
    composedPath: () => [node],
    preventDefault: () => (event.taken += 1),
    stopImmediatePropagation: () => (event.taken += 1),
    ...how,
  }
  heard(event)
  return event.taken === 2
}
const stops = [1, 2, 3].map((epsilon) => ({
  name: `Epsilon ${epsilon}`,
  moves: [["epsilon", epsilon]],
}))

function presenter(more = {}) {
  const one = new Presenter(new Node())
  one.send = (name, value) => sent.push([name, value])
  one.update({ stops, at: 0, pictures: ["map"], ...more })
  return one
}

beforeEach(() => ([stepped, sent] = [[], []]))

test("page keys step round, whatever has the focus; arrows and all else are let through", () => {
  const one = presenter()
  for (const node of [RANGE, FIELD]) assert.ok(press("PageDown", node))
  assert.deepEqual(stepped, [[["epsilon", 2]], [["epsilon", 3]]])
  press("PageDown")
  press("PageUp")
  assert.deepEqual(stepped.slice(2), [[["epsilon", 1]], [["epsilon", 3]]])
  for (const key of ["ArrowUp", "ArrowLeft", "Home", " ", "Tab", "x"]) assert.ok(!press(key), key)
  for (const held of ["ctrlKey", "altKey", "metaKey"]) {
    assert.ok(!press("PageDown", RANGE, { [held]: true }), held)
  }
  assert.ok(press("PageDown", RANGE, { repeat: true }))
  assert.equal(
    stepped.length,
    4,
    "a key that is held down steps once, and does not move the slider",
  )
  one.stop()
  assert.equal(heard, null)
})

test("letters are keys, but not where one types", () => {
  for (const key of ["b", "B", ".", "f", "p", "Escape"]) {
    const event = (node) => /** @type {any} */ ({ key, composedPath: () => [node] })
    assert.ok(actOf(event(RANGE)), key)
    assert.equal(actOf(event(FIELD)), undefined, key)
  }
})

test("what the server says of a place counts once it has heard of the step", () => {
  const one = presenter()
  press("PageDown")
  press("PageDown")
  one.update({ stops, at: 1, pictures: [] })
  assert.equal(one.at, 2)
  one.update({ stops, at: 2, pictures: [] })
  one.update({ stops, at: 0, pictures: [] })
  assert.equal(one.at, 0, "a knob was moved there")
})

test("a stop that no knob leads to is the server's, at once; another screen comes when steps have been heard of", () => {
  presenter({ stops: stops.map((one) => ({ ...one, moves: null })) })
  press("PageDown")
  clock.pass(0)
  assert.deepEqual(sent, [["go", 1]])
  press("p")
  clock.pass(1499)
  assert.equal(sent.length, 1)
  clock.pass(1)
  assert.deepEqual(sent[1], ["picture", "map"])
  assert.deepEqual(stepped, [[], []], "what was moved is told before")
})

test("Escape shows again what is blank, and then leaves", () => {
  const one = presenter()
  press("b")
  assert.ok(one.dark)
  press("Escape")
  assert.equal(one.dark, null)
  assert.deepEqual(sent, [])
  press("Escape")
  clock.pass(0)
  assert.deepEqual(sent, [["leave", true]])
})
