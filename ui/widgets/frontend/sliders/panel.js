// The slider panel keeps the sliders and the server in step. Streamlit calls the default export again
// at every run of the fragment; the nodes are made once and stay, so that focus and a drag survive.

import { Channel } from "../channel/channel.js"
import { onCollectOutdated, onMove, onMoveSlider, onReconnect, onStop } from "../channel/events.js"
import { afterNextDrawing, onActivity, reportRunComplete } from "../charts/batching.js"
import { Announcer, attackerText } from "./announcements.js"
import { PanelLayout } from "./layout.js"
import { Player } from "./play.js"
import { formatWithUnit, nearestStop, valuesAround } from "./scale.js"
import { Sender } from "./sender.js"
import { KEY_STEPS, SliderRow } from "./slider.js"
import { SuggestionCard } from "./suggestion.js"

// Stops whose frames are requested ahead: around a pointer that may only pass, and under a hand.
const HOVER_COUNT = 24
const HAND_COUNT = 200
// The drawer is reported to the server as a slider of this name: 1 is open.
const DRAWER = "more"
const BELOW_RESULT = ".st-key-below"

/** @typedef {import("../channel/events.js").Move} Move */
/** @typedef {import("../channel/events.js").Frame} Frame */

/** @type {WeakMap<Node, Panel>} */
const panels = new WeakMap()

/**
 * Mount or update a panel, as Streamlit asks for.
 *
 * @param {any} component
 */
export default function ({ parentElement, data, setStateValue }) {
  let panel = panels.get(parentElement)
  if (!panel) {
    panel = new Panel(parentElement)
    panels.set(parentElement, panel)
  }
  panel.setStateValue = setStateValue
  panel.update(data)
  // Streamlit may run the clean-up of a call that a newer one has overtaken: only a panel whose node
  // is gone is disposed of
  return () => {
    if (parentElement.isConnected) return
    panel.dispose()
    panels.delete(parentElement)
  }
}

class Panel {
  constructor(root) {
    this.root = root
    this.setStateValue = null // Streamlit's, a new one at every run
    /** @type {Map<string, SliderRow>} */
    this.rows = new Map()
    this.describedSliders = ""
    this.session = null // of the server, for this page
    this.mustResend = false // whether the connection was lost, and with it what was sent
    this.values = {} // as Streamlit shows them
    this.isDrawerOpen = false // as the server knows it
    this.touchedRow = null
    // a link has opened a tab that may be out of view
    this.scrollsToTab = new URLSearchParams(location.search).has("tab")
    this.layout = new PanelLayout(root, () => this.drawerClicked())
    this.announcer = new Announcer()
    this.suggestionCard = new SuggestionCard(
      root.host,
      (slider, focused) => this.highlight(slider, focused),
    )
    this.sender = new Sender((message) => this.setStateValue("movement", message))
    this.channel = new Channel({
      sendToStreamlit: (moves, rested) => this.sendToStreamlit(moves, rested),
      onActivity: (waits) => this.sender.noteActivity(waits),
      onPainted: (frame) => this.framePainted(frame),
      // Streamlit may have nothing more to say
      onRelease: () => this.announcer.pageAnswered(this.playingRows.length > 0),
    })
    this.cleanups = this.listen()
  }

  /** Listen to the page, and return what stops that. */
  listen() {
    // a hand on anything else takes what was moved for granted
    const pressed = (event) => {
      if (!event.composedPath().includes(this.root)) this.channel.settle(true)
    }
    // back and forward mean the settings of that address, not what was moved since
    const travelled = () => this.discardMoves()
    // a run of this page that is asked for again would empty the page that a link leads to
    const clicked = ({ target }) => {
      const link = target.closest?.("a[href]")
      if (!link || link.origin !== location.origin) return
      if (link.pathname !== location.pathname) this.discardMoves()
    }
    globalThis.addEventListener("pointerdown", pressed, true)
    globalThis.addEventListener("popstate", travelled)
    globalThis.addEventListener("click", clicked, true)
    return [
      () => globalThis.removeEventListener("pointerdown", pressed, true),
      () => globalThis.removeEventListener("popstate", travelled),
      () => globalThis.removeEventListener("click", clicked, true),
      onActivity((waits) => this.sender.noteActivity(waits || this.channel.isAhead)),
      onReconnect(() => {
        this.mustResend = true
      }),
      onMove((name, value) => this.moveOnChannel(name, value)),
      onMoveSlider((slide) => this.slide(slide)),
      onStop((moves) => this.applyStop(moves)),
      onCollectOutdated(() => this.listOutdated()),
    ]
  }

  dispose() {
    for (const row of this.playingRows) row.player.stop()
    for (const cleanup of this.cleanups) cleanup()
    this.layout.dispose()
    this.sender.stop()
    this.channel.close()
    this.announcer.stop()
    this.suggestionCard.stop()
  }

  /**
   * Show the state of the server, wherever the person is not ahead of it, and send what comes next.
   *
   * @param {any} state See `panel` in `ui/widgets/slider_panel.py`.
   */
  update(state) {
    const { values, ack, session, pending } = state
    this.updateDrawer(state)
    this.layout.frame.classList.toggle("stage", state.stage)
    this.setSliders(state.sliders)
    this.suggestionCard.update(state.suggestion)
    this.scrollToTab()
    const isOtherSession = this.session !== null && session !== this.session
    this.session = session
    if (this.mustResend || isOtherSession) this.resend(values)
    // before anything is drawn, so that the server works on the next movement meanwhile
    const acknowledged = this.sender.acknowledge(ack, { work: pending, page: state.behind })
    this.channel.update(state.channel, acknowledged, pending)
    this.values = values
    if (!this.channel.isAhead) this.updatePlayers(state)
    reportRunComplete()
    const goesOn = this.playingRows.length > 0 || this.channel.isAhead
    this.announcer.pageAnswered(pending || goesOn)
    this.updateRows(state)
    if (this.channel.isAhead) return
    this.layout.showProgress(pending, state.progress)
    if (this.touchedRow && this.playingRows.length === 0) this.prefetchAround(this.touchedRow)
  }

  updateDrawer({ ack, selectors, unfolded }) {
    this.layout.hasSelectors = selectors
    if (unfolded === this.isDrawerOpen || this.sender.isAhead(DRAWER, ack)) return
    this.isDrawerOpen = unfolded
    this.layout.drawer.open = unfolded
  }

  scrollToTab() {
    if (!this.scrollsToTab) return
    this.scrollsToTab = false
    afterNextDrawing(() => document.querySelector(BELOW_RESULT)?.scrollIntoView())
  }

  /** Stop what the server has put elsewhere; let the rest follow once the charts are drawn. */
  updatePlayers({ values, errors, ack }) {
    for (const { player, slider: { name } } of this.playingRows) {
      const isElsewhere = errors[name] || values[name] !== this.sender.sentValues.get(name)
      if (isElsewhere && !this.sender.isAhead(name, ack)) player.stop()
      else if (!this.sender.isBusy) afterNextDrawing(() => player.follow())
    }
  }

  updateRows({ values, errors, marks, ack }) {
    const meaning = attackerText()
    for (const [name, row] of this.rows) {
      row.showMarks(marks[name] ?? [])
      if (this.isPersonAhead(row, ack)) continue
      const { group } = row.slider
      const error = errors[name] ?? ""
      if (group === "hero") row.show(values[name], error, meaning)
      else row.show(values[name], error)
      if (error && group === "more") this.layout.drawer.open = true
    }
  }

  /** Whether the person has moved a slider since the state that the server describes. */
  isPersonAhead(row, ack) {
    const { name } = row.slider
    if (row.isBusy || row.player?.isPlaying) return true
    return this.sender.isAhead(name, ack) || this.channel.moves.has(name)
  }

  /** Report the drawer to the server, which keeps it in the address. */
  drawerClicked() {
    this.channel.settle(true)
    this.sender.drop(DRAWER)
    const opens = !this.layout.drawer.open // the click comes before the change
    this.sender.move(DRAWER, Number(opens), true)
  }

  discardMoves() {
    this.sender.clear()
    this.channel.discardMoves()
  }

  /** Highlight one slider, or none, and give the focus to another. */
  highlight(highlighted, focused) {
    for (const [name, { node }] of this.rows) {
      node.classList.toggle("highlighted", name === highlighted)
    }
    this.rows.get(focused)?.range.focus({ preventScroll: true })
  }

  /** List label and value of the sliders that stand elsewhere than in the shown result. */
  listOutdated() {
    const shownValues = { ...this.values, ...this.channel.shownValues }
    /** @type {[string, string][]} */
    const outdated = []
    for (const [name, row] of this.rows) {
      if (row.entry === shownValues[name] || row.error.textContent) continue
      outdated.push([row.slider.label, formatWithUnit(row.slider, shownValues[name])])
    }
    return outdated
  }

  /** @param {Frame} frame */
  framePainted({ done, errors, values }) {
    for (const [name, row] of this.rows) {
      if (this.channel.moves.has(name)) {
        if (errors[name]) row.player?.stop()
        if (!row.isEditing) row.showError(errors[name] ?? "")
      } else if (!row.isBusy && !row.refusedEntry) {
        row.show(values[name] ?? this.values[name], "")
      }
    }
    for (const { player } of this.playingRows) player.follow()
    this.layout.showProgress(done < 1, done)
  }

  /** @returns {boolean} Whether the channel takes the movement. */
  moveOnChannel(name, value) {
    this.announcer.stop()
    return this.channel.move(name, value)
  }

  /**
   * Move a slider by a mark on a chart, as its own thumb would.
   *
   * @param {import("../channel/events.js").Slide} slide
   * @returns {boolean} Whether there is such a slider, and the key moves it.
   */
  slide({ name, value, key, final = false }) {
    const row = this.rows.get(name)
    if (!row || (key && !(key in KEY_STEPS))) return false
    if (this.touchedRow !== row) {
      this.touchedRow = row
      this.prefetchAround(row)
    }
    if (key) row.slide(row.moveThumb(KEY_STEPS[key]))
    else if (value !== undefined) row.slide(nearestStop(row.slider, value))
    if (final) row.release()
    return true
  }

  /** Move a slider: by the channel if there is one, else by Streamlit. */
  move(name, value, final) {
    if (this.moveOnChannel(name, value)) this.sender.drop(name)
    else this.sender.move(name, value, final)
  }

  /**
   * Go to a stop of a presentation, as if the sliders had been moved there.
   *
   * @param {Move[]} moves
   */
  applyStop(moves) {
    if (moves.length === 0) {
      this.channel.settle(true)
      return
    }
    this.pauseAll()
    this.announcer.stop()
    for (const [name, value] of moves) this.rows.get(name)?.show(Number(value), "")
    const [name, value] = moves.at(-1)
    const isOnChannel = this.channel.move(name, value, moves.slice(0, -1))
    for (const [moved, movedValue] of moves) {
      if (isOnChannel) this.sender.drop(moved)
      else this.sender.move(moved, movedValue, true)
    }
  }

  /** Tell Streamlit what the channel has shown; only the last asks for a run of the whole page. */
  sendToStreamlit(moves, rested) {
    moves.forEach(([name, value], index) => {
      const isLast = index === moves.length - 1
      this.sender.drop(name)
      this.sender.move(name, value, true, rested && isLast)
    })
  }

  /** Send again what the person sees and the server, which may be another one, does not have. */
  resend(values) {
    this.mustResend = false
    for (const { player } of this.playingRows) player.stop()
    this.sender.reset()
    this.channel.discardMoves()
    for (const [name, row] of this.rows) {
      const differs = row.refusedEntry !== null || row.value !== values[name]
      if (differs) this.sender.move(name, row.entry, true)
    }
  }

  /** Make, move and remove rows for these sliders. An unchanged row is not touched. */
  setSliders(sliders) {
    const described = JSON.stringify(sliders)
    if (described === this.describedSliders) return
    this.describedSliders = described
    const focused = this.findFocus()
    const rows = new Map()
    for (const slider of sliders) rows.set(slider.name, this.findOrMakeRow(slider))
    for (const row of this.rows.values()) {
      if (rows.get(row.slider.name) !== row) this.removeRow(row)
    }
    this.rows = rows
    this.layout.place([...rows.values()])
    if (!focused) return
    const node = this.focusableParts(focused.name)[focused.part]
    node?.focus({ preventScroll: true })
  }

  findOrMakeRow(slider) {
    const row = this.rows.get(slider.name)
    if (row && JSON.stringify(row.slider) === JSON.stringify(slider)) return row
    return this.makeRow(slider)
  }

  makeRow(slider) {
    const row = new SliderRow(slider, (value, final) => {
      this.pauseAll() // a hand on any slider ends the playing
      this.move(slider.name, value, final)
    })
    if (slider.play) row.player = new Player(row, this.playerConnection(row))
    this.prefetchUnderHand(row)
    return row
  }

  /** Request the frames at the next stops while a hand is on a row, or near. */
  prefetchUnderHand(row) {
    const { range } = row
    const touch = () => {
      this.touchedRow = row
      this.prefetchAround(row)
    }
    const leave = () => {
      if (this.root.activeElement === range) return
      this.touchedRow = null
      this.prefetchAround(row, 0)
    }
    range.addEventListener("pointerenter", () => this.prefetchAround(row, HOVER_COUNT))
    range.addEventListener("focus", touch)
    range.addEventListener("pointerdown", touch)
    range.addEventListener("blur", leave)
    range.addEventListener("pointerleave", leave)
  }

  prefetchAround(row, count = HAND_COUNT) {
    const values = valuesAround(row.slider, row.value, count)
    this.channel.prefetchValues(row.slider.name, values)
  }

  playerConnection(row) {
    const { name } = row.slider
    return {
      move: (value, final) => this.move(name, value, final),
      prefetch: (values) => this.channel.prefetchValues(name, values),
      isAvailable: (value) => this.channel.isAvailable(name, value),
      setPlaying: (playing) => {
        if (playing) this.pauseAll()
        this.sender.hold(playing)
        this.channel.setPlaying(playing)
      },
    }
  }

  removeRow(row) {
    row.player?.stop()
    row.node.remove()
  }

  get playingRows() {
    return [...this.rows.values()].filter((row) => row.player?.isPlaying)
  }

  pauseAll() {
    for (const row of this.playingRows) row.player.pause()
  }

  findFocus() {
    for (const name of this.rows.keys()) {
      for (const [part, node] of Object.entries(this.focusableParts(name))) {
        if (this.root.activeElement === node) return { name, part }
      }
    }
    return null
  }

  /** The parts of a row that can have the focus, by name. */
  focusableParts(name) {
    const { range, field, player } = this.rows.get(name) ?? {}
    return { range, field, ...player?.buttons }
  }
}
