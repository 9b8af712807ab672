// A page that opens writes its settings into the address, and Streamlit makes an entry of the browser's history of that,
// twice over when another page opens: first below the address of the page before. Nobody has been at either, and Back would
// stop there before it comes to what the person had left.

const bare = (search) =>
  [...new URLSearchParams(search).keys()].every((name) => name.startsWith("embed"))

/** Have each page that opens write its settings into its own entry; returns a function that ends it. */
export function joinEntries() {
  const { pushState } = history
  let untouched = true // the person has pressed nothing since the newest entry was made
  let written = false // it differs from the one before in what is written after the question mark
  const pressed = () => (untouched = false)
  globalThis.addEventListener("click", pressed, true)
  history.pushState = (state, title, url) => {
    const [here, to] = [new URL(location.href), new URL(url ?? "", location.href)]
    const same = to.pathname === here.pathname
    const joins = untouched && (same ? bare(here.search) : written && to.search === here.search)
    ;(joins ? history.replaceState : pushState).call(history, state, title, url)
    written = same && !joins
    untouched = true
  }
  return () => {
    history.pushState = pushState
    globalThis.removeEventListener("click", pressed, true)
  }
}
