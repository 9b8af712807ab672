// The channel beside Streamlit's runs. What is moved is asked about at once; what differs in words and pictures comes
// back. When nothing moves any more Streamlit is told, once: its answer shows the same, and address and tables follow.

import { load } from "./images.js"
import { tellAwaited } from "./timeout.js"

const SHOW = "epsilon-lab:show"
const RELEASE = "epsilon-lab:release"
const MOVED = "epsilon-lab:moved"
const STEPPED = "epsilon-lab:stepped"
const AT_ONCE = 2 // questions on their way
// Milliseconds: how long nothing has moved when Streamlit is told, where the server has not said it; how much longer it may
// be while work goes on; how often to look.
const REST = 300
const MORE_REST = 700
const LOOK = 50
// Milliseconds until a connection is tried again that was lost, or that never came about.
const LOST = 1000
const NEVER = 60000
const MOST_FRAMES = 300
const LONGEST_TEXT = 64

/**
 * Hear of frames: `show(frame, then)` shows one, {rows, charts, words}, and says so by `then()`, or is false if it
 * cannot, null if it is none of its business: a frame is shown where all others can;
 * `release(of)` shows again what Streamlit has sent, or will send, of this page and these settings; with null, what it
 * has sent last. Returns a function that ends it.
 */
export function whenFramed(show, release) {
  /** @param {any} event */
  const shows = ({ detail }) => {
    const fits = show(detail.frame, detail.then)
    if (fits !== null) detail.taken = fits && detail.taken !== false
  }
  /** @param {any} event */
  const releases = ({ detail }) => release(detail)
  globalThis.addEventListener(SHOW, shows)
  globalThis.addEventListener(RELEASE, releases)
  return () => {
    globalThis.removeEventListener(SHOW, shows)
    globalThis.removeEventListener(RELEASE, releases)
  }
}

/** Say that something is moved that is no knob; false where Streamlit has to be told. */
export function moved(name, value) {
  const asked = { name, value, taken: false }
  globalThis.dispatchEvent(new CustomEvent(MOVED, { detail: asked }))
  return asked.taken
}

/** `take(name, value)` is told of what is moved and is no knob; true if it sees to it. Returns a function that ends it. */
export function whenMoved(take) {
  /** @param {any} event */
  const heard = ({ detail }) => (detail.taken ||= take(detail.name, detail.value))
  globalThis.addEventListener(MOVED, heard)
  return () => globalThis.removeEventListener(MOVED, heard)
}

/** Go to a stop of a presentation by these [name, value] pairs; with none, Streamlit is told at once what was moved. */
export function step(moves) {
  globalThis.dispatchEvent(new CustomEvent(STEPPED, { detail: moves }))
}

/** `go(moves)` is told of it. Returns a function that ends it. */
export function whenStepped(go) {
  /** @param {any} event */
  const heard = ({ detail }) => go(detail)
  globalThis.addEventListener(STEPPED, heard)
  return () => globalThis.removeEventListener(STEPPED, heard)
}

export class Channel {
  /**
   * `hand(moves, rested)` tells Streamlit of [name, value] pairs; `stir(waits)` says whether its own work has to wait;
   * `shown(frame)` is told of what is to be seen; `released()` is called once Streamlit's output is shown again.
   */
  constructor({ hand, stir, shown, released }) {
    this.hand = hand
    this.stir = stir
    this.shown = shown
    this.released = released
    this.about = null // page, settings and pin, as the server says them; null: there is no asking
    this.socket = null
    this.notBefore = 0
    this.moves = new Map() // what was moved, and is not in the settings yet
    this.handed = new Map() // and what of it Streamlit was told
    this.moving = false
    this.playing = false
    this.held = false // whether something newer is shown than Streamlit's
    this.frames = new Map() // key of a value -> what is shown there
    this.scope = ""
    this.era = 0
    this.wanted = null // key of the value where things stand
    this.seen = null // the frame that is shown
    this.done = 1 // how much of the work for it is done
    this.pending = false // whether Streamlit has more to do
    this.begin()
  }

  /** A connection begins with nothing. */
  begin() {
    this.asked = this.answered = 0 // numbers of questions
    this.passed = 0 // answers up to this one come too late to be shown
    this.keys = new Map() // number -> key
    this.questions = new Map() // number -> what was moved, as it was asked about
    this.waits = false // to ask about what is wanted
    this.batch = { number: 0 } // what was asked for ahead
    this.newest = { rows: {}, charts: {}, words: {} }
    this.least = REST
  }

  /** The server's settings are these, contain the movement of the knob `landed`, and Streamlit has more to do, or not. */
  update(about, landed, pending) {
    this.about = about
    this.pending = pending
    if (about) this.connected()
    if (this.moves.has(landed) && this.handed.get(landed) === this.moves.get(landed)) {
      this.moves.delete(landed)
    }
    this.finish()
  }

  /** Once nothing moves and all is done on either side, whichever is the last: what Streamlit says is the same. */
  finish() {
    if (!this.moving && !this.moves.size && this.done === 1 && !this.pending) this.release()
  }

  /** Whether what is shown is ahead of what Streamlit says. */
  get ahead() {
    return this.moving || this.held
  }

  /** Of what is shown, what differs from what Streamlit says: name -> value. */
  get shows() {
    return this.held ? this.seen.shows : {}
  }

  /** Show again what Streamlit says. */
  release() {
    this.wanted = null
    this.done = 1
    this.held = false
    globalThis.dispatchEvent(new CustomEvent(RELEASE, { detail: JSON.stringify(this.about) }))
    this.released()
  }

  /** Streamlit's word, which `update` brings next, counts again, whatever was moved. */
  forget() {
    clearTimeout(this.timer)
    this.moves.clear()
    this.moving = false
    this.done = 1
  }

  stop() {
    clearTimeout(this.timer)
    // the panel that comes after this one knows nothing of what is shown
    if (this.ahead) globalThis.dispatchEvent(new CustomEvent(RELEASE, { detail: null }))
    const { socket } = this
    this.socket = null
    tellAwaited(false)
    socket?.close()
  }

  connected() {
    if (this.socket) return this.socket.readyState === WebSocket.OPEN
    if (performance.now() >= this.notBefore) this.connect()
    return false
  }

  connect() {
    this.notBefore = performance.now() + NEVER
    this.begin()
    const address = new URL("../../../../lab-channel", import.meta.url) // below whatever path the lab is served at
    const socket = this.socket = new WebSocket(address.href.replace(/^http/, "ws"))
    socket.onopen = () => (this.notBefore = 0)
    socket.onmessage = ({ data }) => this.socket === socket && this.arrived(JSON.parse(data))
    socket.onclose = () => this.socket === socket && this.lost()
  }

  /** Without a connection Streamlit does everything. */
  lost() {
    this.notBefore ||= performance.now() + LOST
    this.socket = null
    tellAwaited(false)
    this.done = 1
    this.end()
  }

  /** Nothing more comes from here. */
  end() {
    if (this.moving) return this.settle(false)
    this.stir(false)
    this.finish()
  }

  /** A knob, or a mark on a chart, was moved, and `others` in one with it. False where Streamlit has to be told instead. */
  take(name, value, others = []) {
    const text = typeof value === "string" && value.length > LONGEST_TEXT
    if (text || !this.about || !this.connected()) return false
    for (const [other, there] of others) this.put(other, there)
    this.enter(name)
    this.put(name, value)
    this.moving = true
    this.stir(true)
    this.movedAt = performance.now()
    this.rest(this.least)
    this.want(this.key(name, value))
    return true
  }

  /** The newest goes to the end of the line. */
  put(name, value) {
    this.moves.delete(name)
    this.moves.set(name, value)
  }

  want(key) {
    const frame = this.frames.get(key)
    if (key === this.wanted && (this.waits || !frame || frame === this.seen)) return // on its way, or shown
    this.wanted = key
    if (frame) {
      this.waits = false
      this.passed = this.asked
      this.show(frame)
    } else if (this.asked - this.answered < AT_ONCE) this.ask()
    else this.waits = true
  }

  /** What is at hand holds for one knob, the others standing where they are. */
  enter(name) {
    const { settings } = this.about
    const now = { ...settings, ...Object.fromEntries(this.moves), [name]: null }
    const scope = JSON.stringify({ ...this.about, settings: now })
    if (scope === this.scope) return
    this.scope = scope
    this.era += 1
    this.frames.clear()
  }

  key(name, value) {
    return `${this.era}:${name}=${value}`
  }

  ask() {
    this.waits = false
    const moves = [...this.moves]
    this.keys.set(++this.asked, this.wanted)
    this.questions.set(this.asked, moves)
    this.send({ number: this.asked, moves })
    tellAwaited(true)
  }

  send(message) {
    this.socket.send(JSON.stringify({ ...this.about, ...message }))
  }

  /** Whether the picture at this value of a knob is at hand, or was asked for ahead. */
  has(name, value) {
    const key = this.key(name, value)
    return this.frames.has(key) || Boolean(this.batch.keys?.has(key))
  }

  /** A hand is near this knob: have the pictures at these values made in spare time, in this order. */
  near(name, values) {
    if (!this.about || !this.connected()) return
    this.enter(name)
    if (values.length ? values.every((value) => this.has(name, value)) : !this.batch.keys?.size) {
      return
    }
    const keys = new Set(values.map((value) => this.key(name, value)))
    const moves = [...this.moves].filter(([moved]) => moved !== name)
    this.batch = { number: this.batch.number + 1, name, era: this.era, keys, moves }
    const ahead = values.filter((value) => !this.frames.has(this.key(name, value)))
    this.send({ number: this.batch.number, moves, name, ahead })
  }

  arrived({ number, value, ordinary, errors, values, done, rest, words, charts, rows }) {
    const asked = value === undefined
    if (asked) this.answered = Math.max(this.answered, number)
    if (asked) tellAwaited(this.asked > this.answered)
    if (ordinary) return asked && this.unfit()
    this.least = rest
    const moves = asked
      ? this.questions.get(number)
      : [...this.batch.moves, [this.batch.name, value]]
    this.newest = {
      shows: { ...values, ...Object.fromEntries(moves ?? []) },
      rows: rows ?? this.newest.rows,
      charts: Object.fromEntries(
        Object.entries(charts).map(([name, news]) => [name, this.merged(name, news)]),
      ),
      words: { ...this.newest.words, ...words },
      done,
      errors,
      values,
    }
    const key = asked
      ? this.keys.get(number)
      : this.batch.number === number && this.key(this.batch.name, value)
    for (const old of asked ? [...this.keys.keys()] : []) {
      if (old < number) { for (const known of [this.keys, this.questions]) known.delete(old) }
    }
    if (key && key.startsWith(`${this.era}:`) && (asked || !Object.keys(errors).length)) {
      this.keep(key, this.newest)
    }
    if (this.waits && asked) this.ask()
    if (!asked && key === this.wanted) this.passed = this.asked // questions on their way are older than this
    const late = asked && this.moving && number > this.passed // the finger has gone on: better than nothing
    if ((this.wanted !== null && key === this.wanted) || late) this.show(this.newest)
  }

  /** A chart, as it is now that this has changed. Its arrays stay encoded until it is drawn. */
  merged(name, { data, layout, ...beside }) {
    const before = this.newest.charts[name]?.figure ?? { data: [], layout: {} }
    const parts = { ...before.layout, ...layout }
    for (const { source } of layout?.images ?? []) load(source)
    for (const part in layout) if (layout[part] === null) delete parts[part]
    return { ...beside, figure: { data: data ?? before.data, layout: parts } }
  }

  keep(key, frame) {
    this.frames.delete(key)
    this.frames.set(key, frame)
    if (this.frames.size > MOST_FRAMES) this.frames.delete(this.frames.keys().next().value)
  }

  show(frame) {
    this.seen = frame
    const here = frame === this.frames.get(this.wanted)
    if (here) this.done = frame.done
    const asked = { frame, taken: null, then: () => here && this.shown(frame) }
    globalThis.dispatchEvent(new CustomEvent(SHOW, { detail: asked }))
    if (!asked.taken) return this.unfit()
    this.held = true
    if (!this.moving && this.done === 1) this.end() // all has come: Streamlit may say so
  }

  /** What cannot be shown here is asked of Streamlit, until it has answered. */
  unfit() {
    this.about = null
    this.done = 1
    this.end()
  }

  rest(wait) {
    clearTimeout(this.timer)
    if (!this.playing) this.timer = setTimeout(() => this.rested(), wait)
  }

  /** A knob plays: it moves again before there is any rest. */
  play(on) {
    this.playing = on
    if (this.moving) this.rest(this.least)
  }

  rested() {
    const still = performance.now() - this.movedAt
    if (still < this.least) return this.rest(this.least - still)
    const unasked = this.done < 1 && this.keys.get(this.asked) !== this.wanted
    if (unasked && this.asked === this.answered) this.ask() // it was shown from hand, and there is more to come
    const all = this.asked === this.answered && this.done === 1
    if (!all && still < this.least + MORE_REST) return this.rest(LOOK)
    this.settle(true)
  }

  /** Tell Streamlit at once. */
  settle(rested) {
    clearTimeout(this.timer)
    if (!this.moving) return
    this.moving = false
    this.handed = new Map(this.moves)
    this.stir(this.done < 1)
    this.hand([...this.moves], rested)
  }
}
