// One movement on its way at a time. While it is, only the newest value of each knob is remembered; when the server
// acknowledges, the next goes out. So nothing queues, the last value is never lost, and no redraw is thrown away.

// An answer is waited for so long, and twice as long after one that did not come: a server that is behind is not asked
// the same thing faster than it can answer.
const PATIENCE = 2000
const LONGEST = 16000
// A finger that moves on is heard again within this: work that is asked for between two of its values would be in the way.
const LULL = 100
// Who moves a knob again within this is still at it. After it, what stands around the live part follows: a run of the
// whole page takes long, goes on to its end in any case, and a movement would have to wait for it. How long "this" is, the
// server says: longer while many people move knobs.
const TICK = { name: "", value: 0, final: false, tick: true, page: false }
const NOTHING = { work: false, page: 0 }

export class Sender {
  /** `send(message)` hands one message to Streamlit. */
  constructor(send) {
    this.send = send
    this.seq = Date.now() * 4 // above all numbers of earlier mounts in the same session
    this.newest = -1
    this.patience = PATIENCE
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

  /** While held, nothing is asked for but what is moved: a knob plays, and moves again before there is any rest. */
  hold(on) {
    this.held = on
    if (!on && !this.busy) this.rest()
  }

  /** What is to be sent of this knob is sent otherwise. */
  drop(name) {
    this.waiting.delete(name)
    this.sent.delete(name)
  }

  /** The person moved a knob. `final` means released, or committed; `page`, that a run of the whole page is asked for. */
  moved(name, value, final, page = false) {
    this.movedAt = performance.now()
    // what is on its way already, or drawn, is not sent again only because the knob is released: the server is told
    // by the quiet that follows
    if (final && !this.waiting.has(name) && this.sent.get(name) === value) return
    this.waiting.delete(name) // the newest goes to the end of the line
    this.waiting.set(name, { value, final, page })
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

  /**
   * The server has drawn up to `ack`, and says what it owes: `work`, or the `page` after a rest of so many ms, 0 for none.
   * Returns the name of the knob whose movement it has answered, or null.
   */
  acknowledged(ack, owed) {
    this.seq = Math.max(this.seq, ack + 1) // the clock may have been set back since an earlier mount
    const heard = this.flying && ack >= this.flying.seq ? this.flying.name : null
    if (heard !== null) {
      this.landed()
      this.patience = Math.max(PATIENCE, this.patience / 2)
    }
    this.owed = ack >= this.newest ? owed : NOTHING
    if (!this.flying) this.waiting.size ? this.next() : this.rest()
    return heard
  }

  /** Nothing counts as sent, or as heard, any more; what waits goes on waiting. */
  afresh() {
    this.landed()
    this.sent.clear()
    this.last.clear()
    this.newest = -1
    this.patience = PATIENCE
  }

  /** Nothing that was moved is meant any more, whether it waits or is on its way. */
  clear() {
    this.waiting.clear()
    this.owed = NOTHING
    this.afresh()
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
    const turn = page > 0 && (still >= page || !work)
    const wait = (turn ? page : LULL) - still
    const tick = { ...TICK, page: turn }
    if (wait <= 0) return this.fly(tick)
    this.timer = setTimeout(() => this.fly(tick), wait)
  }

  next() {
    const [name, { value, ...how }] = this.waiting.entries().next().value
    this.waiting.delete(name)
    this.sent.set(name, value)
    this.last.set(name, this.fly({ name, value, ...how, tick: false }))
  }

  fly(message) {
    clearTimeout(this.timer)
    this.owed = NOTHING
    const seq = this.seq++
    this.newest = seq
    this.flying = { ...message, seq }
    this.timer = setTimeout(() => this.lost(), this.patience)
    this.send({ ...message, seq })
    return seq
  }

  landed() {
    clearTimeout(this.timer)
    this.flying = null
  }

  /**
   * No answer: the run was dropped, the connection is lost, or the server is slow. It keeps the newest, and to hear a
   * movement twice does no harm: so what is not superseded is sent again, in its turn.
   */
  lost() {
    const { name, value, final, tick, page } = this.flying
    this.landed()
    this.patience = Math.min(2 * this.patience, LONGEST)
    if (!tick && !this.waiting.has(name)) this.waiting.set(name, { value, final, page })
    if (this.waiting.size) this.next()
    else this.fly({ ...TICK, page })
  }

  stop() {
    clearTimeout(this.timer)
  }
}
