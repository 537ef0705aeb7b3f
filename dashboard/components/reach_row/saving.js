import { vector } from "../attention_view/vector.js";
import { painted } from "../cell_map/painted.js";
import { csv } from "../takeaway/files.js";

const AROUND = 16;

/** The strips as an SVG document. */
export function svgOfStrips(view) {
  const { marks, ...rest } = pageOfStrips(view);
  return new Blob([vector(marks, rest)], { type: "image/svg+xml" });
}

/** The strips as a PNG with two pixels for one. */
export async function pngOfStrips(view) {
  return painted(pageOfStrips(view));
}

/** One line for each patch of each tile; a patch that cannot have been reached has no share. */
export function csvOfStrips({ data: { strips } }) {
  const lines = strips.flatMap(({ title, tiles }) =>
    tiles.flatMap(({ label, columns, values }) =>
      Array.from(values, (value, cell) => [
        title,
        label,
        Math.floor(cell / columns),
        cell % columns,
        value < 0 ? "" : Number(value.toPrecision(6)),
      ]),
    ),
  );
  return csv([["model", "after", "row", "column", "share"], ...lines]);
}

/** The drawing with a margin. */
function pageOfStrips({ marks, geometry, data, theme }) {
  return {
    marks: marks.map((mark) => ({ ...mark, x: mark.x + AROUND, y: mark.y + AROUND })),
    width: geometry.width + 2 * AROUND,
    height: geometry.height + 2 * AROUND,
    title: data.alt,
    theme,
  };
}
