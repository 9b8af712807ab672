// Sends movements to Streamlit, one at a time. While one is on its way only the newest value of each
// slider is kept; when the server acknowledges, the next goes out. So nothing queues, the last value
// is never lost, and no redraw is in vain.

// Milliseconds until an answer counts as lost. Each answer that is lost doubles them: a server that is
// behind is not asked the same again faster than it can answer.
const TIMEOUT_MS = 2000
const MAX_TIMEOUT_MS = 16_000
// Milliseconds without a movement until the next slice of work is asked for: a finger that moves on
// is heard again within them, and the work would be in its way.
const WORK_AFTER_MS = 100
// Numbers of messages a millisecond: what is numbered later in the same session has a higher number.
const NUMBERS_PER_MS = 4

/**
 * @typedef {object} Message As `ui/widgets/slider_panel.py` reads it.
 * @property {string} name Of the slider; "" for a tick.
 * @property {number | string} value
 * @property {boolean} final Whether the slider is released, or the entry committed.
 * @property {boolean} tick Whether only work is asked for, and nothing has moved.
 * @property {boolean} page Whether a run of the whole page is asked for.
 * @property {number} seq
 */

/**
 * @typedef {object} Pending What the server would do next.
 * @property {boolean} work Whether there is a further slice of work.
 * @property {number} page The rest, in milliseconds, before a run of the whole page; 0 for no run.
 */

/** @type {Pending} */
const NOTHING_PENDING = { work: false, page: 0 }

/** Sends the newest movement of each slider. */
export class Sender {
  /** @param {(message: Message) => void} send Hands one message to Streamlit. */
  constructor(send) {
    this.send = send
    this.nextNumber = Date.now() * NUMBERS_PER_MS
    this.newestNumber = -1 // of the message sent last
    this.timeoutMs = TIMEOUT_MS
    /** @type {Message | null} */
    this.inFlight = null
    this.waiting = new Map() // slider -> {value, final, page}
    this.sentNumbers = new Map() // slider -> number of its newest message
    this.sentValues = new Map() // slider -> its newest value
    this.timer = null
    this.pending = NOTHING_PENDING
    this.isHeld = false
    this.isYielding = false
    this.movedAt = -Infinity
  }

  /** Whether an answer, or a value to be sent, is waited for. */
  get isBusy() {
    return this.inFlight !== null || this.waiting.size > 0
  }

  /**
   * Ask for no work while a slider plays: it moves again before there is any rest.
   *
   * @param {boolean} isHeld
   */
  hold(isHeld) {
    this.isHeld = isHeld
    if (!isHeld && !this.isBusy) this.scheduleTick()
  }

  /**
   * Forget what is to be sent of a slider, as it is sent otherwise.
   *
   * @param {string} name
   */
  drop(name) {
    this.waiting.delete(name)
    this.sentValues.delete(name)
  }

  /**
   * Send a movement, in its turn.
   *
   * @param {string} name
   * @param {number | string} value
   * @param {boolean} final Whether the slider is released, or the entry committed.
   * @param {boolean} page Whether a run of the whole page is asked for.
   */
  move(name, value, final, page = false) {
    this.movedAt = performance.now()
    // a value that is on its way or drawn is not sent again because the slider is released: a tick
    // follows once nothing moves
    const isSent = !this.waiting.has(name) && this.sentValues.get(name) === value
    if (final && isSent) return
    this.waiting.delete(name) // the newest movement is the last to be sent
    this.waiting.set(name, { value, final, page })
    // A tick on its way is work that gives way. But a run that begins beside that of the whole page
    // would drop what of it is still to be delivered, this panel perhaps.
    const givesWay = this.inFlight?.tick && !this.inFlight.page
    if (!this.inFlight || givesWay) this.sendNext()
  }

  /**
   * Note that something moves that is no slider.
   *
   * @param {boolean} isYielding Whether it waits for its chart: no work is asked for meanwhile.
   */
  noteActivity(isYielding) {
    this.movedAt = performance.now()
    this.isYielding = isYielding
    if (!this.inFlight) this.scheduleTick()
  }

  /**
   * Take over what the server has drawn.
   *
   * @param {number} number Of the newest message that it has drawn.
   * @param {Pending} pending
   * @returns {string | null} The slider whose movement it has answered.
   */
  acknowledge(number, pending) {
    this.nextNumber = Math.max(this.nextNumber, number + 1) // the clock may have been set back
    let answered = null
    if (this.inFlight && number >= this.inFlight.seq) {
      answered = this.inFlight.name
      this.land()
      this.timeoutMs = Math.max(TIMEOUT_MS, this.timeoutMs / 2)
    }
    this.pending = number >= this.newestNumber ? pending : NOTHING_PENDING
    if (this.inFlight) return answered
    if (this.waiting.size > 0) this.sendNext()
    else this.scheduleTick()
    return answered
  }

  /** Treat nothing as sent or acknowledged any more; what waits still waits. */
  reset() {
    this.land()
    this.sentValues.clear()
    this.sentNumbers.clear()
    this.newestNumber = -1
    this.timeoutMs = TIMEOUT_MS
  }

  /** Drop all movements, whether they wait or are on their way. */
  clear() {
    this.waiting.clear()
    this.pending = NOTHING_PENDING
    this.reset()
  }

  /**
   * Whether the server's value of a slider may be older than what the person sees.
   *
   * @param {string} name
   * @param {number} acknowledged Number of the newest message that the server has drawn.
   */
  isAhead(name, acknowledged) {
    if (this.waiting.has(name)) return true
    const number = this.sentNumbers.get(name)
    return number !== undefined && number > acknowledged
  }

  /** Ask for pending work once nothing moves: soon for a slice, after a rest for the whole page. */
  scheduleTick() {
    clearTimeout(this.timer)
    const { work, page } = this.pending
    const isPending = work || page > 0
    if (!isPending || this.isHeld || this.isYielding) return
    const restedMs = performance.now() - this.movedAt
    const forPage = page > 0 && (restedMs >= page || !work)
    let neededRestMs = WORK_AFTER_MS
    if (forPage) neededRestMs = page
    const waitMs = neededRestMs - restedMs
    if (waitMs <= 0) this.sendTick(forPage)
    else this.timer = setTimeout(() => this.sendTick(forPage), waitMs)
  }

  sendTick(page) {
    this.sendMessage({ name: "", value: 0, final: false, tick: true, page })
  }

  sendNext() {
    const [[name, { value, final, page }]] = this.waiting
    this.waiting.delete(name)
    this.sentValues.set(name, value)
    const number = this.sendMessage({ name, value, final, page, tick: false })
    this.sentNumbers.set(name, number)
  }

  /** Send a message, and return its number. */
  sendMessage(content) {
    clearTimeout(this.timer)
    this.pending = NOTHING_PENDING
    const number = this.nextNumber
    this.nextNumber += 1
    this.newestNumber = number
    this.inFlight = { ...content, seq: number }
    this.timer = setTimeout(() => this.timedOut(), this.timeoutMs)
    this.send({ ...content, seq: number })
    return number
  }

  land() {
    clearTimeout(this.timer)
    this.inFlight = null
  }

  /**
   * Send again what has no answer, unless it is superseded.
   *
   * The run was dropped, the connection is lost, or the server is slow. To receive a movement twice
   * does no harm: the server keeps the newest.
   */
  timedOut() {
    const { name, value, final, tick, page } = this.inFlight
    this.land()
    this.timeoutMs = Math.min(2 * this.timeoutMs, MAX_TIMEOUT_MS)
    if (!tick && !this.waiting.has(name)) this.waiting.set(name, { value, final, page })
    if (this.waiting.size > 0) this.sendNext()
    else this.sendTick(page)
  }

  stop() {
    clearTimeout(this.timer)
  }
}
