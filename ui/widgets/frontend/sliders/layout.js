// The elements of the slider panel: groups of rows, a drawer for further settings, a progress bar.

import { element } from "./slider.js"

// On a phone all sliders but the first are in the drawer.
const PHONE = matchMedia("(max-width: 899px)")
const GROUPS = ["hero", "play", "main", "more"]

/** @typedef {import("./slider.js").SliderRow} SliderRow */

/** Lays out the rows of a panel. Nodes are made once and stay. */
export class PanelLayout {
  /**
   * @param {ShadowRoot} root
   * @param {() => void} onDrawerClick Called when the person opens or closes the drawer.
   */
  constructor(root, onDrawerClick) {
    this.root = root
    this.hasSelectors = false // whether the page has selectors below the sliders of the drawer
    /** @type {Record<string, HTMLElement>} */
    this.groups = {}
    for (const name of GROUPS) this.groups[name] = element("div", `rows ${name}`)
    this.bar = this.makeBar()
    this.drawer = this.makeDrawer(onDrawerClick)
    this.frame = element("div", "panel")
    this.frame.style.opacity = "0" // until the style sheet sets it
    this.frame.append(this.groups.hero, this.groups.play, this.bar, this.drawer)
    root.append(this.frame)
    this.arrange = () => this.placeMainGroup()
    PHONE.addEventListener("change", this.arrange)
    this.arrange()
  }

  makeBar() {
    const bar = element("div", "bar", {
      role: "progressbar",
      "aria-label": "Work in progress",
      "aria-valuemin": 0,
      "aria-valuemax": 100,
    })
    bar.append(element("div", "done"))
    return bar
  }

  makeDrawer(onDrawerClick) {
    const drawer = /** @type {HTMLDetailsElement} */ (element("details", "more"))
    const summary = element("summary")
    summary.textContent = "More settings"
    drawer.append(summary, this.groups.more)
    // the page's own selectors stand below the panel, and come and go with the drawer
    drawer.addEventListener("toggle", () => {
      this.root.host?.toggleAttribute("data-open", drawer.open)
    })
    summary.addEventListener("click", onDrawerClick)
    return drawer
  }

  placeMainGroup() {
    const { main, more } = this.groups
    if (PHONE.matches) more.before(main)
    else this.drawer.before(main)
    this.updateDrawer()
  }

  /** Hide the drawer if there is nothing in it. */
  updateDrawer() {
    const hasSliders = this.drawer.querySelector("[data-slider]") !== null
    this.drawer.hidden = !this.hasSelectors && !hasSliders
  }

  /**
   * Put the rows in their groups, in this order. A row that stays where it is is not touched.
   *
   * @param {SliderRow[]} rows
   */
  place(rows) {
    for (const [name, group] of Object.entries(this.groups)) {
      const inGroup = rows.filter(({ slider }) => slider.group === name)
      inGroup.forEach(({ node }, index) => {
        const present = group.children[index] ?? null
        if (present !== node) group.insertBefore(node, present)
      })
      group.hidden = inGroup.length === 0
    }
    this.updateDrawer()
    this.root.host?.toggleAttribute("data-ready", true) // for the layout of the page
  }

  /**
   * Show how far the work has come.
   *
   * @param {boolean} isWorking
   * @param {number} progress A share.
   */
  showProgress(isWorking, progress) {
    const { bar } = this
    bar.classList.toggle("working", isWorking)
    bar.setAttribute("aria-hidden", String(!isWorking))
    const share = Math.min(1, Math.max(0, progress))
    bar.setAttribute("aria-valuenow", String(Math.round(share * 100)))
    const done = /** @type {HTMLElement} */ (bar.firstChild)
    done.style.transform = `scaleX(${share})`
  }

  dispose() {
    PHONE.removeEventListener("change", this.arrange)
  }
}
