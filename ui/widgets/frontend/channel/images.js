// Images of figures, read ahead of the frame that shows them. Panel and charts load copies of this file, and share the images.

const MOST = 600

/** Data address -> image. @type {Map<string, HTMLImageElement>} */
// @ts-ignore: of the window
const images = globalThis.labPictures ??= new Map()

/** The image at a data address, which some browsers have at once. To decode it beside the page's thread would cost a frame. */
export function load(source) {
  const known = images.get(source)
  if (known) return known
  const image = new Image()
  image.src = source
  if (images.size >= MOST) images.delete(images.keys().next().value)
  images.set(source, image)
  return image
}
