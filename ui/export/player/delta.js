// What was recorded at many stops, written as one: what is the same in all stands there once (`ui/export/recording.py`).

/** The value of one stop. */
export function unfolded(value, stop) {
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) return value.map((part) => unfolded(part, stop))
  if (value.$) return value.$[value.at[stop]]
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, unfolded(part, stop)]),
  )
}
