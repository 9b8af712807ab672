// What one sees on a chart, and what to look for: behind a "?" in its corner.

const RULES = `
.lab-about { position: absolute; top: 4px; right: 4px; z-index: 3; width: 20px; height: 20px; padding: 0; border-radius: 50%;
  border: 1px solid var(--st-border-color); background: none; color: var(--lab-quiet); font: 12px/1 var(--st-font); cursor: pointer }
.lab-about::before { content: ""; position: absolute; inset: -4px }
.lab-about:is(:hover, [aria-expanded="true"]) { color: var(--st-text-color); border-color: currentColor }
.lab-about:focus-visible { outline: 3px solid var(--st-text-color); outline-offset: 2px }
.lab-about + p { position: absolute; top: 30px; right: 4px; z-index: 3; max-width: min(30rem, 100% - 8px); margin: 0;
  padding: 10px 14px; border: 1px solid var(--st-border-color); border-radius: 8px; background: var(--st-background-color);
  color: var(--st-text-color); font-size: 14px; line-height: 1.45 }
.lab-about + p[hidden], .lab-about[hidden] { display: none }
@media print { .lab-about { display: none } }
`
const sheet = new CSSStyleSheet()
sheet.replaceSync(RULES)
document.adoptedStyleSheets.push(sheet)

export class About {
  /** `of`: id of the picture. */
  constructor(cell, of) {
    this.button = document.createElement("button")
    this.button.type = "button"
    this.button.className = "lab-about"
    this.button.textContent = "?"
    this.words = document.createElement("p")
    this.words.id = `${of}-about`
    const [name, controls] = ["What is this?", this.words.id]
    for (const [key, value] of Object.entries({ label: name, describedby: of, controls })) {
      this.button.setAttribute(`aria-${key}`, value)
    }
    this.turn(false)
    this.button.addEventListener("click", () => this.turn(this.words.hidden))
    this.button.addEventListener("keydown", ({ key }) => key === "Escape" && this.turn(false))
    this.button.addEventListener("blur", () => this.turn(false))
    cell.append(this.button, this.words)
  }

  turn(open) {
    this.words.hidden = !open
    this.button.setAttribute("aria-expanded", String(open))
  }

  say(words) {
    this.words.textContent = words
    this.button.hidden = !words
  }
}
