import { measurer } from "../attention_view/marks.js";
import { vector } from "../attention_view/vector.js";
import { coloursOf, kindsOf } from "./legend.js";
import { endsOf } from "./matrix.js";
import { painted } from "./painted.js";

const MARGIN = 16;
const LEGEND = 110; // the width of the scale
const SWATCH = 12;
const LINE = 26; // the height of a line of the legend
const SMALL = { kind: "text", size: 12 };

/** The map with its legend as an SVG document. */
export function svgOf(map) {
  const page = pageOf(map);
  return new Blob([vector(page.marks, { ...page, title: map.matrix.alt, theme: map.theme })], {
    type: "image/svg+xml",
  });
}

/** The map with its legend as a PNG with two pixels for one. */
export async function pngOf(map) {
  return painted({ ...pageOf(map), theme: map.theme });
}

function pageOf({ marks, geometry, theme, matrix }) {
  const measure = measurer(theme);
  const legend = matrix.kinds.length ? kindMarks(matrix, geometry, theme, measure) : scaleMarks(matrix, theme, measure);
  const down = MARGIN + legend.height;
  return {
    width: Math.ceil(Math.max(geometry.width, legend.width) + 2 * MARGIN),
    height: Math.ceil(geometry.height + legend.height + 2 * MARGIN),
    marks: [...legend.marks, ...marks.map((mark) => ({ ...mark, x: mark.x + MARGIN, y: mark.y + down }))],
  };
}

/** The scale between its two ends, in one line. */
function scaleMarks(matrix, theme, measure) {
  const [low, high] = endsOf(matrix);
  const pixels = coloursOf(matrix, theme);
  const small = { ...SMALL, colour: theme.soft, y: MARGIN + 11 };
  const ramp = { x: MARGIN + measure(low, SMALL.size) + 6, y: MARGIN + 2, width: LEGEND, height: 9 };
  const end = ramp.x + LEGEND + 6;
  return {
    width: end - MARGIN + measure(high, SMALL.size),
    height: LINE,
    marks: [
      { ...small, x: MARGIN, text: low },
      { kind: "raster", ...ramp, columns: pixels.length / 4, rows: 1, pixels },
      { kind: "rect", ...ramp, stroke: theme.hair },
      { ...small, x: end, text: high },
    ],
  };
}

/** The kinds side by side, in as many lines as they need above the map. */
function kindMarks(matrix, geometry, theme, measure) {
  const marks = [];
  let [x, line, width] = [0, 0, 0];
  for (const [name, colour] of kindsOf(matrix, theme)) {
    const wide = SWATCH + 6 + measure(name, SMALL.size);
    if (x && x + wide > geometry.width) [x, line] = [0, line + 1];
    const [left, top] = [MARGIN + x, MARGIN + line * LINE];
    marks.push({ kind: "rect", x: left, y: top, width: SWATCH, height: SWATCH, fill: colour });
    marks.push({ ...SMALL, colour: theme.soft, x: left + SWATCH + 6, y: top + 11, text: name });
    width = Math.max(width, x + wide);
    x += wide + MARGIN;
  }
  return { width, height: (line + 1) * LINE, marks };
}
