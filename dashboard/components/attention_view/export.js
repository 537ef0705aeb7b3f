import { csv } from "../takeaway/files.js";
import { measurer, paint } from "./marks.js";
import { legendEnds } from "./scale.js";
import { vector } from "./vector.js";

const MARGIN = 20;
const HEADER = 62;
const LEGEND = 110;

/** The figure as it is seen, as an SVG document. */
export function svgOf(figure, titles, look) {
  const page = pageOf(figure, titles, look);
  const text = vector(page.marks, { ...page, title: `${titles.title}. ${titles.reading}`, theme: look.theme });
  return new Blob([text], { type: "image/svg+xml" });
}

/** The figure as it is seen, as a PNG with two pixels for one. */
export async function pngOf(figure, titles, look) {
  const { marks, width, height } = pageOf(figure, titles, look);
  const canvas = document.createElement("canvas");
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  context.fillStyle = look.theme.paper;
  context.fillRect(0, 0, width, height);
  paint(context, marks, look.theme);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** The weights of the head in view, a row for each query; four digits that count, or what the code can hold. */
export function csvOf(pattern) {
  const { layer, queries, keys, weights } = pattern;
  const digits = pattern.approximate ? 2 : 4;
  const lines = [["", ...keys.map((key) => layer.key.labels[key])]];
  queries.forEach((query, row) => {
    const own = weights.subarray(row * keys.length, (row + 1) * keys.length);
    lines.push([layer.query.labels[query], ...Array.from(own, (weight) => number(weight, digits))]);
  });
  return csv(lines);
}

/** "layer3-head2" */
export function fileName(title) {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/(layer|head)-/g, "$1");
}

/** The figure below its title, the row in view and the legend. */
function pageOf(figure, { title, reading, row }, { theme, scale }) {
  const measure = measurer(theme);
  const [low, high] = legendEnds(scale, row);
  const small = { kind: "text", size: 12, colour: theme.soft };
  const ramp = { x: MARGIN + measure(low, 12) + 6, y: MARGIN + 45, width: LEGEND, height: 9 };
  const end = ramp.x + LEGEND + 6;
  const written = [measure(title, 19, 600), measure(reading, 12), end - MARGIN + measure(high, 12)];
  const widest = Math.max(figure.width, ...written);
  return {
    width: Math.ceil(widest + 2 * MARGIN),
    height: Math.ceil(figure.height + HEADER + 2 * MARGIN),
    marks: [
      { ...small, x: MARGIN, y: MARGIN + 15, text: title, size: 19, weight: 600, serif: true, colour: theme.ink },
      { ...small, x: MARGIN, y: MARGIN + 34, text: reading },
      { ...small, x: MARGIN, y: MARGIN + 54, text: low },
      { kind: "raster", ...ramp, columns: 64, rows: 1, pixels: rampPixels(theme.ramp) },
      { kind: "rect", ...ramp, stroke: theme.hair },
      { ...small, x: end, y: MARGIN + 54, text: high },
      ...figure.marks.map((mark) => moved(mark, MARGIN, MARGIN + HEADER)),
    ],
  };
}

function moved(mark, right, down) {
  if (mark.kind !== "curve") return { ...mark, x: mark.x + right, y: mark.y + down };
  return { ...mark, points: mark.points.map((place, index) => place + (index % 2 ? down : right)) };
}

function rampPixels(ramp) {
  const pixels = new Uint8ClampedArray(4 * 64);
  for (let step = 0; step < 64; step++) pixels.set([...ramp.subarray(3 * step * 4, 3 * step * 4 + 3), 255], 4 * step);
  return pixels;
}

function number(weight, digits) {
  if (Number.isNaN(weight)) return "nan";
  return weight < 0 ? "" : String(Number(weight.toPrecision(digits)));
}
