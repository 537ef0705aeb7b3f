/**
 * The fewest cells that hold a share of what falls on the picture, as 0 and 1: as in the figures of DINO (Caron et
 * al. 2021), but with the share of attention that stays instead of a share of cells. In windows, of each of them.
 */
export function keptCells({ cells, groups }, share) {
  const kept = new Uint8Array(cells.length);
  const members = new Map();
  cells.forEach((value, cell) => {
    if (!(value > 0)) return;
    const group = groups ? groups[cell] : 0;
    if (!members.has(group)) members.set(group, []);
    members.get(group).push(cell);
  });
  for (const own of members.values()) keepLargest(own, cells, share, kept);
  return kept;
}

function keepLargest(own, cells, share, kept) {
  const wanted = share * own.reduce((sum, cell) => sum + cells[cell], 0);
  own.sort((one, other) => cells[other] - cells[one] || one - other);
  let held = 0;
  for (const cell of own) {
    kept[cell] = 1;
    held += cells[cell];
    if (held >= wanted * (1 - 1e-6)) return; // float32: the last cell may be missing for a rounding
  }
}

/**
 * The lines between cells with different values, [fromColumn, fromRow, toColumn, toRow], joined where they go on;
 * beyond the edge all cells have the value `outside`.
 */
export function bordersOf(values, { rows, columns }, outside = 0) {
  const isOut = (row, column) => row < 0 || column < 0 || row >= rows || column >= columns;
  const at = (row, column) => (isOut(row, column) ? outside : values[row * columns + column]);
  const differ = (one, other) => one !== other;
  const lines = [];
  const follow = (count, isBorder, line) => {
    for (let from = 0; from < count; from++) {
      const start = from;
      while (from < count && isBorder(from)) from++;
      if (from > start) lines.push(line(start, from));
    }
  };
  for (let row = 0; row <= rows; row++) {
    follow(
      columns,
      (column) => differ(at(row - 1, column), at(row, column)),
      (from, to) => [from, row, to, row],
    );
  }
  for (let column = 0; column <= columns; column++) {
    follow(
      rows,
      (row) => differ(at(row, column - 1), at(row, column)),
      (from, to) => [column, from, column, to],
    );
  }
  return lines;
}
