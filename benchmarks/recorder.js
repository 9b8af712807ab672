// Notes, on the page's own clock, when a key or pointer was pressed, how often a slider was moved, and when each chart changed.
// Runs before anything else of the page; records nothing until `recorder.watch` has named the charts.
;(() => {
  const now = () => performance.now()
  /** @type {Record<string, any>} */
  const recorder =
    (globalThis.recorder = { down: null, up: null, moved: 0, changes: [], alone: false })
  const places = new WeakMap() // chart, or canvas in a chart -> number of the chart; -1: in none
  let last = 0 // when anything was last seen to happen

  recorder.reset = () => Object.assign(recorder, { down: null, up: null, moved: 0, changes: [] })

  for (const type of ["keydown", "pointerdown"]) {
    addEventListener(type, (event) => (recorder.down ??= event.timeStamp), true)
  }
  addEventListener("pointerup", (event) => (recorder.up = event.timeStamp), true)

  addEventListener("input", () => (recorder.moved += 1), true)

  // While `alone`, nothing is asked for ahead of time: a value is then one that nobody has asked for before.
  const send = WebSocket.prototype.send
  WebSocket.prototype.send = function (message) {
    if (!(recorder.alone && typeof message === "string" && message.includes('"ahead":'))) {
      send.call(this, message)
    }
  }

  /** A change of a chart; drawing calls that follow each other at once are one change. */
  function changed(chart) {
    last = now()
    const newest = recorder.changes.at(-1)
    if (newest && newest[0] === chart && last - newest[1] < 1) newest[1] = last
    else recorder.changes.push([chart, last])
  }

  /**
   * Whether a mutation made a difference to the picture. An attribute that is set to what it was makes none, nor do the
   * attributes by which Streamlit marks its own frames as stale at the start of each run, and as fresh again, nor those
   * that only name a chart.
   */
  function differs({ type, target, attributeName, oldValue }) {
    if (type === "attributes" && /^(aria|data)-/.test(attributeName)) return false
    if (type === "attributes") {
      return target.getAttribute(attributeName) !== oldValue &&
        !target.dataset.testid?.startsWith("st")
    }
    return type === "childList" || target.data !== oldValue
  }

  const options = {
    subtree: true,
    childList: true,
    attributes: true,
    attributeOldValue: true,
    characterData: true,
    characterDataOldValue: true,
  }

  function observe(root, chart) {
    new MutationObserver((records) => records.some(differs) && changed(chart)).observe(
      root,
      options,
    )
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) observe(node.shadowRoot, chart)
    }
  }

  /** Watch one element for each selector, which must stay while the page lives; what is inside may come and go. */
  recorder.watch = (selectors) =>
    selectors.forEach((selector, chart) => {
      const found = document.querySelectorAll(selector)
      if (found.length !== 1) {
        throw new Error(`${selector} is there ${found.length} times, not once`)
      }
      places.set(found[0], chart)
      observe(found[0], chart)
    })

  /** For each selector, whether its element is to be seen without scrolling. */
  recorder.inView = (selectors) =>
    selectors.map((selector) => {
      const { top, bottom } = document.querySelector(selector).getBoundingClientRect()
      return bottom > 0 && top < innerHeight
    })

  function chartOf(canvas) {
    if (!canvas?.isConnected) return -1 // a sheet beside the page: what is drawn on it shows up later
    if (!places.has(canvas)) {
      let node = canvas
      while (node && !places.has(node)) node = node.parentNode ?? node.host
      places.set(canvas, node ? places.get(node) : -1)
    }
    return places.get(canvas)
  }

  const DRAWING = {
    CanvasRenderingContext2D: [
      "clearRect",
      "drawImage",
      "fill",
      "fillRect",
      "fillText",
      "putImageData",
      "stroke",
      "strokeRect",
    ],
    ImageBitmapRenderingContext: ["transferFromImageBitmap"],
    WebGLRenderingContext: ["clear", "drawArrays", "drawElements"],
    WebGL2RenderingContext: ["clear", "drawArrays", "drawElements"],
  }
  for (const [context, names] of Object.entries(DRAWING)) {
    for (const name of names) {
      const prototype = globalThis[context]?.prototype
      const draw = prototype?.[name]
      if (draw) {
        prototype[name] = function (...how) {
          const chart = chartOf(this.canvas)
          if (chart >= 0) changed(chart)
          return draw.apply(this, how)
        }
      }
    }
  }

  const idle = () =>
    document.querySelector("[data-test-script-state]")?.getAttribute("data-test-script-state") ===
      "notRunning"

  /** Resolve with the record once the charts of `must` have changed, the server rests and all was quiet for a while. */
  recorder.settled = ({ must, quiet, patience }) =>
    new Promise((resolve) => {
      const begin = now()
      let busy = begin
      const look = () => {
        if (!idle()) busy = now()
        const seen = new Set(recorder.changes.map(([chart]) => chart))
        const complete = must.every((chart) => seen.has(chart))
        if (now() - begin > patience || (complete && now() - Math.max(busy, last) > quiet)) {
          const { down, up, moved, changes } = recorder
          resolve({ complete, down, up, moved, changes })
        } else setTimeout(look, 20)
      }
      look()
    })
})()
