import { boxAt, everyNth, hatches, outline } from "./cells.js";
import { inkOn, rgbOf, setInk } from "./colour.js";
import { shortened } from "./labels.js";
import { rounded, significant } from "./numbers.js";

const LARGEST = { width: 68, height: 50 }; // pixels of a cell
const FILLING = 3; // times larger than that where the map fills a projector
const FLATTEST = 20; // pixels: so high is a row at least, while there is room
const TURN = -55; // degrees, for column labels that have no room side by side
const WIDEST = 16; // characters of a label
const STEPS = [1, 2, 5];
const HATCHED = 5; // pixels: smaller cells have no room for lines

/**
 * Where everything lies: cells, labels of rows on the left and of columns below, every so many of them,
 * and the names of both axes. `room` is { width, height, zoom, ratio, fills }: `height` is of the cells alone, or of all
 * where the map `fills` its room.
 */
export function layoutOf(matrix, room, measure) {
  const { rows, columns } = matrix.shape;
  const size = 13 * room.zoom;
  const line = Math.round(size * 1.5);
  const texts = {
    rows: listed(rows, (row) => shortened(matrix.rowLabel(row), WIDEST)),
    columns: listed(columns, (column) => shortened(matrix.columnLabel(column), WIDEST)),
  };
  const widest = (labels) => labels.reduce((most, label) => Math.max(most, measure(label, size, 600)), 0);
  const wide = { rows: widest(texts.rows), columns: widest(texts.columns) };
  const left = Math.ceil(Math.min(wide.rows, room.width / 3)) + 8 + (matrix.y ? line : 0);
  const cell = cellOf(matrix.shape, { ...room, width: room.width - left - 2 });
  const isTurned = matrix.columns !== null && wide.columns + 6 > cell.width && wide.columns > 2.4 * size;
  const slant = isTurned ? slantOf(wide.columns, size) : { down: size * 1.3, left: 0 };
  const start = Math.max(left, Math.ceil(slant.left - cell.width / 2));
  // A label below the last column may be wider than the column.
  const end = isTurned ? 2 : Math.max(2, Math.ceil((wide.columns - cell.width) / 2));
  const margins = Math.ceil(size / 2 + slant.down + 6 + (matrix.x ? line : 0));
  const height = room.fills ? room.height - margins : room.height;
  const isTight = start > left || end > 2 || room.fills;
  const fitted = isTight ? cellOf(matrix.shape, { ...room, height, width: room.width - start - end }) : cell;
  return {
    size,
    rows,
    columns,
    cell: fitted,
    texts,
    isTurned,
    left: start,
    top: Math.ceil(size / 2),
    below: Math.ceil(slant.down) + 4,
    steps: {
      rows: stepOf((size * 1.2) / fitted.height),
      columns: stepOf((isTurned ? size * 1.2 : wide.columns + 8) / fitted.width),
    },
    width: Math.ceil(start + columns * fitted.width + end),
    height: Math.ceil(rows * fitted.height) + margins,
  };
}

/**
 * Large cells while there are few, and so many pixels of the screen that all have the same size. As many rows as
 * columns make a square, unless the shape says `isFree`: then rows keep the height of their labels.
 */
function cellOf({ rows, columns, isFree = false }, { width, height, zoom, ratio, fills }) {
  const most = (fills ? FILLING : 1) * zoom;
  const across = Math.min(width / columns, LARGEST.width * most);
  const down = Math.min(height / rows, LARGEST.height * most, Math.max(across, FLATTEST * zoom));
  const isLarge = !isFree && rows === columns && across < LARGEST.width * most;
  const side = isLarge ? Math.min(across, down) : Infinity;
  return { width: whole(Math.min(across, side), ratio), height: whole(Math.min(down, side), ratio) };
}

function whole(size, ratio) {
  return size * ratio < 4 ? size : Math.floor(size * ratio) / ratio;
}

function slantOf(width, size) {
  const turn = (-TURN * Math.PI) / 180;
  return { down: width * Math.sin(turn) + size * 0.9, left: width * Math.cos(turn) + 2 };
}

/** 1, 2, 5, 10, 20 ... */
function stepOf(least) {
  for (let power = 1; ; power *= 10) {
    const found = STEPS.find((step) => step * power >= least);
    if (found) return found * power;
  }
}

function listed(count, label) {
  return Array.from({ length: count }, (_, place) => label(place));
}

/** The map itself: what does not change while the pointer moves. */
export function mapMarks(matrix, geometry, theme, measure) {
  const { rows, columns, cell, texts, steps } = geometry;
  const frame = boxAt(geometry, [0, 0], [rows, columns]);
  const smooth = Math.min(cell.width, cell.height) < 1;
  const shown = (labels, step, mark) => everyNth(labels, step, (place) => mark(geometry, place, theme.soft));
  return [
    { kind: "raster", ...frame, columns, rows, smooth, pixels: pixelsOf(matrix, theme) },
    ...oddities(matrix, geometry, theme),
    ...(isBlank(matrix) ? frames(matrix, geometry, theme) : []),
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
    setInk(pixels, place, theme, drawn);
  });
  return pixels;
}

/** Lines over what is no number, in the accent colour over what is infinite, which fills small cells. */
function oddities({ values }, geometry, theme) {
  const isOf = (isMeant) => (cell) => isMeant(values[cell]);
  const isInfinite = (value) => Math.abs(value) === Infinity;
  const filled = isFine(geometry) ? { kind: "rect", fill: theme.accent } : undefined;
  return [
    ...(values.some(Number.isNaN) ? hatches(geometry, isOf(Number.isNaN), theme.soft) : []),
    ...(values.some(isInfinite) ? hatches(geometry, isOf(isInfinite), theme.accent, filled) : []),
  ];
}

function isFine({ cell }) {
  return Math.min(cell.width, cell.height) < HATCHED;
}

/** Whether there is nothing but zeros: such a map has no colours, and no numbers worth printing. */
function isBlank({ values }) {
  return values.every((value) => Number.isNaN(value) || value === 0);
}

/** Frames around the cells, where no colour and no number tells one from the next. */
function frames({ shape }, geometry, theme) {
  if (isFine(geometry)) return [];
  return Array.from({ length: shape.rows * shape.columns }, (_, place) => {
    const at = [Math.floor(place / shape.columns), place % shape.columns];
    return { kind: "rect", ...boxAt(geometry, at), stroke: theme.hair };
  });
}

/** The values as text, if all fit their cells. */
function printed(matrix, { left, top, cell, size }, theme, measure) {
  const { columns } = matrix.shape;
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

/** The label of a row, as a mark. */
export function rowText({ left, top, cell, texts, size }, row, colour) {
  const y = top + (row + 0.5) * cell.height + size * 0.34;
  return { kind: "text", x: left - 7, y, text: texts.rows[row], align: "end", colour, size };
}

/** The label of a column, as a mark. */
export function columnText({ left, top, cell, texts, size, isTurned, rows }, column, colour) {
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
