import assert from "node:assert/strict"
import { test } from "node:test"

import { fitFigure, pageScale } from "../../../ui/widgets/frontend/charts/responsive.js"

const WIDE = 2000
const HALL_LETTERS = 13

function makeFigure(title = "<b>Accuracy:</b> ahead from 1 on") {
  return {
    data: [{
      x: Float64Array.of(1, 2),
      line: { width: 3 },
      marker: { size: 8 },
      textfont: { size: 12 },
    }],
    layout: {
      title: { text: title, font: { size: 15 }, x: 0.01, pad: { l: 4, t: 8 } },
      margin: { l: 48, r: 12, t: 54, b: 44 },
      font: { size: 13, color: "black" },
      xaxis: {
        range: [0, 10],
        tickfont: { size: 13 },
        title: { text: "epsilon", standoff: 8, font: { size: 13 } },
      },
      yaxis2: { tickfont: { size: 12 }, dtick: 2 },
      legend: { x: 1, font: { size: 13 } },
      annotations: [{ text: "optimum", x: 2, y: 40, xshift: 6, yshift: -4, font: { size: 12 } }],
      shapes: [{ x0: 1, x1: 2, line: { width: 2 } }],
      images: [{ sizex: 6, x: 0 }],
      height: 400,
    },
  }
}

test("letters, margins and shifts grow, but nothing in the units of the data", () => {
  const { data, layout } = makeFigure()

  const fitted = fitFigure({ data, layout }, 1.25, WIDE)

  assert.deepEqual(fitted.data, [{ ...data[0], textfont: { size: 15 } }])
  assert.equal(fitted.data[0].x, data[0].x)
  assert.deepEqual(fitted.layout, {
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
    annotations: [{ text: "optimum", x: 2, y: 40, xshift: 7.5, yshift: -5, font: { size: 15 } }],
    shapes: [{ x0: 1, x1: 2, line: { width: 2 } }],
    images: [{ sizex: 6, x: 0 }],
    height: 400,
  })
})

test("the figure that came is not changed", () => {
  const figure = makeFigure()

  fitFigure(figure, 1.25, WIDE)

  assert.deepEqual(figure, makeFigure())
})

test("no letters stay small for a hall, and lines and marks grow", () => {
  const { data, layout } = makeFigure()

  const fitted = fitFigure({ data, layout }, 2, WIDE, HALL_LETTERS)

  assert.deepEqual(fitted.data[0], {
    x: data[0].x,
    line: { width: 6 },
    marker: { size: 16 },
    textfont: { size: 26 },
  })
  assert.equal(fitted.layout.annotations[0].font.size, 26)
  assert.equal(fitted.layout.title.font.size, 30)
  assert.equal(fitted.layout.shapes[0].line.width, 4)
})

test("lines do not grow for a page", () => {
  assert.equal(fitFigure(makeFigure(), 2, WIDE).data[0].line.width, 3)
})

test("a shape in pixels grows in those directions for a hall", () => {
  const shape = { type: "path", path: "M-6,0L0,1.5e-1Z", xsizemode: "pixel", line: { width: 1 } }

  const fitted = fitFigure({ data: [], layout: { shapes: [shape] } }, 2, WIDE, HALL_LETTERS)

  assert.deepEqual(fitted.layout.shapes, [
    { ...shape, path: "M-12,0L0,0.15Z", line: { width: 2 } },
  ])
})

test("marks of many sizes grow for a hall, and traces without marks stay", () => {
  const points = { marker: { size: Float32Array.of(1, 2), line: { width: 1 } } }
  const area = { fill: "toself" }

  const { data } = fitFigure({ data: [points, area], layout: {} }, 2, WIDE, HALL_LETTERS)

  assert.deepEqual(data[0].marker, { size: Float32Array.of(2, 4), line: { width: 2 } })
  assert.deepEqual(data[1], area)
})

test("a figure is the very same where nothing has to change", () => {
  const figure = makeFigure()
  const bare = { data: [] }

  assert.equal(fitFigure(figure, 1, WIDE), figure)
  assert.equal(fitFigure(figure, 1, 0), figure, "while its width is not known")
  assert.equal(fitFigure(bare, 1, 10), bare)
})

test("a figure without a layout can grow", () => {
  assert.deepEqual(fitFigure({ data: [] }, 1.25, 10), { data: [], layout: {} })
})

test("a figure that has grown is the same object the next time, at that scale only", () => {
  const figure = makeFigure()
  const fitted = fitFigure(figure, 1.25, WIDE)

  assert.equal(fitFigure(figure, 1.25, WIDE), fitted)
  assert.notEqual(fitFigure(figure, 1.5, WIDE).layout.font.size, fitted.layout.font.size)
})

test("parts that another figure shares are the same objects", () => {
  const figure = makeFigure()
  const fitted = fitFigure(figure, 1.25, WIDE)

  const next = { data: [], layout: { ...figure.layout, xaxis: { range: [0, 20] } } }
  const fittedNext = fitFigure(next, 1.25, WIDE)

  for (const part of ["title", "margin", "yaxis2", "annotations"]) {
    assert.equal(fittedNext.layout[part], fitted.layout[part], part)
  }
})

test("a title without room loses its finding and keeps its name", () => {
  const figure = makeFigure()

  const fitted = fitFigure(figure, 1, 120)

  assert.equal(fitted.layout.title.text, "<b>Accuracy</b>")
  assert.deepEqual(fitted.layout.title.font, figure.layout.title.font)
  assert.equal(fitted.layout.xaxis, figure.layout.xaxis)
  assert.equal(fitFigure(figure, 1, 120), fitted)
  assert.equal(fitFigure(figure, 1, WIDE), figure, "the finding comes back with the room")
})

test("a title in larger letters needs as much more room", () => {
  const neededWidth = (scale) => {
    for (let width = 1; width <= WIDE; width++) {
      const { title } = fitFigure(makeFigure(), scale, width).layout
      if (title.text.includes("ahead")) return width
    }
  }

  assert.ok(Math.abs(neededWidth(1.25) / neededWidth(1) - 1.25) < 0.01)
})

for (const title of ["<b>Accuracy over epsilon</b>", "Accuracy: over epsilon", ""]) {
  test(`the title "${title}", which has no finding, stays however long it is`, () => {
    const figure = makeFigure(title)

    assert.equal(fitFigure(figure, 1, 20), figure)
  })
}

test("the scale of the page is that of its letters, in the usual 16 pixels", () => {
  const getComputedStyle = (node) => ({ fontSize: node === "html" ? "20px" : "1px" })
  Object.assign(globalThis, { document: { documentElement: "html" }, getComputedStyle })

  assert.equal(pageScale(), 1.25)
})

test("a legend stands in rows under the name of the vertical axis, each trace a group", () => {
  const place = { xref: "paper", yref: "paper", x: 0, y: 1, xanchor: "left", yanchor: "bottom" }
  const axisName = { text: "accuracy, %", ...place }
  const annotation = { text: "now", ...place, x: 0.5 }
  const figure = {
    data: [{ name: "a" }, { name: "b" }],
    layout: {
      showlegend: true,
      legend: { orientation: "h", font: { size: 13 } },
      annotations: [axisName, annotation],
    },
  }

  const { data, layout } = fitFigure(figure, 1, WIDE)

  assert.deepEqual(data.map(({ legendgroup }) => legendgroup), ["0", "1"])
  assert.deepEqual(layout.annotations, [annotation])
  assert.deepEqual(layout.legend.title, {
    text: "<br>accuracy, %",
    side: "top",
    font: { size: 13 },
  })
  assert.equal(fitFigure(figure, 1, WIDE).data[0], data[0], "Plotly need not draw it again")
})
