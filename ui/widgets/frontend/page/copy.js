// Buttons of a text that copy sentences, followed by the address of what is shown.

const BUTTONS = "button[data-copy]"
const LABEL_MS = 2000

/**
 * Let the buttons of the whole page copy.
 *
 * @returns {() => void} Ends it.
 */
export function copySentences() {
  const clicked = async (event) => {
    const button = event.target.closest?.(BUTTONS)
    if (!button) return
    const { textContent } = button
    await copy(`${plainText(button.dataset.copy)} ${location.href}`)
    button.textContent = "Copied"
    setTimeout(() => button.textContent = textContent, LABEL_MS)
  }
  document.addEventListener("click", clicked)
  return () => document.removeEventListener("click", clicked)
}

function plainText(html) {
  const template = document.createElement("template")
  template.innerHTML = html
  return template.content.textContent
}

/** Copy a text, also on a page that came without encryption, where browsers lend no clipboard. */
async function copy(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text)
    return
  }
  const area = document.createElement("textarea")
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}
