import { svg } from "./dom.js";
import { direction } from "./labels.js";
import { hatchLines, rasterCanvas } from "./marks.js";

const CELLS_AS_SHAPES = 16384;

/** Marks as an SVG document: text stays text, cells stay cells up to 128 x 128 of them. */
export function vector(marks, { width, height, title, theme }) {
  const paper = svg("rect", { width, height, fill: theme.paper });
  const drawn = marks.map((mark) => WRITERS[mark.kind](mark, theme));
  const about = { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" };
  const document = svg("svg", about, svg("title", {}, writable(title)), paper, ...drawn);
  return new XMLSerializer().serializeToString(document);
}

const WRITERS = {
  text(mark, theme) {
    const { x, y, text, size, colour, weight = 400, align = "start", turn = 0, serif, italic, backed } = mark;
    const reading = direction(text);
    const about = {
      transform: `translate(${round(x)} ${round(y)})${turn ? ` rotate(${turn})` : ""}`,
      "font-family": serif ? theme.heading : theme.font,
      "font-size": size,
      "font-weight": weight,
      "text-anchor": reading === "rtl" ? { start: "end", middle: "middle", end: "start" }[align] : align,
      direction: reading,
      fill: colour,
      style: "unicode-bidi: isolate",
      ...(italic ? { "font-style": "italic" } : {}),
      ...(backed ? { stroke: backed, "stroke-width": 4, "paint-order": "stroke" } : {}),
    };
    return svg("text", about, writable(text));
  },
  rect({ x, y, width, height, fill = "none", stroke = "none", line = 1, radius = 0, alpha = 1 }) {
    const box = { x: round(x), y: round(y), width: round(width), height: round(height), rx: radius };
    return svg("rect", { ...box, fill, stroke, "stroke-width": line, opacity: alpha });
  },
  curve({ points, stroke, line, alpha = 1 }) {
    const [x, y, ...rest] = points.map(round);
    const pen = { stroke, "stroke-width": round(line), "stroke-linecap": "round", opacity: round(alpha) };
    return svg("path", { d: `M${x} ${y}C${rest.join(" ")}`, fill: "none", ...pen });
  },
  raster(mark) {
    const { columns, rows, pixels } = mark;
    if (columns * rows <= CELLS_AS_SHAPES) return cellShapes(mark);
    return imageShape(mark, rasterCanvas(pixels, columns, rows).toDataURL(), "image-rendering: pixelated");
  },
  hatch({ x, y, width, height, colour }) {
    const lines = hatchLines(x, y, width, height).map((line) => line.map(round));
    const d = lines.map(([fromX, fromY, toX, toY]) => `M${fromX} ${fromY}L${toX} ${toY}`).join("");
    return svg("path", { d, stroke: colour, fill: "none" });
  },
  image(mark) {
    return imageShape(mark, typeof mark.source === "function" ? mark.source() : mark.source, "");
  },
};

function cellShapes({ x, y, width, height, columns, rows, pixels }) {
  const group = svg("g", { "shape-rendering": "crispEdges" });
  const size = { width: round(width / columns), height: round(height / rows) };
  for (let cell = 0; cell < columns * rows; cell++) {
    const [red, green, blue, alpha] = pixels.subarray(4 * cell, 4 * cell + 4);
    if (!alpha) continue;
    const left = round(x + ((cell % columns) * width) / columns);
    const top = round(y + (Math.floor(cell / columns) * height) / rows);
    const veiled = alpha < 255 ? { "fill-opacity": round(alpha / 255) } : {};
    group.append(svg("rect", { x: left, y: top, ...size, fill: `rgb(${red},${green},${blue})`, ...veiled }));
  }
  return group;
}

function imageShape({ x, y, width, height }, href, style) {
  return svg("image", { x, y, width, height, href, preserveAspectRatio: "none", style });
}

/** XML has no place for control characters and halves of characters. */
function writable(text) {
  return text.replace(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd");
}

function round(number) {
  return Math.round(number * 100) / 100;
}
