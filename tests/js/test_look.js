// What a layout says itself wins; what it leaves open follows the theme; the layout stays as it came.

import assert from "node:assert/strict"
import { test } from "node:test"

import { CLEAR, lookOf, themed } from "../../ui/live/assets/look.js"

const LOOK = { font: "serif", text: "#111", line: "#222", grid: "#333", quiet: "#444", back: "#555" }
const SIZE = { width: 300, height: 200, resets: 1 }

test("what a layout leaves open follows the theme", () => {
  const { font, hoverlabel, xaxis, yaxis, ...rest } = themed({}, LOOK, SIZE)
  assert.deepEqual(font, { family: "serif", color: "#111" })
  assert.deepEqual(hoverlabel, { bgcolor: "#555", bordercolor: "#222", font })
  assert.deepEqual(xaxis, { gridcolor: "#333", zerolinecolor: "#222", linecolor: "#222", uirevision: 1 })
  assert.deepEqual(yaxis, xaxis)
  assert.deepEqual(rest, { uirevision: "kept", paper_bgcolor: CLEAR, plot_bgcolor: CLEAR, width: 300, height: 200 })
})

test("what a layout says wins, but for its size", () => {
  const layout = { paper_bgcolor: "white", font: { size: 9 }, xaxis: { gridcolor: "red" }, width: 9, yaxis2: {} }
  const out = themed(layout, LOOK, SIZE)
  assert.equal(out.paper_bgcolor, "white")
  assert.deepEqual(out.font, { family: "serif", color: "#111", size: 9 })
  assert.equal(out.xaxis.gridcolor, "red")
  assert.equal(out.width, 300)
  assert.equal(out.yaxis2.gridcolor, "#333")
})

test("Plotly may write into what it gets", () => {
  const layout = { font: {}, hoverlabel: { font: {} }, xaxis: { range: [0, 1] }, yaxis3: { range: [0, 1] } }
  const before = structuredClone(layout)
  const out = themed(layout, LOOK, SIZE)
  out.xaxis.range[0] = out.yaxis3.range[0] = 5
  out.xaxis.autorange =
    out.font.size =
    out.hoverlabel.align =
    out.hoverlabel.font.size =
      7
  assert.deepEqual(layout, before)
})

test("a reset makes Plotly forget what was zoomed, and nothing else", () => {
  const [one, two] = [1, 2].map((resets) => themed({}, LOOK, { ...SIZE, resets }))
  assert.notEqual(one.xaxis.uirevision, two.xaxis.uirevision)
  assert.equal(one.uirevision, two.uirevision)
})

test("colours are the page's, or plain ones where it has none", () => {
  const theme = { "--st-text-color": " #abcdef " }
  const getComputedStyle = () => ({ getPropertyValue: (name) => theme[name] ?? "" })
  Object.assign(globalThis, { getComputedStyle })
  const { text, ...plain } = lookOf(null)
  assert.equal(text, "#abcdef")
  for (const value of Object.values(plain)) assert.match(value, /^(#|rgba|sans)/)
})
