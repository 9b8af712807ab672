// What is said to who has to wait, and that it goes when it is over.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { Busy, ofLine, ofRuns, tellLine } from "../../ui/live/assets/busy.js"

let said

beforeEach(() => {
  said = []
})

test("a place in line is said in words", () => {
  assert.equal(ofLine({ before: 12, seconds: 3.2 }), "The lab is busy, 12 others are before you: about 3 s.")
  assert.equal(ofLine({ before: 1, seconds: 0.2 }), "The lab is busy, 1 other is before you: about 1 s.")
  assert.equal(ofLine({ before: 0, seconds: 1 }), "The lab is busy, you are next: about 1 s.")
  assert.equal(ofRuns({ waiting: 30, seconds: 8.6 }), "The lab is busy, 30 pages wait for an answer: up to 9 s.")
  assert.equal(ofRuns({ waiting: 1, seconds: 8.6 }), "")
})

test("the line is said while one stands in it", () => {
  const busy = new Busy((words) => said.push(words))
  tellLine({ before: 2, seconds: 2 })
  tellLine(null)
  assert.deepEqual(said, [ofLine({ before: 2, seconds: 2 }), ""])
  busy.stop()
  tellLine({ before: 2, seconds: 2 })
  assert.equal(said.length, 2)
})

test("how many pages wait is said while a run is at work", () => {
  const busy = new Busy((words) => said.push(words))
  const answer = { waiting: 5, seconds: 4 }
  busy.told(answer)
  assert.deepEqual(said, [])
  busy.runs(true)
  busy.told(answer)
  busy.told({ waiting: 0, seconds: 0 })
  assert.deepEqual(said, [ofRuns(answer), ""])
  busy.told(answer)
  busy.runs(false)
  assert.deepEqual(said.slice(2), [ofRuns(answer), ""])
  busy.stop()
})
