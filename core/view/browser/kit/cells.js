// Cells in rows and columns lie in a geometry { left, top, cell: { width, height }, rows, columns }; a place among them
// is [row, column].

/** The row and the column at a point, whether there is such a cell or not. */
export function rowAndColumn({ left, top, cell }, x, y) {
  return [Math.floor((y - top) / cell.height), Math.floor((x - left) / cell.width)];
}

/** The cell under a point, or null beside all cells. */
export function cellAt(geometry, x, y) {
  const [row, column] = rowAndColumn(geometry, x, y);
  return row < 0 || column < 0 || row >= geometry.rows || column >= geometry.columns ? null : [row, column];
}

/** The rectangle of a cell, or of so many rows and columns from there; `out` pixels larger on each side. */
export function boxAt({ left, top, cell }, [row, column], [rows, columns] = [1, 1], out = 0) {
  return {
    x: left + column * cell.width - out,
    y: top + row * cell.height - out,
    width: columns * cell.width + 2 * out,
    height: rows * cell.height + 2 * out,
  };
}

/** A frame around a cell, with a line of paper within, so that it is seen on every colour. */
export function outline(geometry, place, { colour, line, paper }) {
  const { width, height } = geometry.cell;
  const around = Math.min(width, height) < 8 ? 2 : -line / 2; // a small cell is framed from outside
  const inner = around < 0 ? around - line / 2 - 0.5 : around + line / 2 + 0.5;
  return [
    { kind: "rect", ...boxAt(geometry, place, [1, 1], inner), stroke: paper },
    { kind: "rect", ...boxAt(geometry, place, [1, 1], around), stroke: colour, line },
  ];
}

/** Lines over all cells that are meant, by their number in reading order; neighbours in a row have one area. */
export function hatches(geometry, isMeant, colour, kind = { kind: "hatch", colour }) {
  const { rows, columns } = geometry;
  const marks = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const from = column;
      while (column < columns && isMeant(row * columns + column)) column++;
      if (column > from) marks.push({ ...kind, ...boxAt(geometry, [row, from], [1, column - from]) });
    }
  }
  return marks;
}

/** A mark for every so many labels, where not all have room. */
export function everyNth(labels, step, mark) {
  return labels.flatMap((_, place) => (place % step ? [] : [mark(place)]));
}

/**
 * The lines between cells with different values, [fromColumn, fromRow, toColumn, toRow], joined where they go on;
 * beyond the edge all cells have the value `outside`.
 */
export function bordersOf(values, { rows, columns }, outside = 0) {
  const isOut = (row, column) => row < 0 || column < 0 || row >= rows || column >= columns;
  const at = (row, column) => (isOut(row, column) ? outside : values[row * columns + column]);
  const lines = [];
  const follow = (count, isBorder, line) => {
    for (let from = 0; from < count; from++) {
      const start = from;
      while (from < count && isBorder(from)) from++;
      if (from > start) lines.push(line(start, from));
    }
  };
  for (let row = 0; row <= rows; row++) {
    const isBorder = (column) => at(row - 1, column) !== at(row, column);
    follow(columns, isBorder, (from, to) => [from, row, to, row]);
  }
  for (let column = 0; column <= columns; column++) {
    const isBorder = (row) => at(row, column - 1) !== at(row, column);
    follow(rows, isBorder, (from, to) => [column, from, column, to]);
  }
  return lines;
}
