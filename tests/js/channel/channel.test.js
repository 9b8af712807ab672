import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { Channel } from "../../../ui/widgets/frontend/channel/channel.js"
import { onAwaiting, onFrame } from "../../../ui/widgets/frontend/channel/events.js"
import { FakeClock } from "../fakes.js"

const CONTEXT = { page: "toy", settings: { epsilon: "1" } }
const REST_MS = 300
let clock, socket, channel, shown, released, releaseCount, toldStreamlit, activity

class FakeSocket {
  static OPEN = 1
  constructor() {
    socket = this
    this.readyState = FakeSocket.OPEN
    this.sent = []
  }
  send(text) {
    this.sent.push(JSON.parse(text))
  }
  close() {}
}
Object.assign(globalThis, { WebSocket: FakeSocket })

onFrame((frame, onPainted) => {
  shown.push(frame.words.verdict)
  onPainted()
  return true
}, (context) => released.push(context))

/** Let the server answer a request, or one that was made ahead, which has a `value`. */
function answer(number, verdict, more = {}) {
  const message = {
    number,
    done: 1,
    rest: REST_MS,
    errors: {},
    values: {},
    words: { verdict },
    charts: {},
    ...more,
  }
  socket.onmessage({ data: JSON.stringify(message) })
}

beforeEach(() => {
  clock = new FakeClock()
  clock.advance(1)
  shown = []
  released = []
  toldStreamlit = []
  activity = []
  channel = new Channel({
    sendToStreamlit: (moves) => toldStreamlit.push(moves),
    onActivity: (waits) => activity.push(waits),
    onPainted: () => {},
    onRelease: () => {
      releaseCount += 1
    },
  })
  channel.update(CONTEXT, null, false)
  released.length = 0
  releaseCount = 0
})

test("a movement is requested and shown, and Streamlit is told once it rests", () => {
  assert.ok(channel.move("epsilon", 2))
  assert.deepEqual(socket.sent, [{ ...CONTEXT, number: 1, moves: [["epsilon", 2]] }])

  answer(1, "two")
  assert.deepEqual(shown, ["two"])

  clock.advance(REST_MS + 100)
  assert.deepEqual(toldStreamlit, [[["epsilon", 2]]])
  assert.deepEqual(released, [])
})

test("the output of Streamlit is shown again once it contains the movement", () => {
  const contextAfter = { ...CONTEXT, settings: { epsilon: "2" } }
  channel.move("epsilon", 2)
  answer(1, "two")
  clock.advance(REST_MS + 100)

  channel.update(contextAfter, "epsilon", false)

  assert.deepEqual(released, [JSON.stringify(contextAfter)])
})

test("a panel that goes while its frame is shown gives the page back to Streamlit", () => {
  channel.move("epsilon", 2)
  answer(1, "two")
  clock.advance(REST_MS + 100)
  assert.deepEqual(released, [])

  channel.close()

  assert.deepEqual(released, [null])
})

test("an answer that a prefetched frame has overtaken is not shown any more", () => {
  channel.prefetchValues("epsilon", [2, 3])
  channel.move("epsilon", 2)
  answer(1, "two", { value: 2 })
  channel.move("epsilon", 3)
  answer(1, "three", { value: 3 })

  answer(1, "two")
  answer(2, "three")

  assert.deepEqual(shown, ["two", "three", "three"])
})

test("a frame that was requested ahead at other settings is not kept for these", () => {
  channel.prefetchValues("epsilon", [2])
  channel.update({ ...CONTEXT, settings: { epsilon: "1", steps: "9" } }, null, false)

  channel.move("epsilon", 3)
  answer(1, "two, but at other steps", { value: 2 })

  assert.ok(!channel.isAvailable("epsilon", 2))
})

test("the release of a slider whose frame is shown shows and requests nothing", () => {
  channel.move("epsilon", 2)
  answer(1, "two")

  channel.move("epsilon", 2)

  assert.deepEqual(shown, ["two"])
  assert.equal(socket.sent.length, 1)
})

test("the output of Streamlit is shown again when both are done and the channel is the last", () => {
  channel.move("epsilon", 4)
  answer(1, "half", { done: 0.5 })
  clock.advance(2000)
  channel.update(CONTEXT, "epsilon", false)
  assert.equal(released.length, 0)

  answer(1, "all")

  assert.equal(released.length, 1)
  assert.equal(releaseCount, 1)
  assert.equal(activity.at(-1), false)
})

test("the output of Streamlit is shown again when both are done and Streamlit is the last", () => {
  channel.move("epsilon", 4)
  answer(1, "half", { done: 0.5 })
  clock.advance(2000)
  answer(1, "all")
  channel.update(CONTEXT, "epsilon", true)
  assert.equal(released.length, 0)

  channel.update(CONTEXT, null, false)

  assert.equal(released.length, 1)
  assert.equal(releaseCount, 1)
  assert.equal(activity.at(-1), false)
})

test("a lost connection leaves unfinished work to Streamlit", () => {
  channel.move("epsilon", 5)
  answer(1, "half", { done: 0.5 })
  clock.advance(2000)
  channel.update(CONTEXT, "epsilon", false)
  assert.deepEqual(released, [])

  socket.onclose()

  assert.equal(released.length, 1)
})

test("the shown values are those of the shown frame, with what has moved along", () => {
  assert.deepEqual(channel.shownValues, {})
  channel.move("epsilon", 2)
  channel.move("epsilon", 3)

  answer(1, "two", { values: { steps: 9 } })
  assert.deepEqual(channel.shownValues, { epsilon: 2, steps: 9 })

  answer(2, "three")
  assert.deepEqual(channel.shownValues, { epsilon: 3 })
})

test("the shown values are those of a prefetched frame until Streamlit shows the same", () => {
  channel.prefetchValues("epsilon", [4])
  answer(1, "four", { value: 4 })
  channel.move("epsilon", 4)
  assert.deepEqual(channel.shownValues, { epsilon: 4 })

  clock.advance(REST_MS + 100)
  channel.update({ ...CONTEXT, settings: { epsilon: "4" } }, "epsilon", false)

  assert.deepEqual(channel.shownValues, {})
})

test("an answer is awaited until the newest request has one, or the connection is lost", () => {
  const reports = []
  const stop = onAwaiting((awaiting) => reports.push(awaiting))

  channel.move("epsilon", 2)
  channel.move("epsilon", 3)
  answer(1, "two")
  assert.equal(reports.at(-1), true)
  answer(2, "three")
  assert.equal(reports.at(-1), false)

  channel.prefetchValues("epsilon", [4])
  assert.equal(reports.at(-1), false)

  channel.move("epsilon", 5)
  assert.equal(reports.at(-1), true)
  socket.onclose()
  assert.equal(reports.at(-1), false)
  stop()
})
