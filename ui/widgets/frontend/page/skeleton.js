// Until the app is there to be seen, its page shows a question over its shape (`first.css`), so that nothing jumps: the
// app is laid out unseen. It is there once its first run has ended, and the knobs and charts of that run have come.
// Plotly is asked for once the front end has come: by then the recorded first picture stands. It runs while the server
// works on the first answer, when nothing else is to be done here.

import { loadPlotly } from "../charts/library.js"

const LOOK = 30 // milliseconds between two looks
const SETTLES = 100 // and after the last one, in which what has come is laid out

// Of a page whose script does not run, what its first run has brought.
const RAN =
  '[data-test-script-state="notRunning"] [data-testid="stMain"] [data-testid="stElementContainer"]'

const CONNECTED = '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'

const has = (where) => document.querySelector(where) !== null
const comes = (place, part) => !has(place) || has(part)

const CHARTS = has(".lab-first.page") // whether the page begins with charts

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

const links = (
  which,
) => /** @type {HTMLLinkElement[]} */ ([...document.querySelectorAll(`link${which}`)])

/** Ask for what the page names for later, once all that it needs before has come. */
function askLater() {
  const came = document.readyState === "complete" ||
    links("[rel=modulepreload]").every(({ href }) => performance.getEntriesByName(href).length > 0)
  if (!came) return setTimeout(askLater, LOOK)
  for (const link of links("[data-later]")) {
    if (CHARTS) link.onload = () => runLater(link.href)
    link.rel = link.dataset.later
  }
}

/** Run plotly.js once the server has been asked. A chart that is there before runs it by itself, and says if it fails. */
function runLater(source) {
  if (has(CONNECTED)) loadPlotly(source).catch(() => {})
  else setTimeout(() => runLater(source), LOOK)
}

look()
askLater()
