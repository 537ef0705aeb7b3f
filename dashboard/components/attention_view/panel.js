import { saying } from "../takeaway/row.js";
import { button, make } from "./dom.js";
import { isSilenced } from "./heads.js";
import { KEYS } from "./keyboard.js";
import { VIEWS } from "./modes.js";
import { SCALES } from "./scale.js";

/** What stands above the figure: the view, the scale, special tokens, and what each view can be told. */
export function createSettings({ set }) {
  const viewButton = (name) => button(VIEWS[name], () => set({ view: name }, "push"));
  const views = new Map(Object.keys(VIEWS).map((name) => [name, viewButton(name)]));
  const segment = make("div", { class: "segment", role: "group", "aria-label": "View" }, ...views.values());
  const scale = choice(SCALES, (value) => set({ scale: value }));
  const special = make("input", { type: "checkbox", change: () => set({ special: special.checked ? "out" : "in" }) });
  const specialLabel = make("label", {}, special, "Leave out special tokens");
  const links = slider({ min: 5, max: 400, step: 5 }, (value) => set({ links: value }));
  const threshold = slider({ min: 0, max: 0.5, step: 0.01 }, (value) => set({ threshold: value }));
  const blend = slider({ min: 0, max: 1, step: 0.02 }, (value) => set({ blend: value }));
  const veil = choice({ light: "spotlight", ink: "ink" }, (value) => set({ veil: value }));
  const forLines = group(labelled("Strongest links", links), labelled("From weight", threshold));
  const forPicture = group(labelled("Photograph", blend, "attention"), labelled("Drawn as", veil));
  const inputs = { scale, links, threshold, blend, veil };
  const rest = [forLines, forPicture, labelled("Scale", scale), specialLabel];
  const element = make("div", { class: "settings" }, segment, ...rest);

  function show(state, { view, views: possible, layer }) {
    for (const [name, own] of views) {
      own.hidden = !possible.includes(name);
      own.setAttribute("aria-pressed", name === view);
    }
    for (const [name, input] of Object.entries(inputs)) input.value = state[name];
    special.checked = state.special === "out";
    specialLabel.hidden = ![layer.query, layer.key].some((sequence) => sequence.special.some(Boolean));
    forLines.hidden = view !== "lines";
    forPicture.hidden = view !== "picture";
  }

  return { element, show };
}

/** What stands below the figure: what can be taken away from it or done to the head. */
export function createActions(wishes) {
  const action = (label, name) => button(label, () => wishes[name](), { class: "text-button" });
  const silence = action("Silence this head", "silence");
  const apart = make("a", { class: "text-button" }, "Take this head apart");
  const said = make("span", { role: "status", class: "said" });
  const element = make(
    "div",
    { class: "actions", role: "toolbar", "aria-label": "Take away" },
    action("Copy link", "link"),
    action("SVG", "svg"),
    action("PNG", "png"),
    action("CSV", "csv"),
    action("Full screen", "fullscreen"),
    silence,
    apart,
    keysHint(),
    said,
  );

  function show({ layer, head, token }, { canSilence, silenced, apart: address }) {
    silence.hidden = !canSilence;
    silence.textContent = isSilenced(silenced, layer, head) ? "Let this head speak" : "Silence this head";
    apart.hidden = !address;
    if (address) apart.href = `${address}&${new URLSearchParams({ layer, head, token })}`;
  }

  return { element, show, say: saying(said) };
}

function slider(range, set) {
  const input = make("input", { type: "range", ...range, input: () => set(Number(input.value)) });
  return input;
}

function choice(labels, set) {
  const options = Object.entries(labels).map(([value, label]) => make("option", { value }, label));
  const select = make("select", { change: () => set(select.value) }, ...options);
  return select;
}

function group(...fields) {
  return make("div", { class: "for" }, ...fields);
}

function labelled(before, input, after = null) {
  return make("label", {}, before, input, after);
}

function keysHint() {
  const rows = KEYS.map(([keys, meaning]) => make("span", {}, make("kbd", {}, keys), meaning));
  return make("details", { class: "keys" }, make("summary", {}, "Keys"), make("div", {}, ...rows));
}
