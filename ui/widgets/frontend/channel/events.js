// Events between the components of a page. Each component loads its own copy of a module, so they
// share no variables, and communicate by events of the window.

const SHOW = "epsilon-lab:show"
const RELEASE = "epsilon-lab:release"
const MOVE = "epsilon-lab:move"
const SLIDE = "epsilon-lab:slide"
const STOP = "epsilon-lab:stop"
const AWAITING = "epsilon-lab:awaiting"
const OUTDATED = "epsilon-lab:outdated"
const RECONNECT = "epsilon-lab:reconnect"

/** @typedef {[name: string, value: number | string]} Move A setting and its new value. */

/**
 * @typedef {object} Frame What a page shows at some settings.
 * @property {Record<string, any>} shows Setting -> value, of all that has moved.
 * @property {Record<string, string[][]>} rows Board -> names of its charts, by row.
 * @property {Record<string, any>} charts Chart -> its figure, alternative text and clicks.
 * @property {Record<string, string>} words CSS selector -> HTML.
 * @property {number} done Share of the work that is done, 0 to 1.
 * @property {Record<string, string>} errors Setting -> why its value was refused.
 * @property {Record<string, any>} values Setting -> value, of what has moved along.
 */

/**
 * Listen to an event of the window, and return a function that stops listening.
 *
 * @param {string} type
 * @param {(detail: any) => void} listener
 * @returns {() => void}
 */
function listen(type, listener) {
  /** @param {any} event */
  const handle = (event) => listener(event.detail)
  globalThis.addEventListener(type, handle)
  return () => globalThis.removeEventListener(type, handle)
}

/**
 * @param {string} type
 * @param {any} detail
 */
function dispatch(type, detail) {
  globalThis.dispatchEvent(new CustomEvent(type, { detail }))
}

/**
 * Show a frame on the boards of the page.
 *
 * @param {Frame} frame
 * @param {() => void} onPainted Called when the frame is painted.
 * @returns {boolean} False if some board cannot show it, or no board is concerned.
 */
export function showFrame(frame, onPainted) {
  const request = { frame, onPainted, accepted: null }
  dispatch(SHOW, request)
  return request.accepted === true
}

/**
 * Show the output of Streamlit again.
 *
 * @param {string | null} context The page and settings, as JSON, whose output is shown once it has
 *     come; null for whatever came last.
 */
export function releaseFrame(context) {
  dispatch(RELEASE, context)
}

/**
 * Listen for frames.
 *
 * @param {(frame: Frame, onPainted: () => void) => boolean | null} show Returns false where the
 *     frame cannot be shown, null where it does not concern the listener. A frame is shown only if
 *     all that it concerns can show it.
 * @param {(context: string | null) => void} release See `releaseFrame`.
 * @returns {() => void} Stops listening.
 */
export function onFrame(show, release) {
  const stopShow = listen(SHOW, (request) => {
    const accepted = show(request.frame, request.onPainted)
    if (accepted === null) return
    request.accepted = accepted && request.accepted !== false
  })
  const stopRelease = listen(RELEASE, release)
  return () => {
    stopShow()
    stopRelease()
  }
}

/**
 * Report the movement of something that is no slider.
 *
 * @param {string} name
 * @param {number | string} value
 * @returns {boolean} False where Streamlit has to be told instead.
 */
export function reportMove(name, value) {
  const request = { name, value, accepted: false }
  dispatch(MOVE, request)
  return request.accepted
}

/**
 * Listen for movements of what is no slider.
 *
 * @param {(name: string, value: number | string) => boolean} accept Returns true if it handles it.
 * @returns {() => void} Stops listening.
 */
export function onMove(accept) {
  return listen(MOVE, (request) => {
    if (request.accepted) return
    request.accepted = accept(request.name, request.value)
  })
}

/**
 * @typedef {object} Slide A movement of a slider by something else.
 * @property {string} name
 * @property {number} [value] Where it moves.
 * @property {string} [key] The key that moves it, in place of a value.
 * @property {boolean} [final] Whether it is released.
 */

/**
 * Move a slider as if its own thumb were moved.
 *
 * @param {Slide} slide
 * @returns {boolean} Whether there is such a slider, and the key moves it.
 */
export function moveSlider(slide) {
  const request = { slide, accepted: false }
  dispatch(SLIDE, request)
  return request.accepted
}

/**
 * Listen for movements of sliders by something else.
 *
 * @param {(slide: Slide) => boolean} accept Returns true if it handles it.
 * @returns {() => void} Stops listening.
 */
export function onMoveSlider(accept) {
  return listen(SLIDE, (request) => {
    request.accepted ||= accept(request.slide)
  })
}

/**
 * Go to a stop of a presentation.
 *
 * @param {Move[]} moves Without any, Streamlit is told at once what was moved before.
 */
export function goToStop(moves) {
  dispatch(STOP, moves)
}

/**
 * Listen for stops of a presentation.
 *
 * @param {(moves: Move[]) => void} apply
 * @returns {() => void} Stops listening.
 */
export function onStop(apply) {
  return listen(STOP, apply)
}

/**
 * Report whether a request of the channel awaits its answer.
 *
 * @param {boolean} awaiting
 */
export function reportAwaiting(awaiting) {
  dispatch(AWAITING, awaiting)
}

/**
 * Listen for requests of the channel that await an answer.
 *
 * @param {(awaiting: boolean) => void} listener
 * @returns {() => void} Stops listening.
 */
export function onAwaiting(listener) {
  return listen(AWAITING, listener)
}

/**
 * Collect the settings of the shown result that differ from the controls.
 *
 * @returns {[label: string, value: string][]}
 */
export function collectOutdated() {
  /** @type {[string, string][]} */
  const collected = []
  dispatch(OUTDATED, collected)
  return collected
}

/**
 * Contribute to `collectOutdated`.
 *
 * @param {() => [label: string, value: string][]} list
 * @returns {() => void} Stops contributing.
 */
export function onCollectOutdated(list) {
  return listen(OUTDATED, (collected) => collected.push(...list()))
}

/** Report that the connection to the server is back. */
export function reportReconnect() {
  dispatch(RECONNECT, null)
}

/**
 * Listen for the return of the connection to the server.
 *
 * @param {() => void} listener
 * @returns {() => void} Stops listening.
 */
export function onReconnect(listener) {
  return listen(RECONNECT, listener)
}
