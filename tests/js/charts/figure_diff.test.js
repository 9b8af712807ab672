import assert from "node:assert/strict"
import { test } from "node:test"

import { adopt } from "../../../ui/widgets/frontend/charts/figure_diff.js"

/** Encode an array as Plotly's Python half sends it. */
function encode(array, dtype, shape) {
  const bdata = btoa(String.fromCharCode(...new Uint8Array(array.buffer)))
  return shape ? { bdata, dtype, shape } : { bdata, dtype }
}

function makeFigure(y) {
  return {
    data: [
      {
        type: "scatter",
        x: encode(Float64Array.of(1, 2, 3), "f8"),
        y: encode(Float64Array.of(...y), "f8"),
      },
      { type: "heatmap", z: encode(Int8Array.of(1, 2, 3, 4, 5, 6), "i1", "2, 3") },
    ],
    layout: { title: { text: "loss" }, shapes: [{ path: "M0,0" }], margin: null },
  }
}

for (
  const { dtype, type } of [
    { dtype: "i1", type: Int8Array },
    { dtype: "u1", type: Uint8Array },
    { dtype: "c1", type: Uint8ClampedArray },
    { dtype: "i2", type: Int16Array },
    { dtype: "u2", type: Uint16Array },
    { dtype: "i4", type: Int32Array },
    { dtype: "u4", type: Uint32Array },
    { dtype: "f4", type: Float32Array },
  ]
) {
  test(`bytes of the type ${dtype} are the array that numpy had`, () => {
    const array = type.of(1, 2, 100)

    assert.deepEqual(adopt(undefined, encode(array, dtype)), array)
  })
}

test("bytes of the type f8 are the array that numpy had, without a number too", () => {
  const array = Float64Array.of(0.1, NaN)

  assert.deepEqual(adopt(undefined, encode(array, "f8")), array)
})

test("an array of two dimensions is a list of rows", () => {
  const { z } = adopt(undefined, makeFigure([1, 2, 3])).data[1]

  assert.deepEqual(z, [Int8Array.of(1, 2, 3), Int8Array.of(4, 5, 6)])
})

test("an equal figure is the same object", () => {
  const old = adopt(undefined, makeFigure([1, 2, 3]))

  assert.equal(adopt(old, makeFigure([1, 2, 3])), old)
})

test("only what differs is a new object", () => {
  const old = adopt(undefined, makeFigure([1, 2, 3]))

  const next = adopt(old, makeFigure([1, 2, 4]))

  assert.notEqual(next.data[0], old.data[0])
  assert.deepEqual(next.data[0].y, Float64Array.of(1, 2, 4))
  assert.equal(next.data[0].x, old.data[0].x)
  assert.equal(next.data[1], old.data[1])
  assert.equal(next.layout, old.layout)
  assert.deepEqual(old.data[0].y, Float64Array.of(1, 2, 3))
})

test("the same bytes in another shape are another array", () => {
  const bytes = Uint8Array.of(1, 2, 3, 4)
  const old = adopt(undefined, encode(bytes, "u1", "2, 2"))

  assert.equal(adopt(old, encode(bytes, "u1", "2, 2")), old)
  assert.deepEqual(adopt(old, encode(bytes, "u1")), bytes)
  assert.deepEqual(adopt(old, encode(bytes, "u1", "1, 4")), [bytes])
})

test("the same bytes of another type are another array", () => {
  const bytes = Uint8Array.of(1, 2, 3, 4)
  const old = adopt(undefined, encode(bytes, "u1"))

  assert.deepEqual(adopt(old, encode(bytes, "i1")), Int8Array.from(bytes))
})

for (
  const { change, old, next } of [
    { change: "a removed part", old: { a: 1, b: 2 }, next: { a: 1 } },
    { change: "an added undefined part", old: { a: 1 }, next: { a: 1, b: undefined } },
    { change: "a renamed part", old: { a: 1 }, next: { b: 1 } },
    { change: "a renamed and undefined part", old: { a: 1 }, next: { b: undefined } },
    { change: "a shorter list", old: [1, 2], next: [1] },
    { change: "an object in place of a list", old: [1], next: { 0: 1 } },
    { change: "a list in place of an object", old: { 0: 1 }, next: [1] },
    { change: "an object in place of null", old: null, next: {} },
    { change: "an empty list in place of an object", old: {}, next: [] },
    { change: "an object in place of a number", old: 1, next: { a: 1 } },
    { change: "null in place of an object", old: { a: 1 }, next: null },
    { change: "a number in place of an object within", old: { a: {} }, next: { a: 1 } },
  ]
) {
  test(`${change} is not kept`, () => {
    const adopted = adopt(old, next)

    assert.notEqual(adopted, old)
    assert.deepEqual(adopted, next)
  })
}
