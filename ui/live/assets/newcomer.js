// The page of who comes when the lab is full: says how it stands, and opens the lab when there is room.

const LOST = 5 // seconds until a server that does not answer is asked again
const ADDRESS = new URL("../../../lab-busy?enter", import.meta.url) // below whatever path the lab is served at
/** @type {HTMLElement} */
const words = document.querySelector("[data-again]")

async function ask() {
  let again = LOST
  try {
    const answer = await (await fetch(ADDRESS, { cache: "no-store" })).json()
    if (answer.enter) return location.reload()
    if (answer.says !== words.textContent) words.textContent = answer.says
    again = answer.again
  } catch {
    // it is away, and may come back
  }
  setTimeout(ask, 1000 * again)
}

setTimeout(ask, 1000 * Number(words.dataset.again))
