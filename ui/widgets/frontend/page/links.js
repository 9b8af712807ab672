// A link in a text that leads to another page of the lab is followed as those of the navigation are: in the same tab and
// the same session, which keeps a file of one's own. Streamlit opens each link of a text in a new tab.

const LINKS = "[data-testid=stMarkdownContainer] a[href]"

/** See to the links of the whole page; returns a function that ends it. */
export function followLinks() {
  const pressed = (event) => {
    const link = event.target.closest?.(LINKS)
    if (!link || link.origin !== location.origin || link.hash || link.hasAttribute("download")) {
      return
    }
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    const to = new URL(link.href)
    for (const [name, value] of new URLSearchParams(location.search)) {
      if (name.startsWith("embed")) to.searchParams.append(name, value) // inside of somebody else's page it stays so
    }
    history.pushState(null, "", to.href)
    globalThis.dispatchEvent(new PopStateEvent("popstate")) // on which Streamlit shows what the address names
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0)
  }
  document.addEventListener("click", pressed, true)
  return () => document.removeEventListener("click", pressed, true)
}
