// A figure is read so that what did not change is the very same object.

import assert from "node:assert/strict"
import { test } from "node:test"

import { adopt } from "../../ui/widgets/frontend/charts/figure_diff.js"

/** An array as Plotly's Python half sends it. */
function encoded(array, dtype, shape) {
  const bdata = btoa(String.fromCharCode(...new Uint8Array(array.buffer)))
  return shape ? { bdata, dtype, shape } : { bdata, dtype }
}

const figure = (y, title = "loss") => ({
  data: [
    {
      type: "scatter",
      x: encoded(Float64Array.of(1, 2, 3), "f8"),
      y: encoded(Float64Array.of(...y), "f8"),
    },
    { type: "heatmap", z: encoded(Int8Array.of(1, 2, 3, 4, 5, 6), "i1", "2, 3") },
  ],
  layout: { title: { text: title }, shapes: [{ path: "M0,0" }], margin: null },
})

test("bytes are the arrays that numpy had, of every type", () => {
  const types = [
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
  ]
  const names = ["i1", "u1", "c1", "i2", "u2", "i4", "u4", "f4"]
  for (const [place, type] of types.entries()) {
    assert.deepEqual(
      adopt(undefined, encoded(type.of(1, 2, 100), names[place])),
      type.of(1, 2, 100),
    )
  }
  assert.deepEqual(
    adopt(undefined, encoded(Float64Array.of(0.1, NaN), "f8")),
    Float64Array.of(0.1, NaN),
  )
})

test("two dimensions are a list of rows", () => {
  const { z } = adopt(undefined, figure([1, 2, 3])).data[1]
  assert.deepEqual(z, [Int8Array.of(1, 2, 3), Int8Array.of(4, 5, 6)])
})

test("the same figure again is the same object", () => {
  const old = adopt(undefined, figure([1, 2, 3]))
  assert.equal(adopt(old, figure([1, 2, 3])), old)
})

test("only what differs is new", () => {
  const old = adopt(undefined, figure([1, 2, 3]))
  const next = adopt(old, figure([1, 2, 4]))
  assert.notEqual(next.data[0], old.data[0])
  assert.deepEqual(next.data[0].y, Float64Array.of(1, 2, 4))
  assert.equal(next.data[0].x, old.data[0].x)
  assert.equal(next.data[1], old.data[1])
  assert.equal(next.layout, old.layout)
  assert.deepEqual(old.data[0].y, Float64Array.of(1, 2, 3))
})

test("the same bytes in another shape or of another type are another array", () => {
  const bytes = Uint8Array.of(1, 2, 3, 4)
  const old = adopt(undefined, encoded(bytes, "u1", "2, 2"))
  assert.equal(adopt(old, encoded(bytes, "u1", "2, 2")), old)
  assert.deepEqual(adopt(old, encoded(bytes, "u1")), bytes)
  assert.deepEqual(adopt(old, encoded(bytes, "u1", "1, 4")), [bytes])
  assert.deepEqual(
    adopt(adopt(undefined, encoded(bytes, "u1")), encoded(bytes, "i1")),
    Int8Array.from(bytes),
  )
})

test("what is gone, added or of another kind is not kept", () => {
  const pairs = [
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { b: undefined }],
    [[1, 2], [1]],
    [[1], { 0: 1 }],
    [{ 0: 1 }, [1]],
    [null, {}],
    [{}, []],
    [1, { a: 1 }],
    [{ a: 1 }, null],
    [{ a: {} }, { a: 1 }],
  ]
  for (const [old, next] of pairs) {
    const taken = adopt(old, next)
    assert.notEqual(taken, old)
    assert.deepEqual(taken, next)
  }
})
