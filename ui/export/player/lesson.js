// A recorded lesson: guess before anything is shown, then see, then why. The guess stays in this page.

import { SliderRow } from "../../widgets/frontend/sliders/slider.js"
import { Chart } from "./chart.js"
import { decodeStop } from "./delta.js"
import { nearestRecorded, readData, repaintOnChange } from "./recording.js"

// Keys that move the focus, and are no guess at the value at which the slider stands.
const FOCUS_KEYS = ["Tab", "Shift"]

const { slider, values, frames } = readData("recording")
const chart = new Chart(document.querySelector("figure[data-chart]"))
const heading = document.querySelector("h1")
const question = heading.textContent
const lockButton = /** @type {HTMLButtonElement} */ (document.getElementById("lock"))
const row = slider ? new SliderRow(slider, (value) => guessValue(value)) : null
let guessIndex = null // of the guess among the values; null before the first
let step = "guess"

function currentFrame() {
  return decodeStop(frames, guessIndex ?? 0)
}

function headingOf(name) {
  switch (name) {
    case "guess":
      return question
    case "reveal":
      return currentFrame().heading
    case "why":
      return "Why"
    default:
      return "Try it yourself"
  }
}

function guessValue(value) {
  guess(nearestRecorded(slider, values, value))
}

/** @param {number} index Of the guess among the values; -1 keeps the last guess. */
function guess(index) {
  if (index >= 0) guessIndex = index
  lockButton.disabled = false
  show()
}

function show() {
  if (row) row.show(values[guessIndex], "")
  const figure = step === "guess" ? "covered" : "reveal"
  chart.show(currentFrame()[figure])
}

/** Go to a step, and give its heading the focus, so that it is read aloud. */
function goToStep(name) {
  step = name
  for (const node of document.querySelectorAll("[data-step]")) {
    const content = /** @type {HTMLElement} */ (node)
    content.hidden = content.dataset.step !== step
  }
  heading.textContent = headingOf(step)
  show()
  heading.focus()
}

function listenToRow() {
  document.getElementById("slider").append(row.node)
  row.show(values[0], "")
  // to guess the value at which the slider stands moves nothing
  row.range.addEventListener("click", () => guessValue(row.value))
  row.range.addEventListener("keydown", ({ key }) => {
    if (!FOCUS_KEYS.includes(key)) guessValue(row.value)
  })
}

repaintOnChange([chart])
if (row) listenToRow()
for (const node of document.querySelectorAll("input[name=guess]")) {
  const choice = /** @type {HTMLInputElement} */ (node)
  choice.addEventListener("change", () => guess(Number(choice.value)))
}
for (const node of document.querySelectorAll("button[data-go]")) {
  const button = /** @type {HTMLElement} */ (node)
  button.addEventListener("click", () => goToStep(button.dataset.go))
}
lockButton.disabled = true
chart.show(readData("first"))
