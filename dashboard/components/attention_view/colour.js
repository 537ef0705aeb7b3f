const SHADES = 256;

/** The look of the moment: Streamlit's own colours, and the atlas palette of the same brightness. */
export function readTheme(host, palettes, presenting) {
  const style = getComputedStyle(host);
  const own = (name, fallback) => style.getPropertyValue(name).trim() || fallback;
  const paper = own("--st-background-color", palettes.light.paper);
  const dark = luminance(rgbOf(paper)) < 0.25;
  const palette = palettes[dark ? "dark" : "light"];
  const ink = presenting ? (dark ? "#ffffff" : "#000000") : own("--st-text-color", palette.ink);
  return {
    dark,
    paper,
    ink,
    soft: presenting ? ink : palette.soft,
    hair: presenting ? palette.soft : palette.hair,
    raised: palette.raised,
    accent: own("--st-primary-color", palette.accent),
    map: palette.map,
    ramp: rampOf(palette.ramp),
    font: own("--st-font", "sans-serif"),
    heading: own("--st-heading-font", "serif"),
  };
}

/** The colours of a theme as custom properties, for the style sheet. */
export function applyTheme(root, theme) {
  for (const name of ["paper", "ink", "soft", "hair", "raised", "accent", "map", "font", "heading"]) {
    root.style.setProperty(`--${name}`, theme[name]);
  }
  root.style.setProperty("--ramp", `linear-gradient(90deg, ${gradient(theme.ramp).join(", ")})`);
}

/** The colour for a strength from 0 (the page) to 1 (full ink). */
export function shade(theme, strength) {
  const place = 3 * Math.round(Math.min(1, Math.max(0, strength)) * (SHADES - 1));
  return `rgb(${theme.ramp[place]}, ${theme.ramp[place + 1]}, ${theme.ramp[place + 2]})`;
}

/** Ink or paper, whichever reads better on that shade. */
export function inkOn(theme, strength) {
  const behind = luminance(rgbOf(shade(theme, strength)));
  const contrast = (colour) => {
    const own = luminance(rgbOf(colour));
    return (Math.max(own, behind) + 0.05) / (Math.min(own, behind) + 0.05);
  };
  return contrast(theme.ink) >= contrast(theme.paper) ? theme.ink : theme.paper;
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

function gradient(ramp) {
  return Array.from({ length: 17 }, (_, stop) => {
    const place = 3 * Math.round((stop / 16) * (SHADES - 1));
    return `rgb(${ramp[place]} ${ramp[place + 1]} ${ramp[place + 2]})`;
  });
}
