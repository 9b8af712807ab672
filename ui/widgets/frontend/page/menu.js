// Streamlit's side menu, which a narrow screen has in place of the menus above, puts groups into a list, where only items may
// stand: to a screen reader it is no list, but links with headings. The button that opens it shows the word "Menu"
// (ui/server/static/style.css), and is called so.

const AROUND = "[data-testid=stAppViewContainer]"
const HEADER = "[data-testid=stHeader]"
const OPENER = "[data-testid=stExpandSidebarButton]"
const LISTS = "[data-testid=stSidebarNavItems], [data-testid=stSidebarNavItems] li"

/** See to the side menu whenever it is there; returns a function that ends it. */
export function mendMenu() {
  const mend = () =>
    document.querySelectorAll(LISTS).forEach((one) => one.setAttribute("role", "presentation"))
  const inside = new MutationObserver(mend)
  const comes = () => {
    mend()
    const menu = document.querySelector("[data-testid=stSidebar]")
    if (menu) inside.observe(menu, { childList: true, subtree: true })
  }
  const outside = new MutationObserver(comes)
  const around = document.querySelector(AROUND)
  if (around) outside.observe(around, { childList: true })
  comes()
  const name = () => document.querySelector(OPENER)?.setAttribute("aria-label", "Menu")
  const above = new MutationObserver(name)
  const header = document.querySelector(HEADER)
  if (header) above.observe(header, { childList: true, subtree: true })
  name()
  return () => [inside, outside, above].forEach((one) => one.disconnect())
}
