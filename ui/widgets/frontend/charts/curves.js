// The points of a curve as Plotly joins them. Plotly leaves out points that lie on one line with their
// neighbours, to within a part of the line's width. The same points must be left out here, or a curve
// would move a little when Plotly draws it.

// Plotly's own numbers, of the tolerance: how close to the last point a point is none of its own, and
// how much the tolerance grows for each screen that a point is out of view.
const SAME_POINT = 0.2
const GROWTH = 10
const MIN_LINE_WIDTH = 3
const TOLERANCE_SHARE = 1 / 4 // of the line's width
// Screens away: a point that a logarithmic axis does not have.
const FAR = 20

/** @typedef {import("./axes.js").Axis} Axis */
/** @typedef {[x: number, y: number]} Point In pixels. */

/**
 * The points of a curve, by its pieces without a gap.
 *
 * @param {any} trace
 * @param {Axis} xaxis
 * @param {Axis} yaxis
 * @returns {Point[][]}
 */
export function curvePieces({ x, y, line, fill = "none" }, xaxis, yaxis) {
  /** @type {Point[][]} */
  const pieces = [[]]
  for (let index = 0; index < x.length; index++) {
    const point = [position(xaxis, x[index]), position(yaxis, y[index])]
    const exists = Number.isFinite(point[0]) && Number.isFinite(point[1])
    if (exists) pieces.at(-1).push(/** @type {Point} */ (point))
    else if (pieces.at(-1).length > 0) pieces.push([])
  }
  const tolerance = Math.max(line?.width || 1, MIN_LINE_WIDTH) * TOLERANCE_SHARE
  const thinner = new Thinner(xaxis, yaxis, tolerance, fill !== "none")
  const nonEmpty = pieces.filter((piece) => piece.length > 0)
  return nonEmpty.map((piece) => thinner.thin(piece))
}

/** The position of a value; far out of view where it has no logarithm. */
function position(axis, value) {
  const isOnAxis = !axis.log || value > 0 || Number.isNaN(value) || value === null
  if (isOnAxis) return axis.at(value)
  const isAscending = axis.range[1] > axis.range[0]
  const away = FAR * axis.full._length
  return axis.isVertical === isAscending ? axis.high + away : axis.low - away
}

/** Leaves out the points of a curve that Plotly leaves out. */
class Thinner {
  constructor(xaxis, yaxis, tolerance, isFilled) {
    this.xaxis = xaxis
    this.yaxis = yaxis
    this.tolerance = tolerance
    this.isFilled = isFilled
    this.lastKept = null // the last point that was kept, as a share of the view
  }

  /** @param {Point[]} points @returns {Point[]} */
  thin(points) {
    const kept = []
    const keep = (point) => {
      this.lastKept = this.shareOfView(point)
      kept.push(point)
    }
    keep(points[0])
    let from = points[0]
    for (let next = 1; next < points.length; next++) {
      const length = distance(points[next], from)
      // the last point closes the outline of a filled curve
      const closesOutline = this.isFilled && kept.length === points.length - 1
      const slack = this.slack(points[next], points[next + 1])
      if (!closesOutline && length < slack * SAME_POINT) continue
      next = this.keepLine(points, from, next, length, keep)
      if (next < points.length) {
        from = points[next]
        keep(from)
      }
    }
    return kept
  }

  /**
   * Keep what it takes of the points from `next` on that lie on one line from `from`.
   *
   * Of these, the ends of the line are kept: the farthest points ahead and behind, in the order in
   * which the curve reaches them, and the last point.
   *
   * @returns {number} The index of the first point that is not on the line.
   */
  keepLine(points, from, next, length, keep) {
    const unit = [(points[next][0] - from[0]) / length, (points[next][1] - from[1]) / length]
    let end = points[next]
    let farthest = points[next]
    let farthestAhead = length
    let hindmost = from
    let hindmostAhead = 0
    let isFarthestFirst = false
    let left = 0
    let right = 0
    for (next++; next < points.length; next++) {
      const point = points[next]
      const x = point[0] - from[0]
      const y = point[1] - from[1]
      const aside = x * unit[1] - y * unit[0]
      left = Math.min(left, aside)
      right = Math.max(right, aside)
      if (right - left > this.slack(point, points[next + 1])) break
      end = point
      const ahead = x * unit[0] + y * unit[1]
      if (ahead > farthestAhead) {
        farthest = point
        farthestAhead = ahead
        isFarthestFirst = false
      } else if (ahead < hindmostAhead) {
        hindmost = point
        hindmostAhead = ahead
        isFarthestFirst = true
      }
    }
    if (isFarthestFirst) {
      keep(farthest)
      if (end !== hindmost) keep(hindmost)
    } else {
      if (hindmost !== from) keep(hindmost)
      if (end !== farthest) keep(farthest)
    }
    keep(end)
    return next
  }

  /** How far from a line a point may lie: farther where it is out of view. */
  slack(point, next) {
    const share = this.shareOfView(point)
    const [x, y] = share
    const outside = Math.max(0, -x, x - 1, -y, y - 1)
    if (outside === 0) return this.tolerance
    if (this.lastKept && crossesView(share, this.lastKept)) return this.tolerance
    if (next && crossesView(share, this.shareOfView(next))) return this.tolerance
    return (1 + GROWTH * outside) * this.tolerance
  }

  /** The place of a point in the view, whose sides are 1. */
  shareOfView([x, y]) {
    const { xaxis, yaxis } = this
    return [(x - xaxis.low) / (xaxis.high - xaxis.low), (y - yaxis.low) / (yaxis.high - yaxis.low)]
  }
}

function distance([x0, y0], [x1, y1]) {
  return Math.hypot(x0 - x1, y0 - y1)
}

/**
 * Whether the line between two points out of view may cross the view.
 *
 * @param {number[]} first
 * @param {number[]} second
 */
function crossesView([x0, y0], [x1, y1]) {
  const dx = x1 - x0
  const dy = y1 - y0
  const centreX = 0.5 - x0
  const centreY = 0.5 - y0
  const squaredLength = dx * dx + dy * dy
  const dot = dx * centreX + dy * centreY
  const cross = centreX * dy - centreY * dx
  return dot > 0 && dot < squaredLength && cross * cross < squaredLength
}
