// Who has to wait for long is told so: what was moved, by the channel, which knows its place in line; a run of the page, by
// what the server has measured, which `silence.js` asks for.

const LINE = "epsilon-lab:line"

/** What was moved waits in this line, {before, seconds}, or, with null, no more. */
export function tellLine(line) {
  globalThis.dispatchEvent(new CustomEvent(LINE, { detail: line }))
}

/** Of a place in line. */
export function ofLine({ before, seconds }) {
  const place = before === 0
    ? "you are next"
    : before === 1
    ? "1 other is before you"
    : `${before} others are before you`
  return `The lab is busy, ${place}: about ${whole(seconds)} s.`
}

/** Of a run that is slow, and nobody knows where in line; nothing where nobody else waits. */
export function ofRuns({ waiting, seconds }) {
  return waiting > 1 ? `The lab is busy, ${waiting} pages wait for an answer: up to ${whole(seconds)} s.` : ""
}

function whole(seconds) {
  return Math.max(1, Math.round(seconds))
}

export class Busy {
  /** `say(words)` is told what there is to be said, "" when it is over. */
  constructor(say) {
    this.say = say
    this.line = this.slow = ""
    this.running = false
    /** @param {any} event */
    this.heard = ({ detail }) => this.tell({ line: detail ? ofLine(detail) : "" })
    globalThis.addEventListener(LINE, this.heard)
  }

  tell(words) {
    Object.assign(this, words)
    this.say(this.line || this.slow)
  }

  /** A run of the page, or of its live part, is at work, or has ended. */
  runs(on) {
    this.running = on
    if (!on && this.slow) this.tell({ slow: "" })
  }

  /** The server has said how many pages wait. */
  told(answer) {
    if (this.running) this.tell({ slow: ofRuns(answer) })
  }

  stop() {
    globalThis.removeEventListener(LINE, this.heard)
  }
}
