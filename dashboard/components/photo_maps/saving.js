import { measurer } from "../attention_view/marks.js";
import { vector } from "../attention_view/vector.js";
import { painted } from "../cell_map/painted.js";
import { csv } from "../takeaway/files.js";
import { percent } from "./sentences.js";

const AROUND = 20;
const ABOVE = 62;
const SCALE = 110;
const LETTER = 12;

/** The map as it is seen, as an SVG document: text stays text, cells stay cells. */
export function svgOfMap(page) {
  const { marks, width, height } = laidOut(page);
  const drawn = marks.map((mark) => (mark.kind === "image" ? { ...mark, source: mark.source() } : mark));
  const text = vector(drawn, { width, height, title: `${page.title}. ${page.reading}`, theme: page.theme });
  return new Blob([text], { type: "image/svg+xml" });
}

/** The same as a PNG with two pixels for one. */
export function pngOfMap(page) {
  return painted({ ...laidOut(page), theme: page.theme });
}

/** A row for each token that can be looked at. */
export function csvOfMap({ layer, map, kept }) {
  const number = (value) => (Number.isNaN(value) ? "" : Number(value.toPrecision(4)));
  const lines = layer.prefix.map((label, token) => [label, "", "", number(map.prefix[token]), ""]);
  map.cells.forEach((value, cell) => {
    const [row, column] = [Math.floor(cell / layer.columns), cell % layer.columns];
    lines.push(["patch", row, column, number(value), Number.isNaN(value) ? "" : kept[cell]]);
  });
  if (map.isPadded) lines.push(["padding", "", "", number(map.padding), ""]);
  return csv([["token", "row", "column", "weight", "kept"], ...lines]);
}

function laidOut({ title, reading, theme, sheet, marks, largest }) {
  const measure = measurer(theme);
  const small = { kind: "text", size: LETTER, colour: theme.soft };
  const ramp = { x: AROUND + measure("0", LETTER) + 6, y: 0, width: SCALE, height: 9 };
  const end = ramp.x + SCALE + 6;
  const ending = `${percent(largest)}, the largest here`;
  const wide = Math.max(sheet.width, 420, end - AROUND + measure(ending, LETTER));
  const lines = folded(reading, wide, (text) => measure(text, LETTER));
  const below = AROUND + ABOVE + (lines.length - 1) * 17;
  ramp.y = below - 17;
  return {
    width: Math.ceil(wide + 2 * AROUND),
    height: Math.ceil(below + sheet.height + AROUND),
    marks: [
      { ...small, x: AROUND, y: AROUND + 15, text: title, size: 19, weight: 600, serif: true, colour: theme.ink },
      ...lines.map((text, line) => ({ ...small, x: AROUND, y: AROUND + 34 + 17 * line, text })),
      { ...small, x: AROUND, y: ramp.y + 9, text: "0" },
      { kind: "raster", ...ramp, columns: 64, rows: 1, pixels: shadesOf(theme.ramp) },
      { kind: "rect", ...ramp, stroke: theme.hair },
      { ...small, x: end, y: ramp.y + 9, text: ending },
      ...marks.map((mark) => shifted(mark, AROUND, below)),
    ],
  };
}

/** Words in lines of a width. */
function folded(text, width, measure) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (lines.at(-1) && measure(longer) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

function shifted(mark, right, down) {
  if (mark.kind !== "curve") return { ...mark, x: mark.x + right, y: mark.y + down };
  return { ...mark, points: mark.points.map((place, index) => place + (index % 2 ? down : right)) };
}

function shadesOf(ramp) {
  const pixels = new Uint8ClampedArray(4 * 64);
  for (let step = 0; step < 64; step++) pixels.set([...ramp.subarray(12 * step, 12 * step + 3), 255], 4 * step);
  return pixels;
}
