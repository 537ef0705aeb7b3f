import { inkOn, shade } from "../attention_view/colour.js";
import { make, setAttributes } from "../attention_view/dom.js";
import { readable } from "../attention_view/labels.js";

const WALK = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity };
const TINTED_FROM = 0.02; // strengths below are the page itself

let lines = 0;

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
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const isChosen = event.key === "Enter" || event.key === " ";
    if (!isChosen && !(event.key in WALK)) return;
    event.preventDefault();
    event.stopPropagation();
    if (isChosen) choose(at ?? 0);
    else walk((at ?? 0) + WALK[event.key]);
  }

  function walk(place) {
    at = Math.min(spans.length - 1, Math.max(0, place));
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
