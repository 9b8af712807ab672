import assert from "node:assert/strict"
import { test } from "node:test"

import { decodeStop } from "../../../ui/export/player/delta.js"

const ENCODED = {
  title: "loss",
  data: [{ x: [1, 2], y: { $: [[3, 4], null], at: [0, 1, 0] } }],
  none: null,
}

for (
  const { stop, y } of [
    { stop: 0, y: [3, 4] },
    { stop: 1, y: null },
    { stop: 2, y: [3, 4] },
  ]
) {
  test(`stop ${stop} has what all stops share, and its own of what differs`, () => {
    const decoded = decodeStop(ENCODED, stop)

    assert.deepEqual(decoded, { title: "loss", data: [{ x: [1, 2], y }], none: null })
  })
}
