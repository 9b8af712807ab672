import assert from "node:assert/strict"
import { test } from "node:test"

import {
  applyColours,
  applyTheme,
  readTheme,
  TRANSPARENT,
} from "../../../ui/widgets/frontend/charts/theme.js"

/** @type {any} */
const THEME = {
  font: "serif",
  text: "#111",
  line: "#222",
  grid: "#333",
  quiet: "#444",
  back: "#555555",
  private: "#666",
  public: "#777",
}
const SIZE = { width: 300, height: 200, resets: 1 }
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

/** Let a page have these properties, by name. */
function setStyle(properties, colorScheme = "normal") {
  const getPropertyValue = (name) => properties[name] ?? ""
  Object.assign(globalThis, { getComputedStyle: () => ({ getPropertyValue, colorScheme }) })
}

test("what a layout leaves open follows the theme", () => {
  const { font, hoverlabel, legend, xaxis, yaxis, ...rest } = applyTheme({}, THEME, SIZE)

  assert.deepEqual(font, { family: "serif", color: "#111" })
  assert.deepEqual(hoverlabel, { bgcolor: "#555555", bordercolor: "#222", font })
  assert.deepEqual(legend, { bgcolor: TRANSPARENT })
  assert.deepEqual(xaxis, {
    gridcolor: "#333",
    zerolinecolor: "#222",
    linecolor: "#222",
    uirevision: 1,
  })
  assert.deepEqual(yaxis, xaxis)
  assert.deepEqual(rest, {
    uirevision: "kept",
    paper_bgcolor: TRANSPARENT,
    plot_bgcolor: TRANSPARENT,
    width: 300,
    height: 200,
  })
})

test("what a layout sets wins, but for its size", () => {
  const layout = {
    paper_bgcolor: "white",
    font: { size: 9 },
    xaxis: { gridcolor: "red" },
    width: 9,
    yaxis2: {},
  }

  const themed = applyTheme(layout, THEME, SIZE)

  assert.equal(themed.paper_bgcolor, "white")
  assert.deepEqual(themed.font, { family: "serif", color: "#111", size: 9 })
  assert.equal(themed.xaxis.gridcolor, "red")
  assert.equal(themed.width, 300)
  assert.equal(themed.yaxis2.gridcolor, "#333")
})

test("the layout stays as it came when Plotly writes into the themed one", () => {
  const layout = {
    font: {},
    hoverlabel: { font: {} },
    xaxis: { range: [0, 1] },
    yaxis3: { range: [0, 1] },
  }
  const before = structuredClone(layout)

  const themed = applyTheme(layout, THEME, SIZE)
  themed.xaxis.range[0] = 5
  themed.yaxis3.range[0] = 5
  themed.xaxis.autorange = 7
  themed.font.size = 7
  themed.hoverlabel.align = 7
  themed.hoverlabel.font.size = 7

  assert.deepEqual(layout, before)
})

test("a reset makes Plotly forget what was zoomed, and nothing else", () => {
  const before = applyTheme({}, THEME, SIZE)
  const after = applyTheme({}, THEME, { ...SIZE, resets: 2 })

  assert.notEqual(before.xaxis.uirevision, after.xaxis.uirevision)
  assert.equal(before.uirevision, after.uirevision)
})

test("colours are those of the page, or plain ones where it has none", () => {
  setStyle({ "--st-text-color": " #abcdef " })

  const { text, ...defaults } = readTheme(null)

  assert.equal(text, "#abcdef")
  for (const value of Object.values(defaults)) assert.match(value, /^(#|rgba|sans)/)
})

for (
  const { colorScheme, colour } of [
    { colorScheme: "light", colour: "#123" },
    { colorScheme: "dark", colour: "#456" },
    { colorScheme: "normal", colour: "#123" },
  ]
) {
  test(`of two colours the theme has that of the colour scheme ${colorScheme}`, () => {
    setStyle({ "--lab-private-in-charts": " light-dark(#123, #456)" }, colorScheme)

    assert.equal(readTheme(null).private, colour)
  })
}

test("colours by name become those of the theme", () => {
  const { data, layout } = applyColours(FIGURE, THEME)

  assert.deepEqual(data[0].line, { color: "#111", width: 2 })
  assert.deepEqual(data[0].marker, { color: ["#111", "#123456"] })
  assert.deepEqual(layout.shapes, [{ line: { color: "#666" }, fillcolor: "#777" }])
  assert.deepEqual(layout.annotations, [{
    text: '<span style="color:#111">black</span>',
    font: { color: "#111" },
  }])
})

test("parts without colours by name are the same objects", () => {
  const { data, layout } = applyColours(FIGURE, THEME)

  assert.equal(data[0].x, FIGURE.data[0].x)
  assert.equal(data[1], FIGURE.data[1])
  assert.equal(layout.xaxis, FIGURE.layout.xaxis)
})

test("what was coloured is the same object the next time, in each theme", () => {
  const darkTheme = { ...THEME, text: "#eee" }
  const light = applyColours(FIGURE, THEME)
  const dark = applyColours(FIGURE, darkTheme)

  assert.equal(dark.data[0].line.color, "#eee")
  assert.equal(applyColours(FIGURE, { ...THEME }), light)
  assert.equal(applyColours(FIGURE, darkTheme), dark)
  assert.equal(applyColours({ data: FIGURE.data, layout: {} }, THEME).data, light.data)
})
