// Letters and the room around them grow with the page; a finding goes where it has no room; what stays is the same object.

import assert from "node:assert/strict"
import { test } from "node:test"

import { fitted, scaleOf } from "../../ui/widgets/frontend/charts/responsive.js"

const WIDE = 2000
const figure = (text = "<b>Accuracy:</b> ahead from 1 on") => ({
  data: [{
    x: Float64Array.of(1, 2),
    line: { width: 3 },
    marker: { size: 8 },
    textfont: { size: 12 },
  }],
  layout: {
    title: { text, font: { size: 15 }, x: 0.01, pad: { l: 4, t: 8 } },
    margin: { l: 48, r: 12, t: 54, b: 44 },
    font: { size: 13, color: "black" },
    xaxis: {
      range: [0, 10],
      tickfont: { size: 13 },
      title: { text: "epsilon", standoff: 8, font: { size: 13 } },
    },
    yaxis2: { tickfont: { size: 12 }, dtick: 2 },
    legend: { x: 1, font: { size: 13 } },
    annotations: [{ text: "here", x: 2, y: 40, xshift: 6, yshift: -4, font: { size: 12 } }],
    shapes: [{ x0: 1, x1: 2, line: { width: 2 } }],
    images: [{ sizex: 6, x: 0 }],
    height: 400,
  },
})

test("letters, margins and shifts grow; what is measured in the units of the data does not", () => {
  const { data, layout } = figure()
  const grown = fitted({ data, layout }, 1.25, WIDE)
  assert.deepEqual(grown.data, [{ ...data[0], textfont: { size: 15 } }])
  assert.equal(grown.data[0].x, data[0].x)
  assert.deepEqual(grown.layout, {
    title: { text: layout.title.text, font: { size: 18.75 }, x: 0.01, pad: { l: 5, t: 10 } },
    margin: { l: 60, r: 15, t: 67.5, b: 55 },
    font: { size: 16.25, color: "black" },
    xaxis: {
      range: [0, 10],
      tickfont: { size: 16.25 },
      title: { text: "epsilon", standoff: 8, font: { size: 16.25 } },
    },
    yaxis2: { tickfont: { size: 15 }, dtick: 2 },
    legend: { x: 1, font: { size: 16.25 } },
    annotations: [{ text: "here", x: 2, y: 40, xshift: 7.5, yshift: -5, font: { size: 15 } }],
    shapes: [{ x0: 1, x1: 2, line: { width: 2 } }],
    images: [{ sizex: 6, x: 0 }],
    height: 400,
  })
  assert.deepEqual({ data, layout }, figure(), "what came is as it came")
})

test("for a hall no letters stay small, and lines and marks grow, too", () => {
  const { data, layout } = figure()
  const path = { type: "path", path: "M-6,0L0,1.5e-1Z", xsizemode: "pixel", line: { width: 1 } }
  const shown = fitted(
    { data, layout: { ...layout, shapes: [...layout.shapes, path] } },
    2,
    WIDE,
    13,
  )
  assert.deepEqual(shown.data[0], {
    x: data[0].x,
    line: { width: 6 },
    marker: { size: 16 },
    textfont: { size: 26 },
  })
  assert.equal(shown.layout.annotations[0].font.size, 26)
  assert.equal(shown.layout.title.font.size, 30)
  assert.equal(shown.layout.shapes[0].line.width, 4)
  assert.deepEqual(shown.layout.shapes[1], { ...path, path: "M-12,0L0,0.15Z", line: { width: 2 } })
  const many = [{ marker: { size: Float32Array.of(1, 2), line: { width: 1 } } }, { fill: "toself" }]
  const [points, area] = fitted({ data: many, layout: {} }, 2, WIDE, 13).data
  assert.deepEqual(points.marker, { size: Float32Array.of(2, 4), line: { width: 2 } })
  assert.deepEqual(area, many[1])
  assert.notEqual(fitted({ data, layout }, 2, WIDE).data[0].line.width, 6, "nor for a page")
})

test("where nothing has to change the figure is the very same", () => {
  const one = figure()
  assert.equal(fitted(one, 1, WIDE), one)
  assert.equal(fitted(one, 1, 0), one, "nobody knows yet how wide it will be")
  const bare = { data: [] }
  assert.equal(fitted(bare, 1, 10), bare)
  assert.deepEqual(fitted(bare, 1.25, 10), { data: [], layout: {} })
})

test("what has been made is the same object the next time, and so are parts that stay in another figure", () => {
  const one = figure()
  const grown = fitted(one, 1.25, WIDE)
  assert.equal(fitted(one, 1.25, WIDE), grown)
  const next = { data: [], layout: { ...one.layout, xaxis: { range: [0, 20] } } }
  const other = fitted(next, 1.25, WIDE)
  for (const part of ["title", "margin", "yaxis2", "annotations"]) {
    assert.equal(other.layout[part], grown.layout[part])
  }
  assert.notEqual(
    fitted(one, 1.5, WIDE).layout.font.size,
    grown.layout.font.size,
    "another size is another figure",
  )
})

test("where a title has no room its finding goes and its name stays", () => {
  const one = figure()
  const short = fitted(one, 1, 120)
  assert.equal(short.layout.title.text, "<b>Accuracy</b>")
  assert.deepEqual(short.layout.title.font, one.layout.title.font)
  assert.equal(short.layout.xaxis, one.layout.xaxis)
  assert.equal(fitted(one, 1, 120), short)
  assert.equal(fitted(one, 1, WIDE), one, "and comes back with the room")
})

test("larger letters need more room", () => {
  const needed = (scale) => {
    const name = (width) => fitted(figure(), scale, width).layout.title.text
    return Array.from({ length: WIDE }, (_, width) => width + 1).find((width) =>
      name(width).includes("ahead")
    )
  }
  assert.ok(Math.abs(needed(1.25) / needed(1) - 1.25) < 0.01)
})

test("a title without a finding stays, however long it is", () => {
  for (const text of ["<b>Accuracy over epsilon</b>", "Accuracy: over epsilon", ""]) {
    const one = figure(text)
    assert.equal(fitted(one, 1, 20), one)
  }
})

test("the page's letters are counted in the usual 16 pixels", () => {
  const getComputedStyle = (node) => ({ fontSize: node === "html" ? "20px" : "1px" })
  Object.assign(globalThis, { document: { documentElement: "html" }, getComputedStyle })
  assert.equal(scaleOf(), 1.25)
})

test("a legend stands in rows under the name of the axis upwards, each trace a group", () => {
  const place = { xref: "paper", yref: "paper", x: 0, y: 1, xanchor: "left", yanchor: "bottom" }
  const [name, other] = [{ text: "accuracy, %", ...place }, { text: "now", ...place, x: 0.5 }]
  const legend = { orientation: "h", font: { size: 13 } }
  const shown = {
    data: [{ name: "a" }, { name: "b" }],
    layout: { showlegend: true, legend, annotations: [name, other] },
  }
  const { data, layout } = fitted(shown, 1, WIDE)
  assert.deepEqual(data.map(({ legendgroup }) => legendgroup), ["0", "1"])
  assert.deepEqual(layout.annotations, [other])
  assert.deepEqual(layout.legend.title, {
    text: "<br>accuracy, %",
    side: "top",
    font: { size: 13 },
  })
  assert.equal(fitted(shown, 1, WIDE).data[0], data[0]) // the same object, which Plotly need not draw again
})
