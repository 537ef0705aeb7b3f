import { outline } from "../cell_map/drawing.js";

const EDGE = 3; // pixels around the picture, for the frame of a patch at its border
const FINE = 5; // pixels: smaller patches have no lines between them
const VEIL = 0.85; // how opaque the largest value is

/** The picture as large as the room allows, and the patches on it. */
export function pictureLayout({ rows, columns }, image, { width, height }) {
  const ratio = image ? image.naturalWidth / image.naturalHeight : columns / rows;
  const across = Math.max(60, Math.floor(Math.min(width - 2 * EDGE, height * ratio)));
  const down = Math.max(1, Math.round(across / ratio));
  const cell = { width: across / columns, height: down / rows };
  return { left: EDGE, top: EDGE, across, down, cell, width: across + 2 * EDGE, height: down + 2 * EDGE };
}

/** The picture, the veil over it, the lines between patches, and what is chosen. */
export function pickerMarks(matrix, geometry, image, theme) {
  const frame = { x: geometry.left, y: geometry.top, width: geometry.across, height: geometry.down };
  return [
    image ? { kind: "image", ...frame, image, source: image.src } : { kind: "rect", ...frame, stroke: theme.hair },
    ...(matrix.hasValues ? [veil(matrix, frame, theme)] : []),
    ...lines(matrix.shape, geometry, theme),
    ...matrix.marked.flatMap((place) => chosenMarks(matrix, geometry, place, theme)),
  ];
}

/** The patch under the pointer. */
export function underPointer(geometry, place, theme) {
  return outline(geometry, place, { colour: theme.ink, line: 2, paper: theme.paper });
}

function chosenMarks(matrix, geometry, [row, column], theme) {
  if (matrix.look === "outline") {
    return outline(geometry, [row, column], { colour: theme.accent, line: 3, paper: theme.paper });
  }
  const { left, top, cell } = geometry;
  const box = { x: left + column * cell.width, y: top + row * cell.height, width: cell.width, height: cell.height };
  const inner = { x: box.x + 0.5, y: box.y + 0.5, width: cell.width - 1, height: cell.height - 1 };
  return [
    { kind: "rect", ...box, fill: matrix.cover },
    ...(Math.min(cell.width, cell.height) >= FINE ? [{ kind: "rect", ...inner, stroke: theme.accent, line: 1 }] : []),
  ];
}

function lines({ rows, columns }, { left, top, across, down, cell }, theme) {
  if (Math.min(cell.width, cell.height) < FINE) return [];
  const line = { kind: "rect", fill: theme.paper, alpha: 0.55 };
  const upright = Array.from({ length: columns - 1 }, (_, place) => ({
    ...line,
    x: left + (place + 1) * cell.width - 0.5,
    y: top,
    width: 1,
    height: down,
  }));
  const level = Array.from({ length: rows - 1 }, (_, place) => ({
    ...line,
    x: left,
    y: top + (place + 1) * cell.height - 0.5,
    width: across,
    height: 1,
  }));
  return [...upright, ...level];
}

/** Zero is the picture itself; the larger a value, the less of the picture is left. */
function veil({ shape, values, strength, limits }, frame, theme) {
  const pixels = new Uint8ClampedArray(4 * values.length);
  values.forEach((value, place) => {
    if (Number.isNaN(value)) return;
    const drawn = strength(value);
    const share = limits[0] < 0 ? 2 * Math.abs(drawn - 0.5) : drawn;
    const end = limits[0] < 0 && drawn < 0.5 ? 0 : theme.ramp.length - 3;
    pixels.set([...theme.ramp.subarray(end, end + 3), Math.round(255 * VEIL * share)], 4 * place);
  });
  return { kind: "raster", ...frame, columns: shape.columns, rows: shape.rows, pixels };
}
