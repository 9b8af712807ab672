// Frames that came on the channel. An answer holds only what differs from the last one.

import { loadImage } from "./images.js"

const MAX_FRAMES = 300

/** @typedef {import("./events.js").Frame} Frame */
/** @typedef {import("./events.js").Move} Move */

/** @returns {Frame} A frame before anything has come. */
export function emptyFrame() {
  return { shows: {}, rows: {}, charts: {}, words: {}, done: 0, errors: {}, values: {} }
}

/**
 * Complete an answer by what has not changed since the last one.
 *
 * @param {Frame} previous
 * @param {any} answer
 * @param {Move[]} moves What was moved when the answer was asked for.
 * @returns {Frame}
 */
export function mergeFrame(previous, answer, moves) {
  const charts = {}
  for (const [name, change] of Object.entries(answer.charts)) {
    charts[name] = mergeChart(previous.charts[name], change)
  }
  return {
    shows: { ...answer.values, ...Object.fromEntries(moves) },
    rows: answer.rows ?? previous.rows,
    charts,
    words: { ...previous.words, ...answer.words },
    done: answer.done,
    errors: answer.errors,
    values: answer.values,
  }
}

/** Merge the parts of a figure. Arrays stay encoded until they are drawn; null removes a part. */
function mergeChart(previous, { data, layout: changes, ...attributes }) {
  const figure = previous?.figure ?? { data: [], layout: {} }
  // images are read now, so that the frame does not wait for them when it is shown
  for (const { source } of changes?.images ?? []) loadImage(source)
  const layout = { ...figure.layout, ...changes }
  for (const [name, part] of Object.entries(changes ?? {})) {
    if (part === null) delete layout[name]
  }
  return { ...attributes, figure: { data: data ?? figure.data, layout } }
}

/** The newest frames at values of one slider, as long as nothing else changes. */
export class FrameCache {
  constructor() {
    this.scope = ""
    this.era = 0
    /** @type {Map<string, Frame>} */
    this.frames = new Map()
  }

  /**
   * Drop all frames if anything but the value of the slider has changed.
   *
   * @param {string} scope The page, its settings and the slider, as JSON.
   */
  enter(scope) {
    if (scope === this.scope) return
    this.scope = scope
    this.era += 1
    this.frames.clear()
  }

  /**
   * @param {string} name
   * @param {number | string} value
   * @param {number} era Number of the scope in which the frame was requested.
   */
  key(name, value, era = this.era) {
    return `${era}:${name}=${value}`
  }

  /** @param {string} key */
  get(key) {
    return this.frames.get(key)
  }

  /** @param {string} key */
  has(key) {
    return this.frames.has(key)
  }

  /**
   * Store a frame, unless its key is of an earlier scope.
   *
   * @param {string} key
   * @param {Frame} frame
   */
  store(key, frame) {
    if (!key.startsWith(`${this.era}:`)) return
    this.frames.delete(key)
    this.frames.set(key, frame)
    if (this.frames.size <= MAX_FRAMES) return
    const [oldest] = this.frames.keys()
    this.frames.delete(oldest)
  }
}
