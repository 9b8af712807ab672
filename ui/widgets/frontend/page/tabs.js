// Streamlit turns tabs off from the moment in which a run is asked for until it begins, on a page that computes several
// times a second; a tab that is pressed in such a moment opens as soon as it may.

/** See to the tabs of the whole page, and go to them where the head opens one; returns a function that ends it. */
export function holdTabs() {
  let forget = () => {}
  let again = false
  const pressed = ({ target }) => {
    if (target.closest?.(".st-key-head-actions [class*=-take]")) {
      document.querySelector(".st-key-below")?.scrollIntoView()
    }
    const tab = target.closest?.("[role=tab]")
    if (!tab || again) return
    forget()
    const look = () => {
      const open = tab.getAttribute("aria-selected") === "true"
      if (!open && tab.getAttribute("aria-disabled") === "true") return
      forget()
      if (open || !tab.isConnected) return
      again = true
      tab.click()
      again = false
    }
    const watch = new MutationObserver(look)
    watch.observe(tab, { attributes: true, attributeFilter: ["aria-selected", "aria-disabled"] })
    const soon = requestAnimationFrame(look)
    forget = () => {
      watch.disconnect()
      cancelAnimationFrame(soon)
    }
  }
  document.addEventListener("click", pressed, true)
  return () => {
    forget()
    document.removeEventListener("click", pressed, true)
  }
}
