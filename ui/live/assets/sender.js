// One movement on its way at a time. While it is, only the newest value of each knob is remembered; when the server
// acknowledges, the next goes out. So nothing queues, the last value is never lost, and no redraw is thrown away.

const PATIENCE = 2000
// A finger that moves on is heard again within this: work that is asked for between two of its values would be in the way.
const LULL = 100
// Who moves a knob again within this is still at it. After it, what stands around the live part follows: a run of the
// whole page takes long, goes on to its end in any case, and a movement would have to wait for it.
const REST = 1000
const TICK = { name: "", value: 0, final: false, tick: true, page: false }
const NOTHING = { work: false, page: false }

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
    this.owed = NOTHING // what the server would do next: more work, or the page around, which is behind
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
    // A tick on its way is only work that gives way: do not wait for it. But a run that starts beside that of a whole
    // page would drop what of it is still to be delivered, this panel perhaps.
    if (!this.flying || (this.flying.tick && !this.flying.page)) this.next()
  }

  /** Something that is no knob is moved: no work is asked for while it waits, nor between two of its places. */
  stirred(waits) {
    this.movedAt = performance.now()
    this.givesWay = waits
    if (!this.flying) this.rest()
  }

  /** The server has drawn everything up to `ack`, and says whether `work` is left and whether the `page` is behind. */
  acknowledged(ack, owed) {
    if (this.flying && ack >= this.flying.seq) this.landed()
    this.owed = ack >= this.newest ? owed : NOTHING
    if (this.flying) return
    if (this.waiting.size) this.next()
    else this.rest()
  }

  /** True while the server's value of this knob may be older than what the person sees. */
  ahead(name, ack) {
    return this.waiting.has(name) || (this.last.get(name) ?? -1) > ack
  }

  /** Ask for what is owed once nothing moves: soon for more work; for the page, even before all is done, after a rest. */
  rest() {
    clearTimeout(this.timer)
    const { work, page } = this.owed
    if (!(work || page) || this.held || this.givesWay) return
    const still = performance.now() - this.movedAt
    const turn = page && (still >= REST || !work)
    const wait = (turn ? REST : LULL) - still
    const tick = { ...TICK, page: turn }
    if (wait <= 0) return this.fly(tick)
    this.timer = setTimeout(() => this.fly(tick), wait)
  }

  next() {
    const [name, { value, final, ahead }] = this.waiting.entries().next().value
    this.waiting.delete(name)
    this.sent.set(name, value)
    this.last.set(name, this.fly({ name, value, final, ahead, tick: false }))
  }

  fly(message) {
    clearTimeout(this.timer)
    this.owed = NOTHING
    const seq = this.seq++
    this.newest = seq
    this.flying = { ...message, seq }
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
    const { tick, page } = this.flying
    this.landed()
    if (this.waiting.size) this.next()
    else if (tick) this.fly({ ...TICK, page })
  }

  stop() {
    clearTimeout(this.timer)
  }
}
