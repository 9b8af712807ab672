// Streamlit makes a button anew, disables it or leaves it out in the run that the button starts, and
// the keyboard focus falls back to the top of the page. Here it goes to the same button, to one beside
// it, or else to the heading of what is shown now.

const BUTTONS = "[data-testid=stButton] button"
const RUN_STATE = "data-test-script-state"
const RUNNING = `[${RUN_STATE}=running]`
const HEADINGS = "h1, h2, h3"
const PAGE_HEADING = "[data-testid=stMain] h1"
const KEY_PREFIX = "st-key-"

/**
 * @typedef {object} Location Where a button is, by Streamlit's keys.
 * @property {string | undefined} key Of the button.
 * @property {string[]} blocks Of the blocks around it, from the nearest.
 * @property {(string | null)[]} siblings Of the buttons in the nearest block.
 */

/**
 * Restore the focus of all buttons of the page.
 *
 * @returns {() => void} Ends it.
 */
export function restoreFocus() {
  /** @type {Location | null} of the button that a key has pressed last */
  let location = null
  const observer = new MutationObserver(() => {
    if (!location || !isFocusLost()) return
    const node = findSuccessor(location, document.querySelector(RUNNING) !== null)
    if (node?.matches(HEADINGS)) node.tabIndex = -1
    node?.focus()
  })
  const clicked = (event) => {
    const button = event.target.closest?.(BUTTONS)
    const isByMouse = event.detail > 0 // then a focus elsewhere would open a tooltip there
    if (!button || isByMouse) return
    location = locate(button)
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ["disabled", RUN_STATE],
    })
  }
  const forget = () => {
    location = null
    observer.disconnect()
  }
  document.addEventListener("keydown", forget, true) // before the click that a key makes
  document.addEventListener("pointerdown", forget, true)
  document.addEventListener("click", clicked, true)
  return () => {
    forget()
    document.removeEventListener("keydown", forget, true)
    document.removeEventListener("pointerdown", forget, true)
    document.removeEventListener("click", clicked, true)
  }
}

function isFocusLost() {
  return document.activeElement === null || document.activeElement === document.body
}

/** The key that Streamlit writes into the class of a node; null where there is none. */
function keyOf(node) {
  return [...node.classList].find((name) => name.startsWith(KEY_PREFIX)) ?? null
}

/** @returns {Location} */
function locate(button) {
  const keys = []
  for (let node = button.parentElement; node; node = node.parentElement) {
    const key = keyOf(node)
    if (key) keys.push(key)
  }
  const [key, ...blocks] = keys
  const siblings = blocks.length > 0 ? buttonsIn(blocks[0]).map(buttonKey) : []
  return { key, blocks, siblings }
}

function buttonKey(button) {
  return keyOf(button.closest(`[class*='${KEY_PREFIX}']`))
}

/** @returns {any[]} */
function buttonsIn(key, filter = "") {
  return [...document.querySelectorAll(`.${CSS.escape(key)} ${BUTTONS}${filter}`)]
}

/**
 * Find what has taken the place of a button.
 *
 * @param {Location} location
 * @param {boolean} isRunning While a run is at work, only the button itself: the run may still
 *     replace the others.
 * @returns {HTMLElement | null}
 */
function findSuccessor({ key, blocks, siblings }, isRunning) {
  const same = key ? buttonsIn(key)[0] : undefined
  if (same?.matches(":enabled")) return same
  if (isRunning) return null
  const enabled = enabledButtons(blocks)
  let successor = enabled.find((candidate) => siblings.includes(buttonKey(candidate)))
  if (same) successor = nextButton(same, enabled)
  return successor ?? findHeading(blocks)
}

/** The enabled buttons of the nearest of these blocks. */
function enabledButtons(blocks) {
  if (blocks.length === 0) return []
  return buttonsIn(blocks[0], ":enabled")
}

function nextButton(button, candidates) {
  const isAfter = (candidate) => {
    return button.compareDocumentPosition(candidate) & Node.DOCUMENT_POSITION_FOLLOWING
  }
  return candidates.find(isAfter) ?? candidates.at(-1)
}

/** The heading of the nearest block that has one, or else of the page. */
function findHeading(blocks) {
  for (const key of blocks) {
    const heading = document.querySelector(`.${CSS.escape(key)} :is(${HEADINGS})`)
    if (heading) return /** @type {HTMLElement} */ (heading)
  }
  return /** @type {HTMLElement | null} */ (document.querySelector(PAGE_HEADING))
}
