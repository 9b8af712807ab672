// One movement on its way at a time. While it is, only the newest value of each knob is remembered; when the server
// acknowledges, the next goes out. So nothing queues, the last value is never lost, and no redraw is thrown away.

const PATIENCE = 2000
// A finger that moves on is heard again within this: work that is asked for between two of its values would be in the way.
const LULL = 100
const TICK = { name: "", value: 0, final: false, tick: true }

export class Sender {
  /** `send(message)` hands one message to Streamlit. */
  constructor(send) {
    this.send = send
    this.seq = Date.now() * 4 // above all numbers of earlier mounts in the same session
    this.newest = -1
    this.flying = null
    this.waiting = new Map()
    this.last = new Map()
    this.sent = new Map()
    this.timer = null
    this.owed = null // after how long a rest the server asked for a tick; null: it did not
    this.held = false
    this.givesWay = false // to something that is no knob, and waits for its picture
    this.movedAt = -Infinity
  }

  /** True while an answer, or a value to be sent, is waited for. */
  get busy() {
    return this.flying !== null || this.waiting.size > 0
  }

  /** True while an answer about this knob is waited for. */
  asks(name) {
    return this.waiting.has(name) || this.flying?.name === name
  }

  /** While held, nothing is asked for but what is moved: a knob plays, and moves again before there is any rest. */
  hold(on) {
    this.held = on
    if (!on && !this.busy) this.rest()
  }

  /**
   * The person moved a knob. `final` means released, or committed. `ahead` are values that it will come to next: a knob
   * that plays asks for their pictures.
   */
  moved(name, value, final, ahead = []) {
    this.movedAt = performance.now()
    // what is on its way already, or drawn, is not sent again only because the knob is released: the server is told
    // by the quiet that follows
    if (final && !this.waiting.has(name) && this.sent.get(name) === value) return
    this.waiting.delete(name) // the newest goes to the end of the line
    this.waiting.set(name, { value, final, ahead })
    // A tick on its way is only work that gives way: do not wait for it. But the run of a whole page goes on to its end
    // in any case, and a run that starts then would drop what of it is still to be delivered, this panel perhaps.
    if (!this.flying || (this.flying.tick && !this.flying.whole)) this.next()
  }

  /** Something that is no knob is moved: no work is asked for while it waits, nor between two of its places. */
  stirred(waits) {
    this.movedAt = performance.now()
    this.givesWay = waits
    if (!this.flying) this.rest()
  }

  /** The server has drawn everything up to `ack`, and says whether work is left. */
  acknowledged(ack, pending, quiet) {
    if (this.flying && ack >= this.flying.seq) this.landed()
    this.owed = pending && ack >= this.newest ? quiet : null
    if (this.flying) return
    if (this.waiting.size) this.next()
    else this.rest()
  }

  /** True while the server's value of this knob may be older than what the person sees. */
  ahead(name, ack) {
    return this.waiting.has(name) || (this.last.get(name) ?? -1) > ack
  }

  /** Ask for more work, if any is left, once nothing has been moved for as long as the server has asked for. */
  rest() {
    clearTimeout(this.timer)
    if (this.owed === null || this.held || this.givesWay) return
    const wait = Math.max(this.owed, this.movedAt + LULL - performance.now())
    const whole = this.owed > 0
    if (wait <= 0) return this.fly(TICK)
    this.timer = setTimeout(() => this.fly(TICK, whole), wait)
  }

  next() {
    const [name, { value, final, ahead }] = this.waiting.entries().next().value
    this.waiting.delete(name)
    this.sent.set(name, value)
    this.last.set(name, this.fly({ name, value, final, ahead, tick: false }))
  }

  fly(message, whole = false) {
    clearTimeout(this.timer)
    this.owed = null
    const seq = this.seq++
    this.newest = seq
    this.flying = { seq, name: message.name, tick: message.tick, whole }
    this.timer = setTimeout(() => this.lost(), PATIENCE)
    this.send({ ...message, seq })
    return seq
  }

  landed() {
    clearTimeout(this.timer)
    this.flying = null
  }

  /** No answer: the run was dropped, or is slow. Streamlit keeps the newest, so sending on can do no harm. */
  lost() {
    const { tick } = this.flying
    this.landed()
    if (this.waiting.size) this.next()
    else if (tick) this.fly(TICK)
  }

  stop() {
    clearTimeout(this.timer)
  }
}
