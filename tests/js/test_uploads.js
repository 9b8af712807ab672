// Why an upload failed, in words, and where they stand.

import assert from "node:assert/strict"
import { test } from "node:test"

import { explainUploads, reason } from "../../ui/widgets/frontend/page/uploads.js"

const axios = (status) => `Error: AxiosError: Request failed with status code ${status}`

test("each failure is said in words of its own, with what to do", () => {
  assert.match(
    reason("Error: AxiosError: Network Error", 300),
    /connection was lost.*Choose the file again/,
  )
  assert.match(reason(axios(400), 300), /Reload the page/)
  assert.match(reason(axios(403), 300), /Allow cookies/)
  assert.match(reason(axios(413), 300), /Choose a smaller file/)
  assert.match(reason(axios(503), 300), /300 MB together. Try again in a minute/)
  assert.match(reason(axios(507), 300), /status 507/)
  assert.equal(
    reason("Error: File must be 100MB or smaller.", 300),
    "File must be 100MB or smaller.",
  )
})

test("a failure stands in the uploader while it is there, and a failed file makes way for the next", () => {
  const heard = {}
  /** @type {any} */
  let look, failed = null
  const notices = []
  const remove = { clicks: 0, click: () => remove.clicks++ }
  const uploader = {
    isConnected: true,
    append: (notice) => notices.push(notice),
    closest: () => uploader,
    querySelector: () => failed,
    querySelectorAll: () => (failed ? [remove] : []),
  }
  class MutationObserver {
    constructor(act) {
      look = act
    }
    observe() {}
    disconnect() {
      look = null
    }
  }
  const document = {
    addEventListener: (name, act) => heard[name] = act,
    createElement: () => ({ textContent: "", setAttribute() {} }),
    querySelectorAll: () => [],
    removeEventListener: (name) => delete heard[name],
  }
  Object.assign(globalThis, { document, MutationObserver })
  const end = explainUploads(() => 5)
  heard.change({ target: uploader })
  heard.drop({ target: uploader })
  assert.equal(notices.length, 1)
  assert.equal(notices[0].textContent, "")
  failed = { textContent: axios(503) }
  look()
  assert.match(notices[0].textContent, /5 MB/)
  heard.change({ target: uploader })
  assert.equal(remove.clicks, 1)
  failed = null
  look()
  assert.equal(notices[0].textContent, "")
  end()
  assert.deepEqual([heard, look], [{}, null])
})
