// What is said to who has to wait, and that it goes when it is over.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { Busy, ofLine, ofRuns, tellLine } from "../../ui/live/assets/busy.js"
import { Clock } from "./fakes.js"

let clock, said, asked, answer
/** @type {any} */
const fetched = (address) => {
  asked.push(String(address))
  return answer ? Promise.resolve({ json: () => Promise.resolve(answer) }) : Promise.reject(new TypeError("no server"))
}
globalThis.fetch = fetched
/** What has been fetched arrives. */
async function arrives() {
  for (let turn = 0; turn < 10; turn++) await null
}

beforeEach(() => {
  clock = new Clock()
  ;[said, asked, answer] = [[], [], { waiting: 0, seconds: 0 }]
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

test("a run that is slow asks how many wait, until it ends", async () => {
  const busy = new Busy((words) => said.push(words))
  answer = { waiting: 5, seconds: 4 }
  busy.runs(true)
  clock.pass(1400)
  assert.deepEqual(asked, [])
  clock.pass(200)
  await arrives()
  assert.match(asked[0], /\/lab-busy$/)
  assert.deepEqual(said, [ofRuns(answer)])
  answer = { waiting: 0, seconds: 0 }
  clock.pass(4000)
  await arrives()
  assert.equal(said.at(-1), "")
  answer = { waiting: 9, seconds: 4 }
  clock.pass(4000)
  await arrives()
  busy.runs(false)
  assert.deepEqual(said.slice(2), [ofRuns(answer), ""])
  clock.pass(60000)
  assert.equal(asked.length, 3)
  busy.stop()
})

test("a run that is quick, and a server that says nothing, are passed over in silence", async () => {
  const busy = new Busy((words) => said.push(words))
  busy.runs(true)
  clock.pass(1000)
  busy.runs(false)
  clock.pass(5000)
  answer = null
  busy.runs(true)
  clock.pass(2000)
  await arrives()
  assert.equal(asked.length, 1)
  assert.deepEqual(said, [])
  busy.stop()
})
