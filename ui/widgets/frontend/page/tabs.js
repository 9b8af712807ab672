// Streamlit disables tabs from the moment in which a run is asked for until it begins, on a page that
// computes several times a second. A tab that is clicked in such a moment is clicked again when it is
// enabled.

const TAB = "[role=tab]"

/**
 * Retry clicks on the tabs of the whole page.
 *
 * @returns {() => void} Ends it.
 */
export function retryTabs() {
  let cancel = () => {} // ends the watch of the tab that was clicked last
  let isRetrying = false

  function watch(tab) {
    const check = () => {
      const isOpen = tab.getAttribute("aria-selected") === "true"
      const isDisabled = tab.getAttribute("aria-disabled") === "true"
      if (!isOpen && isDisabled) return
      cancel()
      if (isOpen || !tab.isConnected) return
      isRetrying = true
      tab.click()
      isRetrying = false
    }
    const observer = new MutationObserver(check)
    observer.observe(tab, { attributes: true, attributeFilter: ["aria-selected", "aria-disabled"] })
    const frame = requestAnimationFrame(check)
    cancel = () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
    }
  }

  const clicked = ({ target }) => {
    const tab = target.closest?.(TAB)
    if (!tab || isRetrying) return
    cancel()
    watch(tab)
  }
  document.addEventListener("click", clicked, true)
  return () => {
    cancel()
    document.removeEventListener("click", clicked, true)
  }
}
