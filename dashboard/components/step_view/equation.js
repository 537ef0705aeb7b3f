import { make } from "../../../core/view/browser/kit/dom.js";
import { precise } from "../../../core/view/browser/kit/numbers.js";
import { gridOf } from "./grid.js";
import { formula } from "./matrices.js";

const NARROW = 700; // pixels: below it, matrices stand below one another
const [LABELS, SIGN, NUMBER] = [64, 44, 58]; // pixels for row labels, a sign, a column of numbers
const TABLE = { columns: 12, rows: 16 }; // above these sizes, or where there is no room, numbers become colours

/** The matrices of an equation with what joins them; `mark(row, column)` outlines what makes that cell. */
export function equationOf(stop, matrices, { theme, width, zoom, isMoving, pick }) {
  const names = [...stop.inputs, stop.output];
  const isTable = tableRule(
    names.map((name) => matrices[name]),
    width / zoom,
  );
  const room = roomOf(
    names.map((name) => matrices[name]),
    isTable,
    width,
    zoom,
  );
  const grids = names.map((name, place) =>
    gridOf(matrices[name], {
      theme,
      zoom,
      room,
      isTable: isTable(matrices[name]),
      hasRowNames: stop.kind !== "join" || place === 0 || place === names.length - 1,
      pick: place === names.length - 1 ? pick : null,
    }),
  );
  grids.at(-1).figure.classList.add("output");
  return {
    element: make("div", { class: isMoving ? "equation moving" : "equation" }, ...grouped(joined(stop, grids))),
    grids,
    focus: (row, column) => grids.at(-1).focus(row, column),
    mark: (row, column) => marksOf(stop, matrices, row, column).forEach((cells, place) => grids[place].mark(cells)),
    /** For a picture: the matrices, and the signs between them as text. */
    pieces: () => joined(stop, grids).map((piece) => (piece.tree ? precise(piece.value) : piece)),
  };
}

/** Which matrices are tables: small ones, if the small ones of the equation fit beside one another. */
function tableRule(matrices, width) {
  const isSmall = ({ rows, columns }) => columns <= TABLE.columns && rows <= TABLE.rows;
  const widths = matrices.filter(isSmall).map(({ columns }) => SIGN + LABELS + NUMBER * columns);
  const needed = width < NARROW ? Math.max(0, ...widths) : widths.reduce((sum, each) => sum + each, 0);
  return (matrix) => isSmall(matrix) && (needed <= width || matrix.columns <= 4);
}

/** Pixels in width for each matrix that is drawn as strips. */
function roomOf(matrices, isTable, width, zoom) {
  if (width < NARROW) return width - LABELS - SIGN;
  const strips = matrices.filter((matrix) => !isTable(matrix) && matrix.rows > 1);
  const taken = matrices.reduce(
    (sum, matrix) =>
      sum + zoom * (SIGN + (matrix.rowLabels ? LABELS : 0) + (isTable(matrix) ? NUMBER * matrix.columns : 0)),
    0,
  );
  return Math.max(96, (width - taken) / Math.max(1, strips.length));
}

/** Each matrix with the signs before it, so that no line ends with a sign; a bias stands below its weights. */
function grouped(pieces) {
  const groups = [];
  const signs = [];
  for (const piece of pieces) {
    if (!piece.figure) {
      signs.push(make("span", { class: "sign" }, typeof piece === "string" ? piece : formula(piece.tree)));
    } else if (piece.matrix.rows === 1 && groups.length === 2) {
      const weights = groups[1].lastChild;
      const below = make("div", { class: "below" }, ...signs.splice(0), piece.figure);
      groups[1].append(make("div", { class: "stack" }, weights, below));
    } else {
      groups.push(make("div", { class: "group" }, ...signs.splice(0), piece.figure));
    }
  }
  return groups;
}

/** The grids with signs between them: texts, or factors that have a formula. */
function joined(stop, grids) {
  const [inputs, output] = [grids.slice(0, -1), grids.at(-1)];
  switch (stop.kind) {
    case "product":
      return [inputs[0], "×", inputs[1], ...(inputs[2] ? ["+", inputs[2]] : []), "=", output];
    case "sum":
      return [inputs[0], "+", inputs[1], "=", output];
    case "softmax":
      return ["softmax (", inputs[0], ") =", output];
    case "join":
      return [...inputs.flatMap((input, head) => (head ? ["|", input] : [input])), "=", output];
    default:
      return [inputs[0], ...stop.factors.flatMap(([tree, value]) => ["×", { tree, value }]), "=", output];
  }
}

/** For each matrix of the equation the cells that go into one cell, as [row, column], null for all; or null for none. */
function marksOf(stop, matrices, row, column) {
  switch (stop.kind) {
    case "product":
      return [[row, null], [null, column], ...(stop.inputs[2] ? [[0, column]] : []), [row, column]];
    case "softmax":
      return [
        [row, null],
        [row, column],
      ];
    case "join": {
      const each = matrices[stop.inputs[0]].columns;
      const head = Math.floor(column / each);
      return [...stop.inputs.map((_, place) => (place === head ? [row, column % each] : null)), [row, column]];
    }
    default:
      return [...stop.inputs.map(() => [row, column]), [row, column]];
  }
}
