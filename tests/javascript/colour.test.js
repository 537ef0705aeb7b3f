import assert from "node:assert/strict";
import { test } from "node:test";
import { readableOn, rgbOf } from "../../core/view/browser/kit/colour.js";

/** Relative luminance and contrast as WCAG 2.2 writes them. */
function luminance(colour) {
  const [red, green, blue] = rgbOf(colour).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((less, more) => less - more);
  return (light + 0.05) / (dark + 0.05);
}

const THEMES = [
  { ink: "#10151f", paper: "#fbfaf7" },
  { ink: "#e9e6df", paper: "#11151b" },
];

test("letters can be read on every shade", () => {
  for (const theme of THEMES) {
    for (let grey = 0; grey < 256; grey++) {
      const behind = `rgb(${grey}, ${grey}, ${grey})`;
      assert.ok(contrast(readableOn(theme, behind), behind) >= 4.5, `${theme.ink} or ${theme.paper} on ${behind}`);
    }
  }
});

test("letters are of the page's own colours wherever those can be read", () => {
  const [light] = THEMES;
  assert.equal(readableOn(light, light.paper), light.ink);
  assert.equal(readableOn(light, light.ink), light.paper);
});
