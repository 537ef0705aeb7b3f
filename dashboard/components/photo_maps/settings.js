import { button, make, setAttributes } from "../attention_view/dom.js";
import { PHOTOS, waysOf } from "./chosen.js";
import { layerTitle } from "./opened.js";

/** What stands above the photograph: layer, whose attention, threshold, photograph. `set` takes what changes, and how. */
export function createChoosers({ set }) {
  const layers = make("select", { "aria-label": "Layer", change: () => set({ layer: layers.selectedIndex }, "push") });
  const step = (by, label, sign) =>
    button(sign, () => set({ layer: layers.selectedIndex + by }, "push"), { "aria-label": label, title: label });
  const [back, next] = [step(-1, "Previous layer", "‹"), step(1, "Next layer", "›")];
  const layer = make(
    "div",
    { class: "field" },
    make("span", { class: "name" }, "Layer"),
    make("div", { class: "stepper" }, back, layers, next),
  );
  const ways = make("div", { class: "segment", role: "group", "aria-label": "From" });
  const from = make("div", { class: "field wide" }, make("span", { class: "name" }, "Who looks"), ways);
  const range = { type: "range", min: 5, max: 100, step: 5, "aria-label": "Keep the top share of the mass" };
  const keep = make("input", { ...range, input: () => set({ keep: Number(keep.value) }) });
  const kept = make("output");
  const threshold = make("label", { class: "field" }, make("span", { class: "name" }, "Keep the top ", kept), keep);
  const photos = make("select", { "aria-label": "Drawn as", change: () => set({ photo: photos.value }) });
  photos.append(...Object.entries(PHOTOS).map(([value, label]) => make("option", { value }, label)));
  const photo = make("label", { class: "field" }, make("span", { class: "name" }, "Drawn as"), photos);
  const element = make("div", { class: "choosers" }, layer, from, threshold, photo);
  let offered = "";

  function write(scene) {
    const groups = new Map();
    scene.layers.forEach((each) => groups.set(each.group, [...(groups.get(each.group) ?? []), each]));
    const option = (each) => make("option", { title: each.path }, groups.size > 1 ? ownLabel(each) : optionLabel(each));
    const parts = [...groups].flatMap(([group, own]) =>
      groups.size > 1 ? [make("optgroup", { label: group || "layers" }, ...own.map(option))] : own.map(option),
    );
    layers.replaceChildren(...parts);
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

/** Within a group its name need not be said again. */
function ownLabel({ label, group }) {
  return layerTitle({ label, group: "" }) || group;
}

function optionLabel(layer) {
  return layerTitle(layer);
}
