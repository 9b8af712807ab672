// A chart as a file: an image with a foot that describes what it shows.

import { readTheme, TRANSPARENT } from "./theme.js"

export const CAN_HOVER = matchMedia("(hover: hover)").matches
const PNG_SCALE = 2
const FOOT_SIZE = 11 // pixels
const LINE_HEIGHT = 1.3 // of the font size
const FOOT_MARGIN = 10 // pixels to the edges
const LETTER_WIDTH = 0.55 // of the font size
const MIN_LETTERS = 8 // in a line, however narrow the chart
const NO_FILE_NAME = /[^A-Za-z0-9]+/g

/** @typedef {import("./toolbar.js").Tool} Tool */

/**
 * What can be done with a chart; nothing where no mouse can find the buttons.
 *
 * @param {{Icons: any, downloadImage: any}} Plotly
 * @returns {Tool[]}
 */
export function chartTools({ Icons, downloadImage }) {
  if (!CAN_HOVER) return []
  const downloadTool = (format, icon, scale) => ({
    label: `Download as ${format.toUpperCase()}`,
    icon,
    act: (chart) => {
      const filename = fileName(chart)
      downloadImage(figureForFile(chart), { format, filename, scale })
    },
  })
  return [
    downloadTool("png", Icons.camera, PNG_SCALE),
    downloadTool("svg", Icons.disk, 1),
    { label: "Reset axes", icon: Icons.home, act: (chart) => chart.reset() },
  ]
}

/** A file is named after its page, what differs there from the defaults, and the chart. */
function fileName({ paper, cell }) {
  const chart = cell.dataset.chart.replace(NO_FILE_NAME, "-")
  return paper ? `${paper.stem}_${chart}` : chart
}

/** The figure as on the page, on the page's background and over its foot. */
function figureForFile(chart) {
  chart.draw() // what is only painted is not in Plotly's nodes yet
  const { data, layout } = chart.node
  const isTransparent = layout.paper_bgcolor === TRANSPARENT
  const background = isTransparent ? readTheme(chart.node).back : layout.paper_bgcolor
  const lines = chart.paper?.lines ?? []
  return { data, layout: addFoot({ ...layout, paper_bgcolor: background }, lines) }
}

/** Add lines below all else, broken where they have no room. */
function addFoot(layout, lines) {
  const { width, height, margin, annotations = [] } = layout
  const letters = (width - 2 * FOOT_MARGIN) / (LETTER_WIDTH * FOOT_SIZE)
  const broken = lines.flatMap((line) => breakLine(line, letters))
  if (broken.length === 0) return layout
  const footHeight = broken.length * FOOT_SIZE * LINE_HEIGHT + FOOT_MARGIN
  const foot = {
    text: broken.map(escapeHtml).join("<br>"),
    font: { size: FOOT_SIZE },
    align: "left",
    showarrow: false,
    xref: "paper",
    x: 0,
    xanchor: "left",
    xshift: FOOT_MARGIN - margin.l,
    yref: "paper",
    y: 0,
    yanchor: "top",
    yshift: -margin.b,
  }
  return {
    ...layout,
    height: height + footHeight,
    margin: { ...margin, b: margin.b + footHeight },
    annotations: [...annotations, foot],
  }
}

function escapeHtml(line) {
  return line.replace(/&/g, "&amp;").replace(/</g, "&lt;")
}

/** Break a text between words, and within words that are longer than a line. */
function breakLine(text, letters) {
  const longest = Math.max(MIN_LETTERS, Math.floor(letters))
  const piecesOfWord = new RegExp(`.{1,${longest}}`, "g")
  const lines = []
  for (const word of text.split(" ")) {
    for (const piece of word.match(piecesOfWord) ?? []) {
      const longer = `${lines.at(-1)} ${piece}`
      if (lines.length > 0 && longer.length <= letters) lines[lines.length - 1] = longer
      else lines.push(piece)
    }
  }
  return lines
}
