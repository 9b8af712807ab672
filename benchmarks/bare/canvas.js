// The least that dragging costs a browser on this channel: one canvas, one line, nothing else on the page.
// `canvasPage.drive(questions)` asks them as a slider is moved: the newest that is due, at most two at once.
;(() => {
  const AT_ONCE = 2
  const canvas = document.body.appendChild(document.createElement("canvas"))
  const range = document.body.appendChild(document.createElement("input"))
  Object.assign(canvas, { width: 700, height: 400 })
  Object.assign(range, { type: "range", min: 0, value: 0 })
  range.style.cssText = "display: block; width: 700px"
  const state = (globalThis.canvasPage = { redraws: 0, range, drive })
  let socket, questions
  let sent = 0
  let answered = 0
  let next = null

  /** Connect, and resolve when the first question is answered. */
  function drive(asked) {
    questions = asked
    range.max = String(questions.length - 1)
    socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/lab-channel`)
    return new Promise((ready) => {
      socket.onopen = () => ask(0)
      socket.onmessage = (event) => {
        const { number } = JSON.parse(event.data)
        if (number === undefined) return // how many stand in line before
        if (number > answered) {
          answered = number
          requestAnimationFrame(draw)
          ready()
        }
        if (next !== null && sent - answered < AT_ONCE) ask(next)
      }
    })
  }

  function ask(place) {
    next = null
    sent += 1
    socket.send(JSON.stringify({ ...questions[place], number: sent }))
  }

  range.addEventListener("input", () => {
    const place = Number(range.value)
    if (sent - answered < AT_ONCE) ask(place)
    else next = place
  })

  function draw() {
    const pen = canvas.getContext("2d")
    pen.clearRect(0, 0, canvas.width, canvas.height)
    pen.beginPath()
    for (let x = 0; x < canvas.width; x += 3) {
      pen.lineTo(x, 200 + 150 * Math.sin((x + 10 * answered) / 60))
    }
    pen.stroke()
    state.redraws += 1
  }
})()
