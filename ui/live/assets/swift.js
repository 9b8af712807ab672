// From one moment of a knob that plays to the next without Plotly, which would work out the whole chart anew: what moves
// is written into the nodes that it has made. They are its own again as soon as it draws.

const MOVES = { shapes: ["path"], images: ["source"], title: ["text"] } // part of a layout -> what of it may move
const PLACE = /(-?[\d.]+(?:e[-+]?\d+)?),(-?[\d.]+(?:e[-+]?\d+)?)/g

export class Swift {
  constructor(node) {
    this.node = node
    this.layout = {} // the parts of the layout that are not as Plotly knows them
    this.before = new Map() // element -> [how it is written, what Plotly had written]
  }

  /** Go from the figure that Plotly has drawn to this one. False, and nothing is done, where that takes more. */
  move(drawn, figure) {
    const { data, layout } = figure
    const names = Object.keys(layout)
    const moved = names.filter((name) => layout[name] !== drawn.layout[name])
    if (data !== drawn.data || names.length !== Object.keys(drawn.layout).length) return false
    if (!this.node._fullLayout || !moved.every((name) => sameBut(MOVES[name], drawn.layout[name], layout[name]))) return false
    const written = new Map()
    for (const name of new Set([...moved, ...Object.keys(this.layout)])) if (!WRITERS[name](this.node, layout[name], written)) return false
    this.layout = Object.fromEntries(moved.map((name) => [name, layout[name]]))
    for (const [element, [write, value]] of written) {
      if (!this.before.has(element)) this.before.set(element, [write, write(element)])
      write(element, value)
    }
    return true
  }

  /** Give Plotly back what it has drawn. */
  undo() {
    for (const [element, [write, value]] of this.before) write(element, value)
    this.before.clear()
    this.layout = {}
  }
}

/** Whether two parts of a layout, objects or lists of them, differ in nothing but these names. */
function sameBut(names, one, other) {
  if (!names || !one || !other || one.length !== other.length) return false
  const rest = (part) => JSON.stringify(part, (name, value) => (names.includes(name) ? undefined : value))
  return rest(one) === rest(other)
}

/** An element's attribute, written if a value is given; what it then is. */
const attribute = (name) => (element, value) => {
  if (value !== undefined) element.setAttribute(name, value)
  return element.getAttribute(name)
}
const drawing = attribute("d")
const source = attribute("href") // its qualified name: the namespace is XLink's, the prefix is left out
function words(element, value) {
  if (value !== undefined) element.textContent = value
  return element.textContent
}

const WRITERS = {
  shapes(node, shapes, written) {
    const { xaxis, yaxis } = node._fullLayout
    return shapes.every((shape, place) => {
      if (shape.path === undefined) return true
      const element = node.querySelector(`.shapelayer path[data-index="${place}"]`)
      if (!element || shape.xref !== "x" || shape.yref !== "y") return false
      const pixels = (_, x, y) => `${at(xaxis, x)},${at(yaxis, y)}`
      written.set(element, [drawing, shape.path.replace(PLACE, pixels)])
      return true
    })
  },
  images(node, images, written) {
    const elements = node.querySelectorAll(".imagelayer image")
    images.forEach(({ source: address }, place) => written.set(elements[place], [source, address]))
    return elements.length === images.length
  },
  title(node, { text }, written) {
    const element = node.querySelector(".gtitle")
    written.set(element, [words, text])
    return Boolean(element) && !element.firstElementChild && !text.includes("<")
  },
}

/** Where a number lies on the page, to a hundredth of a pixel, as Plotly says it. */
function at(axis, value) {
  return Math.round((axis._offset + axis.d2p(Number(value))) * 100) / 100
}
