// Where a thumb can rest, and how numbers are written and read.

import assert from "node:assert/strict"
import { test } from "node:test"

import {
  entered,
  following,
  fractionOf,
  lastStop,
  spoken,
  stopAfter,
  stopOf,
  unitOf,
  valueAt,
  written,
} from "../../ui/widgets/frontend/sliders/scale.js"

const KNOBS = {
  epsilon: { scale: "log", low: 0.01, high: 100, stops: 50 },
  ragged: { scale: "log", low: 1.0009, high: 100.3, stops: 1000 },
  repeats: { scale: "log", low: 2, high: 20000, stops: 50, whole: true },
  share: { scale: "linear", low: 0, high: 1, step: 0.1 },
  uneven: { scale: "linear", low: -2, high: 1.5, step: 0.4 },
  steps: { scale: "linear", low: 1, high: 60, step: 1, whole: true },
}

for (const [name, knob] of Object.entries(KNOBS)) {
  const values = Array.from({ length: lastStop(knob) + 1 }, (_, stop) => valueAt(knob, stop))

  test(`${name}: both ends are reached exactly, and no stop lies outside`, () => {
    assert.equal(values[0], knob.low)
    assert.equal(values.at(-1), knob.high)
    assert.equal(valueAt(knob, -1), knob.low)
    assert.equal(valueAt(knob, values.length), knob.high)
    assert.equal(stopOf(knob, knob.low - Math.abs(knob.low) / 2), 0)
    assert.equal(stopOf(knob, knob.high + 1), lastStop(knob))
  })

  test(`${name}: the values never fall, and are at most twelve digits long`, () => {
    for (const [stop, value] of values.entries()) {
      assert.ok(stop === 0 || value >= values[stop - 1])
      assert.equal(value, Number(value.toPrecision(12)))
      if (knob.whole) assert.ok(Number.isInteger(value))
    }
  })

  test(`${name}: the stop of a stop's value has that value`, () => {
    for (const value of values) assert.equal(valueAt(knob, stopOf(knob, value)), value)
  })

  test(`${name}: each press changes the number, all the way up and down`, () => {
    for (const step of [1, -1]) {
      let stop = step > 0 ? 0 : lastStop(knob)
      for (const value of new Set(step > 0 ? values : values.toReversed())) {
        assert.equal(valueAt(knob, stop), value)
        stop = stopAfter(knob, stop, step, value)
      }
    }
  })

  test(`${name}: the track is as long as the range`, () => {
    assert.equal(fractionOf(knob, knob.low), 0)
    assert.equal(fractionOf(knob, knob.high), 1)
    assert.equal(fractionOf(knob, knob.high + 1), 1)
    assert.equal(fractionOf(knob, knob.low - 1e-9), 0)
  })
}

test("dust on the length of a range is no stop more", () => {
  assert.equal(lastStop({ scale: "linear", low: 0.8, high: 1.1, step: 0.1 }), 3)
})

test("a range of one point has one value, and stands at its beginning", () => {
  for (
    const knob of [{ scale: "log", low: 3, high: 3, stops: 50 }, {
      scale: "linear",
      low: 3,
      high: 3,
      step: 1,
    }]
  ) {
    assert.equal(lastStop(knob), 1)
    assert.deepEqual([valueAt(knob, 0), valueAt(knob, 1)], [3, 3])
    assert.equal(fractionOf(knob, 3), 0)
  }
})

test("values are round: three digits on a logarithmic scale, no dust on a linear one", () => {
  assert.equal(valueAt(KNOBS.epsilon, 101), 1.05)
  assert.equal(valueAt(KNOBS.share, 3), 0.3)
})

test("the middle of a logarithmic track is the geometric mean", () => {
  assert.equal(fractionOf(KNOBS.epsilon, 1), 0.5)
  assert.equal(stopOf(KNOBS.epsilon, 1), 100)
})

test("a jump goes as far as the range", () => {
  assert.equal(stopAfter(KNOBS.steps, 5, 10, 6), 15)
  assert.equal(stopAfter(KNOBS.steps, 5, -10, 6), 0)
  assert.equal(stopAfter(KNOBS.steps, 5, Infinity, 6), 59)
})

test("what follows a value ends with the range", () => {
  assert.deepEqual(following(KNOBS.steps, 6, 3), [7, 8, 9])
  assert.deepEqual(following(KNOBS.steps, 58, 5), [59, 60])
  assert.deepEqual(following(KNOBS.steps, 60, 5), [])
})

test("numbers are written as short as they can be", () => {
  const pairs = [
    [3, "3"],
    [0.25, "0.25"],
    [0.1 + 0.2, "0.3"],
    [-2, "-2"],
    [0, "0"],
    [0.001, "0.001"],
    [1e-5, "1e-5"],
    [123456789, "123456789"],
    [1e9, "1e9"],
    [NaN, ""],
    [Infinity, ""],
  ]
  for (const [value, words] of pairs) assert.equal(written(value), words)
})

test("a number is spoken with its unit; a knob that plays says where it ends", () => {
  assert.equal(spoken({ unit: "%" }, 5), "5 %")
  assert.equal(spoken({ unit: "" }, 0.5), "0.5")
  assert.equal(unitOf({ unit: "", play: true, whole: true, high: 60 }), "of 60")
  assert.equal(unitOf({ unit: "", play: true, whole: false, high: 60 }), "")
  assert.equal(unitOf({ unit: "steps", play: true, high: 60 }), "steps")
})

test("what is written is read as the same number", () => {
  for (const value of [3, 0.25, -2, 0, 1e-5, 123456789, 1e9, 1.5e-7]) {
    assert.equal(entered(written(value)), value)
  }
})

test("a typed text is a number only as people write them; all else goes to the server as it is", () => {
  const numbers = [["3", 3], [" 0.25 ", 0.25], [".5", 0.5], ["5.", 5], ["+2", 2], ["-2", -2], [
    "−2",
    -2,
  ], [
    "1E-5",
    1e-5,
  ]]
  for (const [words, number] of numbers) assert.equal(entered(words), number)
  const others = [
    "",
    "nan",
    "Infinity",
    "0x10",
    "1_000",
    "0,3",
    "1,000",
    "1 000",
    "--2",
    "1e",
    "e5",
    "٣",
    "1e999",
    "two",
  ]
  for (const words of others) assert.equal(entered(words), words)
})
