// The buttons of a chart, beside its picture: to a screen reader a picture is one thing, in which nothing can be pressed.
// They stand in a column at its right edge, under its title.
// One stop of the Tab key; the arrow keys go from button to button.

const RULES = `
.lab-tools { position: absolute; top: 30px; right: 2px; z-index: 2; display: flex; flex-direction: column; opacity: 0; background: var(--st-background-color); transition: opacity .3s }
:hover > .lab-tools, .lab-tools:focus-within { opacity: 1 }
.lab-tools button { position: relative; height: 22px; padding: 3px 4px; border: 0; background: none; cursor: pointer;
  font-size: 16px; line-height: normal }
.lab-tools button:last-child { margin-top: 8px }
.lab-tools button:focus-visible { outline: 3px solid var(--st-text-color); outline-offset: -1px; border-radius: 4px }
.lab-tools svg { display: block; width: 1em; height: 1em }
.lab-tools path { fill: var(--st-gray-text-color) }
.lab-tools :is(:hover, :focus-visible) > svg path { fill: var(--st-text-color) }
.lab-tools :is(:hover, :focus-visible)::after { content: attr(aria-label); position: absolute; top: 0; right: 110%; z-index: 1;
  padding: 8px 10px; border-radius: 2px; background: #69738a; color: #fff; font-size: 12px; line-height: 12px;
  white-space: nowrap; pointer-events: none }
.lab-tools[hidden] { display: none }
@media print { .lab-tools { display: none } }
`
const sheet = new CSSStyleSheet()
sheet.replaceSync(RULES)
document.adoptedStyleSheets.push(sheet)

const PLACES = {
  ArrowDown: (at, last) => (at === last ? 0 : at + 1),
  ArrowUp: (at, last) => (at ? at - 1 : last),
  Home: () => 0,
  End: (_, last) => last,
}

/** Buttons [{name, icon, act}] for the picture with this id; `act(chart)` is what one does. */
export function toolbar(chart, buttons, picture) {
  const bar = document.createElement("div")
  bar.className = "lab-tools"
  bar.setAttribute("role", "toolbar")
  bar.setAttribute("aria-label", "Save or reset this chart")
  bar.setAttribute("aria-orientation", "vertical")
  bar.setAttribute("aria-describedby", picture)
  bar.append(...buttons.map(({ name, icon, act }) => button(name, icon, () => act(chart))))
  rove(bar, [...bar.children])
  return bar
}

function button(name, { width, height, path, transform = "" }, act) {
  const made = document.createElement("button")
  made.type = "button"
  made.setAttribute("aria-label", name)
  made.innerHTML =
    `<svg viewBox="0 0 ${width} ${height}" aria-hidden="true"><path d="${path}" transform="${transform}"/></svg>`
  made.addEventListener("click", act)
  return made
}

/** Of these buttons, Tab comes to the one that had the focus last. */
function rove(bar, buttons) {
  const stand = (here) => buttons.forEach((one) => (one.tabIndex = one === here ? 0 : -1))
  stand(buttons[0])
  bar.addEventListener("focusin", (event) => stand(event.target))
  bar.addEventListener("keydown", (event) => {
    const place = PLACES[event.key]
    if (!place || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    buttons[place(buttons.indexOf(event.target), buttons.length - 1)].focus()
  })
}
