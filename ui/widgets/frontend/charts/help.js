// The explanation of a chart, behind a "?" in its corner.

const RULES = `
.lab-about {
  position: absolute;
  top: 4px;
  right: 4px;
  z-index: 3;
  width: 20px;
  height: 20px;
  padding: 0;
  border-radius: 50%;
  border: 1px solid var(--st-border-color);
  background: none;
  color: var(--lab-quiet);
  font: 12px/1 var(--st-font);
  cursor: pointer;
}
.lab-about::before {
  content: "";
  position: absolute;
  inset: -4px;
}
.lab-about:is(:hover, [aria-expanded="true"]) {
  color: var(--st-text-color);
  border-color: currentColor;
}
.lab-about:focus-visible {
  outline: 3px solid var(--st-text-color);
  outline-offset: 2px;
}
.lab-about + p {
  position: absolute;
  top: 30px;
  right: 4px;
  z-index: 3;
  max-width: min(30rem, 100% - 8px);
  margin: 0;
  padding: 10px 14px;
  border: 1px solid var(--st-border-color);
  border-radius: 8px;
  background: var(--st-background-color);
  color: var(--st-text-color);
  font-size: 14px;
  line-height: 1.45;
}
.lab-about + p[hidden],
.lab-about[hidden] {
  display: none;
}
@media print {
  .lab-about {
    display: none;
  }
}
`
const sheet = new CSSStyleSheet()
sheet.replaceSync(RULES)
document.adoptedStyleSheets.push(sheet)

/** Shows the explanation of a chart to whoever asks for it. */
export class ChartHelp {
  /**
   * @param {Element} cell
   * @param {string} imageId Of the chart's image.
   */
  constructor(cell, imageId) {
    this.text = document.createElement("p")
    this.text.id = `${imageId}-about`
    this.button = document.createElement("button")
    this.button.type = "button"
    this.button.className = "lab-about"
    this.button.textContent = "?"
    this.button.setAttribute("aria-label", "What is this?")
    this.button.setAttribute("aria-describedby", imageId)
    this.button.setAttribute("aria-controls", this.text.id)
    this.setOpen(false)
    this.button.addEventListener("click", () => this.setOpen(this.text.hidden === true))
    this.button.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.setOpen(false)
    })
    this.button.addEventListener("blur", () => this.setOpen(false))
    cell.append(this.button, this.text)
  }

  /** @param {boolean} isOpen */
  setOpen(isOpen) {
    this.text.hidden = !isOpen
    this.button.setAttribute("aria-expanded", String(isOpen))
  }

  /** @param {string} text Without one there is no button. */
  setText(text) {
    this.text.textContent = text
    this.button.hidden = !text
  }
}
