// Sentences of the page that follow a knob which plays. They belong to Streamlit, which writes them anew with its next
// answer; until then they say what the pictures show.

// Streamlit watches the nodes within a tab, and at each that comes or goes looks for what can have the focus, for which
// the browser lays out the page at once. So the text of the nodes that are there is changed, and nodes are changed, where
// a sentence needs others, at most this often (milliseconds).
const SELDOM = 250

export class Words {
  constructor() {
    this.said = {} // CSS selector -> HTML
    this.before = new Map() // element -> what Streamlit had written into it
    this.after = new Map() // element -> what we have
    this.rewritten = -Infinity // when nodes within a tab were changed last
    this.timer = null
    this.watcher = new MutationObserver(() => this.again())
  }

  /** From now on these, by CSS selector; what Streamlit writes over them is put right before it is painted. */
  say(words) {
    this.said = words
    this.again()
    this.watcher.observe(document.body, { childList: true, subtree: true })
  }

  again() {
    const now = performance.now()
    for (const [selector, html] of Object.entries(this.said)) {
      const node = document.querySelector(selector)
      if (!node || this.after.get(node) === html) continue
      const isNew = !this.before.has(node)
      if (isNew) {
        this.before.set(node, node.innerHTML)
        node.setAttribute("aria-busy", "true") // a dozen sentences a second are not for reading
      }
      if (!changeText(node, html)) {
        const inTab = node.closest("[role=tabpanel]") !== null
        if (inTab && !isNew && now - this.rewritten < SELDOM) {
          this.timer ??= setTimeout(() => this.catchUp(), SELDOM)
          continue
        }
        node.innerHTML = html
        if (inTab) this.rewritten = now
      }
      this.after.set(node, html)
    }
  }

  catchUp() {
    this.timer = null
    this.again()
  }

  /** Give them back: where Streamlit has nothing new to say, what it had said is right again. */
  release() {
    this.watcher.disconnect()
    clearTimeout(this.timer)
    this.timer = null
    for (const [node, html] of this.before) {
      if (this.after.get(node) !== html && !changeText(node, html)) node.innerHTML = html
      node.removeAttribute("aria-busy")
    }
    this.said = {}
    this.before.clear()
    this.after.clear()
  }
}

/** Have `node` say this with the nodes that it holds. False, and nothing is changed, where that takes others. */
export function changeText(node, html) {
  const template = document.createElement("template")
  template.innerHTML = html
  if (!sameNodes(node, template.content)) return false
  copy(template.content, node)
  return true
}

function sameNodes(one, other) {
  if (one.childNodes.length !== other.childNodes.length) return false
  return [...one.childNodes].every((child, place) => {
    const its = other.childNodes[place]
    return child.nodeName === its.nodeName && sameNodes(child, its)
  })
}

/** Copy the texts and attributes of all that is within `from`. */
function copy(from, to) {
  from.childNodes.forEach((child, place) => {
    const its = to.childNodes[place]
    if (child.nodeType !== Node.ELEMENT_NODE) {
      if (its.data !== child.data) its.data = child.data
      return
    }
    for (const name of its.getAttributeNames()) {
      if (!child.hasAttribute(name)) its.removeAttribute(name)
    }
    for (const name of child.getAttributeNames()) {
      const value = child.getAttribute(name)
      if (its.getAttribute(name) !== value) its.setAttribute(name, value)
    }
    copy(child, its)
  })
}
