import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import {
  afterNextDrawing,
  drawNow,
  drawSoon,
  onActivity,
  onRunComplete,
  reportActivity,
  reportRunComplete,
} from "../../../ui/widgets/frontend/charts/batching.js"
import { FakeClock } from "../fakes.js"

const LONG_MS = 10_000
const clock = new FakeClock()
let drawn
Object.assign(globalThis, { getComputedStyle: () => ({ getPropertyValue: () => "" }) })

function makeChart(name, isInView = true) {
  return { name, isInView, node: null, draw: () => drawn.push(name) }
}

beforeEach(() => {
  drawn = []
  drawSoon(makeChart("before"))
  clock.advance(LONG_MS) // so that nothing waits
  drawn = []
})

test("the charts of a run are drawn together when all of it has arrived, once", () => {
  drawSoon(makeChart("map"))
  drawSoon(makeChart("loss"))
  clock.advance(59)
  assert.deepEqual(drawn, [])

  reportRunComplete()
  assert.deepEqual(drawn, ["map", "loss"])
  clock.advance(LONG_MS)
  assert.deepEqual(drawn, ["map", "loss"])
})

test("charts do not wait long for a run that is never complete", () => {
  drawSoon(makeChart("map"))
  clock.advance(50)
  drawSoon(makeChart("loss"))

  clock.advance(10)

  assert.deepEqual(drawn, ["map", "loss"])
})

test("charts that come after their run was reported complete are drawn at once", () => {
  reportRunComplete()
  drawSoon(makeChart("map"))
  drawSoon(makeChart("loss"))
  clock.advance(0)
  assert.deepEqual(drawn, ["map", "loss"])

  drawSoon(makeChart("map"))
  clock.advance(59)
  assert.equal(drawn.length, 2)
})

test("an action after the next drawing happens once", () => {
  afterNextDrawing(() => drawn.push("action"))
  clock.advance(50)
  drawSoon(makeChart("map"))

  drawNow()
  drawSoon(makeChart("loss"))
  drawNow()

  assert.deepEqual(drawn, ["map", "action", "loss"])
})

test("an action after the next drawing does not wait for charts that may not come", () => {
  afterNextDrawing(() => drawn.push("action"))

  clock.advance(119)
  assert.deepEqual(drawn, [])
  clock.advance(1)
  assert.deepEqual(drawn, ["action"])

  drawSoon(makeChart("loss"))
  drawNow()
  assert.deepEqual(drawn, ["action", "loss"])
})

test("a chart that changes twice is drawn once", () => {
  const map = makeChart("map")
  drawSoon(map)
  drawSoon(map)

  drawNow()

  assert.deepEqual(drawn, ["map"])
})

test("charts out of view follow one by one, once nothing has been drawn for a while", () => {
  drawSoon(makeChart("table", false))
  drawSoon(makeChart("map"))
  drawSoon(makeChart("loss", false))
  drawNow()
  clock.advance(100)
  drawSoon(makeChart("map"))
  drawNow()

  clock.advance(119)
  assert.deepEqual(drawn, ["map", "map"])
  clock.advance(1)
  assert.deepEqual(drawn, ["map", "map", "table", "loss"])
})

test("listeners hear that a run is complete until they stop", () => {
  const stops = [
    onRunComplete(() => drawn.push("before"), true),
    onRunComplete(() => drawn.push("after")),
  ]
  drawSoon(makeChart("map"))

  reportRunComplete()
  assert.deepEqual(drawn.toSorted(), ["after", "before", "map"])

  for (const stop of stops) stop()
  reportRunComplete()
  assert.equal(drawn.length, 3)
})

test("listeners hear of movements beside the sliders, and whether they wait, until they stop", () => {
  const stop = onActivity((waits) => drawn.push(waits))

  reportActivity(true)
  reportActivity(false)
  stop()
  reportActivity(true)

  assert.deepEqual(drawn, [true, false])
})
