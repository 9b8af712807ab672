// Texts of the page that follow a movement. They belong to Streamlit, which writes them anew with its
// next answer; until then they describe what the charts show.

// Milliseconds between changes of nodes within a tab. Streamlit watches these nodes, and at each that
// comes or goes looks for what can have the focus, for which the browser lays out the page at once.
// So the texts of present nodes are changed, and nodes only where a text needs other ones.
const NODE_CHANGE_MS = 250

/** Writes texts over those of Streamlit, and gives them back. */
export class LiveText {
  constructor() {
    this.texts = {} // CSS selector -> HTML
    this.streamlitHtml = new Map() // element -> what Streamlit had written into it
    this.liveHtml = new Map() // element -> what is shown in its place
    this.nodesChangedAt = -Infinity // within a tab
    this.timer = null
    this.observer = new MutationObserver(() => this.apply())
  }

  /**
   * Show texts from now on. What Streamlit writes over them is replaced before it is painted.
   *
   * @param {Record<string, string>} texts CSS selector -> HTML.
   */
  show(texts) {
    this.texts = texts
    this.apply()
    this.observer.observe(document.body, { childList: true, subtree: true })
  }

  apply() {
    for (const [selector, html] of Object.entries(this.texts)) {
      const node = document.querySelector(selector)
      if (node && this.liveHtml.get(node) !== html) this.write(node, html)
    }
  }

  write(node, html) {
    const isNew = !this.streamlitHtml.has(node)
    if (isNew) {
      this.streamlitHtml.set(node, node.innerHTML)
      node.setAttribute("aria-busy", "true") // a dozen sentences a second are not read aloud
    }
    const isWritten = changeText(node, html) || this.changeNodes(node, html, isNew)
    if (isWritten) this.liveHtml.set(node, html)
  }

  /** Replace the nodes of a text, unless that has to wait within a tab. */
  changeNodes(node, html, isNew) {
    const now = performance.now()
    const isInTab = node.closest("[role=tabpanel]") !== null
    if (isInTab && !isNew && now - this.nodesChangedAt < NODE_CHANGE_MS) {
      this.timer ??= setTimeout(() => this.catchUp(), NODE_CHANGE_MS)
      return false
    }
    node.innerHTML = html
    if (isInTab) this.nodesChangedAt = now
    return true
  }

  catchUp() {
    this.timer = null
    this.apply()
  }

  /** Give the texts back to Streamlit, whose own are right again where it has nothing new. */
  release() {
    this.observer.disconnect()
    clearTimeout(this.timer)
    this.timer = null
    for (const [node, html] of this.streamlitHtml) {
      const isUnchanged = this.liveHtml.get(node) === html
      if (!isUnchanged && !changeText(node, html)) node.innerHTML = html
      node.removeAttribute("aria-busy")
    }
    this.texts = {}
    this.streamlitHtml.clear()
    this.liveHtml.clear()
  }
}

/**
 * Show HTML in an element with the nodes that it holds.
 *
 * @param {Element} node
 * @param {string} html
 * @returns {boolean} False, and nothing is changed, where the HTML needs other nodes.
 */
export function changeText(node, html) {
  const template = document.createElement("template")
  template.innerHTML = html
  if (!hasSameNodes(node, template.content)) return false
  copyTexts(template.content, node)
  return true
}

function hasSameNodes(first, second) {
  if (first.childNodes.length !== second.childNodes.length) return false
  return [...first.childNodes].every((child, index) => {
    const counterpart = second.childNodes[index]
    return child.nodeName === counterpart.nodeName && hasSameNodes(child, counterpart)
  })
}

/** Copy the texts and attributes of all that is within a node. */
function copyTexts(from, to) {
  from.childNodes.forEach((child, index) => {
    const counterpart = to.childNodes[index]
    if (child.nodeType === Node.ELEMENT_NODE) {
      copyAttributes(child, counterpart)
      copyTexts(child, counterpart)
    } else if (counterpart.data !== child.data) {
      counterpart.data = child.data
    }
  })
}

function copyAttributes(from, to) {
  for (const name of to.getAttributeNames()) {
    if (!from.hasAttribute(name)) to.removeAttribute(name)
  }
  for (const name of from.getAttributeNames()) {
    const value = from.getAttribute(name)
    if (to.getAttribute(name) !== value) to.setAttribute(name, value)
  }
}
