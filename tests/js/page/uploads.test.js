import assert from "node:assert/strict"
import { beforeEach, test } from "node:test"

import { explainError, explainUploads } from "../../../ui/widgets/frontend/page/uploads.js"

const MEGABYTES = 300
let listeners, update, failedChip, notices, removeClicks, uploader

function streamlitError(status) {
  return `Error: AxiosError: Request failed with status code ${status}`
}

class MutationObserver {
  constructor(callback) {
    update = callback
  }
  observe() {}
  disconnect() {
    update = null
  }
}
const document = {
  addEventListener: (type, listener) => {
    listeners[type] = listener
  },
  removeEventListener: (type) => {
    delete listeners[type]
  },
  createElement: () => ({ textContent: "", setAttribute() {} }),
  querySelectorAll: () => [],
}
Object.assign(globalThis, { document, MutationObserver })

beforeEach(() => {
  listeners = {}
  update = null
  failedChip = null
  notices = []
  removeClicks = 0
  const removeButton = {
    click: () => {
      removeClicks += 1
    },
  }
  uploader = {
    isConnected: true,
    append: (notice) => notices.push(notice),
    closest: () => uploader,
    querySelector: () => failedChip,
    querySelectorAll: () => (failedChip ? [removeButton] : []),
  }
})

for (
  const { name, error, explanation } of [
    {
      name: "a lost connection",
      error: "Error: AxiosError: Network Error",
      explanation: /connection was lost.*Choose the file again/,
    },
    { name: "an unknown page", error: streamlitError(400), explanation: /Reload the page/ },
    { name: "a missing cookie", error: streamlitError(403), explanation: /Allow cookies/ },
    { name: "a large file", error: streamlitError(413), explanation: /Choose a smaller file/ },
    {
      name: "a full server",
      error: streamlitError(503),
      explanation: /300 MB together. Try again in a minute/,
    },
    { name: "any other status", error: streamlitError(507), explanation: /status 507/ },
    {
      name: "Streamlit's own limit",
      error: "Error: File must be 100MB or smaller.",
      explanation: /^File must be 100MB or smaller\.$/,
    },
  ]
) {
  test(`${name} is explained, with what to do`, () => {
    assert.match(explainError(error, MEGABYTES), explanation)
  })
}

test("an uploader has one notice, which is empty until a file fails", () => {
  explainUploads(() => MEGABYTES)

  listeners.change({ target: uploader })
  listeners.drop({ target: uploader })

  assert.equal(notices.length, 1)
  assert.equal(notices[0].textContent, "")
})

test("the notice explains a failed file for as long as it is there", () => {
  explainUploads(() => 5)
  listeners.change({ target: uploader })

  failedChip = { textContent: streamlitError(503) }
  update()
  assert.match(notices[0].textContent, /5 MB/)

  failedChip = null
  update()
  assert.equal(notices[0].textContent, "")
})

test("a failed file makes way for the next", () => {
  explainUploads(() => MEGABYTES)
  listeners.change({ target: uploader })
  failedChip = { textContent: streamlitError(503) }

  listeners.change({ target: uploader })

  assert.equal(removeClicks, 1)
})

test("nothing is listened to or observed after the end", () => {
  const stop = explainUploads(() => MEGABYTES)
  listeners.change({ target: uploader })

  stop()

  assert.deepEqual([listeners, update], [{}, null])
})
