// When the server counts as silent, and when no more.

import assert from "node:assert/strict"
import { afterEach, beforeEach, test } from "node:test"

import { Clock } from "./fakes.js"

class Socket extends EventTarget {
  constructor(url) {
    super()
    this.url = url
    this.sent = []
  }
  send(message) {
    this.sent.push(message)
  }
}
class HTMLInputElement {}
/** What Streamlit's controls show. */
let controls
/** @type {any} */
const page = { querySelectorAll: () => controls }
Object.assign(globalThis, { WebSocket: Socket, document: page, HTMLInputElement })

const { Silence, tellAwaited, whenOlder } = await import(
  "../../ui/widgets/frontend/channel/timeout.js"
)

/** A choice of Streamlit's. */
function choice(label, value) {
  return Object.assign(new HTMLInputElement(), {
    value,
    getAttribute: () => label,
    querySelector: () => null,
  })
}

let clock, said, silence, stream, asked

/** What has been fetched arrives. */
async function arrives() {
  for (let turn = 0; turn < 20; turn++) await null
}

/** So many milliseconds go by in the steps in which the code looks. */
async function pass(milliseconds) {
  for (let left = milliseconds; left > 0; left -= 100) {
    clock.pass(Math.min(100, left))
    await arrives()
  }
}

/** The server gives a sign of life to the newest question for one. */
async function lives(words = { waiting: 0, seconds: 0 }) {
  asked.at(-1).resolve({ json: () => Promise.resolve(words) })
  await arrives()
}

const comes = (socket) => socket.dispatchEvent(new Event("message"))
const silent = () => said.length > 0 && said.at(-1) !== null

beforeEach(() => {
  clock = new Clock()
  ;[said, asked, controls] = [[], [], []]
  /** @type {any} */
  const fetched = (address, { signal }) => {
    const answer = Promise.withResolvers()
    asked.push({ address: String(address), signal, ...answer })
    return answer.promise
  }
  globalThis.fetch = fetched
  silence = new Silence((quiet) => said.push(quiet))
  stream = new Socket("ws://lab/_stcore/stream")
})
afterEach(() => silence.stop())

test("two seconds after a message to Streamlit to which nothing came, the server is silent", async () => {
  stream.send("choice")
  assert.deepEqual(stream.sent, ["choice"])
  await pass(1900)
  assert.deepEqual(said, [])
  assert.equal(asked.length, 1)
  assert.match(asked[0].address, /\/health$/)
  await pass(3100)
  assert.deepEqual(said, [2000, 3000, 4000, 5000])
  comes(stream)
  assert.deepEqual(said.slice(4), [null])
  await pass(60000)
  assert.equal(said.length, 5)
})

test("a question on the lab's channel is waited for in the same way", async () => {
  tellAwaited(true)
  await pass(2000)
  assert.ok(silent())
  tellAwaited(false)
  assert.ok(!silent())
})

test("a server that is at work for long, and gives signs of life, is not silent", async () => {
  silence.awaits("run", true)
  for (let second = 0; second < 30; second++) {
    await pass(1000)
    if (asked.length) await lives()
  }
  assert.deepEqual(said, [])
  assert.ok(asked.length < 16)
  await pass(5000)
  assert.ok(silent())
})

test("whatever comes on the channel is a word of the server", async () => {
  const channel = new Socket("ws://lab/lab-channel")
  channel.send("question")
  tellAwaited(true)
  for (let second = 0; second < 10; second++) {
    await pass(900)
    comes(channel)
  }
  assert.deepEqual(said, [])
  assert.equal(asked.length, 0)
  await pass(2000)
  assert.ok(silent())
})

test("a sign of life that comes late ends the silence, and it can begin anew", async () => {
  stream.send("choice")
  await pass(3000)
  assert.ok(silent())
  await lives()
  assert.ok(!silent())
  await pass(3000)
  assert.ok(silent())
})

test("a sign of life that fails is asked for again, and the server stays silent meanwhile", async () => {
  stream.send("choice")
  await pass(1000)
  asked[0].reject(new TypeError("no connection"))
  await pass(2000)
  assert.ok(silent())
  assert.ok(asked.length > 1)
  await lives()
  assert.ok(!silent())
})

test("a page that slept while it waited asks before it says anything", async () => {
  stream.send("choice")
  for (const due of clock.timers.values()) due[0] += 3_600_000
  clock.now += 3_600_000
  await pass(1000)
  assert.deepEqual(said, [])
  assert.equal(asked.length, 1)
})

test("a socket that closes leaves nothing to be waited for", async () => {
  stream.send("choice")
  stream.dispatchEvent(new Event("close"))
  await pass(10000)
  assert.deepEqual([said, asked], [[], []])
})

test("settings are named where a control shows another value than the result has", async () => {
  controls = [choice("Data", "Fleas"), choice("Method", "Sound")]
  stream.send("hello")
  comes(stream)
  await pass(200)
  assert.equal(silence.older, "")
  controls = [choice("Data", "Digits"), choice("Method", "Sound")]
  const end = whenOlder(() => [["Epsilon", "0.5"]])
  stream.send("choice")
  assert.equal(silence.older, "Epsilon 0.5, Data “Fleas”")
  end()
  assert.equal(silence.older, "Data “Fleas”")
  comes(stream)
  assert.equal(silence.older, "")
})

test("a control that was unfolded is known before it is changed", () => {
  controls = [choice("Vote", "A")]
  globalThis.dispatchEvent(new Event("focusin"))
  controls = [choice("Vote", "B")]
  globalThis.dispatchEvent(new Event("focusin"))
  stream.send("choice")
  assert.equal(silence.older, "Vote “A”")
})

test("once it is stopped, messages go out as before", () => {
  silence.stop()
  assert.equal(Object.hasOwn(Socket.prototype, "send"), true)
  stream.send("choice")
  clock.pass(10000)
  assert.equal(asked.length, 0)
})
