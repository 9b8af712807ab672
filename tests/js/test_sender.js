// One movement on its way at a time, the newest wins, nothing is lost, and work gives way to the finger.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { Sender } from "../../ui/widgets/frontend/sliders/sender.js"
import { Clock } from "./fakes.js"

const clock = new Clock()
const DONE = { work: false, page: 0 }
const WORK = { work: true, page: 0 }
let sent, sender

beforeEach(() => {
  clock.timers.clear()
  clock.pass(60_000) // nothing was moved lately
  sent = []
  sender = new Sender((message) => sent.push(message))
})

/** The server has drawn all that was sent. */
const answer = (owed = DONE) => sender.acknowledged(sender.newest, owed)

/** What was sent so far, in short. */
const said = () =>
  sent.map(({ name, value, tick, page }) => (tick ? (page ? "page" : "work") : `${name}=${value}`))

test("one movement is on its way at a time; of the others only the newest of each knob waits", () => {
  for (const value of [1, 2, 3, 4, 5]) sender.moved("epsilon", value, false)
  sender.moved("sources", 7, true)
  sender.moved("epsilon", 6, true) // goes to the end of the line
  assert.deepEqual(said(), ["epsilon=1"])
  assert.ok(sender.busy)
  answer()
  answer()
  assert.deepEqual(said(), ["epsilon=1", "sources=7", "epsilon=6"])
  answer()
  assert.ok(!sender.busy)
  assert.equal(sent.length, 3)
})

test("a message says what was moved, whether for good, and whether the whole page is to follow", () => {
  sender.moved("step", 4, false, true)
  const { seq, ...message } = sent[0]
  assert.deepEqual(message, { name: "step", value: 4, final: false, page: true, tick: false })
  assert.equal(seq, sender.newest)
})

test("a release where the newest is on its way, or drawn, is no movement; one that goes elsewhere is", () => {
  sender.moved("epsilon", 3, false)
  sender.moved("epsilon", 3, true)
  answer()
  sender.moved("epsilon", 3, true)
  assert.deepEqual(said(), ["epsilon=3"])
  sender.moved("epsilon", 4, true)
  assert.deepEqual(said(), ["epsilon=3", "epsilon=4"])
})

test("a release of what waits is told", () => {
  sender.moved("epsilon", 3, false)
  sender.moved("epsilon", 4, false)
  sender.moved("epsilon", 3, true)
  answer()
  assert.deepEqual(said(), ["epsilon=3", "epsilon=3"])
  assert.ok(sent[1].final)
})

test("without an answer a movement is sent again, each time after twice as long, up to 16 seconds", () => {
  sender.moved("epsilon", 3, true)
  for (const [count, wait] of [2000, 4000, 8000, 16000, 16000].entries()) {
    clock.pass(wait - 1)
    assert.equal(sent.length, count + 1)
    clock.pass(1)
    assert.equal(sent.length, count + 2)
  }
  assert.equal(new Set(said()).size, 1)
  assert.equal(new Set(sent.map(({ seq }) => seq)).size, 6)
})

test("an answer makes it half as patient again, but never less than at first", () => {
  sender.moved("epsilon", 3, true)
  clock.pass(2000 + 4000) // sent three times: it would wait for 8 s
  answer()
  sender.moved("epsilon", 4, true)
  clock.pass(3999)
  assert.equal(sent.length, 4)
  clock.pass(1)
  assert.equal(sent.length, 5)
  for (const value of [5, 6, 7]) {
    answer()
    sender.moved("epsilon", value, true)
  }
  clock.pass(1999)
  assert.equal(sent.length, 8)
  clock.pass(1)
  assert.equal(sent.length, 9)
})

test("an answer that never comes holds nothing up, and what is superseded is not sent again", () => {
  for (const value of [1, 2, 3]) sender.moved("epsilon", value, false)
  sender.moved("sources", 7, true)
  clock.pass(2000)
  answer()
  assert.deepEqual(said(), ["epsilon=1", "epsilon=3", "sources=7"])
})

test("a movement that was not superseded is sent again in its turn, with all that it said", () => {
  sender.moved("step", 4, true, [5])
  sender.moved("sources", 7, true)
  clock.pass(2000)
  answer()
  assert.deepEqual(said(), ["step=4", "sources=7", "step=4"])
  assert.deepEqual({ ...sent[2], seq: 0 }, { ...sent[0], seq: 0 })
})

test("an old answer is none", () => {
  sender.moved("epsilon", 3, true)
  sender.acknowledged(sender.newest - 1, WORK)
  clock.pass(1999)
  assert.ok(sender.busy)
  assert.deepEqual(said(), ["epsilon=3"])
})

test("more work is asked for once nothing has moved for a tenth of a second", () => {
  sender.moved("epsilon", 3, false)
  clock.pass(30)
  answer(WORK)
  clock.pass(69)
  assert.deepEqual(said(), ["epsilon=3"])
  clock.pass(1)
  assert.deepEqual(said(), ["epsilon=3", "work"])
  answer(WORK)
  assert.deepEqual(said(), ["epsilon=3", "work", "work"]) // slice after slice, while nothing moves
  answer()
  clock.pass(60_000)
  assert.equal(sent.length, 3)
})

test("the page follows after the rest that the server asks for, before the work is done", () => {
  sender.moved("epsilon", 3, true)
  answer({ work: true, page: 1000 })
  clock.pass(100)
  assert.deepEqual(said().slice(1), ["work"])
  clock.pass(800)
  answer({ work: true, page: 1000 })
  assert.deepEqual(said().slice(1), ["work", "work"])
  clock.pass(100)
  answer({ work: true, page: 1000 })
  assert.deepEqual(said().slice(1), ["work", "work", "page"])
})

test("the page alone waits for its rest, and who moves again puts it off", () => {
  sender.moved("epsilon", 3, true)
  answer({ work: false, page: 1000 })
  clock.pass(999)
  sender.moved("epsilon", 4, true)
  answer({ work: false, page: 1000 })
  clock.pass(999)
  assert.deepEqual(said(), ["epsilon=3", "epsilon=4"])
  clock.pass(1)
  assert.deepEqual(said(), ["epsilon=3", "epsilon=4", "page"])
})

test("a movement does not wait for work, but for the page", () => {
  answer(WORK)
  sender.moved("epsilon", 3, false)
  assert.deepEqual(said(), ["work", "epsilon=3"])
  answer({ work: false, page: 1000 })
  clock.pass(1000)
  sender.moved("epsilon", 4, false)
  assert.deepEqual(said(), ["work", "epsilon=3", "page"])
  answer()
  assert.deepEqual(said(), ["work", "epsilon=3", "page", "epsilon=4"])
})

test("work that was lost is asked for again, as what it was", () => {
  answer({ work: false, page: 1 })
  clock.pass(1 + 2000)
  assert.deepEqual(said(), ["page", "page"])
})

test("what the server owed before it drew the newest is of no account", () => {
  sender.moved("epsilon", 3, false)
  const first = sender.newest
  clock.pass(2000) // sent again, under a new number
  sender.acknowledged(first, WORK)
  clock.pass(1000)
  answer()
  sender.acknowledged(first, WORK)
  clock.pass(1000)
  assert.deepEqual(said(), ["epsilon=3", "epsilon=3"])
})

test("while a knob plays nothing is asked for; afterwards it is", () => {
  sender.moved("step", 3, false)
  sender.hold(true)
  answer(WORK)
  clock.pass(1000)
  assert.deepEqual(said(), ["step=3"])
  sender.hold(false)
  assert.deepEqual(said(), ["step=3", "work"])
})

test("no work is asked for while a dragged mark waits for its picture, nor right after", () => {
  sender.stirred(true)
  answer(WORK)
  clock.pass(300)
  assert.deepEqual(said(), [])
  sender.stirred(false)
  clock.pass(99)
  assert.deepEqual(said(), [])
  clock.pass(1)
  assert.deepEqual(said(), ["work"])
})

test("a knob is ahead of the server while it waits, and until its newest is drawn", () => {
  assert.ok(!sender.ahead("epsilon", 0))
  sender.moved("sources", 7, false)
  sender.moved("epsilon", 3, false)
  assert.ok(sender.ahead("epsilon", sender.newest))
  const old = sender.newest
  answer()
  assert.ok(sender.ahead("epsilon", old) && !sender.ahead("sources", old))
  assert.ok(!sender.ahead("epsilon", sender.newest))
})

test("numbers are above all that the server has heard, even if the clock was set back", () => {
  const heard = sender.seq + 1_000_000
  sender.acknowledged(heard, DONE)
  sender.moved("epsilon", 3, false)
  assert.equal(sent[0].seq, heard + 1)
})

test("afresh all is sent again", () => {
  sender.moved("epsilon", 3, true)
  answer()
  sender.moved("epsilon", 4, true)
  sender.afresh()
  assert.ok(!sender.busy && !sender.ahead("epsilon", 0))
  sender.moved("epsilon", 4, true)
  assert.deepEqual(said(), ["epsilon=3", "epsilon=4", "epsilon=4"])
})

test("a server that was started anew is heard, however low its numbers, and asked with the patience of the start", () => {
  answer(WORK)
  clock.pass(2000 + 4000)
  sender.afresh()
  sender.stirred(false)
  clock.pass(1000)
  assert.equal(sent.length, 3) // it owes nothing yet
  sender.acknowledged(0, WORK)
  assert.equal(sent.length, 4)
  clock.pass(2000)
  assert.equal(sent.length, 5)
})

test("once stopped it says nothing more", () => {
  sender.moved("epsilon", 3, true)
  sender.stop()
  clock.pass(60_000)
  assert.equal(sent.length, 1)
})

test("what was moved before the browser went back is not sent again, and no longer ahead of the server", () => {
  sender.moved("epsilon", 3, true)
  sender.moved("epsilon", 4, true)
  sender.clear()
  assert.ok(!sender.busy)
  assert.ok(!sender.ahead("epsilon", 0))
  clock.pass(60_000)
  assert.deepEqual(said(), ["epsilon=3"])
  sender.moved("epsilon", 3, true)
  assert.deepEqual(said(), ["epsilon=3", "epsilon=3"])
})
