// Streamlit makes a button anew, turns it off or leaves it out in the run that pressing it starts, and the keyboard focus
// falls back to the top of the page. Here it goes to what has taken the button's place: the same button, one beside it,
// or else the heading of what is shown now.

const BUTTONS = "[data-testid=stButton] button"
const STATE = "data-test-script-state"
const HEADINGS = "h1, h2, h3"

/** See to the buttons of the whole page; returns a function that ends it. */
export function keepFocus() {
  let place = null // of the button that was pressed last by a key, until the person does something else
  const watch = new MutationObserver(() => restore())
  const restore = () => {
    if (!lost() || !place) return
    const node = successor(place, document.querySelector(`[${STATE}=running]`) !== null)
    if (node?.matches(HEADINGS)) node.tabIndex = -1
    node?.focus()
  }
  const pressed = (event) => {
    const button = event.target.closest?.(BUTTONS)
    if (!button || event.detail) return // by the mouse: a focus elsewhere would open a tooltip there
    place = placeOf(button)
    watch.observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ["disabled", STATE],
    })
  }
  const moves = () => {
    place = null
    watch.disconnect()
  }
  document.addEventListener("keydown", moves, true) // before the click that a key makes
  document.addEventListener("pointerdown", moves, true)
  document.addEventListener("click", pressed, true)
  return () => {
    moves()
    document.removeEventListener("keydown", moves, true)
    document.removeEventListener("pointerdown", moves, true)
    document.removeEventListener("click", pressed, true)
  }
}

function lost() {
  return document.activeElement === null || document.activeElement === document.body
}

/** The key that Streamlit writes into the class of a node, and null where there is none. */
function keyOf(node) {
  return [...node.classList].find((name) => name.startsWith("st-key-")) ?? null
}

/** What is known of a button by its keys: its own, those of the buttons beside it, and of the blocks around it. */
function placeOf(button) {
  const around = []
  for (let node = button.parentElement; node; node = node.parentElement) {
    if (keyOf(node)) around.push(keyOf(node))
  }
  const [own, ...blocks] = around
  return { own, blocks, beside: blocks.length ? buttonsIn(blocks[0]).map(ownKey) : [] }
}

function ownKey(button) {
  return keyOf(button.closest("[class*='st-key-']"))
}

function buttonsIn(key, which = "") {
  return [...document.querySelectorAll(`.${CSS.escape(key)} ${BUTTONS}${which}`)]
}

/** What has taken the place; while a run is at work only the button itself, as that run may still replace the others. */
function successor({ own, beside, blocks }, running) {
  const [same] = own ? buttonsIn(own) : []
  if (same?.matches(":enabled")) return same
  if (running) return null
  const near = blocks.length ? buttonsIn(blocks[0], ":enabled") : []
  const after = (one) => same.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING
  const button = same
    ? near.find(after) ?? near.at(-1)
    : near.find((one) => beside.includes(ownKey(one)))
  if (button) return button
  const headings = blocks.map((key) =>
    document.querySelector(`.${CSS.escape(key)} :is(${HEADINGS})`)
  )
  return headings.find((one) => one) ?? document.querySelector("[data-testid=stMain] h1")
}
