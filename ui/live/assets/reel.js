// Moments of a knob that plays, which the server has sent ahead of time: the board goes from one to the next by itself.

import { adopt } from "./figure.js"

// From the panel, which is another component with modules of its own: {value}, where the playing knob stands from now on.
// A board that knows the moment says `drawn`, and as `last` the end of those that it has.
const MOMENT = "epsilon-lab:moment"

/** Tell all boards that the playing knob stands at `value`: {drawn, last}. */
export function stand(value) {
  const asked = { value, drawn: false, last: value }
  window.dispatchEvent(new CustomEvent(MOMENT, { detail: asked }))
  return asked
}

/** Tell all boards that what was sent ahead holds no longer. */
export function forget() {
  window.dispatchEvent(new CustomEvent(MOMENT, { detail: { value: null } }))
}

export class Reel {
  /** `draw(moment)` shows a moment of the reel: {charts, words}, charts by name. */
  constructor(draw) {
    this.moments = new Map() // where the knob stands -> what is shown there
    this.at = null // where it stands; null: where the server's newest message says
    this.listen = ({ detail }) => {
      if (detail.value === null) return this.moments.clear()
      this.at = detail.value
      const moment = this.moments.get(detail.value)
      if (!moment) return
      detail.drawn = true
      detail.last = Math.max(...this.moments.keys())
      draw(moment)
    }
    window.addEventListener(MOMENT, this.listen)
  }

  dispose() {
    window.removeEventListener(MOMENT, this.listen)
  }

  /** Take what came with a message, whose own charts are `base`; what is to be shown, or null: what is there stays. */
  take(news, base) {
    const own = { charts: base, words: {} }
    if (!news) {
      this.moments.clear()
      this.at = null
      return own
    }
    own.words = news.now.words
    for (const at of this.moments.keys()) if (at < this.at) this.moments.delete(at)
    this.moments.set(news.now.at, this.moments.get(news.now.at) ?? own)
    for (const moment of news.later) this.moments.set(moment.at, { charts: changed(base, moment.charts), words: moment.words })
    // an answer can be late: the knob is elsewhere by then, and the answer that belongs there is on its way
    return this.moments.get(this.at ?? news.now.at) ?? null
  }
}

/** Charts of a later moment: `base`, with what differs. */
function changed(base, changes) {
  const charts = new Map()
  for (const [name, { figure }] of base) {
    const { data, layout, ...beside } = changes[name]
    const moved = data || layout
    const then = { data: data ? adopt(figure.data, data) : figure.data, layout: { ...figure.layout, ...layout } }
    charts.set(name, { ...beside, figure: moved ? then : figure })
  }
  return charts
}
