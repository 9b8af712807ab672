// What a page gives to the code under test, as far as that uses it.

/** A clock that stands, and is advanced by hand. It replaces that of the runtime. */
export class FakeClock {
  constructor() {
    this.now = 0
    this.timers = new Map() // number -> {due, act}
    let count = 0
    const setTimeout = (act, waitMs = 0) => {
      count += 1
      this.timers.set(count, { due: this.now + waitMs, act })
      return count
    }
    const clearTimeout = (number) => this.timers.delete(number)
    Object.assign(globalThis, { setTimeout, clearTimeout })
    performance.now = () => this.now
  }

  /** Let milliseconds pass, and run the timers that are due in them. */
  advance(milliseconds) {
    const end = this.now + milliseconds
    for (let number = this.firstDue(end); number; number = this.firstDue(end)) {
      const { due, act } = this.timers.get(number)
      this.timers.delete(number)
      this.now = due
      act()
    }
    this.now = end
  }

  /** The number of the timer that is due first, if it is by then. */
  firstDue(end) {
    let first
    for (const [number, { due }] of this.timers) {
      const isEarlier = first === undefined || due < this.timers.get(first).due
      if (due <= end && isEarlier) first = number
    }
    return first
  }
}

/** An element: its text, its attributes, its children and its listeners. */
export class FakeElement {
  constructor(text = "") {
    this.textContent = text
    this.innerHTML = text
    this.attributes = new Map()
    this.children = []
    this.dataset = {}
    this.style = {}
    this.listeners = []
  }

  addEventListener(type, listener) {
    this.listeners.push({ type, listener })
  }

  /** Call the listeners of an event. */
  fire(type, event = {}) {
    for (const { type: heard, listener } of this.listeners) {
      if (heard === type) listener(event)
    }
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
