import { make } from "../kit/dom.js";
import { measurer, paintOn } from "../kit/marks.js";
import { heightFor } from "../kit/mounting.js";
import { createFlow } from "./flow.js";
import { layoutMap, mapAt, mapMarks, mapMarksOver } from "./heatmap.js";
import { layoutLines, lineMarks, lineMarksOver, linesAt } from "./lines.js";
import { rowOf, strengths } from "./pattern.js";
import { layoutPicture, pictureAt, pictureMarks, pictureMarksOver } from "./picture.js";
import { written } from "./reading.js";
import { tokenName } from "./scene.js";

const AROUND = 104; // pixels above and below the figure on a projector: its name, the scale, what is to be known

/** The views that are drawn on a canvas; the text is made of words that can be selected and read aloud. */
const DRAWN = {
  map: { layout: layoutMap, marks: mapMarks, over: mapMarksOver, at: mapAt },
  lines: { layout: layoutLines, marks: lineMarks, over: lineMarksOver, at: linesAt },
  picture: { layout: layoutPicture, marks: pictureMarks, over: pictureMarksOver, at: pictureAt },
};

/**
 * The figure: a canvas that is drawn once, a canvas over it that follows the pointer, and words for text mode.
 * What is `shown` is { view, pattern, look, query, pinned, chosen, key, pointed }; `pick` gets a query and, of a cell of
 * the map, its key.
 */
export function createFigure({ hover, pick }) {
  const base = make("canvas", { "aria-hidden": "true" });
  const over = make("canvas", { class: "over", "aria-hidden": "true" });
  const tip = make("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  const sheet = make("div", { class: "sheet" }, base, over, tip);
  const queries = createFlow({ hover: (token) => hover(token === null ? null : { query: token, key: null }), pick });
  const keys = createFlow();
  const element = make("div", { class: "figure", tabindex: 0 }, queries.element, keys.element, sheet);
  let shown = null;
  let geometry = null;

  over.addEventListener("pointermove", (event) => {
    const found = pointed(event);
    hover(found);
    showTip(tip, sheet, event, found && tipOf(shown, found));
  });
  over.addEventListener("pointerleave", () => {
    tip.hidden = true;
    hover(null);
  });
  over.addEventListener("click", (event) => {
    const found = pointed(event);
    if (found && found.query !== null) pick(found.query, shown.view === "map" ? found.key : null);
  });

  function pointed(event) {
    const { left, top } = over.getBoundingClientRect();
    return DRAWN[shown.view]?.at(geometry, shown.pattern, event.clientX - left, event.clientY - top) ?? null;
  }

  /** Draws everything. */
  function draw(next) {
    const { view, pattern, look } = next;
    writeWords(next);
    sheet.hidden = view === "text";
    element.setAttribute("role", view === "text" ? "group" : "img");
    if (view !== "text") {
      geometry = DRAWN[view].layout(pattern, boxOf(element, look), measurer(look.theme));
      paintOn(base, DRAWN[view].marks(geometry, pattern, look), look.theme, geometry);
    }
    point(next);
  }

  /** Draws only what follows the pointer and the pin. */
  function point(next) {
    shown = next;
    const { view, pattern, look, query, pinned } = next;
    if (view !== "text") {
      paintOn(over, DRAWN[view].over(geometry, pattern, look, next), look.theme, geometry);
    }
    const shades = shadesOf(next);
    const same = pattern.layer.query === pattern.layer.key;
    if (!queries.element.hidden) queries.paint(look.theme, same && view === "text" ? shades : null, query, pinned);
    if (!keys.element.hidden) keys.paint(look.theme, shades, null, null);
  }

  /** Text mode writes both sequences; over a picture stand those queries that have no place on it. */
  function writeWords({ view, pattern }) {
    const { query, key } = pattern.layer;
    const all = view === "text";
    const words = pattern.queries.filter((token) => all || (view === "picture" && !isPatch(query, token)));
    queries.element.hidden = !words.length;
    queries.element.classList.toggle("chips", !all);
    keys.element.hidden = !all || query === key;
    if (words.length) queries.write(query, words);
    if (!keys.element.hidden) keys.write(key, pattern.keys);
  }

  /** The marks of what is seen now, for SVG and PNG. */
  function marks() {
    const { view, pattern, look } = shown;
    if (view === "text") {
      const frame = element.getBoundingClientRect();
      const all = [queries, keys].flatMap((flow) => flow.marks(frame, look.theme));
      return { marks: all, width: Math.ceil(frame.width), height: Math.ceil(frame.height) };
    }
    const still = DRAWN[view].marks(geometry, pattern, look);
    const moving = DRAWN[view].over(geometry, pattern, look, shown);
    return { marks: [...still, ...moving], width: geometry.width, height: geometry.height };
  }

  return { element, draw, point, marks };
}

function isPatch(sequence, token) {
  return sequence.kind === "patches" && token >= sequence.prefix;
}

function shadesOf({ pattern, look, query }) {
  const row = query === null ? null : rowOf(pattern, query);
  if (!row) return null;
  const drawn = strengths(look.scale, row);
  return (token) => drawn[pattern.columnOfKey.get(token)] ?? 0;
}

/** The room for a figure: the column's width, and so much height that figure and title fit the window. */
function boxOf(element, { zoom, ratio, image }) {
  const full = document.fullscreenElement || element.closest(".full");
  if (zoom > 1 && !full) {
    const height = Math.max(300, heightFor(element) - AROUND);
    return { width: element.clientWidth, height, zoom, ratio, image, fills: true };
  }
  const tallest = full ? Infinity : 860 * zoom;
  const height = Math.max(300, Math.min(window.innerHeight - 240, tallest));
  return { width: element.clientWidth, height, zoom, ratio, image };
}

function showTip(tip, sheet, event, sentence) {
  tip.hidden = !sentence;
  if (!sentence) return;
  tip.textContent = sentence;
  const { left, top, width } = sheet.getBoundingClientRect();
  const furthest = Math.max(0, width - tip.offsetWidth - 4);
  tip.style.left = `${sheet.scrollLeft + Math.min(event.clientX - left + 14, furthest)}px`;
  tip.style.top = `${sheet.scrollTop + event.clientY - top + 18}px`;
}

/** The cell under the pointer as a sentence; beside the map, a label that did not fit. */
function tipOf({ pattern, view }, { query, key }) {
  if (view === "picture" || query === null) return null;
  const from = tokenName(pattern.layer.query, query);
  if (key === null) return from.length > 12 ? from : null;
  const weight = rowOf(pattern, query)?.[pattern.columnOfKey.get(key)];
  if (weight === undefined) return null;
  return `${from} → ${tokenName(pattern.layer.key, key)}: ${written(weight)}`;
}
