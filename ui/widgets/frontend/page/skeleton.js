// Until the app can be seen, its page shows a question over its shape (`skeleton.css`), so that
// nothing jumps: the app is laid out unseen. It is ready once its first run has ended, and the sliders
// and charts of that run have come. Plotly is asked for once the front end has come: by then the
// recorded first charts stand. It runs while the server works on the first answer.

import { loadPlotly } from "../charts/library.js"

const CHECK_MS = 30
// After the last check, in which what has come is laid out.
const LAYOUT_MS = 100

const SKELETON = ".lab-first"
const RUN_ENDED = '[data-test-script-state="notRunning"] [data-testid="stMain"] ' +
  '[data-testid="stElementContainer"]'
const STREAMLIT_SKELETON = '[data-testid^="stSkeleton"]'
const CONNECTED = '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'
// Part of a page -> what it shows once it has come.
const PARTS = {
  ".st-key-panel": "[data-ready]",
  ".st-key-pictures": ".st-key-pictures [data-chart]",
  ".st-key-lesson-chart": ".st-key-lesson-chart [data-chart]",
}

function exists(selector) {
  return document.querySelector(selector) !== null
}

const BEGINS_WITH_CHARTS = exists(`${SKELETON}.page`)

function isReady() {
  if (!exists(RUN_ENDED) || exists(STREAMLIT_SKELETON)) return false
  return Object.entries(PARTS).every(([part, content]) => !exists(part) || exists(content))
}

/** Show the app. Recorded charts in its place leave by themselves (`prerender.js`). */
function showApp() {
  document.documentElement.classList.add("lab-ready")
  const skeleton = document.querySelector(SKELETON)
  if (!skeleton) return
  const isRecorded = !skeleton.dispatchEvent(new Event("lab-ready", { cancelable: true }))
  if (!isRecorded) skeleton.remove()
}

function waitForApp() {
  if (isReady()) setTimeout(showApp, LAYOUT_MS)
  else setTimeout(waitForApp, CHECK_MS)
}

function findLinks(filter) {
  const links = document.querySelectorAll(`link${filter}`)
  return /** @type {HTMLLinkElement[]} */ ([...links])
}

/** Load what the page names for later, once all that it needs before has come. */
function loadLater() {
  const hasCome = ({ href }) => performance.getEntriesByName(href).length > 0
  const isFrontEndLoaded = document.readyState === "complete" ||
    findLinks("[rel=modulepreload]").every(hasCome)
  if (!isFrontEndLoaded) {
    setTimeout(loadLater, CHECK_MS)
    return
  }
  for (const link of findLinks("[data-later]")) {
    if (BEGINS_WITH_CHARTS) link.onload = () => runPlotly(link.href)
    link.rel = link.dataset.later
  }
}

/** Run plotly.js once the server has been asked. A chart before that runs it by itself. */
function runPlotly(source) {
  if (!exists(CONNECTED)) {
    setTimeout(() => runPlotly(source), CHECK_MS)
    return
  }
  // the charts report a failure
  loadPlotly(source).catch(() => {})
}

waitForApp()
loadLater()
