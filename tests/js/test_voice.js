// What a screen reader hears: once the page rests, the sentences that are new.

import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { odds, Voice } from "../../ui/widgets/frontend/sliders/announcements.js"
import { Clock, Element } from "./fakes.js"

const clock = new Clock()
const body = new Element()
let verdict, said, compared

Object.assign(globalThis, {
  document: {
    body,
    createElement: () => new Element(),
    getElementsByClassName: (name) =>
      [{ "lab-verdict": verdict, "lab-odds": said, "lab-compare-said": compared }[name]].filter(
        Boolean,
      ),
  },
})

/** What is in the live region. */
const heard = () => body.children[0].textContent

/** A new panel, after what earlier ones have said. */
function panel() {
  const voice = new Voice()
  body.children[0].textContent = ""
  return voice
}

beforeEach(() => {
  clock.timers.clear()
  verdict = new Element("Privacy costs 3 points. The attacker gains little.")
  said = compared = null
})

test("all panels speak in one polite place, out of sight", () => {
  panel()
  panel()
  assert.equal(body.children.length, 1)
  const [region] = body.children
  assert.equal(region.getAttribute("role"), "status")
  assert.equal(region.getAttribute("aria-live"), "polite")
  assert.match(region.style.cssText, /clip-path/)
})

test("what was there when the page opened is not read out", () => {
  panel().answered(false)
  clock.pass(5000)
  assert.equal(heard(), "")
})

test("of a movement the new sentences are read, after a second of rest", () => {
  const voice = panel()
  voice.answered(false)
  verdict.textContent = "Privacy costs 5 points. The attacker gains little. Is it enough?"
  voice.answered(false)
  clock.pass(999)
  assert.equal(heard(), "")
  clock.pass(1)
  assert.equal(heard(), "Privacy costs 5 points. Is it enough?")
})

test("the difference from pinned settings is read after the verdict", () => {
  const voice = panel()
  voice.answered(false)
  verdict.textContent = "Privacy costs 5 points."
  compared = new Element("Accuracy is 2.3 points higher in A (median of 24 pairs).")
  voice.answered(false)
  clock.pass(1000)
  assert.equal(
    heard(),
    "Privacy costs 5 points. Accuracy is 2.3 points higher in A (median of 24 pairs).",
  )
})

test("a sentence that was gone is new when it comes back", () => {
  const voice = panel()
  const first = verdict.textContent
  for (const words of [first, "Privacy costs 5 points.", first]) {
    verdict.textContent = words
    voice.answered(false)
    clock.pass(1000)
  }
  assert.equal(heard(), first)
})

test("a decimal point ends no sentence", () => {
  const voice = panel()
  voice.answered(false)
  verdict.textContent = "Epsilon is 0.5 now. The attacker gains little."
  voice.answered(false)
  clock.pass(1000)
  assert.equal(heard(), "Epsilon is 0.5 now.")
})

test("while more is on its way nothing is said, and each answer begins the second anew", () => {
  const voice = panel()
  voice.answered(false)
  verdict.textContent = "Privacy costs 5 points."
  voice.answered(true)
  clock.pass(5000)
  assert.equal(heard(), "")
  voice.answered(false)
  clock.pass(900)
  voice.answered(false)
  clock.pass(900)
  assert.equal(heard(), "")
  clock.pass(100)
  assert.equal(heard(), "Privacy costs 5 points.")
})

test("a movement that changes no sentence is silent, and a panel that is gone as well", () => {
  const voice = panel()
  voice.answered(false)
  voice.answered(false)
  clock.pass(1000)
  assert.equal(heard(), "")
  verdict.textContent = "Privacy costs 5 points."
  voice.answered(false)
  voice.stop()
  clock.pass(1000)
  assert.equal(heard(), "")
})

test("a page without a verdict has nothing to say", () => {
  verdict = null
  const voice = panel()
  voice.answered(false)
  clock.pass(1000)
  assert.equal(heard(), "")
})

test("what a value means is what the page says of the attacker", () => {
  assert.equal(odds(), "")
  said = new Element("62 %")
  assert.equal(odds(), "attacker's accuracy at most 62 %")
})
