import { inkOn, rgbOf } from "../attention_view/colour.js";
import { rounded, significant } from "../step_view/numbers.js";
import { TURN } from "./geometry.js";

const HATCHED = 5; // pixels: smaller cells have no room for lines

/** The map itself: what does not change while the pointer moves. */
export function mapMarks(matrix, geometry, theme, measure) {
  const { left, top, cell, texts, steps } = geometry;
  const { rows, columns } = matrix.shape;
  const frame = { x: left, y: top, width: columns * cell.width, height: rows * cell.height };
  const smooth = Math.min(cell.width, cell.height) < 1;
  const shown = (labels, step, mark) =>
    labels.flatMap((_, place) => (place % step ? [] : [mark(geometry, place, theme.soft)]));
  return [
    { kind: "raster", ...frame, columns, rows, smooth, pixels: pixelsOf(matrix, theme) },
    ...hatches(matrix, geometry, theme),
    ...(isBlank(matrix) ? grid(matrix, geometry, theme) : []),
    { kind: "rect", ...frame, stroke: theme.hair },
    ...printed(matrix, geometry, theme, measure),
    ...matrix.marked.flatMap((place) =>
      outline(geometry, place, { colour: theme.accent, line: 2.5, paper: theme.paper }),
    ),
    ...shown(texts.rows, steps.rows, rowText),
    ...shown(texts.columns, steps.columns, columnText),
    ...names(matrix, geometry, theme),
  ];
}

/** What changes: the cell under the pointer, with its labels. */
export function pointMarks(geometry, place, theme) {
  const label = { colour: theme.ink, weight: 600, backed: theme.paper };
  return [
    ...outline(geometry, place, { colour: theme.ink, line: 2, paper: theme.paper }),
    { ...rowText(geometry, place[0], theme.ink), ...label },
    { ...columnText(geometry, place[1], theme.ink), ...label },
  ];
}

function pixelsOf({ values, strength, limits, hues = [] }, theme) {
  const pixels = new Uint8ClampedArray(4 * values.length);
  if (hues.length) {
    const colours = hues.map((hue) => [...rgbOf(hue), 255]);
    values.forEach((kind, place) => kind && pixels.set(colours[kind - 1], 4 * place));
    return pixels;
  }
  const empty = limits[0] < 0 ? 0.5 : 0; // zero is the page itself
  values.forEach((value, place) => {
    const drawn = strength(value);
    if (Number.isNaN(value) || drawn === empty) return;
    const colour = 3 * Math.round(drawn * 255);
    pixels.set([theme.ramp[colour], theme.ramp[colour + 1], theme.ramp[colour + 2], 255], 4 * place);
  });
  return pixels;
}

/** Lines over what is no number, in the accent colour over what is infinite; runs of cells have one area. */
function hatches({ values, shape }, { left, top, cell }, theme) {
  const marks = [];
  const kinds = [
    [Number.isNaN, theme.soft],
    [(value) => Math.abs(value) === Infinity, theme.accent],
  ];
  const isFine = Math.min(cell.width, cell.height) < HATCHED;
  for (const [isMeant, colour] of kinds) {
    if (!values.some(isMeant)) continue;
    for (let row = 0; row < shape.rows; row++) {
      for (let column = 0; column < shape.columns; column++) {
        const from = column;
        while (column < shape.columns && isMeant(values[row * shape.columns + column])) column++;
        if (column === from) continue;
        const run = {
          x: left + from * cell.width,
          y: top + row * cell.height,
          width: (column - from) * cell.width,
          height: cell.height,
        };
        marks.push(
          isFine && colour === theme.accent
            ? { kind: "rect", ...run, fill: colour }
            : { kind: "hatch", ...run, colour },
        );
      }
    }
  }
  return marks;
}

/** Whether there is nothing but zeros: such a map has no colours, and no numbers worth printing. */
function isBlank({ values }) {
  return values.every((value) => Number.isNaN(value) || value === 0);
}

/** Frames around the cells, where no colour and no number tells one from the next. */
function grid({ shape }, { left, top, cell }, theme) {
  if (Math.min(cell.width, cell.height) < HATCHED) return [];
  return Array.from({ length: shape.rows * shape.columns }, (_, place) => {
    const [row, column] = [Math.floor(place / shape.columns), place % shape.columns];
    const [x, y] = [left + column * cell.width, top + row * cell.height];
    return { kind: "rect", x, y, width: cell.width, height: cell.height, stroke: theme.hair };
  });
}

/** The values as text, if all fit their cells. */
function printed(matrix, { left, top, cell, size }, theme, measure) {
  const { rows, columns } = matrix.shape;
  if (cell.height < size * 1.5 || cell.width < size * 2) return [];
  if (isBlank(matrix) || matrix.kinds?.length) return [];
  const digits = sharedDigits(matrix.values);
  const text = (value) => (value === 0 ? "0" : digits === null ? significant(value) : rounded(value, digits));
  const written = Array.from(matrix.values, (value) => (Number.isNaN(value) ? "" : text(value)));
  if (written.some((text) => measure(text, size) > cell.width - 6)) return [];
  return written.map((text, place) => ({
    kind: "text",
    x: left + ((place % columns) + 0.5) * cell.width,
    y: top + (Math.floor(place / columns) + 0.5) * cell.height + size * 0.36,
    text,
    size,
    align: "middle",
    colour: inkOn(theme, matrix.strength(matrix.values[place])),
  }));
}

/** The decimals that give the largest value three digits that count; null where the values are too small for that. */
function sharedDigits(values) {
  const largest = values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
  if (largest < 1e-3) return null;
  if (values.every((value) => Number.isNaN(value) || Number.isInteger(value))) return 0;
  return Math.min(4, Math.max(0, 2 - Math.floor(Math.log10(largest))));
}

/** A frame around a cell, with a line of paper within, so that it is seen on every colour. */
export function outline({ left, top, cell }, [row, column], { colour, line, paper }) {
  const around = Math.min(cell.width, cell.height) < 8 ? 2 : -line / 2; // a small cell is framed from outside
  const box = (out) => ({
    x: left + column * cell.width - out,
    y: top + row * cell.height - out,
    width: cell.width + 2 * out,
    height: cell.height + 2 * out,
  });
  const inner = around < 0 ? around - line / 2 - 0.5 : around + line / 2 + 0.5;
  return [
    { kind: "rect", ...box(inner), stroke: paper },
    { kind: "rect", ...box(around), stroke: colour, line },
  ];
}

/** The label of a row, as a mark. */
export function rowText({ left, top, cell, texts, size }, row, colour) {
  const y = top + (row + 0.5) * cell.height + size * 0.34;
  return { kind: "text", x: left - 7, y, text: texts.rows[row], align: "end", colour, size };
}

/** The label of a column, as a mark. */
export function columnText({ left, top, cell, texts, size, isTurned }, column, colour, rows = texts.rows.length) {
  const [x, y] = [left + (column + 0.5) * cell.width, top + rows * cell.height + 4];
  const text = { kind: "text", text: texts.columns[column], colour, size };
  if (isTurned) return { ...text, x: x + size * 0.3, y: y + size * 0.7, align: "end", turn: TURN };
  return { ...text, x, y: y + size, align: "middle" };
}

function names({ x, y, shape }, { left, top, cell, below, size }, theme) {
  const name = { kind: "text", size, align: "middle", colour: theme.ink };
  const bottom = top + shape.rows * cell.height;
  return [
    ...(x ? [{ ...name, x: left + (shape.columns * cell.width) / 2, y: bottom + below + size, text: x }] : []),
    ...(y ? [{ ...name, x: size, y: top + (shape.rows * cell.height) / 2, turn: -90, text: y }] : []),
  ];
}
