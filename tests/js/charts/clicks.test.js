import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { ClickMoves } from "../../../ui/widgets/frontend/charts/clicks.js"

const TARGETS = { point: "person", position: "outlier", x: [0, 10], y: [0, 10] }
const LEFT = 1050 // where the axes begin on the page
const TOP = 2020
let sent, clicks

/** Make an axis of 100 pixels from 0 to 10. */
function makeAxis(offset) {
  return {
    _offset: offset,
    _length: 100,
    d2p: (value) => 10 * value,
    p2l: (pixel) => pixel / 10, // of a log axis the logarithm, as its ends are
  }
}

/** Make a chart with two points, one of them at (2, 3). */
function makeChart(trace) {
  return {
    _fullLayout: { xaxis: makeAxis(50), yaxis: makeAxis(20) },
    _fullData: [{ x: [2, 9], y: [3, 9], customdata: ["17", "18"], visible: true, ...trace }],
    getBoundingClientRect: () => ({ left: LEFT - 50, top: TOP - 20 }),
    addEventListener: () => {},
    style: {},
  }
}

/** Click so many pixels from where the axes begin, and return the movements. */
function click(x, y, { trace = {}, targets = {} } = {}) {
  const chart = makeChart(trace)
  clicks.listen(chart, { ...TARGETS, ...targets })
  clicks.click(chart, { clientX: LEFT + x, clientY: TOP + y })
  return sent.map(({ name, value }) => [name, value])
}

beforeEach(() => {
  sent = []
  clicks = new ClickMoves((message) => sent.push(message))
})

test("a click near a point moves to the value of the point", () => {
  assert.deepEqual(click(25, 33), [["person", 17]])

  const [{ seq, ...message }] = sent
  assert.deepEqual(message, { name: "person", value: 17, final: true, tick: false })
  assert.ok(Number.isSafeInteger(seq))
})

for (const { x, person } of [{ x: 27, person: 18 }, { x: 23, person: 17 }]) {
  test(`a click at ${x} pixels moves to the nearer of two points, at 20 and 30 pixels`, () => {
    assert.deepEqual(click(x, 30, { trace: { x: [2, 3], y: [3, 3] } }), [["person", person]])
  })
}

test("a click away from all points moves to a position between the ends of the axes", () => {
  assert.deepEqual(click(50, 75), [["outlier", "0.000,0.500"]])
})

test("a position lies between its ends, whatever the axis shows beyond them", () => {
  const movements = click(90, 75, { trace: { x: [], y: [] }, targets: { x: [2, 6] } })

  assert.deepEqual(movements, [["outlier", "1.000,0.500"]])
})

for (
  const { name, options } of [
    { name: "hidden points", options: { trace: { visible: "legendonly" } } },
    { name: "points without a value", options: { trace: { customdata: undefined } } },
    { name: "points that move nothing", options: { targets: { point: undefined } } },
  ]
) {
  test(`${name} are not hit`, () => {
    const [[field]] = click(20, 30, options)

    assert.equal(field, "outlier")
  })
}

for (const [x, y] of [[-1, 50], [101, 50], [50, -1], [50, 101]]) {
  test(`a click outside of the axes, at ${x}, ${y}, moves nothing`, () => {
    assert.deepEqual(click(x, y), [])
  })
}

test("a click away from all points moves nothing without a field for positions", () => {
  assert.deepEqual(click(50, 75, { targets: { position: undefined } }), [])
})

test("numbers are above all that the newest charts contain", () => {
  const acknowledged = clicks.nextNumber + 1_000_000
  clicks.acknowledge(acknowledged)

  click(20, 30)

  assert.equal(sent[0].seq, acknowledged + 1)
})
