import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { Announcer, attackerText } from "../../../ui/widgets/frontend/sliders/announcements.js"
import { FakeClock, FakeElement } from "../fakes.js"

const REST_MS = 1000
const clock = new FakeClock()
const body = new FakeElement()
let verdict, odds, comparison

Object.assign(globalThis, {
  document: {
    body,
    createElement: () => new FakeElement(),
    getElementsByClassName: (name) => {
      const nodes = { "lab-verdict": verdict, "lab-odds": odds, "lab-compare-text": comparison }
      return nodes[name] ? [nodes[name]] : []
    },
  },
})

function announced() {
  return body.children[0].textContent
}

/** Make an announcer, after what earlier ones have announced. */
function makeAnnouncer() {
  const announcer = new Announcer()
  body.children[0].textContent = ""
  return announcer
}

/** Show another verdict, as an answer of the page. */
function answer(announcer, text, isUnfinished = false) {
  verdict.textContent = text
  announcer.pageAnswered(isUnfinished)
}

beforeEach(() => {
  clock.timers.clear()
  verdict = new FakeElement("Privacy costs 3 points. The attacker gains little.")
  odds = null
  comparison = null
})

test("all panels announce in one polite region, out of sight", () => {
  makeAnnouncer()
  makeAnnouncer()

  assert.equal(body.children.length, 1)
  const [region] = body.children
  assert.equal(region.getAttribute("role"), "status")
  assert.equal(region.getAttribute("aria-live"), "polite")
  assert.match(region.style.cssText, /clip-path/)
})

test("what was on the page when it opened is not announced", () => {
  makeAnnouncer().pageAnswered(false)

  clock.advance(5 * REST_MS)

  assert.equal(announced(), "")
})

test("new sentences are announced after a second of rest", () => {
  const announcer = makeAnnouncer()
  announcer.pageAnswered(false)
  answer(announcer, "Privacy costs 5 points. The attacker gains little. Is it enough?")

  clock.advance(REST_MS - 1)
  assert.equal(announced(), "")
  clock.advance(1)
  assert.equal(announced(), "Privacy costs 5 points. Is it enough?")
})

test("the difference from pinned settings is announced after the verdict", () => {
  const announcer = makeAnnouncer()
  announcer.pageAnswered(false)
  comparison = new FakeElement("Accuracy is 2.3 points higher in A (median of 24 pairs).")
  answer(announcer, "Privacy costs 5 points.")

  clock.advance(REST_MS)

  assert.equal(
    announced(),
    "Privacy costs 5 points. Accuracy is 2.3 points higher in A (median of 24 pairs).",
  )
})

test("a sentence that was gone is new when it comes back", () => {
  const announcer = makeAnnouncer()
  const first = verdict.textContent

  for (const text of [first, "Privacy costs 5 points.", first]) {
    answer(announcer, text)
    clock.advance(REST_MS)
  }

  assert.equal(announced(), first)
})

test("a decimal point ends no sentence", () => {
  const announcer = makeAnnouncer()
  announcer.pageAnswered(false)
  answer(announcer, "Epsilon is 0.5 now. The attacker gains little.")

  clock.advance(REST_MS)

  assert.equal(announced(), "Epsilon is 0.5 now.")
})

test("nothing is announced while further answers are on their way", () => {
  const announcer = makeAnnouncer()
  announcer.pageAnswered(false)
  answer(announcer, "Privacy costs 5 points.", true)

  clock.advance(5 * REST_MS)

  assert.equal(announced(), "")
})

test("each answer restarts the second of rest", () => {
  const announcer = makeAnnouncer()
  announcer.pageAnswered(false)
  answer(announcer, "Privacy costs 5 points.")
  clock.advance(900)
  announcer.pageAnswered(false)

  clock.advance(900)
  assert.equal(announced(), "")
  clock.advance(100)
  assert.equal(announced(), "Privacy costs 5 points.")
})

test("a movement that changes no sentence is not announced", () => {
  const announcer = makeAnnouncer()
  announcer.pageAnswered(false)
  announcer.pageAnswered(false)

  clock.advance(REST_MS)

  assert.equal(announced(), "")
})

test("nothing is announced for a panel that is gone", () => {
  const announcer = makeAnnouncer()
  announcer.pageAnswered(false)
  answer(announcer, "Privacy costs 5 points.")

  announcer.stop()
  clock.advance(REST_MS)

  assert.equal(announced(), "")
})

test("nothing is announced on a page without a verdict", () => {
  verdict = null
  makeAnnouncer().pageAnswered(false)

  clock.advance(REST_MS)

  assert.equal(announced(), "")
})

test("the meaning of a value is what the page says about the attacker", () => {
  assert.equal(attackerText(), "")

  odds = new FakeElement("62 %")

  assert.equal(attackerText(), "attacker right at most 62 %")
})
