// Images of figures, loaded before the frame that shows them.

const MAX_IMAGES = 600

/**
 * Data address -> image, shared by the copies of this module that panel and charts load.
 *
 * @type {Map<string, HTMLImageElement>}
 */
// @ts-ignore: a property of the window
const images = globalThis.labImages ??= new Map()

/**
 * Return the image at a data address. Some browsers have it at once.
 *
 * It is not decoded in advance: to decode it beside the page's thread would cost a frame.
 *
 * @param {string} source
 * @returns {HTMLImageElement}
 */
export function loadImage(source) {
  const loaded = images.get(source)
  if (loaded) return loaded
  const image = new Image()
  image.src = source
  if (images.size >= MAX_IMAGES) {
    const [oldest] = images.keys()
    images.delete(oldest)
  }
  images.set(source, image)
  return image
}

/**
 * Whether an image can be drawn at once.
 *
 * @param {HTMLImageElement} image
 */
export function isLoaded(image) {
  return image.complete && image.naturalWidth > 0
}
