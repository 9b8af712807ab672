// Streamlit's side menu, which a narrow screen has in place of the menus above, puts groups into a list, where only items may
// stand: to a screen reader it is no list, but links with headings.

const AROUND = "[data-testid=stAppViewContainer]"
const LISTS = "[data-testid=stSidebarNavItems], [data-testid=stSidebarNavItems] li"

/** See to the side menu whenever it is there; returns a function that ends it. */
export function mendMenu() {
  const mend = () => document.querySelectorAll(LISTS).forEach((one) => one.setAttribute("role", "presentation"))
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
  return () => [inside, outside].forEach((one) => one.disconnect())
}
