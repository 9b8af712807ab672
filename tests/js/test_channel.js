// Questions on the channel, and which of the answers are shown.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { Channel, whenFramed } from "../../ui/widgets/frontend/channel/channel.js"
import { Clock } from "./fakes.js"

const ABOUT = { page: "toy", settings: { epsilon: "1" } }
let clock, socket, channel, seen, released, rested, told, stirs

class Socket {
  static OPEN = 1
  constructor() {
    socket = this
    this.readyState = Socket.OPEN
    this.sent = []
    this.send = (text) => this.sent.push(JSON.parse(text))
    this.close = () => {}
  }
}
Object.assign(globalThis, { WebSocket: Socket })
whenFramed((frame, then) => {
  seen.push(frame.words.verdict)
  then()
  return true
}, (of) => released.push(of))

/** The server answers the question of this number, or tells of a stop that was asked for ahead. */
function answer(number, words, more = {}) {
  const news = {
    number,
    done: 1,
    rest: 300,
    errors: {},
    values: {},
    words: { verdict: words },
    charts: {},
    ...more,
  }
  socket.onmessage({ data: JSON.stringify(news) })
}

beforeEach(() => {
  clock = new Clock()
  clock.pass(1)
  ;[seen, released, told, stirs] = [[], [], [], []]
  channel = new Channel({
    hand: (moves) => told.push(moves),
    stir: (waits) => stirs.push(waits),
    shown: () => {},
    released: () => (rested += 1),
  })
  channel.update(ABOUT, null, false)
  released.length = 0
  rested = 0
})

test("what is moved is asked about, shown, and told to Streamlit once it rests", () => {
  assert.ok(channel.take("epsilon", 2))
  assert.deepEqual(socket.sent, [{ ...ABOUT, number: 1, moves: [["epsilon", 2]] }])
  answer(1, "two")
  assert.deepEqual(seen, ["two"])
  clock.pass(400)
  assert.deepEqual(told, [[["epsilon", 2]]])
  assert.deepEqual(released, [])
  const after = { ...ABOUT, settings: { epsilon: "2" } }
  channel.update(after, "epsilon", false)
  assert.deepEqual(released, [JSON.stringify(after)])
})

test("a panel that goes while its picture is shown gives the page back to what Streamlit has sent", () => {
  channel.take("epsilon", 2)
  answer(1, "two")
  clock.pass(400)
  assert.deepEqual(released, [])
  channel.stop()
  assert.deepEqual(released, [null])
})

test("an answer that a stop from hand has overtaken is not shown any more", () => {
  channel.near("epsilon", [2, 3])
  channel.take("epsilon", 2)
  answer(1, "two", { value: 2 })
  channel.take("epsilon", 3)
  answer(1, "three", { value: 3 })
  answer(1, "two")
  answer(2, "three")
  assert.deepEqual(seen, ["two", "three", "three"])
})

test("the release of a knob whose picture is shown shows and asks nothing anew", () => {
  channel.take("epsilon", 2)
  answer(1, "two")
  channel.take("epsilon", 2)
  assert.deepEqual(seen, ["two"])
  assert.equal(socket.sent.length, 1)
})

test("Streamlit's word counts again when both are done, whichever is the last", () => {
  for (const last of ["channel", "streamlit"]) {
    const before = released.length
    channel.take("epsilon", 4)
    const number = socket.sent.at(-1).number
    answer(number, "half", { done: 0.5 })
    clock.pass(2000)
    if (last === "channel") channel.update(ABOUT, "epsilon", false)
    else answer(number, "all")
    assert.equal(released.length, before)
    if (last === "channel") answer(number, "all")
    else {
      channel.update(ABOUT, "epsilon", true)
      assert.equal(released.length, before)
      channel.update(ABOUT, null, false)
    }
    assert.equal(released.length, before + 1)
    assert.equal(rested, before + 1)
    assert.equal(stirs.at(-1), false)
  }
})

test("a connection that is lost leaves what is at work to Streamlit", () => {
  channel.take("epsilon", 5)
  answer(1, "half", { done: 0.5 })
  clock.pass(2000)
  channel.update(ABOUT, "epsilon", false)
  assert.deepEqual(released, [])
  socket.onclose()
  assert.equal(released.length, 1)
})

test("it is known of which values the picture is that is shown", () => {
  assert.deepEqual(channel.shows, {})
  channel.take("epsilon", 2)
  channel.take("epsilon", 3)
  answer(1, "two", { values: { steps: 9 } })
  assert.deepEqual(channel.shows, { epsilon: 2, steps: 9 })
  answer(2, "three")
  assert.deepEqual(channel.shows, { epsilon: 3 })
  channel.near("epsilon", [4])
  answer(1, "four", { value: 4 })
  channel.take("epsilon", 4)
  assert.deepEqual(channel.shows, { epsilon: 4 })
  clock.pass(400)
  channel.update({ ...ABOUT, settings: { epsilon: "4" } }, "epsilon", false)
  assert.deepEqual(channel.shows, {})
})

test("an answer is awaited until the newest question has one, or the connection is lost", () => {
  const told = []
  /** @type {any} */
  const heard = ({ detail }) => told.push(detail)
  globalThis.addEventListener("epsilon-lab:awaited", heard)
  channel.take("epsilon", 2)
  channel.take("epsilon", 3)
  answer(1, "two")
  assert.equal(told.at(-1), true)
  answer(2, "three")
  assert.equal(told.at(-1), false)
  channel.near("epsilon", [4])
  assert.equal(told.at(-1), false)
  channel.take("epsilon", 5)
  assert.equal(told.at(-1), true)
  socket.onclose()
  assert.equal(told.at(-1), false)
  globalThis.removeEventListener("epsilon-lab:awaited", heard)
})
