import { colourOf, textOn } from "./shades.js";
import { range } from "./grid.js";
import { rounded } from "./numbers.js";
import { labelOf } from "./sums.js";

const GAP = 28;
const CAPTION = 26;
const CELL = { width: 46, height: 22 };
const SVG = "http://www.w3.org/2000/svg";

/** The equation as it is seen, with the sum below it, as the text of an SVG file. */
export function pictureOf({ title, pieces, shades, sum }) {
  const svg = node("svg", { xmlns: SVG, "font-family": "sans-serif", "font-size": 12, fill: shades.ink });
  const drawn = pieces.map((piece) => (typeof piece === "string" ? operator(piece) : drawing(piece, shades)));
  const places = placed(drawn);
  const width = Math.max(560, ...places.map((place, i) => place.x + drawn[i].width)) + GAP;
  const bottom = Math.max(...places.map((place, i) => place.y + drawn[i].height));
  const height = bottom + GAP + 20 * sum.length;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  svg.append(node("title", {}, title), node("rect", { width, height, fill: shades.paper }));
  svg.append(node("text", { x: GAP, y: 30, "font-size": 17, "font-family": "serif", "font-weight": 600 }, title));
  drawn.forEach((part, i) => {
    part.group.setAttribute("transform", `translate(${places[i].x} ${places[i].y})`);
    svg.append(part.group);
  });
  sum.forEach((line, i) => svg.append(node("text", { x: GAP, y: bottom + GAP + 20 * i }, line)));
  return new XMLSerializer().serializeToString(svg);
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

function operator(text) {
  const width = 9 * text.length + 8;
  const group = node(
    "g",
    {},
    node("text", { x: width / 2, y: CAPTION + 20, "text-anchor": "middle", "font-size": 18 }, text),
  );
  return { group, width, height: CAPTION + 26 };
}

function drawing({ matrix, isTable, canvas, cell = CELL, marked }, shades) {
  const rowNames = cell.height >= 12 ? range(matrix.rows).map((row) => labelOf(matrix.rowLabels, row)) : [];
  const left = Math.max(0, ...rowNames.map((name) => name.length)) * 7 + 6;
  const columnNames = isTable ? range(matrix.columns).map((column) => labelOf(matrix.columnLabels, column)) : [];
  const top = CAPTION + (isTable ? 18 : 0);
  const [width, height] = [cell.width * matrix.columns, cell.height * matrix.rows];
  const group = node("g", {});
  group.append(
    node("text", { x: left, y: 14, "font-style": "italic" }, `${matrix.name}   ${matrix.rows} × ${matrix.columns}`),
  );
  rowNames.forEach((name, row) =>
    group.append(node("text", { x: left - 6, y: top + (row + 0.5) * cell.height + 4, "text-anchor": "end" }, name)),
  );
  columnNames.forEach((name, column) =>
    group.append(
      node(
        "text",
        { x: left + (column + 1) * cell.width - 4, y: top - 5, "text-anchor": "end", fill: shades.soft },
        name,
      ),
    ),
  );
  if (isTable) group.append(...numbers(matrix, shades, left, top));
  else
    group.append(
      ...hatching(matrix, shades, { x: left, y: top, width, height }),
      node("image", {
        x: left,
        y: top,
        width,
        height,
        href: canvas.toDataURL(),
        preserveAspectRatio: "none",
        style: "image-rendering: pixelated",
      }),
    );
  group.append(node("rect", { x: left, y: top, width, height, fill: "none", stroke: shades.hair }));
  if (marked.cells) {
    const [row, column] = marked.cells;
    group.append(
      node("rect", {
        x: left + (column ?? 0) * cell.width,
        y: top + (row ?? 0) * cell.height,
        width: column === null ? width : cell.width,
        height: row === null ? height : cell.height,
        fill: "none",
        stroke: shades.accent,
        "stroke-width": 2,
      }),
    );
  }
  return { group, width: left + width, height: top + height };
}

function numbers(matrix, shades, left, top) {
  return range(matrix.rows).flatMap((row) =>
    range(matrix.columns).flatMap((column) => {
      const value = matrix.at(row, column);
      const [x, y] = [left + column * CELL.width, top + row * CELL.height];
      const fill = colourOf(shades, matrix, value);
      const text = { x: x + CELL.width - 5, y: y + 15, "text-anchor": "end", fill: textOn(shades, matrix, value) };
      return [
        node("rect", { x, y, width: CELL.width, height: CELL.height, fill, stroke: shades.hair }),
        node("text", text, rounded(value, matrix.digits)),
      ];
    }),
  );
}

/** Below strips with −∞: lines where nothing is drawn over them. */
function hatching(matrix, { hair }, { x, y, width, height }) {
  if (!matrix.values.some((value) => value === -Infinity)) return [];
  const lines = range(Math.floor((width + height) / 7)).map((number) => {
    const [from, to] = [Math.min(7 * number, height), Math.max(0, 7 * number - width)];
    return `M${x + Math.max(0, 7 * number - height)} ${y + from}L${x + Math.min(7 * number, width)} ${y + to}`;
  });
  return [node("path", { d: lines.join(""), stroke: hair, fill: "none" })];
}

function node(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  element.append(...children);
  return element;
}
