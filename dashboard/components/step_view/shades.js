import { readTheme, rgbOf } from "../attention_view/colour.js";

/** The colours of the theme that the page has now: zero is the page, signed values go to either side of it. */
export function shadesOf(host, palettes, presenting) {
  const theme = readTheme(host, palettes, presenting);
  const { ramp, diverging } = palettes[theme.dark ? "dark" : "light"];
  return { ...theme, weights: ramp, signed: diverging, negative: diverging[0] };
}

/** The colour of a value; minus infinity and what is not a number are no colours of the scale. */
export function colourOf(shades, matrix, value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? shades.accent : shades.hair;
  const scale = matrix.isWeights ? shades.weights : shades.signed;
  const place = matrix.isWeights ? value : (value / matrix.extent + 1) / 2;
  return scale[Math.round(Math.min(1, Math.max(0, place)) * (scale.length - 1))];
}

/** Ink or paper, whichever can be read on the colour of that value. */
export function textOn(shades, matrix, value) {
  const behind = brightness(colourOf(shades, matrix, value));
  return Math.abs(brightness(shades.ink) - behind) >= Math.abs(brightness(shades.paper) - behind)
    ? shades.ink
    : shades.paper;
}

function brightness(colour) {
  const [red, green, blue] = rgbOf(colour);
  return Math.cbrt((0.2126 * red ** 2.2 + 0.7152 * green ** 2.2 + 0.0722 * blue ** 2.2) / 255 ** 2.2);
}
