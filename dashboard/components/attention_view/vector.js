import { direction } from "./labels.js";
import { hatchLines, rasterCanvas } from "./marks.js";

const CELLS_AS_SHAPES = 16384;

/** Marks as an SVG document: text stays text, cells stay cells up to 128 x 128 of them. */
export function vector(marks, { width, height, title, theme }) {
  const svg = node("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  svg.append(node("title", {}, title), node("rect", { width, height, fill: theme.paper }));
  for (const mark of marks) svg.append(...WRITERS[mark.kind](mark, theme));
  return new XMLSerializer().serializeToString(svg);
}

const WRITERS = {
  text({ x, y, text, size, colour, weight = 400, align = "start", turn = 0, serif, backed }, theme) {
    const reading = direction(text);
    const anchor = reading === "rtl" ? { start: "end", middle: "middle", end: "start" }[align] : align;
    const written = node(
      "text",
      {
        transform: `translate(${round(x)} ${round(y)})${turn ? ` rotate(${turn})` : ""}`,
        "font-family": serif ? theme.heading : theme.font,
        "font-size": size,
        "font-weight": weight,
        "text-anchor": anchor,
        direction: reading,
        fill: colour,
        style: "unicode-bidi: isolate",
        ...(backed ? { stroke: backed, "stroke-width": 4, "paint-order": "stroke" } : {}),
      },
      text,
    );
    return [written];
  },
  rect({ x, y, width, height, fill = "none", stroke = "none", line = 1, radius = 0, alpha = 1 }) {
    const box = { x: round(x), y: round(y), width: round(width), height: round(height), rx: radius };
    return [node("rect", { ...box, fill, stroke, "stroke-width": line, opacity: alpha })];
  },
  curve({ points, stroke, line, alpha = 1 }) {
    const [x, y, ...rest] = points.map(round);
    const pen = { stroke, "stroke-width": round(line), "stroke-linecap": "round", opacity: round(alpha) };
    return [node("path", { d: `M${x} ${y}C${rest.join(" ")}`, fill: "none", ...pen })];
  },
  raster(mark) {
    const { columns, rows, pixels } = mark;
    if (columns * rows <= CELLS_AS_SHAPES) return [cells(mark)];
    return [picture(mark, rasterCanvas(pixels, columns, rows).toDataURL())];
  },
  hatch({ x, y, width, height, colour }) {
    const lines = hatchLines(x, y, width, height).map((line) => line.map(round));
    const d = lines.map(([fromX, fromY, toX, toY]) => `M${fromX} ${fromY}L${toX} ${toY}`).join("");
    return [node("path", { d, stroke: colour, fill: "none" })];
  },
  image(mark) {
    return [picture(mark, mark.source)];
  },
};

function cells({ x, y, width, height, columns, rows, pixels }) {
  const group = node("g", { "shape-rendering": "crispEdges" });
  for (let cell = 0; cell < columns * rows; cell++) {
    const [red, green, blue, alpha] = pixels.subarray(4 * cell, 4 * cell + 4);
    if (!alpha) continue;
    group.append(
      node("rect", {
        x: round(x + ((cell % columns) * width) / columns),
        y: round(y + (Math.floor(cell / columns) * height) / rows),
        width: round(width / columns),
        height: round(height / rows),
        fill: `rgb(${red},${green},${blue})`,
        ...(alpha < 255 ? { "fill-opacity": round(alpha / 255) } : {}),
      }),
    );
  }
  return group;
}

function picture({ x, y, width, height, kind }, href) {
  const style = kind === "raster" ? "image-rendering: pixelated" : "";
  return node("image", { x, y, width, height, href, preserveAspectRatio: "none", style });
}

function node(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = writable(text);
  return element;
}

/** XML has no place for control characters and halves of characters. */
function writable(text) {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, "�");
}

function round(number) {
  return Math.round(number * 100) / 100;
}
