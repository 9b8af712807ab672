// A chart as a file: a picture with a foot that says what it is of.

import { CLEAR, lookOf } from "./theme.js"

export const HOVERS = matchMedia("(hover: hover)").matches
// Pixels: height of the letters of a foot, and of a line in it; how far it stands from the edge; width of a letter in heights.
const FOOT = 11
const LINE = 1.3
const ASIDE = 10
const LETTER = 0.55

/** What can be done with a chart, as buttons (`toolbar.js`); none where no mouse can find them. */
export function buttons({ Icons, downloadImage }) {
  if (!HOVERS) return []
  const button = (format, icon, act) => ({ name: `Download as ${format.toUpperCase()}`, icon, act })
  const picture = (format, icon) =>
    button(format, icon, (chart) =>
      downloadImage(onPaper(chart), {
        format,
        filename: fileOf(chart),
        scale: format === "png" ? 2 : 1,
      }))
  const reset = { name: "Reset axes", icon: Icons.home, act: (chart) => chart.reset() }
  return [picture("png", Icons.camera), picture("svg", Icons.disk), reset]
}

/** What a file is called: its page, what differs there from the usual, and which of the charts it is. */
function fileOf({ paper, cell }) {
  return [...(paper ? [paper.stem] : []), cell.dataset.chart.replace(/[^A-Za-z0-9]+/g, "-")].join(
    "_",
  )
}

/** The figure as it stands on the page, for a file: on the page's background, which a transparent picture has lost, and over
 * a foot that says what it is of. */
function onPaper(chart) {
  chart.draw() // what is painted only is not Plotly's yet
  const { data, layout } = chart.node
  const clear = layout.paper_bgcolor === CLEAR
  const ground = {
    ...layout,
    paper_bgcolor: clear ? lookOf(chart.node).back : layout.paper_bgcolor,
  }
  return { data, layout: withFoot(ground, chart.paper?.lines ?? []) }
}

/** A layout with these lines under all that it had, broken where they have no room. */
function withFoot(layout, lines) {
  const { width, height, margin, annotations = [] } = layout
  const broken = lines.flatMap((line) => wrapped(line, (width - 2 * ASIDE) / (LETTER * FOOT)))
  if (!broken.length) return layout
  const more = broken.length * FOOT * LINE + ASIDE
  const [place, text] = [{
    xref: "paper",
    x: 0,
    xanchor: "left",
    yref: "paper",
    y: 0,
    yanchor: "top",
  }, escaped(broken)]
  const shifts = { xshift: ASIDE - margin.l, yshift: -margin.b }
  const foot = { ...place, ...shifts, text, align: "left", showarrow: false, font: { size: FOOT } }
  return {
    ...layout,
    height: height + more,
    margin: { ...margin, b: margin.b + more },
    annotations: [...annotations, foot],
  }
}

function escaped(lines) {
  return lines.map((line) => line.replace(/&/g, "&amp;").replace(/</g, "&lt;")).join("<br>")
}

/** A text in lines of so many letters, broken between words, and within those that are longer. */
function wrapped(text, most) {
  const pieces = text.split(" ").flatMap((word) =>
    word.match(new RegExp(`.{1,${Math.max(8, Math.floor(most))}}`, "g")) ?? []
  )
  return pieces.reduce((lines, piece) => {
    const longer = `${lines.at(-1)} ${piece}`
    return lines.length && longer.length <= most
      ? [...lines.slice(0, -1), longer]
      : [...lines, piece]
  }, [])
}
