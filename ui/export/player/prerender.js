// The recorded first screen of a page, over the live page until that is ready (`skeleton.js`): its
// slider moves over the stops that were computed. The live page then takes its place, at the value
// where the slider stands.

import { formatNumber } from "../../widgets/frontend/sliders/scale.js"
import { element, SliderRow } from "../../widgets/frontend/sliders/slider.js"
import { Chart } from "./chart.js"
import { decodeStop } from "./delta.js"
import { nearestRecorded, readData } from "./recording.js"

const CHECK_MS = 30 // between two looks at the live page
const TIMEOUT_MS = 20_000 // after which the live page is shown, whatever it shows
const FADE_MS = 160
const SCREEN = ".st-key-screen"
const LIVE_PANEL = ".st-key-panel [data-ready]"
const TILE_VALUES = ".lab-tile > b"
const PHONE = "(max-width: 899px)"
const REDUCED_MOTION = "(prefers-reduced-motion: reduce)"

/** The recorded screen, in a shadow root over the live page. */
class RecordedScreen {
  /**
   * @param {HTMLElement} host
   * @param {any} recording What `ui/export/prerender.py` writes into the page.
   */
  constructor(host, recording) {
    this.host = host
    this.slider = recording.slider
    this.values = recording.values
    this.frames = recording.frames
    this.stop = recording.at
    this.isLivePageUsed = false
    this.root = host.attachShadow({ mode: "closed" })
    const pageRules = document.getElementById("lab-rules").textContent
    this.root.innerHTML = `<style>${pageRules}${recording.rules}</style>${recording.html}`
    /** @type {Map<string, Chart>} */
    this.charts = new Map()
    for (const cell of this.root.querySelectorAll("figure")) {
      this.charts.set(cell.dataset.chart, new Chart(cell))
    }
    this.row = new SliderRow(this.slider, (value, final) => this.goTo(this.stopOf(value), final))
    const panel = makePanel(this.row, recording.fixed, recording.more)
    this.root.querySelector("[data-ready]").append(panel)
    host.addEventListener("lab-ready", (event) => this.liveReady(event))
    this.goTo(this.stop, false)
    requestAnimationFrame(() => performance.mark("lab-recorded"))
  }

  /**
   * Show a stop; the one that is shown where the index is -1.
   *
   * @param {number} index
   * @param {boolean} final Whether the slider is released.
   */
  goTo(index, final) {
    if (index >= 0) this.stop = index
    const { words, charts, address } = decodeStop(this.frames, this.stop)
    for (const [selector, html] of Object.entries(words)) {
      const node = this.root.querySelector(selector)
      if (node.innerHTML !== html) node.innerHTML = html
    }
    for (const [name, chart] of this.charts) chart.show(charts[name])
    this.row.show(this.value, "")
    // the live page begins there
    if (final) history.replaceState(history.state, "", `?${address}`)
  }

  get value() {
    return this.values[this.stop]
  }

  /** The nearest stop; a key goes on to the next one at least. */
  stopOf(value) {
    const nearest = nearestRecorded(this.slider, this.values, value)
    if (nearest !== this.stop || !this.row.isKeyDown) return nearest
    const next = this.stop + Math.sign(value - this.value)
    return Math.min(this.values.length - 1, Math.max(0, next))
  }

  /** The live page is ready, but this screen leaves by itself. */
  liveReady(event) {
    event.preventDefault()
    const used = ({ target }) => {
      if (target !== this.host) this.isLivePageUsed = true
    }
    addEventListener("pointerdown", used, true)
    addEventListener("keydown", used, true)
    const duration = matchMedia(REDUCED_MOTION).matches ? 0 : FADE_MS
    this.leave(duration)
  }

  /**
   * Give the live page its place: at once what stands over the result, which on a phone takes several
   * lines, and the rest once the live page shows the same.
   *
   * @param {number} duration Of the movements, in milliseconds.
   */
  async leave(duration) {
    const liveTop = topOf(document)
    const transform = `translateY(${liveTop - topOf(this.root)}px)`
    const screen = this.root.querySelector(SCREEN)
    await screen.animate({ transform }, { duration, fill: "forwards" }).finished
    this.host.style.clipPath = `inset(${liveTop}px 0 0)`
    await this.waitForLivePage()
    const focused = this.root.activeElement
    const main = document.querySelector("[data-testid=stMain]")
    if (main) main.scrollTop = this.host.scrollTop
    await this.host.animate({ opacity: 0 }, { duration, fill: "forwards" }).finished
    const part = focused?.className === "field" ? ".field" : ".range"
    if (focused) this.liveInput(part)?.focus()
    this.host.remove()
  }

  /** Wait until nobody holds the slider and the live page shows the same, or somebody uses it. */
  async waitForLivePage() {
    let since = performance.now()
    let enteredStop = null
    while (this.row.isBusy || !this.mayLeave(since)) {
      const field = this.liveInput(".field")
      if (field && !this.row.isBusy && enteredStop !== this.stop) {
        enteredStop = this.stop
        since = performance.now()
        enterText(field, formatNumber(this.value))
      }
      await new Promise((resolve) => setTimeout(resolve, CHECK_MS))
    }
  }

  mayLeave(since) {
    return this.isLivePageUsed || this.showsSame() || performance.now() - since > TIMEOUT_MS
  }

  /** The row of the same slider in the live panel. */
  liveRow() {
    const panel = document.querySelector(LIVE_PANEL)
    return panel?.shadowRoot?.querySelector(`[data-slider=${this.slider.name}]`)
  }

  /** @returns {HTMLInputElement | null | undefined} */
  liveInput(selector) {
    return this.liveRow()?.querySelector(selector)
  }

  /** Whether the live page is drawn and shows this stop. */
  showsSame() {
    const panel = this.liveRow()?.closest(".panel")
    if (!panel || getComputedStyle(panel).opacity !== "1") return false
    if (tileValues(document) !== tileValues(this.root)) return false
    if (this.liveInput(".field").value !== formatNumber(this.value)) return false
    return [...this.charts].every(([name, { cell }]) => {
      const isBelowWindow = cell.getBoundingClientRect().top > innerHeight
      return isBelowWindow || document.querySelector(`[data-chart="${name}"] .main-svg`) !== null
    })
  }
}

function topOf(root) {
  return root.querySelector(SCREEN)?.getBoundingClientRect().top ?? 0
}

function tileValues(root) {
  return [...root.querySelectorAll(TILE_VALUES)].map((node) => node.textContent).join()
}

/** Enter a text into a field, as if it were typed. */
function enterText(field, text) {
  if (field.value === text) return
  field.value = text
  field.dispatchEvent(new Event("input"))
  field.dispatchEvent(new Event("blur"))
}

/**
 * Make the panel as the live page lays it out (`layout.js`). What is not recorded is inert until the
 * live page is ready.
 *
 * @param {SliderRow} row
 * @param {[slider: any, value: number][]} fixed Sliders that do not move, and their values.
 * @param {boolean} hasDrawer Whether the page has further settings.
 */
function makePanel(row, fixed, hasDrawer) {
  const groups = makeGroups([row, ...fixed.map(makeFixedRow)])
  const isPhone = matchMedia(PHONE).matches
  const drawer = makeDrawer()
  drawer.hidden = !hasDrawer && !(isPhone && !groups.main.hidden)
  const panel = element("div", "panel")
  panel.append(groups.hero, groups.play, element("div", "bar"))
  // on a phone the main sliders are in the drawer
  if (isPhone) drawer.append(groups.main)
  else panel.append(groups.main)
  panel.append(drawer)
  return panel
}

function makeFixedRow([slider, value]) {
  const row = new SliderRow(slider, () => {})
  row.show(value, "")
  return row
}

/** @param {SliderRow[]} rows */
function makeGroups(rows) {
  const groups = {
    hero: element("div", "rows hero"),
    play: element("div", "rows play", { inert: "" }),
    main: element("div", "rows main", { inert: "" }),
  }
  for (const { slider, node } of rows) {
    groups[slider.group].append(node)
    if (slider.play) node.append(element("div", "player"))
  }
  groups.play.hidden = groups.play.childElementCount === 0
  groups.main.hidden = groups.main.childElementCount === 0
  return groups
}

function makeDrawer() {
  const drawer = element("details", "more", { inert: "" })
  const summary = element("summary")
  summary.textContent = "More settings"
  drawer.append(summary)
  return drawer
}

const host = /** @type {HTMLElement | null} */ (document.querySelector(".lab-first"))
if (host) new RecordedScreen(host, readData("lab-recorded"))
