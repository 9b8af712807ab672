// The points of a curve as Plotly joins them. It leaves out what lies on one line with its neighbours, to within a part
// of the line's width: the same must be left out here, or a curve would move a little when Plotly draws it.

const NEAR = 0.2 // of the tolerance: a point so close to the last one is no point of its own
const GROWTH = 10 // of the tolerance, for each screen that a point is out of view
const FAR = 20 // screens to a point that a logarithmic axis does not have

/** A curve's points in pixels, by its pieces without a gap: [[[x, y], ...], ...]. */
export function piecesOf({ x, y, line, fill = "none" }, xaxis, yaxis) {
  const pieces = [[]]
  for (let place = 0; place < x.length; place++) {
    const point = [along(xaxis, x[place]), along(yaxis, y[place])]
    if (Number.isFinite(point[0]) && Number.isFinite(point[1])) pieces.at(-1).push(point)
    else if (pieces.at(-1).length) pieces.push([])
  }
  const thinner = new Thinner(xaxis, yaxis, Math.max(line?.width || 1, 3) / 4, fill !== "none")
  return pieces.filter((piece) => piece.length).map((piece) => thinner.thin(piece))
}

/** Where a value lies; far out of view where it has no logarithm. */
function along(axis, value) {
  if (!axis.log || value > 0 || Number.isNaN(value) || value === null) return axis.at(value)
  return axis.up === (axis.range[1] > axis.range[0])
    ? axis.high + FAR * axis.full._length
    : axis.low - FAR * axis.full._length
}

class Thinner {
  constructor(xaxis, yaxis, tolerance, filled) {
    this.xaxis = xaxis
    this.yaxis = yaxis
    this.tolerance = tolerance
    this.filled = filled
    this.last = null // the share of the last point kept
  }

  thin(points) {
    const kept = []
    const keep = (point) => {
      this.last = this.share(point)
      kept.push(point)
    }
    keep(points[0])
    for (let from = points[0], next = 1; next < points.length; next++) {
      const length = Math.hypot(points[next][0] - from[0], points[next][1] - from[1])
      const end = this.filled && kept.length === points.length - 1
      if (!end && length < this.slack(points[next], points[next + 1]) * NEAR) continue
      next = this.straight(points, from, next, length, keep)
      if (next < points.length) keep(from = points[next])
    }
    return kept
  }

  /** Keep what it takes of the points from `next` that lie on one line from `from`; the number of the first that does not. */
  straight(points, from, next, length, keep) {
    const unit = [(points[next][0] - from[0]) / length, (points[next][1] - from[1]) / length]
    let [end, high, low, most, least, left, right, highFirst] = [
      points[next],
      points[next],
      from,
      length,
      0,
      0,
      0,
      false,
    ]
    for (next++; next < points.length; next++) {
      const point = points[next]
      const [x, y] = [point[0] - from[0], point[1] - from[1]]
      const aside = x * unit[1] - y * unit[0]
      left = Math.min(left, aside)
      right = Math.max(right, aside)
      if (right - left > this.slack(point, points[next + 1])) break
      end = point
      const ahead = x * unit[0] + y * unit[1]
      if (ahead > most) [most, high, highFirst] = [ahead, point, false]
      else if (ahead < least) [least, low, highFirst] = [ahead, point, true]
    }
    if (highFirst) {
      keep(high)
      if (end !== low) keep(low)
    } else {
      if (low !== from) keep(low)
      if (end !== high) keep(high)
    }
    keep(end)
    return next
  }

  /** How far from a line a point may lie: more where it is out of view. */
  slack(point, next) {
    const [x, y] = this.share(point)
    let out = Math.max(0, -x, x - 1, -y, y - 1)
    if (
      out &&
      ((this.last && crosses([x, y], this.last)) || (next && crosses([x, y], this.share(next))))
    ) out = 0
    return (1 + GROWTH * out) * this.tolerance
  }

  /** Where a point lies in the view, whose sides are 1. */
  share([x, y]) {
    const { xaxis, yaxis } = this
    return [(x - xaxis.low) / (xaxis.high - xaxis.low), (y - yaxis.low) / (yaxis.high - yaxis.low)]
  }
}

/** Whether a line between two points out of view may cross it. */
function crosses(one, other) {
  const [[x0, y0], [x1, y1]] = [one, other]
  const [dx, dy, ax, ay] = [x1 - x0, y1 - y0, 0.5 - x0, 0.5 - y0]
  const [norm, dot, cross] = [dx * dx + dy * dy, dx * ax + dy * ay, ax * dy - ay * dx]
  return dot > 0 && dot < norm && cross * cross < norm
}
