// A page that opens writes its settings into the address, of which Streamlit makes an entry of the
// browser's history, and two when another page opens: the first below the address of the page before.
// Nobody has been at either, and Back would stop there before it comes to what the person had left.

const EMBED_PREFIX = "embed" // of parameters that are no settings

/** Whether an address holds no settings. */
function isBare(search) {
  return [...new URLSearchParams(search).keys()].every((name) => name.startsWith(EMBED_PREFIX))
}

/**
 * Whether an address is the one before with the settings of the page that has just opened.
 *
 * @param {URL} current
 * @param {URL} next
 * @param {boolean} isNewQuery Whether the newest entry differs from the one before in its query.
 */
function continuesEntry(current, next, isNewQuery) {
  if (next.pathname === current.pathname) return isBare(current.search)
  return isNewQuery && next.search === current.search
}

/**
 * Write the settings of a page that opens into its own entry.
 *
 * @returns {() => void} Ends it.
 */
export function joinHistoryEntries() {
  const { pushState } = history
  let isUntouched = true // the person has clicked nothing since the newest entry was made
  let isNewQuery = false // the newest entry differs from the one before in its query
  const clicked = () => {
    isUntouched = false
  }
  globalThis.addEventListener("click", clicked, true)
  history.pushState = (state, title, url) => {
    const current = new URL(location.href)
    const next = new URL(url ?? "", location.href)
    const joins = isUntouched && continuesEntry(current, next, isNewQuery)
    if (joins) history.replaceState(state, title, url)
    else pushState.call(history, state, title, url)
    isNewQuery = !joins && next.pathname === current.pathname
    isUntouched = true
  }
  return () => {
    history.pushState = pushState
    globalThis.removeEventListener("click", clicked, true)
  }
}
