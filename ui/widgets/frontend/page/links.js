// A link in a text that leads to another page of the lab is followed as those of the navigation are:
// in the same tab and the same session, which keeps an uploaded file. Streamlit opens each link of a
// text in a new tab.

const LINKS = "[data-testid=stMarkdownContainer] a[href]"
const MAIN = "[data-testid=stMain]"
const EMBED_PREFIX = "embed" // of parameters that stay, inside of another page

/** Whether a link leads to another page of the lab. */
function isPageLink(link) {
  return link.origin === location.origin && !link.hash && !link.hasAttribute("download")
}

/** Whether a click asks the browser for a new tab or window, or is no click of the first button. */
function isSpecialClick(event) {
  return event.button > 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
}

/**
 * Follow the links of the whole page.
 *
 * @returns {() => void} Ends it.
 */
export function followLinks() {
  const clicked = (event) => {
    const link = event.target.closest?.(LINKS)
    if (!link || !isPageLink(link) || isSpecialClick(event)) return
    event.preventDefault()
    event.stopPropagation()
    const address = new URL(link.href)
    for (const [name, value] of new URLSearchParams(location.search)) {
      if (name.startsWith(EMBED_PREFIX)) address.searchParams.append(name, value)
    }
    history.pushState(null, "", address.href)
    globalThis.dispatchEvent(new PopStateEvent("popstate")) // Streamlit then shows that page
    document.querySelector(MAIN)?.scrollTo(0, 0)
  }
  document.addEventListener("click", clicked, true)
  return () => document.removeEventListener("click", clicked, true)
}
