// A click on a chart moves to the point that it hits, or to the place where it is.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { Clicks } from "../../ui/widgets/frontend/charts/clicks.js"

const WANTED = { point: "person", place: "outlier", x: [0, 10], y: [0, 10] }
let sent, clicks

/** An axis of 100 pixels from 0 to 10, which begins `offset` pixels into the chart. */
const axis = (offset) => ({
  _offset: offset,
  _length: 100,
  d2p: (value) => 10 * value,
  p2l: (pixel) => pixel / 10,
}) // p2l: of a log axis the logarithm, as its ends are

/** A chart at (1000, 2000) on the page, with one point at (2, 3) in its data. */
function drawn(trace = {}) {
  return {
    _fullLayout: { xaxis: axis(50), yaxis: axis(20) },
    _fullData: [{ x: [2, 9], y: [3, 9], customdata: ["17", "18"], visible: true, ...trace }],
    getBoundingClientRect: () => ({ left: 1000, top: 2000 }),
    addEventListener: () => {},
    style: {},
  }
}

/** Click so many pixels from the corner where the axes begin. */
function click(x, y, { trace = {}, wanted = {} } = {}) {
  const node = drawn(trace)
  clicks.listen(node, { ...WANTED, ...wanted })
  clicks.clicked(node, { clientX: 1050 + x, clientY: 2020 + y })
  return sent.map(({ name, value }) => [name, value])
}

beforeEach(() => {
  sent = []
  clicks = new Clicks((message) => sent.push(message))
})

test("a click near a point is a movement to what the point says", () => {
  assert.deepEqual(click(25, 33), [["person", 17]])
  const [{ seq, ...rest }] = sent
  assert.deepEqual(rest, { name: "person", value: 17, final: true, tick: false })
  assert.ok(Number.isSafeInteger(seq))
})

test("of two points the nearer one counts", () => {
  assert.deepEqual(click(27, 30, { trace: { x: [2, 3], y: [3, 3] } }), [["person", 18]])
  sent = []
  assert.deepEqual(click(23, 30, { trace: { x: [2, 3], y: [3, 3] } }), [["person", 17]])
})

test("a click beside all points is a place between the ends of the axes", () => {
  assert.deepEqual(click(50, 75), [["outlier", "0.000,0.500"]])
})

test("a place has its ends, whatever is shown beyond them", () => {
  assert.deepEqual(click(90, 75, { trace: { x: [], y: [] }, wanted: { x: [2, 6] } }), [[
    "outlier",
    "1.000,0.500",
  ]])
})

test("points that are hidden, or have nothing to say, are not hit", () => {
  assert.equal(click(20, 30, { trace: { visible: "legendonly" } })[0][0], "outlier")
  sent = []
  assert.equal(click(20, 30, { trace: { customdata: undefined } })[0][0], "outlier")
  sent = []
  assert.equal(click(20, 30, { wanted: { point: undefined } })[0][0], "outlier")
})

test("a click beside the axes, or where no place is asked for, is nothing", () => {
  for (const [x, y] of [[-1, 50], [101, 50], [50, -1], [50, 101]]) assert.deepEqual(click(x, y), [])
  assert.deepEqual(click(50, 75, { wanted: { place: undefined } }), [])
})

test("numbers are above all that the newest pictures contain", () => {
  const heard = clicks.seq + 1_000_000
  clicks.contained(heard)
  click(20, 30)
  assert.equal(sent[0].seq, heard + 1)
})
