import { inkOn, shade } from "../../../core/view/browser/kit/colour.js";
import { make, setAttributes, signButton } from "../../../core/view/browser/kit/dom.js";
import { ALONG, isChoice, isShortcut, take, within } from "../../../core/view/browser/kit/keyboard.js";
import { readable } from "../../../core/view/browser/kit/labels.js";
import { createChart } from "./chart.js";

const TINTED_FROM = 0.02; // strengths below are the page itself

let lines = 0;

/** What one model wrote and where it looked: `point`, `choose` (a place, or null) and `pick` (a map) are told. */
export function createPanel({ point, choose, pick }) {
  const dot = make("i", { class: "dot", "aria-hidden": "true" });
  const title = make("h3");
  const about = make("span", { class: "about" });
  const select = make("select", { change: () => pick(select.selectedIndex) });
  const step = (by) => () => pick((select.selectedIndex + by + select.length) % select.length);
  const back = signButton("‹", "Previous map", step(-1));
  const next = signButton("›", "Next map", step(1));
  const chooser = make("label", { class: "stepper" }, back, select, next);
  const single = make("span", { class: "single" });
  const scale = make("span", { class: "scale" }, "0", make("i", { "aria-hidden": "true" }), "1");
  const words = createWords({
    point: (row) => point(row === null ? null : { row, column: null }),
    choose: (row) => choose({ row, column: null }),
  });
  const chart = createChart({ point, choose });
  const heading = make("header", {}, make("div", { class: "name" }, dot, title), about);
  const settings = make("div", { class: "settings" }, chooser, single, scale);
  const element = make("section", { class: "panel" }, heading, words.element, settings, chart.element);
  let shown = null;

  function write(panel) {
    title.textContent = panel.title;
    about.textContent = panel.about;
    dot.style.background = panel.hue || "transparent";
    element.style.setProperty("--hue", panel.hue || "var(--map)");
    setAttributes(element, { "aria-label": panel.title });
    setAttributes(select, { "aria-label": `Map of ${panel.title}` });
    const label = `${panel.title}: what it wrote`;
    words.write({ labels: panel.target, label, logProbabilities: panel.logProbabilities, marked: panel.marked });
    select.replaceChildren(
      ...panel.maps.map((map) => make("option", {}, map.note ? `${map.name} (${map.note})` : map.name)),
    );
    chooser.hidden = panel.maps.length < 2;
    single.hidden = !chooser.hidden;
    single.textContent =
      panel.maps.length < 2 ? [panel.maps[0].name, panel.maps[0].note].filter(Boolean).join(", ") : "";
  }

  function show(scene, panel, map, { theme, room, width }) {
    select.selectedIndex = panel.maps.indexOf(map);
    chart.show({ scene, panel, map, theme, links: scene.links, cut: scene.cut }, width, room);
    settings.style.maxWidth = `${Math.max(220, chart.drawn().geometry.width)}px`;
    shown = { theme };
  }

  function light(lights, columns) {
    words.light(shown.theme, lights?.rows, lights?.row ?? null);
    chart.light(columns, lights);
  }

  return { element, write, show, light, drawn: chart.drawn };
}

/**
 * A sentence whose words can be pointed at: `point(place)` (null when the pointer leaves) and `choose(place)`.
 * Under each word a bar is as long as the word is probable, where that is known.
 */
export function createWords({ point, choose }) {
  const id = `atlas-words-${++lines}`;
  let spans = [];
  let at = null;
  const element = make("p", {
    class: "words",
    role: "listbox",
    tabindex: 0,
    dir: "auto",
    pointerover: (event) => placeOf(event) !== null && point(placeOf(event)),
    pointerleave: () => point(null),
    click: (event) => {
      if (placeOf(event) === null) return;
      event.stopPropagation();
      choose(placeOf(event));
    },
    focus: () => element.matches(":focus-visible") && walk(at ?? 0),
    blur: () => point(null),
    keydown: press,
  });

  function press(event) {
    if (isShortcut(event) || !(isChoice(event) || event.key in ALONG)) return;
    take(event);
    if (isChoice(event)) choose(at ?? 0);
    else walk((at ?? 0) + ALONG[event.key]);
  }

  function walk(place) {
    at = within(place, spans.length);
    spans[at].scrollIntoView({ block: "nearest" });
    point(at);
  }

  function write({ labels, label, logProbabilities = null, marked = new Set() }) {
    if (at !== null && at >= labels.length) at = null;
    spans = labels.map((text, place) => {
      const bar = logProbabilities ? barOf(logProbabilities[place]) : null;
      const about = { class: marked.has(place) ? "word changed" : "word", role: "option", id: `${id}-${place}` };
      return make("span", { ...about, "data-place": place }, readable(text), bar);
    });
    const gaps = labels.map((text, place) => (place && /^\s/.test(text) ? " " : "\u200b"));
    element.replaceChildren(...spans.flatMap((span, place) => [gaps[place], span]));
    setAttributes(element, { "aria-label": label });
  }

  /** Tints each word by its strength; `here` is the one in view. */
  function light(theme, strengths, here) {
    spans.forEach((span, place) => {
      const strength = strengths?.[place] ?? 0;
      const isSeen = strength >= TINTED_FROM && place !== here;
      span.style.background = isSeen ? shade(theme, strength) : "";
      span.style.color = isSeen ? inkOn(theme, strength) : "";
      span.classList.toggle("here", place === here);
      setAttributes(span, { "aria-selected": String(place === here) });
    });
    setAttributes(element, { "aria-activedescendant": here === null ? null : `${id}-${here}` });
  }

  return { element, write, light };
}

function barOf(logProbability) {
  const bar = make("i", { class: "sure", "aria-hidden": "true" });
  bar.style.width = `${100 * Math.exp(logProbability ?? -Infinity)}%`;
  return bar;
}

function placeOf(event) {
  const place = event.target.closest?.("[data-place]")?.dataset.place;
  return place === undefined ? null : Number(place);
}
