import { rgbOf, setInk } from "../kit/colour.js";
import { make } from "../kit/dom.js";
import { headName } from "../kit/labels.js";
import { rasterCanvas } from "../kit/marks.js";
import { largestOf } from "../kit/numbers.js";
import { strength } from "./pattern.js";
import { thumbnailOf } from "./scene.js";

/** The grid of all heads: one row for each layer, one small map for each head. */
export function createHeads({ pick }) {
  const count = make("span");
  const grid = make("div", { class: "grid", role: "grid", "aria-label": "All heads: one row for each layer" });
  const what = make("b");
  const caption = make("p", { class: "caption" }, what, count);
  const element = make("section", { class: "heads" }, caption, grid);
  let cells = [];
  let draw = () => {};
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      // Where scenes follow one another quickly, cells of the one before may still be reported.
      if (target.isConnected) draw(target);
    }
  });

  function write(scene) {
    const most = Math.max(...scene.layers.map((layer) => layer.heads));
    what.textContent = most === 1 ? "All layers" : "All heads";
    count.textContent = countOf(scene.layers, most) + (scene.fine ? aboutBlocks(scene) : "");
    grid.style.setProperty("--heads", most);
    const longest = Math.max(...scene.layers.map((layer) => layer.label.length));
    grid.style.setProperty("--label", `min(84px, ${longest}ch + 7px)`);
    grid.classList.toggle("many", most > 8);
    cells = [];
    const groups = new Set(scene.layers.map((layer) => layer.group));
    const rows = scene.layers.flatMap((layer, place) => {
      const starts = groups.size > 1 && layer.group !== scene.layers[place - 1]?.group;
      const name = starts ? [make("div", { class: "group", role: "presentation" }, layer.group)] : [];
      return [...name, rowOfLayer(layer, scene.fine)];
    });
    grid.replaceChildren(...(most === 1 ? [] : [numbersUpTo(most)]), ...rows);
  }

  function rowOfLayer(layer, fine) {
    const own = Array.from({ length: layer.heads }, (_, head) => {
      const isFine = fine?.has(`${layer.place}/${head}`);
      const name = headName(layer, head) + (isFine ? ", token by token" : "");
      const about = {
        type: "button",
        role: "gridcell",
        class: isFine ? "thumb fine" : "thumb",
        tabindex: -1,
        "aria-label": name,
        title: name,
      };
      const click = () => pick(layer.place, head);
      const cell = make("button", { ...about, click }, make("canvas", { "aria-hidden": "true" }));
      cells.push({ layer, head, cell });
      return cell;
    });
    const label = make("span", { class: "layer", role: "rowheader", title: layer.path, dir: "auto" }, layer.label);
    return make("div", { class: "row", role: "row" }, label, ...own);
  }

  function paint(theme, scale) {
    const owner = new Map(cells.map((entry) => [entry.cell, entry]));
    draw = (cell) => drawThumbnail(owner.get(cell), theme, scale);
    for (const { cell } of cells) {
      seen.unobserve(cell);
      seen.observe(cell);
    }
  }

  function choose(place, head, silenced) {
    const focused = cells.some(({ cell }) => cell.matches(":focus"));
    for (const { layer, head: own, cell } of cells) {
      const chosen = layer.place === place && own === head;
      cell.setAttribute("aria-selected", chosen);
      cell.tabIndex = chosen ? 0 : -1;
      cell.classList.toggle("silenced", isSilenced(silenced, layer.place, own));
      if (chosen && focused) cell.focus({ preventScroll: true });
    }
  }

  return { element, write, paint, choose, destroy: () => seen.disconnect() };
}

/** Whether a head is among those that the page has silenced. */
export function isSilenced(silenced, layer, head) {
  return silenced.some(([place, own]) => place === layer && own === head);
}

/** Which heads of a file are in it with every token. */
function aboutBlocks({ fine }) {
  return fine.size
    ? ` · ${fine.size} of them (with a dot) token by token, the others in blocks`
    : " · all in blocks of tokens";
}

function numbersUpTo(most) {
  const numbers = Array.from({ length: most }, (_, head) => make("span", {}, String(head)));
  return make("div", { class: "numbers", "aria-hidden": "true" }, make("span"), ...numbers);
}

function drawThumbnail({ layer, head, cell }, theme, scale) {
  const { rows, columns, cells } = thumbnailOf(layer, head);
  const pixels = new Uint8ClampedArray(4 * cells.length);
  const own = layer.sized ? "linear" : scale;
  const largest = own === "row" ? largestOf(cells) : 1;
  cells.forEach((weight, place) => {
    const drawn = strength(own, weight, largest);
    if (Number.isNaN(weight)) pixels.set([...rgbOf(theme.accent), 150], 4 * place);
    else if (drawn > 0) setInk(pixels, place, theme, drawn);
  });
  rasterCanvas(pixels, columns, rows, cell.firstChild);
}

function countOf(layers, most) {
  const even = layers.every((layer) => layer.heads === most);
  const total = layers.reduce((sum, layer) => sum + layer.heads, 0);
  const named = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  if (most === 1) return named(total, "map"); // maps that stand for a layer each, or heads that are alone in theirs
  return named(layers.length, "layer") + (even ? ` × ${named(most, "head")}` : `, ${named(total, "head")}`);
}
