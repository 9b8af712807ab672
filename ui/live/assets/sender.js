// One movement on its way at a time. While it is, only the newest value of each knob is remembered; when the server
// acknowledges, the next goes out. So nothing queues, the last value is never lost, and no redraw is thrown away.

const PATIENCE = 2000
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
  }

  /** The person moved a knob. `final` means released, or committed. */
  moved(name, value, final) {
    // what is on its way already, or drawn, is not sent again only because the knob is released: the server is told
    // by the quiet that follows
    if (final && !this.waiting.has(name) && this.sent.get(name) === value) return
    this.waiting.delete(name) // the newest goes to the end of the line
    this.waiting.set(name, { value, final })
    // a tick on its way is only work that gives way: do not wait for it
    if (!this.flying || this.flying.tick) this.next()
  }

  /** The server has drawn everything up to `ack`, and says whether work is left. */
  acknowledged(ack, pending, quiet) {
    if (this.flying && ack >= this.flying.seq) this.landed()
    if (this.flying) return
    if (this.waiting.size) this.next()
    else if (pending && ack >= this.newest) this.tickAfter(quiet)
  }

  /** True while the server's value of this knob may be older than what the person sees. */
  ahead(name, ack) {
    return this.waiting.has(name) || (this.last.get(name) ?? -1) > ack
  }

  /** Ask for more work, once nothing has been moved for `quiet` milliseconds. */
  tickAfter(quiet) {
    if (!quiet) return this.fly(TICK)
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.fly(TICK), quiet)
  }

  next() {
    const [name, { value, final }] = this.waiting.entries().next().value
    this.waiting.delete(name)
    this.sent.set(name, value)
    this.last.set(name, this.fly({ name, value, final, tick: false }))
  }

  fly(message) {
    clearTimeout(this.timer)
    const seq = this.seq++
    this.newest = seq
    this.flying = { seq, tick: message.tick }
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
