import { shade } from "../attention_view/colour.js";
import { make } from "../attention_view/dom.js";
import { rasterCanvas } from "../attention_view/marks.js";
import { endsOf } from "./matrix.js";

const STEPS_SHOWN = 64;

/** The kinds with their colours, or the scale with its two ends; what an outline and lines over a cell mean. */
export function createLegend() {
  const element = make("p", { class: "legend" });

  function show(matrix, theme) {
    const notes = [
      [matrix.marked.length, make("i", { class: "key", "aria-hidden": "true" }), matrix.mark],
      [matrix.values.some(Number.isNaN), make("i", { class: "key hatched", "aria-hidden": "true" }), "no value"],
      [matrix.values.some((value) => Math.abs(value) === Infinity), "", "hatched in the accent colour: infinite"],
    ];
    const shown = notes.filter(([holds]) => holds).map(([, key, text]) => make("span", {}, key, text));
    element.replaceChildren(...(matrix.kinds.length ? swatches(matrix, theme) : [scale(matrix, theme)]), ...shown);
  }

  return { element, show };
}

/** The name and the colour of every kind but the first, which is the page itself. */
export function kindsOf({ kinds, hues, strength }, theme) {
  return kinds.slice(1).map((name, place) => [name, hues[place] ?? shade(theme, strength(place + 1))]);
}

function swatches(matrix, theme) {
  return kindsOf(matrix, theme).map(([name, colour]) => {
    const swatch = make("i", { class: "swatch", "aria-hidden": "true" });
    swatch.style.background = colour;
    return make("span", {}, swatch, name);
  });
}

function scale(matrix, theme) {
  const [low, high] = endsOf(matrix);
  const ramp = rasterCanvas(coloursOf(matrix, theme), STEPS_SHOWN, 1);
  ramp.setAttribute("aria-hidden", "true");
  return make("span", {}, low, ramp, high);
}

/** The colours from one end of the scale to the other; a signed one may be longer on one side. */
export function coloursOf({ limits: [low, high], strength }, theme) {
  const pixels = new Uint8ClampedArray(4 * STEPS_SHOWN);
  for (let step = 0; step < STEPS_SHOWN; step++) {
    const place = 3 * Math.round(strength(low + ((high - low) * step) / (STEPS_SHOWN - 1)) * 255);
    pixels.set([...theme.ramp.subarray(place, place + 3), 255], 4 * step);
  }
  return pixels;
}
