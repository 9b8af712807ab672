// Streamlit's side menu, which a narrow screen has, puts groups into a list, where only items may
// stand: to a screen reader it becomes links with headings instead. The button that opens it shows
// the word "Menu" (ui/server/static/style/controls.css), and is named so.

const APP = "[data-testid=stAppViewContainer]"
const MENU = "[data-testid=stSidebar]"
const LISTS = "[data-testid=stSidebarNavItems], [data-testid=stSidebarNavItems] li"
const HEADER = "[data-testid=stHeader]"
const OPENER = "[data-testid=stExpandSidebarButton]"

function mendLists() {
  for (const node of document.querySelectorAll(LISTS)) node.setAttribute("role", "presentation")
}

function nameOpener() {
  document.querySelector(OPENER)?.setAttribute("aria-label", "Menu")
}

/**
 * Mend the side menu whenever it is there.
 *
 * @returns {() => void} Ends it.
 */
export function mendMenu() {
  const menuObserver = new MutationObserver(mendLists)
  const mendPresentMenu = () => {
    mendLists()
    const menu = document.querySelector(MENU)
    if (menu) menuObserver.observe(menu, { childList: true, subtree: true })
  }
  const appObserver = new MutationObserver(mendPresentMenu)
  const app = document.querySelector(APP)
  if (app) appObserver.observe(app, { childList: true })
  mendPresentMenu()
  const headerObserver = new MutationObserver(nameOpener)
  const header = document.querySelector(HEADER)
  if (header) headerObserver.observe(header, { childList: true, subtree: true })
  nameOpener()
  return () => {
    for (const observer of [menuObserver, appObserver, headerObserver]) observer.disconnect()
  }
}
