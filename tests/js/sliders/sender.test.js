import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { Sender } from "../../../ui/widgets/frontend/sliders/sender.js"
import { FakeClock } from "../fakes.js"

const clock = new FakeClock()
const LONG_AGO_MS = 60_000
const NOTHING = { work: false, page: 0 }
const WORK = { work: true, page: 0 }
let sent, sender

beforeEach(() => {
  clock.timers.clear()
  clock.advance(LONG_AGO_MS) // since the last movement
  sent = []
  sender = new Sender((message) => sent.push(message))
})

/** Let the server have drawn all that was sent. */
function acknowledgeAll(pending = NOTHING) {
  sender.acknowledge(sender.newestNumber, pending)
}

function shortText({ name, value, tick, page }) {
  if (!tick) return `${name}=${value}`
  return page ? "page" : "work"
}

function sentTexts() {
  return sent.map(shortText)
}

test("one movement is on its way at a time, and only the newest of each slider waits", () => {
  for (const value of [1, 2, 3, 4, 5]) sender.move("epsilon", value, false)
  sender.move("sources", 7, true)
  sender.move("epsilon", 6, true) // now the last to be sent
  assert.deepEqual(sentTexts(), ["epsilon=1"])
  assert.ok(sender.isBusy)

  acknowledgeAll()
  acknowledgeAll()
  assert.deepEqual(sentTexts(), ["epsilon=1", "sources=7", "epsilon=6"])

  acknowledgeAll()
  assert.ok(!sender.isBusy)
  assert.equal(sent.length, 3)
})

test("a message holds the movement, and whether it is final and asks for the whole page", () => {
  sender.move("step", 4, false, true)

  const { seq, ...message } = sent[0]
  assert.deepEqual(message, { name: "step", value: 4, final: false, page: true, tick: false })
  assert.equal(seq, sender.newestNumber)
})

test("a release is not sent while its value is on its way", () => {
  sender.move("epsilon", 3, false)
  sender.move("epsilon", 3, true)
  acknowledgeAll()

  assert.deepEqual(sentTexts(), ["epsilon=3"])
})

test("a release is not sent after its value is drawn, but another value is", () => {
  sender.move("epsilon", 3, false)
  acknowledgeAll()

  sender.move("epsilon", 3, true)
  assert.deepEqual(sentTexts(), ["epsilon=3"])

  sender.move("epsilon", 4, true)
  assert.deepEqual(sentTexts(), ["epsilon=3", "epsilon=4"])
})

test("a release is sent while another value waits", () => {
  sender.move("epsilon", 3, false)
  sender.move("epsilon", 4, false)
  sender.move("epsilon", 3, true)

  acknowledgeAll()

  assert.deepEqual(sentTexts(), ["epsilon=3", "epsilon=3"])
  assert.ok(sent[1].final)
})

test("a movement without an answer is sent again, after twice as long, up to 16 seconds", () => {
  sender.move("epsilon", 3, true)

  for (const [count, waitMs] of [2000, 4000, 8000, 16_000, 16_000].entries()) {
    clock.advance(waitMs - 1)
    assert.equal(sent.length, count + 1)
    clock.advance(1)
    assert.equal(sent.length, count + 2)
  }

  assert.equal(new Set(sentTexts()).size, 1)
  assert.equal(new Set(sent.map(({ seq }) => seq)).size, 6)
})

test("an answer halves the timeout again", () => {
  sender.move("epsilon", 3, true)
  clock.advance(2000 + 4000) // sent three times: the timeout is 8 s
  acknowledgeAll()

  sender.move("epsilon", 4, true)
  clock.advance(3999)
  assert.equal(sent.length, 4)
  clock.advance(1)
  assert.equal(sent.length, 5)
})

test("the timeout is never shorter than at first", () => {
  sender.move("epsilon", 4, true)
  for (const value of [5, 6, 7]) {
    acknowledgeAll()
    sender.move("epsilon", value, true)
  }

  clock.advance(1999)
  assert.equal(sent.length, 4)
  clock.advance(1)
  assert.equal(sent.length, 5)
})

test("a lost answer holds nothing up, and what is superseded is not sent again", () => {
  for (const value of [1, 2, 3]) sender.move("epsilon", value, false)
  sender.move("sources", 7, true)

  clock.advance(2000)
  acknowledgeAll()

  assert.deepEqual(sentTexts(), ["epsilon=1", "epsilon=3", "sources=7"])
})

test("a movement that is not superseded is sent again in its turn, with all that it held", () => {
  sender.move("step", 4, true, true)
  sender.move("sources", 7, true)

  clock.advance(2000)
  acknowledgeAll()

  assert.deepEqual(sentTexts(), ["step=4", "sources=7", "step=4"])
  assert.deepEqual({ ...sent[2], seq: 0 }, { ...sent[0], seq: 0 })
})

test("an answer to an earlier message is none", () => {
  sender.move("epsilon", 3, true)

  sender.acknowledge(sender.newestNumber - 1, WORK)
  clock.advance(1999)

  assert.ok(sender.isBusy)
  assert.deepEqual(sentTexts(), ["epsilon=3"])
})

test("work is asked for once nothing has moved for a tenth of a second", () => {
  sender.move("epsilon", 3, false)
  clock.advance(30)
  acknowledgeAll(WORK)

  clock.advance(69)
  assert.deepEqual(sentTexts(), ["epsilon=3"])
  clock.advance(1)
  assert.deepEqual(sentTexts(), ["epsilon=3", "work"])
})

test("work is asked for slice after slice, until there is no more", () => {
  acknowledgeAll(WORK)
  acknowledgeAll(WORK)
  assert.deepEqual(sentTexts(), ["work", "work"])

  acknowledgeAll()
  clock.advance(LONG_AGO_MS)
  assert.equal(sent.length, 2)
})

test("the whole page is asked for after its rest, before the work is done", () => {
  sender.move("epsilon", 3, true)
  acknowledgeAll({ work: true, page: 1000 })
  clock.advance(100)
  assert.deepEqual(sentTexts().slice(1), ["work"])

  clock.advance(800)
  acknowledgeAll({ work: true, page: 1000 })
  assert.deepEqual(sentTexts().slice(1), ["work", "work"])

  clock.advance(100)
  acknowledgeAll({ work: true, page: 1000 })
  assert.deepEqual(sentTexts().slice(1), ["work", "work", "page"])
})

test("a movement restarts the rest before the whole page", () => {
  sender.move("epsilon", 3, true)
  acknowledgeAll({ work: false, page: 1000 })
  clock.advance(999)
  sender.move("epsilon", 4, true)
  acknowledgeAll({ work: false, page: 1000 })

  clock.advance(999)
  assert.deepEqual(sentTexts(), ["epsilon=3", "epsilon=4"])
  clock.advance(1)
  assert.deepEqual(sentTexts(), ["epsilon=3", "epsilon=4", "page"])
})

test("a movement does not wait for work", () => {
  acknowledgeAll(WORK)

  sender.move("epsilon", 3, false)

  assert.deepEqual(sentTexts(), ["work", "epsilon=3"])
})

test("a movement waits for a run of the whole page", () => {
  acknowledgeAll({ work: false, page: 1000 })
  clock.advance(1000)

  sender.move("epsilon", 4, false)
  assert.deepEqual(sentTexts(), ["page"])

  acknowledgeAll()
  assert.deepEqual(sentTexts(), ["page", "epsilon=4"])
})

test("a lost request for the whole page is repeated as such", () => {
  acknowledgeAll({ work: false, page: 1 })

  clock.advance(1 + 2000)

  assert.deepEqual(sentTexts(), ["page", "page"])
})

test("work that was pending before the newest message is not asked for", () => {
  sender.move("epsilon", 3, false)
  const first = sender.newestNumber
  clock.advance(2000) // sent again, under a new number

  sender.acknowledge(first, WORK)
  clock.advance(1000)
  acknowledgeAll()
  sender.acknowledge(first, WORK)
  clock.advance(1000)

  assert.deepEqual(sentTexts(), ["epsilon=3", "epsilon=3"])
})

test("no work is asked for while a slider plays, but afterwards", () => {
  sender.move("step", 3, false)
  sender.hold(true)
  acknowledgeAll(WORK)
  clock.advance(1000)
  assert.deepEqual(sentTexts(), ["step=3"])

  sender.hold(false)

  assert.deepEqual(sentTexts(), ["step=3", "work"])
})

test("no work is asked for while a dragged mark waits for its chart, nor right after", () => {
  sender.noteActivity(true)
  acknowledgeAll(WORK)
  clock.advance(300)
  assert.deepEqual(sentTexts(), [])

  sender.noteActivity(false)
  clock.advance(99)
  assert.deepEqual(sentTexts(), [])
  clock.advance(1)
  assert.deepEqual(sentTexts(), ["work"])
})

test("a slider is ahead of the server while it waits, and until its newest value is drawn", () => {
  assert.ok(!sender.isAhead("epsilon", 0))
  sender.move("sources", 7, false)
  sender.move("epsilon", 3, false)
  assert.ok(sender.isAhead("epsilon", sender.newestNumber))

  const before = sender.newestNumber
  acknowledgeAll()
  assert.ok(sender.isAhead("epsilon", before))
  assert.ok(!sender.isAhead("sources", before))
  assert.ok(!sender.isAhead("epsilon", sender.newestNumber))
})

test("numbers are above all that the server has drawn, even if the clock was set back", () => {
  const drawn = sender.nextNumber + 1_000_000
  sender.acknowledge(drawn, NOTHING)

  sender.move("epsilon", 3, false)

  assert.equal(sent[0].seq, drawn + 1)
})

test("after a reset all is sent again", () => {
  sender.move("epsilon", 3, true)
  acknowledgeAll()
  sender.move("epsilon", 4, true)

  sender.reset()
  assert.ok(!sender.isBusy)
  assert.ok(!sender.isAhead("epsilon", 0))

  sender.move("epsilon", 4, true)
  assert.deepEqual(sentTexts(), ["epsilon=3", "epsilon=4", "epsilon=4"])
})

test("a server that was restarted is asked with the first timeout, however low its numbers", () => {
  acknowledgeAll(WORK)
  clock.advance(2000 + 4000)
  sender.reset()
  sender.noteActivity(false)
  clock.advance(1000)
  assert.equal(sent.length, 3) // nothing is pending yet

  sender.acknowledge(0, WORK)
  assert.equal(sent.length, 4)
  clock.advance(2000)
  assert.equal(sent.length, 5)
})

test("nothing is sent once it is stopped", () => {
  sender.move("epsilon", 3, true)

  sender.stop()
  clock.advance(LONG_AGO_MS)

  assert.equal(sent.length, 1)
})

test("what was moved is not sent any more once all is cleared, nor ahead of the server", () => {
  sender.move("epsilon", 3, true)
  sender.move("epsilon", 4, true)

  sender.clear()
  assert.ok(!sender.isBusy)
  assert.ok(!sender.isAhead("epsilon", 0))
  clock.advance(LONG_AGO_MS)
  assert.deepEqual(sentTexts(), ["epsilon=3"])

  sender.move("epsilon", 3, true)
  assert.deepEqual(sentTexts(), ["epsilon=3", "epsilon=3"])
})
