import { measurer, paint } from "../attention_view/marks.js";
import { vector } from "../attention_view/vector.js";

const MARGIN = 16;
const LEGEND = 110;
const HEADER = 26;

/** The map with its legend as an SVG document. */
export function svgOf(map) {
  const page = pageOf(map);
  return new Blob([vector(page.marks, { ...page, title: map.alt, theme: map.theme })], { type: "image/svg+xml" });
}

/** The map with its legend as a PNG with two pixels for one. */
export async function pngOf(map) {
  return painted({ ...pageOf(map), theme: map.theme });
}

/** Marks on paper as a PNG with two pixels for one. */
export function painted({ marks, width, height, theme }) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, width, height);
  paint(context, marks, theme);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function pageOf({ marks, geometry, theme, ends: [low, high], colours }) {
  const measure = measurer(theme);
  const small = { kind: "text", size: 12, colour: theme.soft, y: MARGIN + 11 };
  const ramp = { x: MARGIN + measure(low, 12) + 6, y: MARGIN + 2, width: LEGEND, height: 9 };
  const end = ramp.x + LEGEND + 6;
  const widest = Math.max(geometry.width, end - MARGIN + measure(high, 12));
  return {
    width: Math.ceil(widest + 2 * MARGIN),
    height: Math.ceil(geometry.height + HEADER + 2 * MARGIN),
    marks: [
      { ...small, x: MARGIN, text: low },
      { kind: "raster", ...ramp, columns: colours.length / 4, rows: 1, pixels: colours },
      { kind: "rect", ...ramp, stroke: theme.hair },
      { ...small, x: end, text: high },
      ...marks.map((mark) => ({ ...mark, x: mark.x + MARGIN, y: mark.y + MARGIN + HEADER })),
    ],
  };
}
