// What the page gives to the code under test, as far as that uses it.

/** A clock that stands, and is put forward by hand; it stands in place of the browser's in the file that makes it. */
export class Clock {
  constructor() {
    this.now = 0
    this.timers = new Map() // number -> [when, what]
    let made = 0
    const setTimeout = (act, wait = 0) => (this.timers.set(++made, [this.now + wait, act]), made)
    const clearTimeout = (timer) => this.timers.delete(timer)
    Object.assign(globalThis, { setTimeout, clearTimeout })
    performance.now = () => this.now
  }

  /** So many milliseconds go by, and what was due in them happens. */
  pass(wait) {
    const end = this.now + wait
    for (let timer = this.next(end); timer; timer = this.next(end)) {
      const [when, act] = this.timers.get(timer)
      this.timers.delete(timer)
      this.now = when
      act()
    }
    this.now = end
  }

  /** The timer that is due first, if it is by then. */
  next(end) {
    const due = [...this.timers].filter(([_, [when]]) => when <= end)
    return due.sort(([, [one]], [, [other]]) => one - other)[0]?.[0]
  }
}

/** An element: its words, its attributes, what was put into it, and who listens to it. */
export class Element {
  constructor(words = "") {
    this.textContent = this.innerHTML = words
    this.attributes = new Map()
    this.children = []
    this.dataset = {}
    this.style = {}
    this.listeners = []
  }

  addEventListener(name, act) {
    this.listeners.push([name, act])
  }

  /** Something happens to it. */
  fire(name, event = {}) {
    for (const [heard, act] of this.listeners) if (heard === name) act(event)
  }

  setAttribute(name, value) {
    this.attributes.set(name, value)
  }

  getAttribute(name) {
    return this.attributes.get(name) ?? null
  }

  removeAttribute(name) {
    this.attributes.delete(name)
  }

  append(...nodes) {
    this.children.push(...nodes)
  }
}
