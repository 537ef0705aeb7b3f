import { make } from "./dom.js";
import { legendEnds } from "./scale.js";

/** The title of the figure and the scale of its colours; below it, a line for each mark that needs a word. */
export function createLegend() {
  const title = make("b");
  const low = make("span");
  const high = make("span");
  const scale = make("span", { class: "legend" }, low, make("i", { class: "ramp", "aria-hidden": "true" }), high);
  const caption = make("p", { class: "caption" }, title, scale);
  const notes = make("p", { class: "notes" });

  function show({ name, pattern, view, scale: chosen, row, waiting, state }) {
    title.textContent = name;
    const single = view === "picture" || view === "text" ? row : null;
    const [from, to] = legendEnds(view === "lines" && chosen === "row" ? "linear" : chosen, single);
    low.textContent = from;
    high.textContent = to;
    notes.replaceChildren(...notesOf(pattern, view, waiting, state).map((note) => make("span", {}, note)));
  }

  return { caption, notes, show };
}

function notesOf(pattern, view, waiting, state) {
  const { layer } = pattern;
  const veiled = view === "picture" && state.veil === "light" && layer.key.kind === "patches";
  const said = [
    [waiting, "Fetching this head …"],
    [pattern.missing, "Hatched in the accent colour: not a number (NaN)."],
    [layer.masked && pattern.blocked && view === "map", "Hatched in grey: the mask allows no link."],
    [layer.causal && view === "map", "Blank above the diagonal: later tokens, which may not be looked at."],
    [view === "lines", `The ${state.links} strongest links from ${state.threshold.toFixed(2)} up, or a token’s own.`],
    [layer.key.kind === "patches", "Patches are named row·column, counted from 0."],
    [veiled, "The photograph is clear where the row looks, and fades where it does not."],
    [pattern.renormalised, "Special tokens are left out; each row is scaled to sum to 1 again."],
    [pattern.approximate, "Weights were rounded to one byte (≈); exact values can be asked for."],
  ];
  return said.filter(([holds]) => holds).map(([, note]) => note);
}
