import { rgbOf } from "../attention_view/colour.js";

const PALE = 0.5; // how far the photograph fades into the page under ink
const SMALL = 240; // pixels of the longer side for thumbnails: a large photograph is scaled down once, not in each

/** The photograph as it lies under a map: in its colours, or grey and pale, so that only the ink has a hue. */
export function photographOf(address, ready) {
  const image = new Image();
  const made = new Map();
  image.addEventListener("load", ready);
  image.src = address;

  /** A canvas and its address, made once for each theme; null while the picture is decoded. */
  function prepared(style, theme, isSmall = false) {
    if (!image.complete || !image.naturalWidth) return null;
    const name = [style, theme.paper, isSmall].join();
    if (!made.has(name)) made.set(name, canvasOf(image, style, theme, isSmall));
    return made.get(name);
  }

  const ratio = (layer) => (image.naturalWidth ? image.naturalWidth / image.naturalHeight : layer.columns / layer.rows);
  return { prepared, ratio, address };
}

function canvasOf(image, style, theme, isSmall) {
  const scale = isSmall ? Math.min(1, SMALL / Math.max(image.naturalWidth, image.naturalHeight)) : 1;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(image.naturalWidth * scale));
  canvas.height = Math.max(1, Math.round(image.naturalHeight * scale));
  const context = canvas.getContext("2d", { willReadFrequently: style === "ink" });
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  if (style === "ink") pale(context, canvas, rgbOf(theme.paper));
  return canvas;
}

/** Greys between the page and, half as far as it was, black (on a dark page white). */
function pale(context, { width, height }, paper) {
  const frame = context.getImageData(0, 0, width, height);
  const { data } = frame;
  for (let place = 0; place < data.length; place += 4) {
    const grey = 0.299 * data[place] + 0.587 * data[place + 1] + 0.114 * data[place + 2];
    for (let part = 0; part < 3; part++) data[place + part] = grey + (paper[part] - grey) * PALE;
  }
  context.putImageData(frame, 0, 0);
}
