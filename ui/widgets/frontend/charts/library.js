// Runs plotly.js once for the page. Two modules ask for it, each with a copy of this one: a script
// that is on its way is found in the document.

/**
 * Run plotly.js. After a failure the next call tries again.
 *
 * @param {string} source Its address.
 * @returns {Promise<any>} Plotly.
 */
export async function loadPlotly(source) {
  const onItsWay = [...document.scripts].find((script) => script.src === source)
  // @ts-ignore: Plotly is a property of the window
  if (!onItsWay && globalThis.Plotly) return globalThis.Plotly
  const script = onItsWay ?? document.createElement("script")
  const loaded = new Promise((resolve, reject) => {
    script.addEventListener("load", resolve)
    script.addEventListener("error", () => reject(new Error("Plotly could not be read")))
  })
  if (!onItsWay) {
    script.src = source
    document.head.append(script)
  }
  try {
    await loaded
  } finally {
    script.remove()
  }
  // @ts-ignore: Plotly is a property of the window
  return globalThis.Plotly
}
