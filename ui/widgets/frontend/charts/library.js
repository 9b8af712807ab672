// plotly.js, run once for the page. Two modules ask for it, each with a copy of this one, so the document knows of a script
// that is on its way.

/** Run plotly.js from this address; resolves with Plotly. After a failure the next call tries again. */
export async function loadPlotly(source) {
  const running = [...document.scripts].find(({ src }) => src === source)
  if (!running && globalThis.Plotly) return globalThis.Plotly
  const script = running ?? document.createElement("script")
  const loaded = new Promise((resolve, reject) => {
    script.addEventListener("load", resolve)
    script.addEventListener("error", () => reject(new Error("Plotly could not be read")))
  })
  if (!running) {
    script.src = source
    document.head.append(script)
  }
  try {
    await loaded
  } finally {
    script.remove()
  }
  return globalThis.Plotly
}
