// Where a chart will be: nothing for a moment, then its outline and a word, until it is drawn for the first time.
// (Plotly is a large file: at a first visit it may take seconds.)

const PATIENCE = 150 // milliseconds: what comes sooner needs no announcement
const CALM = matchMedia("(prefers-reduced-motion: reduce)")

export class Waiting {
  constructor(cell) {
    cell.style.position = "relative"
    this.timer = setTimeout(() => cell.append(this.make()), PATIENCE)
  }

  make() {
    this.box = document.createElement("div")
    this.box.dataset.waiting = ""
    this.box.textContent = "Drawing …"
    this.box.setAttribute("aria-hidden", "true") // the chart's own words are there already
    this.box.style.cssText =
      "position:absolute;inset:0;display:grid;place-items:center;box-sizing:border-box;border-radius:.5rem;" +
      "border:1px solid var(--st-border-color, rgba(128,128,128,.4));pointer-events:none;opacity:.75"
    if (!CALM.matches) {
      this.box.animate({ opacity: [0.75, 0.4, 0.75] }, { duration: 1800, iterations: Infinity })
    }
    return this.box
  }

  end() {
    clearTimeout(this.timer)
    this.box?.remove()
  }
}
