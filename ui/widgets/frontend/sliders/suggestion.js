// The card with the suggestion of a page, and the highlight on its slider. The browser keeps which
// suggestions were followed or dismissed, and does not show them again.

const STORAGE_KEY = "lab-moves"
const DISMISS_BUTTON = ".lab-dismiss"

function readClosedPages() {
  try {
    const stored = localStorage.getItem(STORAGE_KEY) ?? ""
    return stored.split(" ")
  } catch {
    return [] // the browser has no storage
  }
}

/** @param {Suggestion | null} suggestion */
function isClosedPage(suggestion) {
  if (!suggestion) return false
  return readClosedPages().includes(suggestion.page)
}

function storeClosedPage(page) {
  const pages = new Set([...readClosedPages(), page])
  try {
    localStorage.setItem(STORAGE_KEY, [...pages].join(" ").trim())
  } catch {
    // without a storage the card is shown again next time
  }
}

/**
 * @typedef {object} Suggestion As `ui/page/suggestion.py` describes it.
 * @property {string} page
 * @property {string} slider
 * @property {boolean} done Whether it was followed.
 */

/** Shows and hides the card, and highlights its slider. */
export class SuggestionCard {
  /**
   * @param {Element | undefined} host The element of the panel in the page.
   * @param {(slider: string | null, focused?: string) => void} highlight Highlights a slider, or
   *     none, and gives the focus to another one.
   */
  constructor(host, highlight) {
    this.host = host
    this.highlight = highlight
    /** @type {Suggestion | null} */
    this.suggestion = null
    this.isClosed = null // null before the storage was read for this page
    this.onClick = ({ target }) => {
      if (target.closest?.(DISMISS_BUTTON)) this.dismiss()
    }
    document.addEventListener("click", this.onClick)
  }

  /** @param {Suggestion | null} suggestion */
  update(suggestion) {
    if (suggestion?.page !== this.suggestion?.page) this.isClosed = null
    this.suggestion = suggestion
    this.isClosed ??= isClosedPage(suggestion)
    if (suggestion?.done) storeClosedPage(suggestion.page)
    this.show()
  }

  dismiss() {
    if (!this.suggestion) return
    storeClosedPage(this.suggestion.page)
    this.isClosed = true
    this.show()
    this.highlight(null, this.suggestion.slider)
  }

  show() {
    this.host?.toggleAttribute("data-suggestion-closed", this.isClosed)
    const isOpen = this.suggestion && !this.isClosed && !this.suggestion.done
    const highlighted = isOpen ? this.suggestion.slider : null
    this.highlight(highlighted)
  }

  stop() {
    document.removeEventListener("click", this.onClick)
  }
}
