import assert from "node:assert/strict"
import { test } from "node:test"

import {
  formatNumber,
  formatWithUnit,
  lastStop,
  nearestStop,
  parseEntry,
  stopAfter,
  trackFraction,
  unitText,
  valueAtStop,
  valuesAfter,
  valuesAround,
} from "../../../ui/widgets/frontend/sliders/scale.js"

/** @typedef {Partial<import("../../../ui/widgets/frontend/sliders/scale.js").Slider>} Slider */

/** @type {Record<string, Slider>} */
const SLIDERS = {
  epsilon: { scale: "log", low: 0.01, high: 100, stops: 50 },
  ragged: { scale: "log", low: 1.0009, high: 100.3, stops: 1000 },
  repeats: { scale: "log", low: 2, high: 20000, stops: 50, whole: true },
  share: { scale: "linear", low: 0, high: 1, step: 0.1 },
  uneven: { scale: "linear", low: -2, high: 1.5, step: 0.4 },
  steps: { scale: "linear", low: 1, high: 60, step: 1, whole: true },
}

for (const [name, slider] of Object.entries(SLIDERS)) {
  const last = lastStop(slider)
  const values = Array.from({ length: last + 1 }, (_, stop) => valueAtStop(slider, stop))

  test(`${name}: both ends are reached exactly, and no stop lies outside`, () => {
    assert.equal(values[0], slider.low)
    assert.equal(values.at(-1), slider.high)
    assert.equal(valueAtStop(slider, -1), slider.low)
    assert.equal(valueAtStop(slider, values.length), slider.high)
    assert.equal(nearestStop(slider, slider.low - Math.abs(slider.low) / 2), 0)
    assert.equal(nearestStop(slider, slider.high + 1), last)
  })

  test(`${name}: values never fall, and have twelve digits at most`, () => {
    for (const [stop, value] of values.entries()) {
      assert.ok(stop === 0 || value >= values[stop - 1])
      assert.equal(value, Number(value.toPrecision(12)))
      if (slider.whole) assert.ok(Number.isInteger(value))
    }
  })

  test(`${name}: the nearest stop of a value of a stop has that value`, () => {
    for (const value of values) assert.equal(valueAtStop(slider, nearestStop(slider, value)), value)
  })

  test(`${name}: each key press changes the value, all the way up`, () => {
    let stop = 0
    for (const value of new Set(values)) {
      assert.equal(valueAtStop(slider, stop), value)
      stop = stopAfter(slider, stop, 1, value)
    }
  })

  test(`${name}: each key press changes the value, all the way down`, () => {
    let stop = last
    for (const value of new Set(values.toReversed())) {
      assert.equal(valueAtStop(slider, stop), value)
      stop = stopAfter(slider, stop, -1, value)
    }
  })

  test(`${name}: the track is as long as the range`, () => {
    assert.equal(trackFraction(slider, slider.low), 0)
    assert.equal(trackFraction(slider, slider.high), 1)
    assert.equal(trackFraction(slider, slider.high + 1), 1)
    assert.equal(trackFraction(slider, slider.low - 1e-9), 0)
  })
}

test("a rounding error in the length of a range makes no further stop", () => {
  assert.equal(lastStop({ scale: "linear", low: 0.8, high: 1.1, step: 0.1 }), 3)
})

for (const scale of /** @type {("log" | "linear")[]} */ (["log", "linear"])) {
  test(`a ${scale} range of one point has one value, at the begin of the track`, () => {
    const slider = { scale, low: 3, high: 3, stops: 50, step: 1 }

    assert.equal(lastStop(slider), 1)
    assert.deepEqual([valueAtStop(slider, 0), valueAtStop(slider, 1)], [3, 3])
    assert.equal(trackFraction(slider, 3), 0)
  })
}

test("values have three digits on a logarithmic scale", () => {
  assert.equal(valueAtStop(SLIDERS.epsilon, 101), 1.05)
})

test("values have no rounding errors on a linear scale", () => {
  assert.equal(valueAtStop(SLIDERS.share, 3), 0.3)
})

test("the middle of a logarithmic track is the geometric mean", () => {
  assert.equal(trackFraction(SLIDERS.epsilon, 1), 0.5)
  assert.equal(nearestStop(SLIDERS.epsilon, 1), 100)
})

test("a jump of several stops ends with the range", () => {
  assert.equal(stopAfter(SLIDERS.steps, 5, 10, 6), 15)
  assert.equal(stopAfter(SLIDERS.steps, 5, -10, 6), 0)
  assert.equal(stopAfter(SLIDERS.steps, 5, Infinity, 6), 59)
})

test("the values after a value end with the range", () => {
  assert.deepEqual(valuesAfter(SLIDERS.steps, 6, 3), [7, 8, 9])
  assert.deepEqual(valuesAfter(SLIDERS.steps, 58, 5), [59, 60])
  assert.deepEqual(valuesAfter(SLIDERS.steps, 60, 5), [])
})

test("the values around a value begin with the nearest and end with the range", () => {
  assert.deepEqual(valuesAround(SLIDERS.steps, 6, 4), [6, 5, 7, 4])
  assert.deepEqual(valuesAround(SLIDERS.steps, 60, 3), [60, 59, 58])
  assert.deepEqual(valuesAround(SLIDERS.steps, 6, 0), [])
  assert.equal(valuesAround(SLIDERS.steps, 6, 1000).length, 60)
})

test("a value that several stops share is among the values around once", () => {
  const values = valuesAround(SLIDERS.repeats, 2, 10)

  assert.equal(new Set(values).size, values.length)
  assert.ok(values.length < 10)
})

for (
  const { value, text } of [
    { value: 3, text: "3" },
    { value: 0.25, text: "0.25" },
    { value: 0.1 + 0.2, text: "0.3" },
    { value: -2, text: "-2" },
    { value: 0, text: "0" },
    { value: 0.001, text: "0.001" },
    { value: 1e-5, text: "1e-5" },
    { value: 123456789, text: "123456789" },
    { value: 1e9, text: "1e9" },
    { value: NaN, text: "" },
    { value: Infinity, text: "" },
  ]
) {
  test(`${value} is written as "${text}"`, () => {
    assert.equal(formatNumber(value), text)
  })
}

test("a number is followed by its unit", () => {
  assert.equal(formatWithUnit({ unit: "%" }, 5), "5 %")
  assert.equal(formatWithUnit({ unit: "" }, 0.5), "0.5")
})

test("a slider that plays whole numbers has its end in place of a unit", () => {
  assert.equal(unitText({ unit: "", play: true, whole: true, high: 60 }), "of 60")
  assert.equal(unitText({ unit: "", play: true, whole: false, high: 60 }), "")
  assert.equal(unitText({ unit: "steps", play: true, high: 60 }), "steps")
})

for (const value of [3, 0.25, -2, 0, 1e-5, 123456789, 1e9, 1.5e-7]) {
  test(`the text of ${value} is read as the same number`, () => {
    assert.equal(parseEntry(formatNumber(value)), value)
  })
}

for (
  const { text, number } of [
    { text: "3", number: 3 },
    { text: " 0.25 ", number: 0.25 },
    { text: ".5", number: 0.5 },
    { text: "5.", number: 5 },
    { text: "+2", number: 2 },
    { text: "-2", number: -2 },
    { text: "−2", number: -2 },
    { text: "1E-5", number: 1e-5 },
  ]
) {
  test(`the entry "${text}" is a number`, () => {
    assert.equal(parseEntry(text), number)
  })
}

for (
  const text of [
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
) {
  test(`the entry "${text}" goes to the server as it is`, () => {
    assert.equal(parseEntry(text), text)
  })
}
