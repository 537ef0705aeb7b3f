import { rgbOf } from "./colour.js";
import { paint } from "./marks.js";
import { largestOf } from "./numbers.js";
import {
  decoded,
  photographFrom,
  photographMark,
  ratioOf,
  shades,
  sheetOf,
  spotlight,
  veil,
  wholeOf,
} from "./photograph.js";

/** How a map lies over its photograph. */
export const PHOTOS = {
  ink: "ink on photograph",
  colour: "ink on its colours",
  light: "light on photograph",
  off: "ink alone",
};

const INK = 0.92; // of the strongest cell over a photograph: its texture stays to be seen
const SPOT = 0.88; // how far the spotlight's photograph fades into the page
const PALE = 0.5; // how far the photograph fades into the page under ink
const SMALL = 240; // pixels of the longer side for thumbnails: a large photograph is scaled down once, not in each

/** The photograph and the map over it; `kept` cells are all, or those that the threshold leaves. */
export function mapMarksOver(sheet, { map, kept }, { theme, photo, photograph }, isSmall = false) {
  const image = photo === "off" ? null : photograph.prepared(photo, theme, isSmall);
  // The address of what lies under the map, made only when somebody takes an SVG file.
  const source = () => (photo === "light" ? photograph.address : image.toDataURL("image/jpeg", 0.9));
  const largest = largestOf(map.cells) || 1;
  const strengths = map.cells.map((value, cell) => (kept[cell] && value > 0 ? value / largest : 0));
  const paper = { kind: "rect", ...wholeOf(sheet), fill: theme.paper };
  return [
    image ? photographMark(sheet, image, theme, source) : paper,
    veil(sheet, strengths, washOf(image ? photo : "off", theme)),
    ...(isSmall ? [] : [{ kind: "rect", ...wholeOf(sheet), stroke: theme.hair }]),
  ];
}

/** The same on a small canvas, at most `side` pixels wide and high. */
export function paintLittle(canvas, grid, view, look, side) {
  const sheet = sheetOf(grid, look.photograph.ratio(grid), { width: side, height: side }, { edge: 0 });
  if (canvas.width !== sheet.width) canvas.width = sheet.width;
  if (canvas.height !== sheet.height) canvas.height = sheet.height;
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, canvas.width, canvas.height);
  paint(context, mapMarksOver(sheet, view, look, true), look.theme);
}

function washOf(photo, theme) {
  if (photo === "light") return spotlight(theme, SPOT);
  const [ink, shade] = [rgbOf(theme.map), shades(theme, 1)];
  if (photo !== "off") return (strength) => [ink, INK * strength];
  return (strength) => (strength > 0 ? shade(strength) : [ink, 0]);
}

/** The photograph as it lies under a map: in its colours, or grey and pale, so that only the ink has a hue. */
export function preparedPhotograph(address, ready) {
  const image = photographFrom(address, ready);
  const made = new Map();

  /** A canvas, made once for each theme; null while the picture is decoded. */
  function prepared(style, theme, isSmall = false) {
    if (!decoded(image)) return null;
    const name = [style, theme.paper, isSmall].join();
    if (!made.has(name)) made.set(name, canvasOf(image, style, theme, isSmall));
    return made.get(name);
  }

  return { prepared, ratio: (layer) => ratioOf(image, layer), address };
}

function canvasOf(image, style, theme, isSmall) {
  const scale = isSmall ? Math.min(1, SMALL / Math.max(image.naturalWidth, image.naturalHeight)) : 1;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(image.naturalWidth * scale));
  canvas.height = Math.max(1, Math.round(image.naturalHeight * scale));
  const context = canvas.getContext("2d", { willReadFrequently: style !== "light" });
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  if (style !== "light") pale(context, canvas, rgbOf(theme.paper), style === "ink");
  return canvas;
}

/** Half-way to the page: in greys, so that only the ink has a hue, or in its own colours. */
function pale(context, { width, height }, paper, isGrey) {
  const frame = context.getImageData(0, 0, width, height);
  const { data } = frame;
  for (let place = 0; place < data.length; place += 4) {
    const grey = 0.299 * data[place] + 0.587 * data[place + 1] + 0.114 * data[place + 2];
    for (let part = 0; part < 3; part++) {
      const own = isGrey ? grey : data[place + part];
      data[place + part] = own + (paper[part] - own) * PALE;
    }
  }
  context.putImageData(frame, 0, 0);
}
