import { make } from "../attention_view/dom.js";
import { rasterCanvas } from "../attention_view/marks.js";
import { endsOf } from "./matrix.js";

const STEPS_SHOWN = 64;

/** The scale with its two ends, and what an outline and lines over a cell mean, where there are such cells. */
export function createLegend() {
  const element = make("p", { class: "legend" });
  let colours = null;

  function show(matrix, theme) {
    const [low, high] = endsOf(matrix);
    colours = coloursOf(matrix, theme);
    const ramp = rasterCanvas(colours, STEPS_SHOWN, 1);
    ramp.setAttribute("aria-hidden", "true");
    const notes = [
      [matrix.marked.length, make("i", { class: "key", "aria-hidden": "true" }), matrix.mark],
      [matrix.values.some(Number.isNaN), make("i", { class: "key hatched", "aria-hidden": "true" }), "no value"],
      [matrix.values.some((value) => Math.abs(value) === Infinity), "", "hatched in the accent colour: infinite"],
    ];
    const shown = notes.filter(([holds]) => holds).map(([, key, text]) => make("span", {}, key, text));
    element.replaceChildren(make("span", {}, low, ramp, high), ...shown);
  }

  return { element, show, colours: () => colours };
}

/** The colours from one end of the scale to the other; a signed one may be longer on one side. */
function coloursOf({ limits: [low, high], strength }, theme) {
  const pixels = new Uint8ClampedArray(4 * STEPS_SHOWN);
  for (let step = 0; step < STEPS_SHOWN; step++) {
    const place = 3 * Math.round(strength(low + ((high - low) * step) / (STEPS_SHOWN - 1)) * 255);
    pixels.set([...theme.ramp.subarray(place, place + 3), 255], 4 * step);
  }
  return pixels;
}
