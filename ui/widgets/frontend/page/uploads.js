// Explains beside the uploader why a file was not accepted. Streamlit marks the file red, and shows
// "AxiosError" to a pointer over it.

const UPLOADER = "[data-testid=stFileUploader]"
const FAILED = "[data-testid=stFileChip][aria-invalid=true]"
const REMOVE_BUTTON = `${FAILED} [data-testid=stFileChipDeleteBtn] button`
const CHOICE_EVENTS = ["change", "drop"]
const EXPLANATIONS = {
  400: "The server no longer knows this page. Reload the page, then choose the file again.",
  403:
    "The server takes no file without its cookie. Allow cookies for this site, reload the page, " +
    "then choose the file again.",
  413: "The file is larger than the server takes. Choose a smaller file.",
}
const NO_CONNECTION =
  "The connection was lost while the file was sent. Choose the file again when " +
  "the connection is back."

/**
 * Explain why an upload failed, and what to do.
 *
 * @param {string} error In Streamlit's words.
 * @param {number} megabytes That waiting uploads may take.
 */
export function explainError(error, megabytes) {
  if (error.includes("Network Error")) return NO_CONNECTION
  const status = /status code (\d+)/.exec(error)?.[1]
  if (status === undefined) return error.replace(/^Error: /, "")
  if (status in EXPLANATIONS) return EXPLANATIONS[status]
  if (status === "503") {
    return `The server has no room for this file now: uploads that wait to be read may take ` +
      `${megabytes} MB together. Try again in a minute, or choose a smaller file.`
  }
  return `The server did not take the file (status ${status}). Try again later.`
}

/**
 * Watch the uploaders of the whole page.
 *
 * @param {() => number} readMegabytes See `explainError`.
 * @returns {() => void} Ends it.
 */
export function explainUploads(readMegabytes) {
  const explainer = new UploadExplainer(readMegabytes)
  // an uploader that comes later is watched once a file is chosen: to observe the whole page would
  // cost each redraw
  const chosen = ({ target }) => {
    const uploader = target.closest?.(UPLOADER)
    if (uploader) explainer.fileChosen(uploader)
  }
  for (const uploader of document.querySelectorAll(UPLOADER)) explainer.watch(uploader)
  for (const type of CHOICE_EVENTS) document.addEventListener(type, chosen, true)
  return () => {
    for (const type of CHOICE_EVENTS) document.removeEventListener(type, chosen, true)
    explainer.stop()
  }
}

/** Shows a notice in each watched uploader. */
class UploadExplainer {
  /** @param {() => number} readMegabytes See `explainError`. */
  constructor(readMegabytes) {
    this.readMegabytes = readMegabytes
    /** @type {Map<Element, MutationObserver>} */
    this.observers = new Map()
  }

  watch(uploader) {
    if (this.observers.has(uploader)) return
    const notice = document.createElement("p")
    notice.className = "lab-upload"
    notice.setAttribute("role", "status")
    uploader.append(notice)
    const observer = new MutationObserver(() => this.update(uploader, notice))
    observer.observe(uploader, {
      attributes: true,
      attributeFilter: ["aria-invalid"],
      childList: true,
      subtree: true,
    })
    this.update(uploader, notice)
    this.dropRemoved()
    this.observers.set(uploader, observer)
  }

  update(uploader, notice) {
    const error = uploader.querySelector(`${FAILED} [role=alert]`)
    let text = ""
    if (error) text = explainError(error.textContent, this.readMegabytes())
    if (text !== notice.textContent) notice.textContent = text
  }

  dropRemoved() {
    for (const [uploader, observer] of this.observers) {
      if (uploader.isConnected) continue
      observer.disconnect()
      this.observers.delete(uploader)
    }
  }

  /** Remove a file that failed, whose place the new one takes. */
  fileChosen(uploader) {
    for (const button of uploader.querySelectorAll(REMOVE_BUTTON)) button.click()
    this.watch(uploader)
  }

  stop() {
    for (const observer of this.observers.values()) observer.disconnect()
  }
}
