// A recorded lesson: guess before anything is shown, then see, then why. The guess stays in this page.

import { Row } from "../../widgets/frontend/sliders/slider.js"
import { Chart } from "./chart.js"
import { unfolded } from "./delta.js"
import { nearest, read, watch } from "./recording.js"

const { knob, values, frames } = read("recording")
const chart = new Chart(document.querySelector("figure[data-chart]"))
const heading = document.querySelector("h1")
const question = heading.textContent
const lock = /** @type {HTMLButtonElement} */ (document.getElementById("lock"))
const headings = {
  guess: () => question,
  reveal: () => frame().heading,
  why: () => "Why",
  try: () => "Try it yourself",
}
const row = knob ? new Row(knob, (value) => guess(nearest(knob, values, value))) : null
let place = null // of the guess among the values; none before the first
let step = "guess"

const frame = () => unfolded(frames, place ?? 0)

watch([chart])
if (row) {
  document.getElementById("knob").append(row.node)
  row.show(values[0], "")
  // whoever guesses the value at which the slider stands moves nothing
  const touched = () => guess(nearest(knob, values, row.value))
  row.range.addEventListener("click", touched)
  row.range.addEventListener("keydown", ({ key }) => ["Tab", "Shift"].includes(key) || touched())
}
for (const choice of choices()) choice.addEventListener("change", () => guess(Number(choice.value)))
for (const button of document.querySelectorAll("button[data-go]")) {
  button.addEventListener("click", () => go(/** @type {HTMLElement} */ (button).dataset.go))
}
lock.disabled = true
chart.show(read("first"))

/** The answers to the question. */
function choices() {
  return /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll(
    "input[name=guess]",
  ))
}

function guess(value) {
  if (value >= 0) place = value
  lock.disabled = false
  show()
}

function show() {
  if (row) row.show(values[place], "")
  chart.show(frame()[step === "guess" ? "covered" : "reveal"])
}

/** Go to a step; its heading has the focus, so that it is read. */
function go(name) {
  step = name
  for (
    const part
      of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("section[data-step]"))
  ) {
    part.hidden = part.dataset.step !== step
  }
  heading.textContent = headings[step]()
  show()
  heading.focus()
}
