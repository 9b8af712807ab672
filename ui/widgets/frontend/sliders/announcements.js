// What a screen reader hears of a movement: once the page rests, the big numbers and sentences that are new, also those
// about pinned settings. The node that it listens to is made once and stays: what comes into the page together with its
// words is often not read.

const REST = 1000 // milliseconds without an answer; a movement, or work in slices, brings one far sooner
const HIDDEN =
  "position:fixed;top:0;left:0;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap"
let region = null

export class Voice {
  constructor() {
    region ??= made()
    this.heard = null // the sentences that were on the page when it was last told, or opened
    this.timer = null
  }

  /** The page has answered; more is on its way if it `goes` on. */
  answered(goes) {
    this.heard ??= sentences()
    this.stop()
    if (!goes) this.timer = setTimeout(() => this.say(), REST)
  }

  say() {
    const now = sentences()
    const news = now.filter((sentence) => !this.heard.includes(sentence))
    this.heard = now
    if (news.length) region.textContent = news.join(" ")
  }

  stop() {
    clearTimeout(this.timer)
  }
}

function made() {
  const node = document.createElement("div")
  node.setAttribute("role", "status")
  node.setAttribute("aria-live", "polite")
  node.dataset.voice = ""
  node.style.cssText = HIDDEN
  document.body.append(node)
  return node
}

function sentences() {
  const numbers = [...document.getElementsByClassName("lab-tile")].map((
    { children: [label, value] },
  ) => `${label.textContent}: ${value.textContent}.`)
  const texts = ["lab-verdict", "lab-compare-said"].map((name) =>
    document.getElementsByClassName(name)[0]?.textContent
  )
  return [...numbers, ...texts.flatMap((text) => text?.trim().split(/(?<=[.?!])\s+/) ?? [])]
}

/** What the big number says that an attacker can do at the settings that the page shows; nothing where there is none. */
export function odds() {
  const said = document.getElementsByClassName("lab-odds")[0]
  return said ? `attacker's accuracy at most ${said.textContent}` : ""
}
