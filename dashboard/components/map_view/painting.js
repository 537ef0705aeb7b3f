import { decode } from "../../../core/view/browser/kit/codec.js";
import { inkAt, rgbOf, setInk } from "../../../core/view/browser/kit/colour.js";
import { largestOf } from "../../../core/view/browser/kit/numbers.js";

const ONE = 0x3c00; // 1 in half precision: halves from 0 to 1 are in the order of their bits
const INFINITE = 0x7c00;
const DECADES = 4; // powers of ten on the logarithmic scale

export const SCALES_OF_COLOUR = { log: "Logarithm", root: "Square root", linear: "Linear" };

/** The strength from 0 to 1 of a value on a scale that ends at `limit`. */
export function strengthOf(scale, value, limit) {
  const share = limit > 0 ? Math.min(1, Math.max(0, value / limit)) : 0;
  if (scale === "linear") return share;
  if (scale === "root") return Math.sqrt(share);
  return share > 0 ? Math.max(0, 1 + Math.log10(share) / DECADES) : 0;
}

/** What stands at the lower end of the scale: the value that is drawn as the page. */
export function lowEndOf(scale, limit) {
  return scale === "log" ? limit / 10 ** DECADES : 0;
}

/** The value of a number in half precision. */
export function halfValue(code) {
  return decode(new Uint8Array(Uint16Array.of(code).buffer), "half")[0];
}

/** The values of numbers in half precision. */
export function halfValues(codes) {
  return decode(new Uint8Array(codes.buffer, codes.byteOffset, codes.byteLength), "half");
}

/** The largest code of a part of rows and columns that is no NaN, from `top` to before `bottom`, `left` to `right`. */
export function largestCode({ columns }, codes, { top, bottom, left, right }) {
  let largest = 0;
  for (let row = top; row < bottom; row++) {
    const end = row * columns + right;
    for (let place = row * columns + left; place < end; place++) {
      const code = codes[place];
      if (code > largest && code <= ONE) largest = code;
    }
  }
  return largest;
}

/** The colour of every number in half precision as the four bytes of a pixel; what is no number has the accent. */
export function coloursOfHalves(theme, scale, limit) {
  const colours = new Uint32Array(65536).fill(packed(inkAt(theme, 0)));
  const values = valuesToOne();
  for (let code = 1; code <= ONE; code++) colours[code] = packed(inkAt(theme, strengthOf(scale, values[code], limit)));
  colours.fill(colours[ONE], ONE + 1, INFINITE);
  colours.fill(packed(rgbOf(theme.accent)), INFINITE + 1, 0x8000);
  return colours;
}

let upToOne = null;

/** The values of all codes from 0 to that of 1. */
function valuesToOne() {
  upToOne ??= halfValues(Uint16Array.from({ length: ONE + 1 }, (_, code) => code));
  return upToOne;
}

/** A little map as pixels, on a scale up to its own largest value; without a table of all colours. */
export function littlePixels(map, theme, scale) {
  const values = halfValues(map.share);
  const limit = largestOf(values);
  const pixels = new Uint8ClampedArray(4 * values.length);
  for (let place = 0; place < values.length; place++) {
    setInk(pixels, place, theme, Number.isNaN(values[place]) ? 0 : strengthOf(scale, values[place], limit));
  }
  return pixels;
}

/** The bytes red, green, blue and full opacity in the order in which the memory of this machine holds them. */
function packed([red, green, blue]) {
  return new Uint32Array(Uint8Array.of(red, green, blue, 255).buffer)[0];
}

/** Codes as pixels of an image. */
export function pixelsOfCodes(codes, colours) {
  const pixels = new Uint32Array(codes.length);
  for (let place = 0; place < codes.length; place++) pixels[place] = colours[codes[place]];
  return new Uint8ClampedArray(pixels.buffer);
}

/** An image of cells: a canvas of one pixel for each. */
export function bitmapOf({ rows, columns }, codes, colours) {
  const canvas = new OffscreenCanvas(columns, rows);
  const image = new ImageData(pixelsOfCodes(codes, colours), columns, rows);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas.transferToImageBitmap();
}
