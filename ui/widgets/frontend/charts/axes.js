// Axes as numbers: where a value lies on the page, where the ticks stand and what they say, as Plotly
// would draw them.

import { ticksOf } from "./ticks.js"

// The attributes of an axis that may differ from the drawn figure; any other is Plotly's to draw.
const MOVABLE = new Set(["range", "tickvals", "ticktext", "dtick", "tickformat", "title"])
const KNOWN_TYPES = ["linear", "log", "category"]
const VIEW_TOLERANCE = 0.5 // pixels
const ZERO_TOLERANCE = 1e-9

/**
 * @typedef {object} Tick
 * @property {number} at Value on the axis; a logarithm on a logarithmic axis.
 * @property {string} [text]
 * @property {boolean} [small] Whether it is a digit between powers of ten.
 */

/** Maps numbers to pixels: `shift + scale * value`, or of the logarithm of the value. */
export class Ruler {
  /**
   * @param {number} scale
   * @param {number} shift
   * @param {boolean} log
   */
  constructor(scale, shift, log = false) {
    this.scale = scale
    this.shift = shift
    this.log = log
  }

  /** @param {any} value */
  at(value) {
    return this.shift + this.scale * (this.log ? Math.log10(value) : value)
  }
}

/** One axis of a figure, at the place of an axis that Plotly has drawn. */
export class Axis extends Ruler {
  /**
   * @param {any} full Plotly's description of the drawn axis.
   * @param {number[]} range
   * @param {boolean} hasMoved Whether it differs from the drawn axis.
   * @param {string[] | null} categories
   */
  constructor(full, range, hasMoved, categories) {
    const isVertical = full._id[0] === "y"
    const direction = isVertical ? -1 : 1
    const scale = direction * full._length / (range[1] - range[0])
    const start = isVertical ? full._offset + full._length : full._offset
    super(scale, start - scale * range[0], full.type === "log")
    this.full = full
    this.id = full._id
    this.range = range
    this.hasMoved = hasMoved
    this.isVertical = isVertical
    this.low = full._offset // its ends, in pixels
    this.high = full._offset + full._length
    /** @type {Tick[]} */
    this.ticks = []
    this.categories = categories
  }

  /**
   * The position of a value or, where the axis has categories, of a name.
   *
   * @override
   */
  at(value) {
    if (this.categories) return super.at(this.categories.indexOf(value))
    return super.at(value)
  }

  /**
   * The position of a number that is a logarithm already where the axis is logarithmic.
   *
   * @param {number} value
   */
  atLinear(value) {
    return this.shift + this.scale * value
  }

  /**
   * Whether a position is in view.
   *
   * @param {number} position In pixels.
   */
  contains(position) {
    return position >= this.low - VIEW_TOLERANCE && position <= this.high + VIEW_TOLERANCE
  }

  /** Whether Plotly would draw a line at zero. */
  get hasZeroLine() {
    const [start, end] = this.range
    return this.full.zeroline && this.full.type === "linear" && start * end <= 0
  }
}

/**
 * The axes of a figure, at the places of those that Plotly has drawn.
 *
 * @param {any} div The graph div.
 * @param {any} drawnFigure The figure that Plotly has drawn.
 * @param {any} figure
 * @returns {Map<string, Axis> | null} Null where Plotly has to draw an axis.
 */
export function axesOf(div, drawnFigure, figure) {
  const { _fullLayout: fullLayout } = div
  const { xaxis, yaxis } = fullLayout._subplots
  const axes = new Map()
  for (const id of [...xaxis, ...yaxis]) {
    const full = fullLayout[axisName(id)]
    const axis = axisOf(fullLayout, full, drawnFigure, figure)
    if (!axis) return null
    axes.set(id, axis)
  }
  return axes
}

/**
 * The name of an axis in a layout: x2 -> xaxis2.
 *
 * @param {string} id
 */
export function axisName(id) {
  return `${id[0]}axis${id.slice(1)}`
}

function axisOf(fullLayout, full, drawnFigure, figure) {
  if (!KNOWN_TYPES.includes(full.type) || full.rangebreaks?.length) return null
  const before = drawnFigure.layout[full._name] ?? {}
  const after = figure.layout[full._name] ?? {}
  const changed = changedNames(before, after)
  if (!changed.every((name) => MOVABLE.has(name))) return null
  const categories = full.type === "category" ? valuesAlong(full._id, figure.data) : null
  let range = full.range
  if (after.range) {
    range = keepZoom(fullLayout, full, after.range)
  } else if (!categories || categories.length !== full._categories.length) {
    // Plotly chooses a range by itself, which is the same only for as many categories
    return null
  }
  const isSameCategories = !categories || isEqual(categories, full._categories)
  const stays = changed.every((name) => name === "title") && isEqual(range, full.range) &&
    isSameCategories
  const axis = new Axis(full, range, !stays, categories)
  const ticks = stays ? drawnTicks(full) : ticksOf(axis, after)
  if (!ticks) return null
  axis.ticks = ticks
  return axis
}

function changedNames(before, after) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isEqual(before[name], after[name]))
}

function drawnTicks(full) {
  const major = full._vals.filter(({ minor }) => !minor)
  return major.map(({ x }) => ({ at: x }))
}

/**
 * The names along an axis, in the order in which the traces bring them.
 *
 * @param {string} id Of the axis.
 * @param {any[]} traces
 * @returns {any[]}
 */
export function valuesAlong(id, traces) {
  const letter = id[0]
  const values = new Set()
  for (const trace of traces) {
    const axis = trace[`${letter}axis`] ?? letter
    if (axis !== id) continue
    for (const value of trace[letter]) values.add(value)
  }
  return [...values]
}

/** What a person has zoomed stays as long as the figure sets the ends that it set before. */
function keepZoom({ _preGUI: before = {} }, { _name: name, range }, wanted) {
  return wanted.map((end, index) => {
    const isUnchanged = before[`${name}.range[${index}]`] === end
    return isUnchanged ? range[index] : end
  })
}

/**
 * Whether two parts of a figure are equal.
 *
 * @param {any} first
 * @param {any} second
 */
export function isEqual(first, second) {
  return first === second || JSON.stringify(first) === JSON.stringify(second)
}

/**
 * Draw grid lines and lines at zero, as sharp as Plotly's.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {any} full Plotly's full layout.
 * @param {Map<string, Axis>} axes
 */
export function drawGrid(context, full, axes) {
  const lines = gridLines(full, axes)
  for (const [axis, across] of lines) {
    if (!axis.full.showgrid) continue
    for (const position of gridPositions(axis)) strokeLine(context, axis, across, position, "grid")
  }
  for (const [axis, across] of lines) {
    if (axis.hasZeroLine) strokeLine(context, axis, across, axis.atLinear(0), "zeroline")
  }
}

/** Each visible axis with the axis that its lines cross; once where subplots share both. */
function gridLines(full, axes) {
  const done = new Set()
  const lines = []
  for (const { xaxis, yaxis } of Object.values(full._plots)) {
    const x = axes.get(xaxis._id)
    const y = axes.get(yaxis._id)
    for (const [axis, across] of [[x, y], [y, x]]) {
      const key = [axis.id, across.low, across.high].join()
      if (!done.has(key) && axis.full.visible) lines.push([axis, across])
      done.add(key)
    }
  }
  return lines
}

/** The positions of grid lines: not on the frame, and not where there is a line at zero. */
function gridPositions(axis) {
  const positions = []
  for (const { at } of axis.ticks) {
    if (axis.hasZeroLine && Math.abs(at) < ZERO_TOLERANCE) continue
    const position = axis.atLinear(at)
    if (position > axis.low + 1 && position < axis.high - 1) positions.push(position)
  }
  return positions
}

function strokeLine(context, axis, across, position, kind) {
  const width = Math.max(1, Math.round(axis.full[`${kind}width`] ?? 1))
  const start = Math.ceil(position - width / 2 - 0.5) // on whole pixels
  context.fillStyle = axis.full[`${kind}color`]
  if (axis.isVertical) context.fillRect(across.low, start, across.high - across.low, width)
  else context.fillRect(start, across.low, width, across.high - across.low)
}
