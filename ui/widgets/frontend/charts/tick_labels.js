// The labels of an axis that moves, where Plotly would put them.

import { extent, runs, write } from "./canvas_text.js"

const MIDDLE = 0.35 // of a font's height, from the base line to the middle of a digit
const SMALL = 0.75 // of the font: digits between powers of ten
const ROOM = 0.2 // heights of the font between an axis that has a line and its labels
const APART = 2 // pixels between labels along the bottom, or Plotly would turn them

/** Each label as {text lines, x, y of its base line, share of its width before x, font, width}. */
function labels(context, axis, { width, height }) {
  const { full, ticks, up } = axis
  if (!shown(axis)) return []
  const [base, sign] = [
    full._mainLinePosition,
    full.side === "right" || full.side === "bottom" ? 1 : -1,
  ]
  const edge = base +
    sign * ((full.linewidth || 1) / 2 + (full.showline ? ROOM * full.tickfont.size : 0))
  const all = ticks.map(({ at, text, small }) => {
    const font = { ...full.tickfont, size: full.tickfont.size * (small ? SMALL : 1) }
    const [lines, place] = [runs(text), axis.place(at)]
    const wide = extent(context, lines, font).width
    if (up) {
      return { lines, font, wide, x: edge, y: place + MIDDLE * font.size, share: sign < 0 ? 1 : 0 }
    }
    return { lines, font, wide, x: place, y: edge + (sign > 0 ? 1 : -0.2) * font.size, share: 0.5 }
  })
  const inside = (
    { x, y, wide, font },
  ) => (up ? y <= height && y >= font.size / 2 : x - wide / 2 >= 0 && x + wide / 2 <= width)
  return all.filter(inside)
}

const shown = ({ full }) => full.visible && full.showticklabels

/** Whether the labels of an axis can be painted: known words, upright, with no strokes and no title beside them (which
 * Plotly moves out of their way). */
export function fits(context, axis, layout) {
  const { full, ticks, moved, up } = axis
  if (!moved || !shown(axis)) return true
  if (full.ticks || full.ticklabelposition !== "outside" || full.tickangle > 0) return false
  if (full.side === "left" && ![undefined, "", layout._dfltTitle.y].includes(full.title.text)) {
    return false
  }
  if (!ticks.every(({ text }) => runs(text)?.length === 1)) return false
  const placed = up ? [] : labels(context, axis, layout).sort((one, other) => one.x - other.x)
  return placed.every(({ x, wide }, nth) =>
    !nth || x - wide / 2 > placed[nth - 1].x + placed[nth - 1].wide / 2 + APART
  )
}

export function drawLabels(context, axis, layout) {
  for (const { lines, x, y, font, share } of labels(context, axis, layout)) {
    write(context, lines, x, y, font, share)
  }
}
