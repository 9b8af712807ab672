// What a layout says itself wins; what it leaves open follows the theme; the layout stays as it came.

import assert from "node:assert/strict"
import { test } from "node:test"

import { CLEAR, coloured, lookOf, themed } from "../../ui/widgets/frontend/charts/theme.js"

const LOOK = {
  font: "serif",
  text: "#111",
  line: "#222",
  grid: "#333",
  quiet: "#444",
  back: "#555555",
}
const SIZE = { width: 300, height: 200, resets: 1 }

test("what a layout leaves open follows the theme", () => {
  const { font, hoverlabel, legend, xaxis, yaxis, ...rest } = themed({}, LOOK, SIZE)
  assert.deepEqual(font, { family: "serif", color: "#111" })
  assert.deepEqual(hoverlabel, { bgcolor: "#555555", bordercolor: "#222", font })
  assert.deepEqual(legend, { bgcolor: "rgba(0,0,0,0)" })
  assert.deepEqual(xaxis, {
    gridcolor: "#333",
    zerolinecolor: "#222",
    linecolor: "#222",
    uirevision: 1,
  })
  assert.deepEqual(yaxis, xaxis)
  assert.deepEqual(rest, {
    uirevision: "kept",
    paper_bgcolor: CLEAR,
    plot_bgcolor: CLEAR,
    width: 300,
    height: 200,
  })
})

test("what a layout says wins, but for its size", () => {
  const layout = {
    paper_bgcolor: "white",
    font: { size: 9 },
    xaxis: { gridcolor: "red" },
    width: 9,
    yaxis2: {},
  }
  const out = themed(layout, LOOK, SIZE)
  assert.equal(out.paper_bgcolor, "white")
  assert.deepEqual(out.font, { family: "serif", color: "#111", size: 9 })
  assert.equal(out.xaxis.gridcolor, "red")
  assert.equal(out.width, 300)
  assert.equal(out.yaxis2.gridcolor, "#333")
})

test("Plotly may write into what it gets", () => {
  const layout = {
    font: {},
    hoverlabel: { font: {} },
    xaxis: { range: [0, 1] },
    yaxis3: { range: [0, 1] },
  }
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

test("of a colour with two sides a look has the page's", () => {
  for (const [colorScheme, side] of [["light", "#123"], ["dark", "#456"], ["normal", "#123"]]) {
    const getPropertyValue = (
      name,
    ) => (name === "--lab-private-in-charts" ? " light-dark(#123, #456)" : "")
    Object.assign(globalThis, { getComputedStyle: () => ({ getPropertyValue, colorScheme }) })
    assert.equal(lookOf(null).private, side)
  }
})

const FIGURE = {
  data: [
    {
      x: Float32Array.of(1, 2),
      line: { color: "black", width: 2 },
      marker: { color: ["black", "#123456"] },
    },
    { x: Float32Array.of(3, 4), line: { color: "#123456" }, text: ["black"], name: "black" },
  ],
  layout: {
    shapes: [{ line: { color: "royalblue" }, fillcolor: "seagreen" }],
    annotations: [{ text: '<span style="color:black">black</span>', font: { color: "black" } }],
    xaxis: { ticktext: ["black", "white"] },
  },
}
const COLOURED = { ...LOOK, private: "#666", public: "#777" }

test("colours by name become those of the look, and nothing else does", () => {
  const { data, layout } = coloured(FIGURE, COLOURED)
  assert.deepEqual(data[0].line, { color: "#111", width: 2 })
  assert.deepEqual(data[0].marker, { color: ["#111", "#123456"] })
  assert.deepEqual(layout.shapes, [{ line: { color: "#666" }, fillcolor: "#777" }])
  assert.deepEqual(layout.annotations, [{
    text: '<span style="color:#111">black</span>',
    font: { color: "#111" },
  }])
  assert.equal(data[0].x, FIGURE.data[0].x)
  assert.equal(data[1], FIGURE.data[1])
  assert.equal(layout.xaxis, FIGURE.layout.xaxis)
})

test("what has been coloured is the same object the next time, in each look", () => {
  const [light, dark] = [COLOURED, { ...COLOURED, text: "#eee" }]
  const [one, other] = [coloured(FIGURE, light), coloured(FIGURE, dark)]
  assert.equal(other.data[0].line.color, "#eee")
  assert.equal(coloured(FIGURE, { ...light }), one)
  assert.equal(coloured(FIGURE, dark), other)
  const next = { data: FIGURE.data, layout: {} }
  assert.equal(coloured(next, light).data, one.data)
})
