import { boxAt } from "./cells.js";
import { inkAt, rgbOf } from "./colour.js";

// A map over a photograph: the photograph on a sheet of cells, a veil of strengths (0 to 1, one for each cell) over it,
// and frames around cells. A sheet is a geometry (cells.js) with the size of its canvas.

/** A photograph that is decoded in its own time; `ready` is called when it is. */
export function photographFrom(address, ready) {
  const image = new Image();
  image.addEventListener("load", ready);
  image.src = address;
  return image;
}

/** The image, once it can be drawn. */
export function decoded(image) {
  return image?.complete && image.naturalWidth ? image : null;
}

/** Width by height of a photograph; of its grid, where it is not decoded. */
export function ratioOf(image, { rows, columns }) {
  return decoded(image) ? image.naturalWidth / image.naturalHeight : columns / rows;
}

/** As large as the box allows, in the photograph's own shape; `edge` leaves room for a frame at its border. */
export function sheetOf({ rows, columns }, ratio, box, { edge = 3, least = 40 } = {}) {
  const width = Math.floor(Math.max(least, Math.min(box.width - 2 * edge, (box.height - 2 * edge) * ratio)));
  const height = Math.max(1, Math.round(width / ratio));
  const sheet = sheetAt({ rows, columns }, { x: edge, y: edge, width, height });
  return { ...sheet, width: width + 2 * edge, height: height + 2 * edge };
}

/** The cells of a photograph that lies in a rectangle. */
export function sheetAt({ rows, columns }, { x, y, width, height }) {
  return { left: x, top: y, rows, columns, cell: { width: width / columns, height: height / rows } };
}

/** The rectangle of the whole photograph. */
export function wholeOf(sheet) {
  return boxAt(sheet, [0, 0], [sheet.rows, sheet.columns]);
}

/** The photograph itself, `source` being its address for a file; plain paper while it is not decoded. */
export function photographMark(sheet, image, theme, source = image?.src) {
  if (!image) return { kind: "rect", ...wholeOf(sheet), fill: theme.paper, stroke: theme.hair };
  return { kind: "image", ...wholeOf(sheet), image, source };
}

/** Strengths over the photograph; `wash(strength, cell)` says with which colour, and how much of it, from 0 to 1. */
export function veil(sheet, strengths, wash) {
  const pixels = new Uint8ClampedArray(4 * strengths.length);
  strengths.forEach((strength, cell) => {
    const [colour, share] = wash(strength, cell);
    pixels.set([...colour, 255 * share], 4 * cell);
  });
  return { kind: "raster", ...wholeOf(sheet), rows: sheet.rows, columns: sheet.columns, pixels };
}

/** The photograph is clear where the strength is 1, and fades into the page, as far as `most`, where it is 0. */
export function spotlight(theme, most) {
  const paper = rgbOf(theme.paper);
  return (strength) => [paper, most * (1 - strength)];
}

/** The colours of the map over the photograph, nothing where `most` is 0. */
export function shades(theme, most) {
  return (strength) => [inkAt(theme, strength), most];
}

/** A frame around a cell, with the page around it so that it is seen on every photograph. */
export function framedCell(sheet, place, { colour, line, paper }) {
  const whole = wholeOf(sheet);
  const out = Math.max(0, (7 - Math.min(sheet.cell.width, sheet.cell.height)) / 2); // a tiny cell from outside
  const box = boxAt(sheet, place, [1, 1], out);
  const x = Math.max(whole.x, box.x);
  const y = Math.max(whole.y, box.y);
  const width = Math.min(whole.x + whole.width, box.x + box.width) - x;
  const height = Math.min(whole.y + whole.height, box.y + box.height) - y;
  const frame = { kind: "rect", x, y, width, height };
  return [
    { ...frame, stroke: paper, line: line + 2.5 },
    { ...frame, stroke: colour, line },
  ];
}
