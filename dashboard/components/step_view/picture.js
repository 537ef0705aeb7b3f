import { boxAt } from "../../../core/view/browser/kit/cells.js";
import { moved } from "../../../core/view/browser/kit/marks.js";
import { rounded } from "../../../core/view/browser/kit/numbers.js";
import { colourOf, labelOf, pixelsOf, range, textOn } from "./matrices.js";

const GAP = 28;
const CAPTION = 26;
const CELL = { width: 46, height: 22 };

/** The equation as it is seen, with the sum below it, as a picture (saving.js). */
export function pictureOf({ title, pieces, theme, sum }) {
  const text = { kind: "text", size: 12, colour: theme.ink };
  const drawn = pieces.map((piece) =>
    typeof piece === "string" ? operator(piece, text) : drawing(piece, text, theme),
  );
  const places = placed(drawn);
  const width = Math.max(560, ...places.map((place, i) => place.x + drawn[i].width)) + GAP;
  const bottom = Math.max(...places.map((place, i) => place.y + drawn[i].height)) + GAP;
  const marks = [
    { ...text, x: GAP, y: 30, size: 17, serif: true, weight: 600, text: title },
    ...drawn.flatMap((part, i) => part.marks.map((mark) => moved(mark, places[i].x, places[i].y))),
    ...sum.map((line, i) => ({ ...text, x: GAP, y: bottom + 20 * i, text: line })),
  ];
  return { marks, width, height: bottom + 20 * sum.length, title, theme };
}

/** One after the other, in a new line where the page ends. */
function placed(parts) {
  let [x, y, deepest] = [GAP, 50, 0];
  return parts.map((part) => {
    if (x > GAP && x + part.width > 1280) [x, y, deepest] = [GAP, y + deepest + GAP, 0];
    const place = { x, y };
    x += part.width + GAP / 2;
    deepest = Math.max(deepest, part.height);
    return place;
  });
}

function operator(sign, text) {
  const width = 9 * sign.length + 8;
  const mark = { ...text, x: width / 2, y: CAPTION + 20, align: "middle", size: 18, text: sign };
  return { marks: [mark], width, height: CAPTION + 26 };
}

function drawing({ matrix, isTable, cell = CELL, marked }, text, theme) {
  const { rows, columns, rowLabels, columnLabels, name } = matrix;
  const rowNames = cell.height >= 12 ? range(rows).map((row) => labelOf(rowLabels, row)) : [];
  const columnNames = isTable ? range(columns).map((column) => labelOf(columnLabels, column)) : [];
  const left = Math.max(0, ...rowNames.map((label) => label.length)) * 7 + 6;
  const top = CAPTION + (isTable ? 18 : 0);
  const geometry = { left, top, cell, rows, columns };
  const frame = { kind: "rect", ...boxAt(geometry, [0, 0], [rows, columns]) };
  const named = { ...text, align: "end" };
  const marks = [
    { ...text, x: left, y: 14, italic: true, text: `${name}   ${rows} × ${columns}` },
    ...rowNames.map((label, row) => ({ ...named, x: left - 6, y: top + (row + 0.5) * cell.height + 4, text: label })),
    ...columnNames.map((label, column) => {
      return { ...named, x: left + (column + 1) * cell.width - 4, y: top - 5, text: label, colour: theme.soft };
    }),
    ...(isTable ? numbers(matrix, geometry, named, theme) : strips(matrix, frame, theme)),
    { ...frame, stroke: theme.hair },
  ];
  if (marked.cells) {
    const [row, column] = marked.cells;
    const box = boxAt(geometry, [row ?? 0, column ?? 0], [row === null ? rows : 1, column === null ? columns : 1]);
    marks.push({ kind: "rect", ...box, stroke: theme.accent, line: 2 });
  }
  return { marks, width: left + frame.width, height: top + frame.height };
}

function numbers(matrix, geometry, text, theme) {
  return Array.from(matrix.values, (value, place) => {
    const box = boxAt(geometry, [Math.floor(place / matrix.columns), place % matrix.columns]);
    const cell = { kind: "rect", ...box, fill: colourOf(theme, matrix, value), stroke: theme.hair };
    const digits = { text: rounded(value, matrix.digits), colour: textOn(theme, matrix, value) };
    return [cell, { ...text, ...digits, x: box.x + box.width - 5, y: box.y + 15 }];
  }).flat();
}

/** Below strips with −∞, which has no colour, there are lines. */
function strips(matrix, frame, theme) {
  const isHatched = matrix.values.some((value) => value === -Infinity);
  const { rows, columns } = matrix;
  return [
    ...(isHatched ? [{ ...frame, kind: "hatch", colour: theme.hair }] : []),
    { ...frame, kind: "raster", rows, columns, pixels: pixelsOf(matrix, theme) },
  ];
}
