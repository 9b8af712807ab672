// The place of a chart until it is drawn for the first time: nothing for a moment, then its outline
// and a word. Plotly is a large file: at a first visit it may take seconds.

const SHOWN_AFTER_MS = 150 // a chart that comes sooner needs no announcement
const PULSE_MS = 1800
const REDUCED_MOTION = matchMedia("(prefers-reduced-motion: reduce)")
const STYLE = "position:absolute;inset:0;display:grid;place-items:center;box-sizing:border-box;" +
  "border-radius:.5rem;border:1px solid var(--st-border-color, rgba(128,128,128,.4));" +
  "pointer-events:none;opacity:.75"

/** Fills the place of one chart. */
export class Placeholder {
  /** @param {HTMLElement} cell */
  constructor(cell) {
    cell.style.position = "relative"
    this.box = null
    this.timer = setTimeout(() => this.show(cell), SHOWN_AFTER_MS)
  }

  show(cell) {
    this.box = document.createElement("div")
    this.box.dataset.waiting = ""
    this.box.textContent = "Drawing …"
    this.box.setAttribute("aria-hidden", "true") // the text of the chart is there already
    this.box.style.cssText = STYLE
    if (!REDUCED_MOTION.matches) {
      const pulse = { opacity: [0.75, 0.4, 0.75] }
      this.box.animate(pulse, { duration: PULSE_MS, iterations: Infinity })
    }
    cell.append(this.box)
  }

  remove() {
    clearTimeout(this.timer)
    this.box?.remove()
  }
}
