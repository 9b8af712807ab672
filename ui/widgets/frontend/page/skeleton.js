// Until the app is there to be seen, its page shows a question over its shape (`first.css`), so that nothing jumps: the
// app is laid out unseen. It is there once its first run has ended, and the knobs and charts of that run have come.
// Plotly is asked for once the page has loaded: by then the recorded first picture stands, and the front end has come.

const LOOK = 30 // milliseconds between two looks
const SETTLES = 100 // and after the last one, in which what has come is laid out

// Of a page whose script does not run, what its first run has brought.
const RAN =
  '[data-test-script-state="notRunning"] [data-testid="stMain"] [data-testid="stElementContainer"]'

const has = (where) => document.querySelector(where) !== null
const comes = (place, part) => !has(place) || has(part)

function there() {
  return has(RAN) &&
    !has('[data-testid^="stSkeleton"]') &&
    comes(".st-key-panel", "[data-there]") &&
    [".st-key-pictures", ".st-key-lesson-chart"].every((place) =>
      comes(place, `${place} [data-chart]`)
    )
}

/** Show the app. What is played in place of it goes by itself (`first_picture.js`). */
function show() {
  document.documentElement.classList.add("lab-there")
  const first = document.querySelector(".lab-first")
  if (first?.dispatchEvent(new Event("lab-there", { cancelable: true }))) first.remove()
}

function look() {
  setTimeout(there() ? show : look, there() ? SETTLES : LOOK)
}

/** Ask for what the page names for later. */
function askLater() {
  for (
    const link
      of /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll("link[data-later]"))
  ) {
    link.rel = link.dataset.later
  }
}

look()
if (document.readyState === "complete") askLater()
else addEventListener("load", askLater)
