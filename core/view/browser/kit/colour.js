const SHADES = 256;
const READABLE = 4.5; // contrast of letters, WCAG 2.2, 1.4.3

/** The look of the moment: Streamlit's own colours, and the atlas palette of the same brightness. */
export function readTheme(host, palettes, presenting) {
  const style = getComputedStyle(host);
  const own = (name, fallback) => style.getPropertyValue(name).trim() || fallback;
  const paper = own("--st-background-color", palettes.light.paper);
  const dark = luminance(rgbOf(paper)) < 0.25;
  const palette = palettes[dark ? "dark" : "light"];
  const ink = presenting ? (dark ? "#ffffff" : "#000000") : own("--st-text-color", palette.ink);
  return {
    paper,
    ink,
    soft: presenting ? ink : palette.soft,
    hair: presenting ? palette.soft : palette.hair,
    raised: palette.raised,
    accent: own("--st-primary-color", palette.accent),
    map: palette.map,
    negative: palette.diverging[0],
    ramp: rampOf(palette.ramp),
    diverging: rampOf(palette.diverging),
    font: own("--st-font", "sans-serif"),
    heading: own("--st-heading-font", "serif"),
  };
}

/** The colours of a theme as custom properties, for the style sheet. */
export function applyTheme(root, theme) {
  for (const name of ["paper", "ink", "soft", "hair", "raised", "accent", "map", "negative", "font", "heading"]) {
    root.style.setProperty(`--${name}`, theme[name]);
  }
  const stops = Array.from({ length: 17 }, (_, stop) => shade(theme, stop / 16));
  root.style.setProperty("--ramp", `linear-gradient(90deg, ${stops.join(", ")})`);
}

/** Red, green and blue for a strength from 0 (the page) to 1 (full ink). */
export function inkAt({ ramp }, strength) {
  const place = 3 * Math.round(Math.min(1, Math.max(0, strength)) * (SHADES - 1));
  return ramp.subarray(place, place + 3);
}

/** The same as a colour for a style. */
export function shade(theme, strength) {
  return `rgb(${inkAt(theme, strength).join(", ")})`;
}

/** Gives one pixel of an image the colour of a strength. */
export function setInk(pixels, place, theme, strength) {
  pixels.set(inkAt(theme, strength), 4 * place);
  pixels[4 * place + 3] = 255;
}

/** The colours of a scale in a row of pixels, from one end to the other. */
export function rampPixels(theme, strengthAt = (share) => share, steps = 64) {
  const pixels = new Uint8ClampedArray(4 * steps);
  for (let step = 0; step < steps; step++) setInk(pixels, step, theme, strengthAt(step / (steps - 1)));
  return pixels;
}

/** Ink or paper, whichever reads better on a colour; black or white in the middle of a scale, where neither can be read. */
export function readableOn(theme, colour) {
  const behind = luminance(rgbOf(colour));
  const contrast = (letters) => {
    const own = luminance(rgbOf(letters));
    return (Math.max(own, behind) + 0.05) / (Math.min(own, behind) + 0.05);
  };
  const better = (one, other) => (contrast(one) >= contrast(other) ? one : other);
  const own = better(theme.ink, theme.paper);
  return contrast(own) >= READABLE ? own : better("#000000", "#ffffff");
}

/** Ink or paper on the shade of a strength. */
export function inkOn(theme, strength) {
  return readableOn(theme, shade(theme, strength));
}

/** Red, green and blue of "#rrggbb" or "rgb(…)". */
export function rgbOf(colour) {
  if (colour.startsWith("#")) {
    const digits = colour.length === 4 ? colour.replace(/[^#]/g, "$&$&") : colour;
    return [1, 3, 5].map((place) => parseInt(digits.slice(place, place + 2), 16));
  }
  return (colour.match(/[\d.]+/g) ?? ["0", "0", "0"]).slice(0, 3).map(Number);
}

function luminance(rgb) {
  const [red, green, blue] = rgb.map((part) => (part <= 10 ? part / 3295 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function rampOf(colours) {
  const stops = colours.map(rgbOf);
  const ramp = new Uint8ClampedArray(SHADES * 3);
  for (let step = 0; step < SHADES; step++) {
    const place = (step / (SHADES - 1)) * (stops.length - 1);
    const low = Math.min(stops.length - 2, Math.floor(place));
    for (let part = 0; part < 3; part++) {
      ramp[3 * step + part] = stops[low][part] + (stops[low + 1][part] - stops[low][part]) * (place - low);
    }
  }
  return ramp;
}
