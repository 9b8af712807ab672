// Charts that change together are drawn together, and those out of view once all is calm.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import {
  complete,
  drawNow,
  drawSoon,
  onceDrawn,
  stir,
  whenComplete,
  whenStirred,
} from "../../ui/widgets/frontend/charts/batching.js"
import { Clock } from "./fakes.js"

const clock = new Clock()
let drawn
Object.assign(globalThis, { getComputedStyle: () => ({ getPropertyValue: () => "" }) })

const chart = (name, seen = true) => ({ name, seen, node: null, draw: () => drawn.push(name) })

beforeEach(() => {
  drawn = []
  drawSoon(chart("before"))
  clock.pass(10_000) // nothing waits
  drawn = []
})

test("the charts of a run are drawn when all of it has arrived", () => {
  drawSoon(chart("map"))
  drawSoon(chart("loss"))
  clock.pass(59)
  assert.deepEqual(drawn, [])
  complete()
  assert.deepEqual(drawn, ["map", "loss"])
  clock.pass(10_000)
  assert.deepEqual(drawn, ["map", "loss"])
})

test("nobody waits long for a run that is never complete", () => {
  drawSoon(chart("map"))
  clock.pass(50)
  drawSoon(chart("loss"))
  clock.pass(10)
  assert.deepEqual(drawn, ["map", "loss"])
})

test("charts that come after all was said to have arrived are drawn at once", () => {
  complete()
  drawSoon(chart("map"))
  drawSoon(chart("loss"))
  clock.pass(0)
  assert.deepEqual(drawn, ["map", "loss"])
  drawSoon(chart("map"))
  clock.pass(59)
  assert.equal(drawn.length, 2)
})

test("who waits for the next charts hears of them once, and waits no longer than for charts that may not come", () => {
  onceDrawn(() => drawn.push("heard"))
  clock.pass(50)
  drawSoon(chart("map"))
  drawNow()
  assert.deepEqual(drawn, ["map", "heard"])
  onceDrawn(() => drawn.push("in vain"))
  clock.pass(119)
  assert.equal(drawn.length, 2)
  clock.pass(1)
  assert.equal(drawn[2], "in vain")
  drawSoon(chart("loss"))
  drawNow()
  assert.deepEqual(drawn, ["map", "heard", "in vain", "loss"])
})

test("a chart that changes twice is drawn once", () => {
  const map = chart("map")
  drawSoon(map)
  drawSoon(map)
  drawNow()
  assert.deepEqual(drawn, ["map"])
})

test("what is out of view follows one by one, once nothing has been drawn for a while", () => {
  drawSoon(chart("table", false))
  drawSoon(chart("map"))
  drawSoon(chart("loss", false))
  drawNow()
  clock.pass(100)
  drawSoon(chart("map"))
  drawNow()
  clock.pass(119)
  assert.deepEqual(drawn, ["map", "map"])
  clock.pass(1)
  assert.deepEqual(drawn, ["map", "map", "table", "loss"])
})

test("who listens hears that a run is complete, until they stop", () => {
  const ends = [
    whenComplete(() => drawn.push("before"), true),
    whenComplete(() => drawn.push("after")),
  ]
  drawSoon(chart("map"))
  complete()
  assert.deepEqual(drawn.toSorted(), ["after", "before", "map"])
  ends.forEach((end) => end())
  complete()
  assert.equal(drawn.length, 3)
})

test("what is moved beside the knobs is heard, with whether it waits", () => {
  const end = whenStirred((waits) => drawn.push(waits))
  stir(true)
  stir(false)
  end()
  stir(true)
  assert.deepEqual(drawn, [true, false])
})
