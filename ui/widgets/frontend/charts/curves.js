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

/** Points of a curve that lie on one line. */
class StraightRun {
  /**
   * @param {Point} from Where the line begins.
   * @param {Point} second The next point, which gives the line its direction.
   * @param {number} length Between the two, in pixels.
   */
  constructor(from, second, length) {
    this.from = from
    this.unit = [(second[0] - from[0]) / length, (second[1] - from[1]) / length]
    this.last = second
    // the farthest points ahead and behind, and how far they are along the line
    this.farthest = second
    this.farthestAhead = length
    this.hindmost = from
    this.hindmostAhead = 0
    this.isFarthestFirst = false // whether the curve reaches the farthest before the hindmost
    // how far the points lie beside the line, on either side
    this.left = 0
    this.right = 0
  }

  /**
   * Add a point if it lies on the line, and return whether it does.
   *
   * @param {Point} point
   * @param {number} slack How far apart from each other the points may lie, across the line.
   */
  add(point, slack) {
    const x = point[0] - this.from[0]
    const y = point[1] - this.from[1]
    const aside = x * this.unit[1] - y * this.unit[0]
    this.left = Math.min(this.left, aside)
    this.right = Math.max(this.right, aside)
    if (this.right - this.left > slack) return false
    this.last = point
    const ahead = x * this.unit[0] + y * this.unit[1]
    if (ahead > this.farthestAhead) {
      this.farthest = point
      this.farthestAhead = ahead
      this.isFarthestFirst = false
    } else if (ahead < this.hindmostAhead) {
      this.hindmost = point
      this.hindmostAhead = ahead
      this.isFarthestFirst = true
    }
    return true
  }

  /**
   * The points that draw the same line: the farthest ahead and behind, in the order in which the
   * curve reaches them, and the last.
   *
   * @returns {Point[]}
   */
  ends() {
    const extremes = [this.hindmost, this.farthest]
    if (this.isFarthestFirst) extremes.reverse()
    const before = extremes.filter((point) => point !== this.from && point !== this.last)
    return [...before, this.last]
  }
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
      const run = new StraightRun(from, points[next], length)
      next = this.extend(run, points, next + 1)
      for (const end of run.ends()) keep(end)
      if (next < points.length) {
        from = points[next]
        keep(from)
      }
    }
    return kept
  }

  /**
   * Extend a run by the points from `next` on, as far as they lie on its line.
   *
   * @param {StraightRun} run
   * @param {Point[]} points
   * @param {number} next
   * @returns {number} The index of the first point that is not on the line.
   */
  extend(run, points, next) {
    while (next < points.length) {
      const slack = this.slack(points[next], points[next + 1])
      if (!run.add(points[next], slack)) break
      next += 1
    }
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
