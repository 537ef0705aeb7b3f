import { cellAt } from "../../../core/view/browser/kit/cells.js";
import { button, choice, field, make, setAttributes, signButton } from "../../../core/view/browser/kit/dom.js";
import { headName, layerName } from "../../../core/view/browser/kit/labels.js";
import { paintOn } from "../../../core/view/browser/kit/marks.js";
import { percent } from "../../../core/view/browser/kit/numbers.js";
import { PHOTOS, paintLittle } from "../../../core/view/browser/kit/photo_map.js";
import { sheetOf } from "../../../core/view/browser/kit/photograph.js";
import { waysOf } from "./choice.js";

const SIDE = 180; // pixels of a thumbnail's longer side, at most; the style sheet makes it smaller

/** What stands above the photograph: layer, whose attention, threshold, photograph. `set` takes what changes, and how. */
export function createChoosers({ set }) {
  const layers = make("select", { "aria-label": "Layer", change: () => set({ layer: layers.selectedIndex }, "push") });
  const step = (by) => () => set({ layer: layers.selectedIndex + by }, "push");
  const back = signButton("‹", "Previous layer", step(-1));
  const next = signButton("›", "Next layer", step(1));
  const layer = field("div", "Layer", make("div", { class: "stepper" }, back, layers, next));
  const ways = make("div", { class: "segment", role: "group", "aria-label": "From" });
  const from = field("div", "Who looks", ways);
  const range = { type: "range", min: 5, max: 100, step: 5, "aria-label": "Keep the top share of the mass" };
  const keep = make("input", { ...range, input: () => set({ keep: Number(keep.value) }) });
  const kept = make("output");
  const threshold = field("label", "Keep the top ", keep, kept);
  const photos = choice(PHOTOS, (photo) => set({ photo }));
  setAttributes(photos, { "aria-label": "Drawn as" });
  const element = make("div", { class: "choosers" }, layer, from, threshold, field("label", "Drawn as", photos));
  let offered = "";

  function write(scene) {
    const groups = [...new Set(scene.layers.map((each) => each.group))];
    const named = (each) => (groups.length > 1 ? layerName({ ...each, group: "" }) || each.group : layerName(each));
    const option = (each) => make("option", { title: each.path }, named(each));
    const parts = groups.map((group) => {
      const own = scene.layers.filter((each) => each.group === group).map(option);
      return groups.length > 1 ? [make("optgroup", { label: group || "layers" }, ...own)] : own;
    });
    layers.replaceChildren(...parts.flat());
    offered = "";
  }

  function show(state, scene) {
    const { layers: all } = scene;
    layers.selectedIndex = state.layer;
    setAttributes(back, { disabled: state.layer === 0 });
    setAttributes(next, { disabled: state.layer === all.length - 1 });
    layer.hidden = all.length < 2;
    writeWays(all[state.layer]);
    for (const each of ways.children) each.setAttribute("aria-pressed", String(each.dataset.way === state.from));
    keep.value = state.keep;
    kept.textContent = `${state.keep}% of the mass`;
    photos.value = state.photo;
  }

  function writeWays(own) {
    const found = waysOf(own);
    if (offered === JSON.stringify(found)) return;
    offered = JSON.stringify(found);
    const way = ([value, label]) => button(label, () => set({ from: value }, "push"), { "data-way": value });
    ways.replaceChildren(...found.map(way));
  }

  return { element, write, show };
}

/** The photograph under its caption, all heads beside it, and what is said about them. */
export function createStage({ hover, choose, press, pick }) {
  let sheet = null;
  const canvas = make("canvas", {
    "aria-hidden": "true",
    pointermove: (event) => event.pointerType !== "touch" && hover(under(event)),
    pointerleave: () => hover(null),
    click: (event) => choose(under(event)),
  });
  const figure = make("div", { class: "photo", role: "img", tabindex: 0, keydown: press }, canvas);
  const title = make("b");
  const scale = make("span", { class: "scale" });
  const main = make("section", { class: "main" }, make("p", { class: "caption" }, title, scale), figure);
  const heads = createHeadGrid({ pick });
  const told = make("p", { class: "told", "aria-live": "polite" });
  const pointed = make("p", { class: "pointed" });
  const beside = make("div", { class: "beside" }, heads.element, make("div", { class: "reading" }, told, pointed));
  const element = make("div", { class: "stage" }, main, beside);

  function under(event) {
    if (!sheet) return null;
    const { left, top } = canvas.getBoundingClientRect();
    const cell = cellAt(sheet, event.clientX - left, event.clientY - top);
    return cell && cell[0] * sheet.columns + cell[1];
  }

  /** Gives the map of a layer its place over the photograph; returns where everything lies. */
  function layOut(layer, ratio, tallest) {
    sheet = sheetOf(layer, ratio, { width: main.clientWidth, height: tallest });
    return sheet;
  }

  const draw = (marks, theme) => paintOn(canvas, marks, theme, sheet);

  /** `spoken` is what a screen reader hears of the photograph; null leaves it as it was. */
  function tell({ name, largest, reading, about, spoken }) {
    title.textContent = name;
    scale.replaceChildren("0", make("i", { "aria-hidden": "true" }), percent(largest));
    told.textContent = reading;
    pointed.textContent = about;
    if (spoken !== null) setAttributes(figure, { "aria-label": spoken });
  }

  return { element, heads, layOut, draw, tell };
}

/** All heads of the layer in view, each with its map over the photograph; a click chooses. */
function createHeadGrid({ pick }) {
  const name = make("b");
  const note = make("span");
  const caption = make("p", { class: "caption" }, name, note);
  const grid = make("div", { class: "heads", role: "group", "aria-label": "Heads" });
  const element = make("section", { class: "all" }, caption, grid);
  let thumbs = [];
  let written = null;

  function write(layer) {
    if (written === layer) return;
    written = layer;
    thumbs = Array.from({ length: layer.heads }, (_, head) => {
      const canvas = make("canvas", { "aria-hidden": "true" });
      const title = headName(layer, head);
      const number = make("span", { class: "number", "aria-hidden": "true" }, String(head));
      const cell = make(
        "button",
        { type: "button", class: "thumb", "aria-label": title, title, click: () => pick(head) },
        canvas,
        number,
      );
      return { canvas, cell };
    });
    grid.replaceChildren(...thumbs.map(({ cell }) => cell));
    grid.style.setProperty("--across", acrossFor(layer.heads));
    name.textContent = layer.heads === 1 ? "The only head" : `All ${layer.heads} heads`;
  }

  /** `views` are { map, kept } by head, null while they are not here. */
  function show(layer, views, { chosen, look, about }) {
    write(layer);
    note.textContent = about;
    thumbs.forEach(({ canvas, cell }, head) => {
      cell.setAttribute("aria-pressed", String(head === chosen));
      cell.classList.toggle("unknown", !views[head]);
      if (views[head]) paintLittle(canvas, layer, views[head], look, SIDE);
    });
  }

  return { element, show };
}

/** How many thumbnails stand side by side: full rows where there are few heads. */
function acrossFor(heads) {
  if (heads <= 4) return heads === 4 ? 2 : heads;
  return heads === 5 || heads === 6 || heads === 9 ? 3 : heads > 16 ? 6 : 4;
}
