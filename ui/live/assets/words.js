// Sentences of the page that follow a knob which plays. They belong to Streamlit, which writes them anew with its next
// answer; until then they say what the pictures show.

export class Words {
  constructor() {
    this.said = {} // CSS selector -> HTML
    this.before = new Map() // element -> what Streamlit had written into it
    this.after = new Map() // element -> what we have
    this.watcher = new MutationObserver(() => this.again())
  }

  /** From now on these, by CSS selector; what Streamlit writes over them is put right before it is painted. */
  say(words) {
    this.said = words
    this.again()
    this.watcher.observe(document.body, { childList: true, subtree: true })
  }

  again() {
    for (const [selector, html] of Object.entries(this.said)) {
      const node = document.querySelector(selector)
      if (!node || this.after.get(node) === html) continue
      if (!this.before.has(node)) this.before.set(node, node.innerHTML)
      this.after.set(node, html)
      node.innerHTML = html
      node.setAttribute("aria-busy", "true") // a dozen sentences a second are not for reading
    }
  }

  /** Give them back: where Streamlit has nothing new to say, what it had said is right again. */
  release() {
    this.watcher.disconnect()
    for (const [node, html] of this.before) {
      if (this.after.get(node) !== html) node.innerHTML = html
      node.removeAttribute("aria-busy")
    }
    this.said = {}
    this.before.clear()
    this.after.clear()
  }
}
