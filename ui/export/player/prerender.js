// The recorded first picture of a page, over the live one until that is there (`first.js`): its slider moves over the
// stops that were computed. The live page then takes its place, at the value where the slider stands.

import { element, Row } from "../../widgets/frontend/sliders/slider.js"
import { written } from "../../widgets/frontend/sliders/scale.js"
import { Chart } from "./chart.js"
import { unfolded } from "./delta.js"
import { nearest, read } from "./recording.js"

const LOOK = 30 // milliseconds between two looks at the live page
const PATIENCE = 20_000 // and after which it is shown, whatever it shows
const FADE = 160
const TILES = ".lab-tile > b"

const host = document.querySelector(".lab-first")
if (host) begin(host, read("lab-recorded"))

function begin(host, { knob, still, more, values, at, frames, html, rules }) {
  const root = host.attachShadow({ mode: "closed" })
  root.innerHTML = `<style>${
    document.getElementById("lab-rules").textContent
  }${rules}</style>${html}`
  const charts = new Map(
    [...root.querySelectorAll("figure")].map((cell) => [cell.dataset.chart, new Chart(cell)]),
  )
  const row = new Row(knob, (value, final) => go(stopOf(value), final))
  root.querySelector("[data-there]").append(panelOf(row, still, more))

  let elsewhere = false // whether somebody uses the live page

  function go(stop, final) {
    if (stop >= 0) at = stop
    const { words, charts: pictures, address } = unfolded(frames, at)
    for (const [where, said] of Object.entries(words)) {
      const node = root.querySelector(where)
      if (node.innerHTML !== said) node.innerHTML = said
    }
    for (const [name, chart] of charts) chart.show(pictures[name])
    row.show(values[at], "")
    // the live page begins there
    if (final) history.replaceState(history.state, "", `?${address}`)
  }

  host.addEventListener("lab-there", (event) => {
    event.preventDefault()
    for (const kind of ["pointerdown", "keydown"]) {
      addEventListener(kind, ({ target }) => (elsewhere ||= target !== host), true)
    }
    leave(matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : FADE)
  })
  go(at, false)
  requestAnimationFrame(() => performance.mark("lab-recorded"))

  /** The stop that lies nearest; a key goes on to the next one at least. */
  function stopOf(value) {
    const stop = nearest(knob, values, value)
    if (stop !== at || !row.keyHeld) return stop
    return Math.min(values.length - 1, Math.max(0, at + Math.sign(value - values[at])))
  }

  /** Give the live page its place: at once what stands over the result, which on a phone takes several lines, and all
   * the rest once nobody holds the slider and it shows the same, or somebody uses it. */
  async function leave(duration) {
    const tops = [root, document].map((where) =>
      where.querySelector(".st-key-screen")?.getBoundingClientRect().top ?? 0
    )
    const by = { transform: `translateY(${tops[1] - tops[0]}px)` }
    await root.querySelector(".st-key-screen").animate(by, { duration, fill: "forwards" }).finished
    host.style.clipPath = `inset(${tops[1]}px 0 0)`
    let since = performance.now()
    let told = null
    while (row.busy || !(elsewhere || same() || performance.now() - since > PATIENCE)) {
      if (!row.busy && told !== at && input(".field")) {
        told = at
        since = performance.now()
        enter(input(".field"), written(values[at]))
      }
      await new Promise((then) => setTimeout(then, LOOK))
    }
    const focused = root.activeElement
    const there = document.querySelector("[data-testid=stMain]")
    if (there) there.scrollTop = host.scrollTop
    await host.animate({ opacity: 0 }, { duration, fill: "forwards" }).finished
    if (focused) input(focused.className === "field" ? ".field" : ".range")?.focus()
    host.remove()
  }

  /** The same row of the live panel. */
  const live = () =>
    document.querySelector(".st-key-panel [data-there]")?.shadowRoot?.querySelector(
      `[data-knob=${knob.name}]`,
    )

  /** @returns {HTMLInputElement | null | undefined} */
  const input = (part) => live()?.querySelector(part)

  /** Whether the live page is drawn and shows this stop. */
  function same() {
    const panel = live()?.closest(".panel")
    const said = (where) => [...where.querySelectorAll(TILES)].map((one) => one.textContent).join()
    return panel && getComputedStyle(panel).opacity === "1" && said(document) === said(root) &&
      input(".field").value === written(values[at]) &&
      [...charts].every(([name, { cell }]) =>
        cell.getBoundingClientRect().top > innerHeight ||
        document.querySelector(`[data-chart="${name}"] .main-svg`)
      )
  }
}

/** The panel as the live page has it (`knobs.js`): what is not recorded waits for that. */
function panelOf(row, still, more) {
  const panel = element("div", "panel")
  const boxes = Object.fromEntries(
    ["hero", "play", "main"].map((
      name,
    ) => [name, element("div", `rows ${name}`, name === "hero" ? {} : { inert: "" })]),
  )
  const drawer = element("details", "more", { inert: "" })
  const others = still.map(([knob, value]) => {
    const other = new Row(knob, () => {})
    other.show(value, "")
    return other
  })
  for (const { knob, node } of [row, ...others]) {
    boxes[knob.group].append(node)
    if (knob.play) node.append(element("div", "player"))
  }
  const folds = matchMedia("(max-width: 899px)").matches
  drawer.append(element("summary"), ...(folds ? [boxes.main] : []))
  drawer.firstChild.textContent = "More settings"
  for (const name of ["play", "main"]) boxes[name].hidden = !boxes[name].childElementCount
  drawer.hidden = !more && !(folds && !boxes.main.hidden)
  panel.append(
    boxes.hero,
    boxes.play,
    element("div", "bar"),
    ...(folds ? [] : [boxes.main]),
    drawer,
  )
  return panel
}

/** Have a row take this entry, as if it were typed. */
function enter(field, text) {
  if (field.value === text) return
  field.value = text
  for (const one of ["input", "blur"]) field.dispatchEvent(new Event(one))
}
