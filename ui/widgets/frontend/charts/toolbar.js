// The buttons of a chart, in a column at its right edge, beside its image: to a screen reader an image
// is one thing, in which nothing can be pressed. They are one stop of the Tab key; the arrow keys go
// from button to button.

const RULES = `
.lab-tools {
  position: absolute;
  top: 30px;
  right: 2px;
  z-index: 2;
  display: flex;
  flex-direction: column;
  opacity: 0;
  background: var(--st-background-color);
  transition: opacity 0.3s;
}
:hover > .lab-tools,
.lab-tools:focus-within {
  opacity: 1;
}
.lab-tools button {
  position: relative;
  height: 22px;
  padding: 3px 4px;
  border: 0;
  background: none;
  cursor: pointer;
  font-size: 16px;
  line-height: normal;
}
.lab-tools button:last-child {
  margin-top: 8px;
}
.lab-tools button:focus-visible {
  outline: 3px solid var(--st-text-color);
  outline-offset: -1px;
  border-radius: 4px;
}
.lab-tools svg {
  display: block;
  width: 1em;
  height: 1em;
}
.lab-tools path {
  fill: var(--st-gray-text-color);
}
.lab-tools :is(:hover, :focus-visible) > svg path {
  fill: var(--st-text-color);
}
.lab-tools :is(:hover, :focus-visible)::after {
  content: attr(aria-label);
  position: absolute;
  top: 0;
  right: 110%;
  z-index: 1;
  padding: 8px 10px;
  border-radius: 2px;
  background: #69738a;
  color: #fff;
  font-size: 12px;
  line-height: 12px;
  white-space: nowrap;
  pointer-events: none;
}
.lab-tools[hidden] {
  display: none;
}
@media print {
  .lab-tools {
    display: none;
  }
}
`
const sheet = new CSSStyleSheet()
sheet.replaceSync(RULES)
document.adoptedStyleSheets.push(sheet)

// Key -> index of the button that gets the focus.
const FOCUS_KEYS = {
  ArrowDown: (index, last) => (index === last ? 0 : index + 1),
  ArrowUp: (index, last) => (index === 0 ? last : index - 1),
  Home: () => 0,
  End: (_, last) => last,
}

/**
 * @typedef {object} Tool
 * @property {string} label
 * @property {{width: number, height: number, path: string, transform?: string}} icon
 * @property {(chart: any) => void} act
 */

/**
 * Make the buttons of a chart.
 *
 * @param {any} chart
 * @param {Tool[]} tools
 * @param {string} imageId Of the chart's image.
 */
export function makeToolbar(chart, tools, imageId) {
  const bar = document.createElement("div")
  bar.className = "lab-tools"
  bar.setAttribute("role", "toolbar")
  bar.setAttribute("aria-label", "Save or reset this chart")
  bar.setAttribute("aria-orientation", "vertical")
  bar.setAttribute("aria-describedby", imageId)
  const buttons = tools.map((tool) => makeButton(tool, chart))
  bar.append(...buttons)
  roveFocus(bar, buttons)
  return bar
}

function makeButton({ label, icon, act }, chart) {
  const { width, height, path, transform = "" } = icon
  const button = document.createElement("button")
  button.type = "button"
  button.setAttribute("aria-label", label)
  button.innerHTML = `<svg viewBox="0 0 ${width} ${height}" aria-hidden="true">` +
    `<path d="${path}" transform="${transform}"/></svg>`
  button.addEventListener("click", () => act(chart))
  return button
}

/** The Tab key comes to the button that had the focus last. */
function roveFocus(bar, buttons) {
  const setStop = (stop) => {
    for (const button of buttons) button.tabIndex = button === stop ? 0 : -1
  }
  setStop(buttons[0])
  bar.addEventListener("focusin", (event) => setStop(event.target))
  bar.addEventListener("keydown", (event) => {
    const target = FOCUS_KEYS[event.key]
    if (!target || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    const index = target(buttons.indexOf(event.target), buttons.length - 1)
    buttons[index].focus()
  })
}
