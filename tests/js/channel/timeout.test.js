import assert from "node:assert/strict"
import { afterEach, beforeEach, test } from "node:test"

import { onCollectOutdated, reportAwaiting } from "../../../ui/widgets/frontend/channel/events.js"
import { FakeClock } from "../fakes.js"

class FakeSocket extends EventTarget {
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

// What Streamlit's controls show.
let controls
const document = { querySelectorAll: () => controls }
Object.assign(globalThis, { WebSocket: FakeSocket, document, HTMLInputElement })

const { SilenceMonitor } = await import("../../../ui/widgets/frontend/channel/timeout.js")

const STREAMLIT = "ws://lab/_stcore/stream"
const CHANNEL = "ws://lab/lab-channel"
const STEP_MS = 100
let clock, reports, monitor, stream, probes

function control(label, value) {
  return Object.assign(new HTMLInputElement(), {
    value,
    getAttribute: () => label,
    querySelector: () => null,
  })
}

/** Let all settled promises have their effects. */
async function settlePromises() {
  for (let turn = 0; turn < 20; turn++) await null
}

/** Let milliseconds pass, and let promises settle in between. */
async function advance(milliseconds) {
  for (let left = milliseconds; left > 0; left -= STEP_MS) {
    clock.advance(Math.min(STEP_MS, left))
    await settlePromises()
  }
}

/** Let the server give a sign of life to the newest probe. */
async function answerProbe() {
  probes.at(-1).resolve(null)
  await settlePromises()
}

function receive(socket) {
  socket.dispatchEvent(new Event("message"))
}

function isSilent() {
  return reports.length > 0 && reports.at(-1) !== null
}

beforeEach(() => {
  clock = new FakeClock()
  reports = []
  probes = []
  controls = []
  /** @type {any} */
  const fetch = (address) => {
    const answer = Promise.withResolvers()
    probes.push({ address: String(address), ...answer })
    return answer.promise
  }
  globalThis.fetch = fetch
  monitor = new SilenceMonitor((silentMs) => reports.push(silentMs))
  stream = new FakeSocket(STREAMLIT)
})
afterEach(() => monitor.stop())

test("the server is silent two seconds after a message to Streamlit without an answer", async () => {
  stream.send("choice")
  assert.deepEqual(stream.sent, ["choice"])

  await advance(1900)
  assert.deepEqual(reports, [])
  assert.equal(probes.length, 1)
  assert.match(probes[0].address, /\/health$/)

  await advance(3100)
  assert.deepEqual(reports, [2000, 3000, 4000, 5000])
})

test("the silence ends with a message, once", async () => {
  stream.send("choice")
  await advance(2000)

  receive(stream)
  await advance(60_000)

  assert.deepEqual(reports, [2000, null])
})

test("an answer on the lab's channel is waited for in the same way", async () => {
  reportAwaiting(true)
  await advance(2000)
  assert.ok(isSilent())

  reportAwaiting(false)
  assert.ok(!isSilent())
})

test("a server that works for long and gives signs of life is not silent", async () => {
  monitor.setAwaiting("run", true)

  for (let second = 0; second < 30; second++) {
    await advance(1000)
    if (probes.length > 0) await answerProbe()
  }
  assert.deepEqual(reports, [])
  assert.ok(probes.length < 16)

  await advance(5000)
  assert.ok(isSilent())
})

test("any message on the channel is a sign of life", async () => {
  const channel = new FakeSocket(CHANNEL)
  channel.send("request")
  reportAwaiting(true)

  for (let times = 0; times < 10; times++) {
    await advance(900)
    receive(channel)
  }
  assert.deepEqual(reports, [])
  assert.equal(probes.length, 0)

  await advance(2000)
  assert.ok(isSilent())
})

test("a late sign of life ends the silence, which can begin anew", async () => {
  stream.send("choice")
  await advance(3000)
  assert.ok(isSilent())

  await answerProbe()
  assert.ok(!isSilent())

  await advance(3000)
  assert.ok(isSilent())
})

test("a probe that fails is repeated, and the server stays silent meanwhile", async () => {
  stream.send("choice")
  await advance(1000)

  probes[0].reject(new TypeError("no connection"))
  await advance(2000)
  assert.ok(isSilent())
  assert.ok(probes.length > 1)

  await answerProbe()
  assert.ok(!isSilent())
})

test("a page that slept while it waited probes before it reports anything", async () => {
  stream.send("choice")
  for (const timer of clock.timers.values()) timer.due += 3_600_000
  clock.now += 3_600_000

  await advance(1000)

  assert.deepEqual(reports, [])
  assert.equal(probes.length, 1)
})

test("nothing is awaited from a socket that is closed", async () => {
  stream.send("choice")

  stream.dispatchEvent(new Event("close"))
  await advance(10_000)

  assert.deepEqual([reports, probes], [[], []])
})

test("settings are outdated where a control shows another value than the result has", async () => {
  controls = [control("Data", "Fleas"), control("Method", "Correct")]
  stream.send("hello")
  receive(stream)
  await advance(200)
  assert.equal(monitor.outdatedSettings, "")

  controls = [control("Data", "Digits"), control("Method", "Correct")]
  const stop = onCollectOutdated(() => [["Epsilon", "0.5"]])
  stream.send("choice")
  assert.equal(monitor.outdatedSettings, "Epsilon 0.5, Data “Fleas”")

  stop()
  assert.equal(monitor.outdatedSettings, "Data “Fleas”")

  receive(stream)
  assert.equal(monitor.outdatedSettings, "")
})

test("an unfolded control is read before it is changed", () => {
  controls = [control("Vote", "A")]
  globalThis.dispatchEvent(new Event("focusin"))
  controls = [control("Vote", "B")]
  globalThis.dispatchEvent(new Event("focusin"))

  stream.send("choice")

  assert.equal(monitor.outdatedSettings, "Vote “A”")
})

test("messages go out as before once the monitor is stopped", () => {
  monitor.stop()
  assert.equal(Object.hasOwn(FakeSocket.prototype, "send"), true)

  stream.send("choice")
  clock.advance(10_000)

  assert.equal(probes.length, 0)
})
