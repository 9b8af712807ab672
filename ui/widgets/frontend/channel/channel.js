// The channel beside Streamlit's runs. A movement is sent at once, and what differs in texts and
// charts comes back. Once nothing moves any more, Streamlit is told once: its answer shows the same,
// and the address and the tables follow.

import { releaseFrame, reportAwaiting, showFrame } from "./events.js"
import { emptyFrame, FrameCache, mergeFrame } from "./frames.js"

const MAX_REQUESTS_IN_FLIGHT = 2
const MAX_TEXT_LENGTH = 64
// Milliseconds without a movement until Streamlit is told, where the server has not said how many,
// and how many more it may take while work goes on.
const REST_MS = 300
const EXTRA_REST_MS = 700
const REST_CHECK_MS = 50
// Milliseconds until a connection is tried again that was lost, or that was never made.
const RETRY_LOST_MS = 1000
const RETRY_FAILED_MS = 60_000

/** @typedef {import("./events.js").Frame} Frame */
/** @typedef {import("./events.js").Move} Move */

/**
 * @typedef {object} Callbacks
 * @property {(moves: Move[], rested: boolean) => void} sendToStreamlit Tells Streamlit what was
 *     moved; `rested`, because nothing has moved for a while.
 * @property {(waits: boolean) => void} onActivity Streamlit's own work has to wait, or not.
 * @property {(frame: Frame) => void} onPainted The frame at the newest values is painted.
 * @property {() => void} onRelease The output of Streamlit is shown again.
 */

/** Requests frames for what is moved, and shows the newest. */
export class Channel {
  /** @param {Callbacks} callbacks */
  constructor({ sendToStreamlit, onActivity, onPainted, onRelease }) {
    this.sendToStreamlit = sendToStreamlit
    this.onActivity = onActivity
    this.onPainted = onPainted
    this.onRelease = onRelease
    // The page, its settings and its pin, as the server describes them; null without a channel.
    this.context = null
    this.socket = null
    this.retryAt = 0
    /** @type {Map<string, number | string>} what was moved, and is not in the settings yet */
    this.moves = new Map()
    /** @type {Map<string, number | string>} what of it was reported to Streamlit */
    this.reportedMoves = new Map()
    this.moving = false
    this.playing = false
    this.showsFrame = false // whether a frame covers the output of Streamlit
    this.cache = new FrameCache()
    this.wantedKey = null // the frame at the newest values
    /** @type {Frame | null} */
    this.shownFrame = null
    this.shareDone = 1 // of the work for the frame at the newest values
    this.streamlitPending = false // whether Streamlit has more to do
    this.resetConnection()
  }

  resetConnection() {
    this.sentNumber = 0 // of the newest request
    this.answeredNumber = 0
    this.overtakenNumber = 0 // answers up to this one come too late to be shown
    this.requests = new Map() // number of a request -> {key, moves}
    this.requestQueued = false // whether the wanted frame waits for room on the way
    this.prefetch = { number: 0, name: "", era: 0, keys: new Set(), moves: [] }
    this.latestFrame = emptyFrame()
    this.restMs = REST_MS
  }

  /**
   * Take over the state of the server.
   *
   * @param {any} context The page, its settings and its pin; null: there is no channel.
   * @param {string | null} acknowledged The slider whose movement the settings contain.
   * @param {boolean} pending Whether Streamlit has more to do.
   */
  update(context, acknowledged, pending) {
    this.context = context
    this.streamlitPending = pending
    if (context) this.ensureConnected()
    const isNewest = this.moves.has(acknowledged) &&
      this.reportedMoves.get(acknowledged) === this.moves.get(acknowledged)
    if (isNewest) this.moves.delete(acknowledged)
    this.releaseIfDone()
  }

  /** Show Streamlit's output once nothing moves and both sides are done: it shows the same. */
  releaseIfDone() {
    if (this.moving || this.moves.size > 0) return
    if (this.shareDone < 1 || this.streamlitPending) return
    this.release()
  }

  /** Whether what is shown is ahead of the output of Streamlit. */
  get isAhead() {
    return this.moving || this.showsFrame
  }

  /** Setting -> value, of the shown frame where it differs from the output of Streamlit. */
  get shownValues() {
    return this.showsFrame ? this.shownFrame.shows : {}
  }

  /** Show the output of Streamlit again. */
  release() {
    this.wantedKey = null
    this.shareDone = 1
    this.showsFrame = false
    releaseFrame(JSON.stringify(this.context))
    this.onRelease()
  }

  /** Drop all movements: the next `update` counts, whatever was moved. */
  discardMoves() {
    clearTimeout(this.timer)
    this.moves.clear()
    this.moving = false
    this.shareDone = 1
  }

  close() {
    clearTimeout(this.timer)
    // the panel that replaces this one does not know which frame is shown
    if (this.isAhead) releaseFrame(null)
    const socket = this.socket
    this.socket = null
    reportAwaiting(false)
    socket?.close()
  }

  /** Connect if needed; whether there is a connection. */
  ensureConnected() {
    if (this.socket) return this.socket.readyState === WebSocket.OPEN
    if (performance.now() >= this.retryAt) this.connect()
    return false
  }

  connect() {
    this.retryAt = performance.now() + RETRY_FAILED_MS
    this.resetConnection()
    // relative to this module, below whatever path the lab is served at
    const address = new URL("../../../../lab-channel", import.meta.url)
    const socket = new WebSocket(address.href.replace(/^http/, "ws"))
    this.socket = socket
    socket.onopen = () => {
      this.retryAt = 0
    }
    socket.onmessage = ({ data }) => {
      if (this.socket === socket) this.receive(JSON.parse(data))
    }
    socket.onclose = () => {
      if (this.socket === socket) this.disconnected()
    }
  }

  /** Leave everything to Streamlit while there is no connection. */
  disconnected() {
    this.retryAt ||= performance.now() + RETRY_LOST_MS
    this.socket = null
    reportAwaiting(false)
    this.shareDone = 1
    this.finish()
  }

  /** End a movement, as no further frame will come for it. */
  finish() {
    if (this.moving) {
      this.settle(false)
      return
    }
    this.onActivity(false)
    this.releaseIfDone()
  }

  /**
   * Move a slider, or a mark on a chart.
   *
   * @param {string} name
   * @param {number | string} value
   * @param {Move[]} alongside What moves together with it.
   * @returns {boolean} False where Streamlit has to be told instead.
   */
  move(name, value, alongside = []) {
    const isLongText = typeof value === "string" && value.length > MAX_TEXT_LENGTH
    if (isLongText || !this.context || !this.ensureConnected()) return false
    for (const [moved, movedValue] of alongside) this.setMove(moved, movedValue)
    this.enterScope(name)
    this.setMove(name, value)
    this.moving = true
    this.onActivity(true)
    this.movedAt = performance.now()
    this.scheduleRest(this.restMs)
    this.requestFrame(this.cache.key(name, value))
    return true
  }

  /** Store a movement as the last one: the order is that in which the server applies them. */
  setMove(name, value) {
    this.moves.delete(name)
    this.moves.set(name, value)
  }

  /** Show the frame of a key from the cache, or request it. */
  requestFrame(key) {
    const frame = this.cache.get(key)
    if (key === this.wantedKey) {
      const isOnItsWay = this.requestQueued || !frame
      if (isOnItsWay || frame === this.shownFrame) return
    }
    this.wantedKey = key
    if (frame) {
      this.requestQueued = false
      this.overtakenNumber = this.sentNumber
      this.show(frame)
    } else if (this.sentNumber - this.answeredNumber < MAX_REQUESTS_IN_FLIGHT) {
      this.sendRequest()
    } else {
      this.requestQueued = true
    }
  }

  /** Keep cached frames only while everything but one slider stays the same. */
  enterScope(name) {
    const settings = { ...this.context.settings, ...Object.fromEntries(this.moves), [name]: null }
    this.cache.enter(JSON.stringify({ ...this.context, settings }))
  }

  sendRequest() {
    this.requestQueued = false
    this.sentNumber += 1
    const moves = [...this.moves]
    this.requests.set(this.sentNumber, { key: this.wantedKey, moves })
    this.send({ number: this.sentNumber, moves })
    reportAwaiting(true)
  }

  send(message) {
    this.socket.send(JSON.stringify({ ...this.context, ...message }))
  }

  /**
   * Whether the frame at a value is in the cache, or requested ahead.
   *
   * @param {string} name
   * @param {number | string} value
   */
  isAvailable(name, value) {
    const key = this.cache.key(name, value)
    return this.cache.has(key) || this.prefetch.keys.has(key)
  }

  /**
   * Request the frames at some values ahead, in this order, which the server makes in spare time.
   *
   * @param {string} name
   * @param {(number | string)[]} values
   */
  prefetchValues(name, values) {
    if (!this.context || !this.ensureConnected()) return
    this.enterScope(name)
    if (values.length === 0 && this.prefetch.keys.size === 0) return
    if (values.length > 0 && values.every((value) => this.isAvailable(name, value))) return
    const missing = values.filter((value) => !this.cache.has(this.cache.key(name, value)))
    const moves = [...this.moves].filter(([moved]) => moved !== name)
    const keys = new Set(values.map((value) => this.cache.key(name, value)))
    const number = this.prefetch.number + 1
    this.prefetch = { number, name, era: this.cache.era, keys, moves }
    this.send({ number, moves, name, ahead: missing })
  }

  /** Take an answer of the server, to a request or to a prefetch, which has a `value`. */
  receive(answer) {
    if (answer.value === undefined) this.receiveRequested(answer)
    else this.receivePrefetched(answer)
  }

  receiveRequested(answer) {
    const { number } = answer
    this.answeredNumber = Math.max(this.answeredNumber, number)
    reportAwaiting(this.sentNumber > this.answeredNumber)
    if (answer.ordinary) {
      this.fallBack()
      return
    }
    const { key, moves } = this.requests.get(number) ?? { key: null, moves: [] }
    const frame = this.merge(answer, moves)
    for (const earlier of [...this.requests.keys()]) {
      if (earlier < number) this.requests.delete(earlier)
    }
    if (key !== null) this.cache.store(key, frame)
    if (this.requestQueued) this.sendRequest()
    // while the finger goes on, a frame of a value that it has left is better than none
    const isIntermediate = this.moving && number > this.overtakenNumber
    const isWanted = key !== null && key === this.wantedKey
    if (isWanted || isIntermediate) this.show(frame)
  }

  receivePrefetched(answer) {
    if (answer.ordinary) return
    const { number, name, era, moves } = this.prefetch
    const frame = this.merge(answer, [...moves, [name, answer.value]])
    if (answer.number !== number) return
    const key = this.cache.key(name, answer.value, era)
    if (Object.keys(answer.errors).length === 0) this.cache.store(key, frame)
    if (key !== this.wantedKey) return
    this.overtakenNumber = this.sentNumber // requests on their way are older than this frame
    this.show(frame)
  }

  /** Every answer is merged, also one that is not shown: the next holds what differs from it. */
  merge(answer, moves) {
    this.restMs = answer.rest
    this.latestFrame = mergeFrame(this.latestFrame, answer, moves)
    return this.latestFrame
  }

  /** @param {Frame} frame */
  show(frame) {
    this.shownFrame = frame
    const isNewest = frame === this.cache.get(this.wantedKey)
    if (isNewest) this.shareDone = frame.done
    const isShown = showFrame(frame, () => {
      if (isNewest) this.onPainted(frame)
    })
    if (!isShown) {
      this.fallBack()
      return
    }
    this.showsFrame = true
    if (!this.moving && this.shareDone === 1) this.finish()
  }

  /** Leave to Streamlit what cannot be shown here, until it has answered. */
  fallBack() {
    this.context = null
    this.shareDone = 1
    this.finish()
  }

  scheduleRest(waitMs) {
    clearTimeout(this.timer)
    if (this.playing) return
    this.timer = setTimeout(() => this.checkRest(), waitMs)
  }

  /**
   * A slider plays, or stops playing: while it plays there is no rest.
   *
   * @param {boolean} playing
   */
  setPlaying(playing) {
    this.playing = playing
    if (this.moving) this.scheduleRest(this.restMs)
  }

  /** Settle once nothing has moved for long enough and all has come, or it takes too long. */
  checkRest() {
    const restedMs = performance.now() - this.movedAt
    if (restedMs < this.restMs) {
      this.scheduleRest(this.restMs - restedMs)
      return
    }
    const isAnswered = this.sentNumber === this.answeredNumber
    const isRequested = this.requests.get(this.sentNumber)?.key === this.wantedKey
    // a frame from the cache, for which more work is to be done, was not requested yet
    if (this.shareDone < 1 && !isRequested && isAnswered) this.sendRequest()
    const hasAllCome = this.sentNumber === this.answeredNumber && this.shareDone === 1
    if (!hasAllCome && restedMs < this.restMs + EXTRA_REST_MS) {
      this.scheduleRest(REST_CHECK_MS)
      return
    }
    this.settle(true)
  }

  /**
   * Tell Streamlit at once what was moved.
   *
   * @param {boolean} rested
   */
  settle(rested) {
    clearTimeout(this.timer)
    if (!this.moving) return
    this.moving = false
    this.reportedMoves = new Map(this.moves)
    this.onActivity(this.shareDone < 1)
    this.sendToStreamlit([...this.moves], rested)
  }
}
