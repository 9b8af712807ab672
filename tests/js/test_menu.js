// Streamlit's side menu is no list to a screen reader, whenever it comes and whatever it holds then.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { mendMenu } from "../../ui/widgets/frontend/page/menu.js"
import { Element } from "./fakes.js"

const AROUND = "[data-testid=stAppViewContainer]"
const MENU = "[data-testid=stSidebar]"
let page, lists, watched

class MutationObserver {
  constructor(act) {
    this.act = act
  }
  observe(node, how) {
    watched.set(node, [this, how])
  }
  disconnect() {
    for (const [node, [one]] of watched) if (one === this) watched.delete(node)
  }
}
const document = {
  querySelector: (selector) => page[selector] ?? null,
  querySelectorAll: (selector) => (/stSidebarNavItems/.test(selector) ? lists : []),
}
Object.assign(globalThis, { document, MutationObserver })

beforeEach(() => {
  page = { [AROUND]: new Element() }
  lists = []
  watched = new Map()
})

const mended = () => lists.every((one) => one.getAttribute("role") === "presentation")
const comes = () => {
  page[MENU] = new Element()
  lists = [new Element(), new Element()]
}
/** What the browser says of a node that somebody watches. */
const changed = (node) => watched.get(node)[0].act()

test("a menu that is there is put right at once", () => {
  comes()
  mendMenu()
  assert.ok(mended())
})

test("one that comes later is put right then", () => {
  mendMenu()
  comes()
  assert.ok(!mended())
  changed(page[AROUND])
  assert.ok(mended())
})

test("what is put into it later is put right too, however deep", () => {
  comes()
  mendMenu()
  assert.deepEqual(watched.get(page[MENU])[1], { childList: true, subtree: true })
  lists.push(new Element())
  assert.ok(!mended())
  changed(page[MENU])
  assert.ok(mended())
})

test("one that has gone and come again is watched again", () => {
  comes()
  mendMenu()
  comes()
  changed(page[AROUND])
  lists.push(new Element())
  changed(page[MENU])
  assert.ok(mended())
})

test("a page without a menu and without a place for one is left alone", () => {
  page = {}
  mendMenu()()
  assert.equal(watched.size, 0)
})

test("it ends when it is told to", () => {
  comes()
  const end = mendMenu()
  assert.equal(watched.size, 2)
  end()
  assert.equal(watched.size, 0)
})
