import assert from "node:assert/strict";
import { test } from "node:test";
import { bordersOf, boxAt, cellAt, everyNth, hatches } from "../../core/view/browser/kit/cells.js";
import { layoutOf } from "../../core/view/browser/kit/grid.js";
import { hatchLines, moved } from "../../core/view/browser/kit/marks.js";
import { framedCell, sheetOf, spotlight, veil } from "../../core/view/browser/kit/photograph.js";
import { withMargin } from "../../core/view/browser/kit/saving.js";
import { randomSource, whole } from "./random.js";

function anyGeometry(random) {
  const [rows, columns] = [whole(random, 1, 9), whole(random, 1, 9)];
  const cell = { width: 0.5 + 40 * random(), height: 0.5 + 40 * random() };
  return { rows, columns, cell, left: 60 * random(), top: 60 * random() };
}

test("the middle of every cell's box is in that cell, and nothing beside the grid is in any", () => {
  const random = randomSource(7);
  for (let round = 0; round < 100; round++) {
    const geometry = anyGeometry(random);
    const { rows, columns } = geometry;
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const { x, y, width, height } = boxAt(geometry, [row, column]);
        assert.deepEqual(cellAt(geometry, x + width / 2, y + height / 2), [row, column]);
      }
    }
    const all = boxAt(geometry, [0, 0], [rows, columns]);
    const beside = [
      [all.x - 0.01, all.y + all.height / 2],
      [all.x + all.width + 0.01, all.y + all.height / 2],
      [all.x + all.width / 2, all.y - 0.01],
      [all.x + all.width / 2, all.y + all.height + 0.01],
    ];
    for (const point of beside) assert.equal(cellAt(geometry, ...point), null);
  }
});

test("hatched areas cover the cells that are meant and no others", () => {
  const random = randomSource(8);
  for (let round = 0; round < 100; round++) {
    const geometry = { ...anyGeometry(random), left: 0, top: 0, cell: { width: 1, height: 1 } };
    const { rows, columns } = geometry;
    const meant = Array.from({ length: rows * columns }, () => random() < 0.5);
    const covered = new Array(rows * columns).fill(false);
    for (const { x, y, width, height } of hatches(geometry, (cell) => meant[cell], "red")) {
      assert.equal(height, 1);
      for (let column = x; column < x + width; column++) covered[y * columns + column] = true;
    }
    assert.deepEqual(covered, meant);
  }
});

test("borders run along every edge between two cells that differ, once, and nowhere else", () => {
  const random = randomSource(9);
  for (let round = 0; round < 100; round++) {
    const [rows, columns] = [whole(random, 1, 7), whole(random, 1, 7)];
    const values = Array.from({ length: rows * columns }, () => whole(random, 0, 2));
    const at = (row, column) =>
      row in Array(rows).fill(0) && column in Array(columns).fill(0) ? values[row * columns + column] : 0;
    const expected = new Set();
    for (let row = 0; row <= rows; row++) {
      for (let column = 0; column <= columns; column++) {
        if (column < columns && at(row - 1, column) !== at(row, column)) expected.add(`${column},${row},level`);
        if (row < rows && at(row, column - 1) !== at(row, column)) expected.add(`${column},${row},upright`);
      }
    }
    const drawn = [];
    for (const [fromColumn, fromRow, toColumn, toRow] of bordersOf(values, { rows, columns })) {
      for (let column = fromColumn; column < toColumn; column++) drawn.push(`${column},${fromRow},level`);
      for (let row = fromRow; row < toRow; row++) drawn.push(`${fromColumn},${row},upright`);
    }
    assert.equal(new Set(drawn).size, drawn.length);
    assert.deepEqual(new Set(drawn), expected);
  }
});

test("a photograph keeps its shape and fits its box, with room for a frame around it", () => {
  const random = randomSource(10);
  for (let round = 0; round < 300; round++) {
    const box = { width: 200 + 800 * random(), height: 200 + 400 * random() };
    const ratio = 0.4 + 2 * random();
    const grid = { rows: whole(random, 1, 40), columns: whole(random, 1, 40) };
    const sheet = sheetOf(grid, ratio, box, { edge: 3 });
    const { x, y, width, height } = boxAt(sheet, [0, 0], [grid.rows, grid.columns]);
    assert.ok(Math.abs(width / height - ratio) < (1 + ratio) / height, `${width} x ${height} for ${ratio}`);
    assert.ok(sheet.width <= box.width && sheet.height <= box.height + 1);
    assert.deepEqual([x, y], [3, 3]);
    const corner = framedCell(sheet, [grid.rows - 1, grid.columns - 1], { colour: "red", line: 3, paper: "white" });
    for (const frame of corner) {
      assert.ok(frame.x >= x && frame.y >= y);
      assert.ok(frame.x + frame.width <= x + width + 1e-9 && frame.y + frame.height <= y + height + 1e-9);
    }
  }
});

test("a spotlight leaves the strongest cell clear and fades the weakest into the page", () => {
  const sheet = { rows: 1, columns: 3, left: 0, top: 0, cell: { width: 1, height: 1 } };
  const { pixels } = veil(sheet, Float32Array.of(0, 0.5, 1), spotlight({ paper: "#102030" }, 0.8));
  assert.deepEqual(Array.from(pixels), [16, 32, 48, 204, 16, 32, 48, 102, 16, 32, 48, 0]);
});

test("labels are shown every so many places, beginning with the first", () => {
  assert.deepEqual(
    everyNth(["a", "b", "c", "d", "e"], 2, (place) => place),
    [0, 2, 4],
  );
});

test("a map with its labels never gets wider than its room, and equal rows and columns make squares", () => {
  const random = randomSource(11);
  const measure = (text, size) => 0.6 * size * text.length;
  for (let round = 0; round < 200; round++) {
    const shape = { rows: whole(random, 1, 60), columns: whole(random, 1, 60) };
    const label = (place) => "w".repeat(1 + ((7 * place) % 12));
    const matrix = {
      shape,
      columns: random() < 0.5 ? [] : null,
      rowLabel: label,
      columnLabel: label,
      x: "key",
      y: "query",
    };
    const room = { width: 500 + 700 * random(), height: 460, zoom: 1, ratio: 1 };
    const layout = layoutOf(matrix, room, measure);
    assert.ok(layout.width <= room.width + 1, `${layout.width} in ${room.width}`);
    assert.ok(layout.left >= measure("w".repeat(1), 13));
    if (shape.rows === shape.columns && layout.cell.width < 68) assert.equal(layout.cell.width, layout.cell.height);
    for (const side of ["rows", "columns"]) assert.match(String(layout.steps[side]), /^[125]0*$/);
  }
});

test("hatching stays within its rectangle, its lines are slanted by 45 degrees and lie 5 apart", () => {
  const [x, y, width, height] = [13, 7, 31, 22];
  const lines = hatchLines(x, y, width, height);
  for (const [fromX, fromY, toX, toY] of lines) {
    for (const across of [fromX, toX]) assert.ok(across >= x && across <= x + width);
    for (const down of [fromY, toY]) assert.ok(down >= y && down <= y + height);
    assert.equal(fromX + fromY, toX + toY);
    assert.equal((fromX + fromY) % 5, 0);
  }
  assert.equal(lines.length, Math.floor((x + y + width + height) / 5) - Math.ceil((x + y) / 5) + 1);
});

test("marks are moved as a whole, also those that are curves", () => {
  const curve = { kind: "curve", points: [0, 0, 1, 2, 3, 4, 5, 6] };
  assert.deepEqual(moved(curve, 10, 100).points, [10, 100, 11, 102, 13, 104, 15, 106]);
  const figure = { marks: [{ kind: "rect", x: 1, y: 2 }], width: 30.2, height: 40 };
  const page = withMargin(figure, 5, { marks: [], width: 20, height: 7 });
  assert.deepEqual(page, { marks: [{ kind: "rect", x: 6, y: 14 }], width: 41, height: 57 });
});
