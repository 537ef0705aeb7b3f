import { cellAt } from "../../../core/view/browser/kit/cells.js";
import { make } from "../../../core/view/browser/kit/dom.js";
import { ARROWS, take } from "../../../core/view/browser/kit/keyboard.js";
import { rasterCanvas } from "../../../core/view/browser/kit/marks.js";
import { precise, rounded } from "../../../core/view/browser/kit/numbers.js";
import { colourOf, formula, labelOf, nameOf, pixelsOf, range, textOn } from "./matrices.js";

const HEIGHT = 216; // pixels, at most, for all rows of strips
const LARGEST = 20; // pixels of a cell

/**
 * A matrix: a table of numbers while it is small, strips of colour with the numbers on demand when it is not.
 * `mark([row, column])` outlines a cell, with null for one of them a whole column or row, `mark(null)` nothing.
 * `pick` makes cells choosable: it has `look(row, column)`, `leave()`, `keep(row, column)` and `move(down, right)`.
 */
export function gridOf(matrix, { theme, zoom, isTable, room, hasRowNames, pick }) {
  const caption = make(
    "figcaption",
    {},
    formula(matrix.symbol),
    make("span", {}, ` ${matrix.rows} × ${matrix.columns}`),
  );
  const body = isTable ? numbersOf(matrix, theme, pick) : stripsOf(matrix, { theme, zoom, room, hasRowNames, pick });
  const figure = make("figure", { class: "matrix" }, caption, body.element);
  const marked = { cells: null };
  const mark = (cells) => {
    marked.cells = cells;
    body.mark(cells);
  };
  return { ...body, figure, matrix, isTable, marked, mark };
}

function numbersOf(matrix, theme, pick) {
  const heads = range(matrix.columns).map((column) =>
    make("th", { scope: "col", title: labelOf(matrix.columnLabels, column) }, labelOf(matrix.columnLabels, column)),
  );
  const cells = range(matrix.rows).map((row) => range(matrix.columns).map((column) => cellOf(row, column)));
  const rowHeads = cells.map((_, row) =>
    make("th", { scope: "row", title: labelOf(matrix.rowLabels, row) }, labelOf(matrix.rowLabels, row)),
  );
  const table = make(
    "table",
    { "aria-label": `${matrix.name}, ${matrix.rows} rows and ${matrix.columns} columns` },
    make("thead", {}, make("tr", {}, make("td"), ...heads)),
    make("tbody", {}, ...cells.map((row, place) => make("tr", {}, rowHeads[place], ...row))),
  );
  if (pick) {
    const places = new Map(cells.flatMap((line, row) => line.map((cell, column) => [cell, [row, column]])));
    listen(table, (event) => places.get(event.target.closest("td")), pick);
  }

  function cellOf(row, column) {
    const value = matrix.at(row, column);
    const cell = make("td", { class: Number.isFinite(value) ? "" : "unusual" }, rounded(value, matrix.digits));
    cell.style.background = Number.isFinite(value) ? colourOf(theme, matrix, value) : "";
    cell.style.color = textOn(theme, matrix, value);
    return cell;
  }

  function mark(marked) {
    const [row, column] = marked ?? [-1, -1];
    cells.forEach((line, r) =>
      line.forEach((cell, c) => {
        const isIn = (row === null || r === row) && (column === null || c === column);
        cell.classList.toggle("marked", isIn);
        if (pick) cell.tabIndex = isIn ? 0 : -1;
      }),
    );
    rowHeads.forEach((head, r) => head.classList.toggle("marked", row === r));
    heads.forEach((head, c) => head.classList.toggle("marked", column === c));
  }

  return { element: make("div", { class: "scroll" }, table), mark, focus: (r, c) => cells[r][c].focus() };
}

function stripsOf(matrix, { theme, zoom, room, hasRowNames, pick }) {
  const canvas = rasterCanvas(pixelsOf(matrix, theme), matrix.columns, matrix.rows);
  const cell = {
    width: sizeOf(matrix.columns, room, zoom),
    height: sizeOf(matrix.rows, zoom * HEIGHT, zoom),
  };
  const frame = make("i", { class: "frame" });
  const sheet = make("div", { class: "sheet" }, canvas, frame);
  sheet.style.width = `${cell.width * matrix.columns}px`;
  sheet.style.height = `${cell.height * matrix.rows}px`;
  const asPicture = `${matrix.name}, ${matrix.rows} rows and ${matrix.columns} columns, as strips of colour`;
  sheet.setAttribute("role", "img");
  sheet.setAttribute("aria-label", pick ? `${asPicture}. Arrow keys choose a cell.` : asPicture);
  const idle = rangeOf(matrix);
  const value = make("small", {}, idle);

  const placed = (event) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const cell = { width: width / matrix.columns, height: height / matrix.rows };
    return cellAt({ left, top, cell, rows: matrix.rows, columns: matrix.columns }, event.clientX, event.clientY);
  };
  sheet.addEventListener("pointermove", (event) => {
    const found = placed(event);
    if (found) value.textContent = `${nameOf(matrix, ...found)}: ${precise(matrix.at(...found))}`;
  });
  sheet.addEventListener("pointerleave", () => (value.textContent = idle));
  if (pick) {
    sheet.tabIndex = 0;
    listen(sheet, placed, pick);
  }

  function mark(marked) {
    frame.hidden = marked === null;
    if (!marked) return;
    const [row, column] = marked;
    const [top, height] = row === null ? [0, 1] : [row / matrix.rows, 1 / matrix.rows];
    const [left, width] = column === null ? [0, 1] : [column / matrix.columns, 1 / matrix.columns];
    Object.entries({ top, left, width, height }).forEach(([side, share]) => (frame.style[side] = `${100 * share}%`));
  }

  const hasRoom = { rows: hasRowNames && cell.height >= 12, columns: cell.width >= 12 };
  const rowNames = hasRoom.rows ? namesOf(matrix.rowLabels, "names rows") : null;
  const columnNames = hasRoom.columns ? namesOf(matrix.columnLabels, "names columns") : null;
  const element = make("div", { class: "strips" }, columnNames, rowNames, sheet, value);
  return { element, mark, cell, focus: () => sheet.focus() };
}

/** Rest the pointer to look, click to keep, arrow keys to move. */
function listen(element, placed, pick) {
  element.classList.add("choosable");
  element.addEventListener("pointermove", (event) => {
    const found = event.pointerType === "mouse" && placed(event);
    if (found) pick.look(...found);
  });
  element.addEventListener("pointerleave", () => pick.leave());
  element.addEventListener("click", (event) => {
    const found = placed(event);
    if (found) pick.keep(...found);
  });
  element.addEventListener("keydown", (event) => {
    const move = ARROWS[event.key];
    if (!move) return;
    take(event);
    pick.move(...move);
  });
}

function namesOf(labels, className) {
  if (!labels) return null;
  const names = labels.map((_, place) => make("span", {}, labelOf(labels, place)));
  return make("div", { class: className, "aria-hidden": "true" }, ...names);
}

/** Pixels for each of `count` cells, so that all fit into `room` pixels; whole ones while they are large enough. */
function sizeOf(count, room, zoom) {
  const exact = Math.min(zoom * LARGEST, room / count);
  return exact < 3 ? Math.max(0.75, exact) : Math.floor(exact);
}

/** Between which values the colours lie. */
function rangeOf(matrix) {
  const hidden = matrix.values.some((value) => value === -Infinity) ? ", hatched: −∞" : "";
  if (matrix.isWeights) return "0 to 1";
  if (!matrix.values.some((value) => Number.isFinite(value) && value !== 0)) return `all 0${hidden}`;
  const most = rounded(matrix.extent, matrix.extent < 10 ? 2 : 0);
  return `−${most} to ${most}${hidden}`;
}
