// What was recorded at many stops is read as that of one.

import assert from "node:assert/strict"
import { test } from "node:test"

import { unfolded } from "../../ui/export/player/delta.js"

test("what is the same at all stops is there at each, and what differs is that of the stop", () => {
  const folded = {
    title: "loss",
    data: [{ x: [1, 2], y: { $: [[3, 4], null], at: [0, 1, 0] } }],
    none: null,
  }
  const at = (y) => ({ title: "loss", data: [{ x: [1, 2], y }], none: null })
  assert.deepEqual([0, 1, 2].map((stop) => unfolded(folded, stop)), [
    at([3, 4]),
    at(null),
    at([3, 4]),
  ])
})
