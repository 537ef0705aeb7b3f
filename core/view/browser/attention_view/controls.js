import { button, choice, make } from "../kit/dom.js";
import { aboutBytes } from "../kit/labels.js";
import { legendEnds, SCALES } from "./pattern.js";
import { VIEWS } from "./state.js";

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

/** The title of the figure and the scale of its colours; below it, a line for each mark that needs a word. */
export function createCaption() {
  const title = make("b");
  const low = make("span");
  const high = make("span");
  const scale = make("span", { class: "legend" }, low, make("i", { class: "ramp", "aria-hidden": "true" }), high);
  const caption = make("p", { class: "caption" }, title, scale);
  const notes = make("p", { class: "notes" });

  function show({ name, pattern, view, scale: chosen, row, waiting, state, canExact, explains }) {
    title.textContent = name;
    const single = view === "picture" || view === "text" ? row : null;
    const [from, to] = legendEnds(view === "lines" && chosen === "row" ? "linear" : chosen, single);
    low.textContent = from;
    high.textContent = to;
    notes.replaceChildren(
      ...notesOf(pattern, view, { waiting, state, canExact, explains }).map((note) => make("span", {}, note)),
    );
  }

  return { caption, notes, show };
}

function notesOf(pattern, view, { waiting, state, canExact, explains }) {
  const { layer } = pattern;
  const veiled = view === "picture" && state.veil === "light" && layer.key.kind === "patches";
  const bytes = aboutBytes(layer.key.labels);
  const said = [
    [waiting, "Fetching this head …"],
    [pattern.missing, "Hatched in the accent colour: not a number (NaN)."],
    [layer.masked && pattern.blocked && view === "map", "Hatched in grey: the mask allows no link."],
    [layer.causal && view === "map", "Blank above the diagonal: later tokens, which may not be looked at."],
    [view === "lines", `The ${state.links} strongest links from ${state.threshold.toFixed(2)} up, or a token’s own.`],
    [explains && view === "map", "Click a cell to see why it has its weight."],
    [layer.key.kind === "patches", "Patches are named row·column, counted from 0."],
    [veiled, "The photograph is clear where the row looks, and fades where it does not."],
    [pattern.renormalised, "Special tokens are left out; each row is scaled to sum to 1 again."],
    [bytes, bytes],
    [
      layer.block,
      `In blocks of ${layer.block} tokens: what a query of one block gives, on average, to all keys of another.`,
    ],
    [pattern.approximate, `Weights were rounded to one byte (≈)${canExact ? "; exact values can be asked for" : ""}.`],
  ];
  return said.filter(([holds]) => holds).map(([, note]) => note);
}

function slider(range, set) {
  const input = make("input", { type: "range", ...range, input: () => set(Number(input.value)) });
  return input;
}

function group(...fields) {
  return make("div", { class: "for" }, ...fields);
}

function labelled(before, input, after = null) {
  return make("label", {}, before, input, after);
}
