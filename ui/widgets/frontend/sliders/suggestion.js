// The card of the move worth making on a page, and the light on its slider. This device keeps which cards were made or
// dismissed; none of these is shown again.

const KEPT = "lab-moves"

function kept() {
  try {
    return (localStorage.getItem(KEPT) ?? "").split(" ")
  } catch {
    return [] // a browser that keeps nothing
  }
}

function keep(page) {
  try {
    localStorage.setItem(KEPT, [...new Set([...kept(), page])].join(" ").trim())
  } catch {
    // shown again next time
  }
}

export class Move {
  /** `light(knob)` lights up a slider, or none, and gives it the focus where asked to. */
  constructor(host, light) {
    this.host = host
    this.light = light
    this.move = null // {page, knob, done}, as the server says
    this.gone = null // whether the card of this visit is not shown, once that is known
    this.clicked = ({ target }) => target.closest?.(".lab-dismiss") && this.dismiss()
    document.addEventListener("click", this.clicked)
  }

  update(move) {
    if (move?.page !== this.move?.page) this.gone = null
    this.move = move
    this.gone ??= Boolean(move) && kept().includes(move.page)
    if (move?.done) keep(move.page)
    this.show()
  }

  dismiss() {
    if (!this.move) return
    keep(this.move.page)
    this.gone = true
    this.show()
    this.light(null, this.move.knob)
  }

  show() {
    this.host?.toggleAttribute("data-seen", this.gone)
    this.light(this.move && !this.gone && !this.move.done ? this.move.knob : null)
  }

  stop() {
    document.removeEventListener("click", this.clicked)
  }
}
