import { rgbOf } from "../attention_view/colour.js";

const VEIL = 0.86; // how much of the page lies over the photograph where least has come

/** Everything that does not follow the pointer. */
export function stripMarks({ titles, tiles, size }, { faintest }, theme) {
  return [
    ...titles.map(({ y, text }) => ({
      kind: "text",
      x: 0,
      y,
      text,
      size: size * 1.08,
      weight: 600,
      colour: theme.ink,
    })),
    ...tiles.flatMap((placed) => tileMarks(placed, { faintest, size }, theme)),
  ];
}

function tileMarks({ strip, tile, x, y, width, height }, { faintest, size }, theme) {
  const box = { x, y, width, height };
  const marks = [{ kind: "text", x, y: y - size * 0.4, text: tile.label, size: size * 0.92, colour: theme.soft }];
  const { image } = strip;
  if (image.complete) marks.push({ kind: "image", ...box, image, source: image.src });
  marks.push({ kind: "raster", ...box, rows: tile.rows, columns: tile.columns, pixels: veil(tile, faintest, theme) });
  marks.push({ kind: "rect", ...box, stroke: theme.hair });
  return [...marks, ...frame(box, strip.chosen, strip.grid, theme.accent, theme)];
}

/** The photograph shows through where something came, the more the clearer; the page where nothing can have come. */
function veil({ values }, faintest, theme) {
  const pixels = new Uint8ClampedArray(4 * values.length);
  const paper = rgbOf(theme.paper);
  values.forEach((value, cell) => {
    pixels.set([...paper, 255 * (value < 0 ? 1 : VEIL * (1 - strengthOf(value, faintest)))], 4 * cell);
  });
  return pixels;
}

/** From 0 (the faintest, and less) to 1 (all of it), on a logarithmic scale. */
function strengthOf(value, faintest) {
  return value <= faintest ? 0 : 1 - Math.log(Math.min(1, value)) / Math.log(faintest);
}

/** An outline around one cell of a grid, with the page around it so that it is seen on every picture. */
export function frame({ x, y, width, height }, [row, column], [rows, columns], colour, theme) {
  const cell = { width: width / columns, height: height / rows };
  const out = Math.max(1.5, (7 - Math.min(cell.width, cell.height)) / 2); // a tiny cell is framed from outside
  const around = {
    x: Math.max(x, x + column * cell.width - out),
    y: Math.max(y, y + row * cell.height - out),
  };
  around.width = Math.min(x + width, x + (column + 1) * cell.width + out) - around.x;
  around.height = Math.min(y + height, y + (row + 1) * cell.height + out) - around.y;
  return [
    { kind: "rect", ...around, stroke: theme.paper, line: 4 },
    { kind: "rect", ...around, stroke: colour, line: 2 },
  ];
}
