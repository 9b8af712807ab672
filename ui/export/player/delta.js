// What was recorded at many stops, encoded as one: what all have in common is written once
// (`encode_stops` in `ui/export/recording.py`).

/**
 * Decode the value of one stop.
 *
 * @param {any} encoded
 * @param {number} stop
 * @returns {any}
 */
export function decodeStop(encoded, stop) {
  if (encoded === null || typeof encoded !== "object") return encoded
  if (Array.isArray(encoded)) return encoded.map((part) => decodeStop(part, stop))
  if (encoded.$) return encoded.$[encoded.at[stop]]
  const decoded = {}
  for (const [name, part] of Object.entries(encoded)) decoded[name] = decodeStop(part, stop)
  return decoded
}
