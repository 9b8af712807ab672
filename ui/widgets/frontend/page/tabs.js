// Streamlit disables tabs from the moment in which a run is asked for until it begins, on a page that
// computes several times a second. A tab that is clicked in such a moment is clicked again when it is
// enabled.

const TAB = "[role=tab]"

/** Clicks a tab again once it is enabled. */
class TabRetry {
  constructor() {
    this.tab = null // that was clicked last
    this.frame = null
    this.isRetrying = false
    this.observer = new MutationObserver(() => this.check())
  }

  clicked({ target }) {
    const tab = target.closest?.(TAB)
    if (!tab || this.isRetrying) return
    this.cancel()
    this.tab = tab
    this.observer.observe(tab, {
      attributes: true,
      attributeFilter: ["aria-selected", "aria-disabled"],
    })
    this.frame = requestAnimationFrame(() => this.check())
  }

  /** Click the tab if it is enabled and not open; while it is disabled, wait. */
  check() {
    const { tab } = this
    const isOpen = tab.getAttribute("aria-selected") === "true"
    const isDisabled = tab.getAttribute("aria-disabled") === "true"
    if (!isOpen && isDisabled) return
    this.cancel()
    if (isOpen || !tab.isConnected) return
    this.isRetrying = true
    tab.click()
    this.isRetrying = false
  }

  cancel() {
    this.observer.disconnect()
    cancelAnimationFrame(this.frame)
  }
}

/**
 * Retry clicks on the tabs of the whole page.
 *
 * @returns {() => void} Ends it.
 */
export function retryTabs() {
  const retry = new TabRetry()
  const clicked = (event) => retry.clicked(event)
  document.addEventListener("click", clicked, true)
  return () => {
    retry.cancel()
    document.removeEventListener("click", clicked, true)
  }
}
