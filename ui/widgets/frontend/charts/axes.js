// Axes as numbers: where a value lies on the page, where the ticks stand and what they say, as Plotly would draw them.

import { ticksOf } from "./ticks.js"

// What of an axis may differ from what Plotly has drawn; all else is Plotly's.
const MOVES = new Set(["range", "tickvals", "ticktext", "dtick", "tickformat", "title"])

/** Numbers to pixels: `shift + scale * value`, or of its logarithm. */
export class Ruler {
  constructor(scale, shift, log = false) {
    this.scale = scale
    this.shift = shift
    this.log = log
  }

  at(value) {
    return this.shift + this.scale * (this.log ? Math.log10(value) : value)
  }
}

/** One axis of a figure, in Plotly's own place. `full` is Plotly's account of the axis that it has drawn. */
export class Axis extends Ruler {
  constructor(full, range, moved, categories) {
    const up = full._id[0] === "y"
    const scale = (up ? -1 : 1) * full._length / (range[1] - range[0])
    const start = full._offset + (up ? full._length : 0)
    super(scale, start - scale * range[0], full.type === "log")
    this.full = full
    this.id = full._id
    this.range = range
    this.moved = moved
    this.up = up
    this.low = full._offset // its ends, in pixels
    this.high = full._offset + full._length
    this.ticks = null
    this.categories = categories
  }

  /** @override A name's place among the categories, where the axis has them. */
  at(value) {
    return super.at(this.categories ? this.categories.indexOf(value) : value)
  }

  /** Where a number lies that is a logarithm already, where the axis has logarithms. */
  place(value) {
    return this.shift + this.scale * value
  }

  /** Whether this place, in pixels, is in view. */
  holds(place) {
    return place >= this.low - 0.5 && place <= this.high + 0.5
  }

  /** Whether Plotly would draw a line at zero. */
  get zero() {
    return this.full.zeroline && this.full.type === "linear" && this.range[0] * this.range[1] <= 0
  }
}

/** The axes of a figure where Plotly has drawn another one: id -> axis. Null where one takes more than is known here. */
export function axesOf(div, drawn, figure) {
  const axes = new Map()
  for (const [id, full] of plotted(div._fullLayout)) {
    const one = axisOf(
      div,
      full,
      drawn.layout[full._name] ?? {},
      figure.layout[full._name] ?? {},
      figure.data,
    )
    if (!one) return null
    axes.set(id, one)
  }
  return axes
}

function* plotted(full) {
  for (const id of [...full._subplots.xaxis, ...full._subplots.yaxis]) {
    yield [id, full[`${id[0]}axis${id.slice(1)}`]]
  }
}

function axisOf(div, full, before, after, data) {
  if (!["linear", "log", "category"].includes(full.type) || full.rangebreaks?.length) return null
  const moved = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) =>
    !same(before[name], after[name])
  )
  if (!moved.every((name) => MOVES.has(name))) return null
  const categories = full.type === "category" ? categoriesOf(full, data) : null
  // without a range Plotly chooses one: among categories it is the same for as many of them
  if (!after.range && !(categories && categories.length === full._categories.length)) return null
  const range = after.range ? kept(div._fullLayout, full, after.range) : full.range
  const stays = moved.every((name) => name === "title") && same(range, full.range) &&
    (!categories || same(categories, full._categories))
  const axis = new Axis(full, range, !stays, categories)
  axis.ticks = stays
    ? full._vals.filter(({ minor }) => !minor).map(({ x }) => ({ at: x }))
    : ticksOf(axis, after)
  return axis.ticks ? axis : null
}

/** The names along an axis, in the order in which the traces bring them. */
function categoriesOf({ _id: id }, data) {
  const [letter, name] = [id[0], `${id[0]}axis`]
  return [
    ...new Set(
      data.filter((trace) => (trace[name] ?? letter) === id).flatMap((trace) => [...trace[letter]]),
    ),
  ]
}

/** The range that Plotly would take: what a person has zoomed stays, as long as the figure says what it said before. */
function kept({ _preGUI: before = {} }, { _name, range }, asked) {
  return asked.map((end, at) => (before[`${_name}.range[${at}]`] === end ? range[at] : end))
}

export function same(one, other) {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** Grid lines and lines at zero, crisp as Plotly's. */
export function drawGrid(context, full, axes) {
  const done = new Set()
  const lines = []
  for (const { xaxis, yaxis } of Object.values(full._plots)) {
    for (
      const [axis, across] of [[axes.get(xaxis._id), axes.get(yaxis._id)], [
        axes.get(yaxis._id),
        axes.get(xaxis._id),
      ]]
    ) {
      const key = [axis.id, across.low, across.high].join()
      if (!done.has(key) && axis.full.visible) lines.push([axis, across])
      done.add(key)
    }
  }
  for (const [axis, across] of lines) {
    if (axis.full.showgrid) {
      for (const place of inner(axis)) stroke(context, axis, across, place, "grid")
    }
  }
  for (const [axis, across] of lines) {
    if (axis.zero) stroke(context, axis, across, axis.place(0), "zeroline")
  }
}

/** Where grid lines stand: not on the frame, and not where there is a line at zero. */
function inner(axis) {
  const places = axis.ticks.filter(({ at }) => !(axis.zero && Math.abs(at) < 1e-9)).map(({ at }) =>
    axis.place(at)
  )
  return places.filter((place) => place > axis.low + 1 && place < axis.high - 1)
}

function stroke(context, axis, across, place, kind) {
  const width = Math.max(1, Math.round(axis.full[`${kind}width`] ?? 1))
  const sharp = Math.ceil(place - width / 2 - 0.5)
  context.fillStyle = axis.full[`${kind}color`]
  if (axis.up) context.fillRect(across.low, sharp, across.high - across.low, width)
  else context.fillRect(sharp, across.low, width, across.high - across.low)
}
