// Say beside the uploader why a file was not taken. Streamlit marks the file red and says "AxiosError" to who hovers.

const UPLOADER = "[data-testid=stFileUploader]"
const FAILED = "[data-testid=stFileChip][aria-invalid=true]"
const REMOVE = `${FAILED} [data-testid=stFileChipDeleteBtn] button`

/** Why an upload failed, and what to do, in place of Streamlit's words; `megabytes`: what waiting uploads may take. */
export function reason(said, megabytes) {
  if (/Network Error/.test(said)) {
    return "The connection was lost while the file was sent. Choose the file again when the connection is back."
  }
  const status = /status code (\d+)/.exec(said)?.[1]
  switch (status) {
    case undefined:
      return said.replace(/^Error: /, "")
    case "400":
      return "The server no longer knows this page. Reload the page, then choose the file again."
    case "403":
      return "The server takes no file without its cookie. Allow cookies for this site, reload the page, then choose the file again."
    case "413":
      return "The file is larger than the server takes. Choose a smaller file."
    case "503":
      return `The server has no room for this file now: uploads that wait to be read may take ${megabytes} MB together. ` +
        "Try again in a minute, or choose a smaller file."
    default:
      return `The server did not take the file (status ${status}). Try again later.`
  }
}

/** Watch the uploaders of the whole page; `limit()` is `megabytes`. Return a function that ends it. */
export function explainUploads(limit) {
  const watched = new Map() // uploader -> its observer
  const watch = (uploader) => {
    if (!uploader || watched.has(uploader)) return
    const notice = document.createElement("p")
    notice.className = "lab-upload"
    notice.setAttribute("role", "status")
    uploader.append(notice)
    const look = () => {
      const failed = uploader.querySelector(`${FAILED} [role=alert]`)
      const words = failed ? reason(failed.textContent, limit()) : ""
      if (words !== notice.textContent) notice.textContent = words
    }
    const observer = new MutationObserver(look)
    observer.observe(uploader, {
      attributes: true,
      attributeFilter: ["aria-invalid"],
      childList: true,
      subtree: true,
    })
    look()
    for (const [one, its] of watched) {
      if (one.isConnected) continue
      its.disconnect()
      watched.delete(one)
    }
    watched.set(uploader, observer)
  }
  // an uploader that comes later is watched once a file is chosen: observing the whole page would cost each redraw
  const chosen = ({ target }) => {
    const uploader = target.closest?.(UPLOADER)
    uploader?.querySelectorAll(REMOVE).forEach((one) => one.click()) // the new file takes the place of one that failed
    watch(uploader)
  }
  document.querySelectorAll(UPLOADER).forEach(watch)
  for (const event of ["change", "drop"]) document.addEventListener(event, chosen, true)
  return () => {
    for (const event of ["change", "drop"]) document.removeEventListener(event, chosen, true)
    watched.forEach((observer) => observer.disconnect())
  }
}
