// Announces movements to a screen reader: once the page rests, the numbers and sentences that are
// new, also those about pinned settings.

// Milliseconds without an answer. A movement, or work in slices, brings one far sooner.
const REST_MS = 1000
const VISUALLY_HIDDEN = "position:fixed;top:0;left:0;width:1px;height:1px;overflow:hidden;" +
  "clip-path:inset(50%);white-space:nowrap"
const SENTENCE_CLASSES = ["lab-verdict", "lab-compare-text"]
const SENTENCE_END = /(?<=[.?!])\s+/

// Made once for all panels: a region that comes into the page with its text is often not read.
let region = null

/** Announces what is new on the page after its answers. */
export class Announcer {
  constructor() {
    region ??= makeRegion()
    this.announced = null // the sentences that were on the page when it opened, or at the last rest
    this.timer = null
  }

  /**
   * Note that the page has answered.
   *
   * @param {boolean} isUnfinished Whether further answers are on their way.
   */
  pageAnswered(isUnfinished) {
    this.announced ??= readSentences()
    this.stop()
    if (!isUnfinished) this.timer = setTimeout(() => this.announce(), REST_MS)
  }

  announce() {
    const sentences = readSentences()
    const added = sentences.filter((sentence) => !this.announced.includes(sentence))
    this.announced = sentences
    if (added.length > 0) region.textContent = added.join(" ")
  }

  stop() {
    clearTimeout(this.timer)
  }
}

function makeRegion() {
  const node = document.createElement("div")
  node.setAttribute("role", "status")
  node.setAttribute("aria-live", "polite")
  node.dataset.announcements = ""
  node.style.cssText = VISUALLY_HIDDEN
  document.body.append(node)
  return node
}

function readSentences() {
  const sentences = []
  for (const tile of document.getElementsByClassName("lab-tile")) {
    const [label, value] = tile.children
    sentences.push(`${label.textContent}: ${value.textContent}.`)
  }
  for (const className of SENTENCE_CLASSES) {
    const node = document.getElementsByClassName(className)[0]
    if (node) sentences.push(...node.textContent.trim().split(SENTENCE_END))
  }
  return sentences
}

/**
 * Read what the page says about an attacker at the shown settings, as the meaning of a value.
 *
 * @returns {string} "" where the page says nothing.
 */
export function attackerText() {
  const node = document.getElementsByClassName("lab-odds")[0]
  return node ? `attacker right at most ${node.textContent}` : ""
}
