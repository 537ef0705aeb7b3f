import { largestOf } from "./pattern.js";

const DECADES = 3;

export const SCALES = {
  linear: "0 to 1",
  log: "0.001 to 1, logarithmic",
  row: "each row’s own largest",
};

/** How strongly a weight is drawn, from 0 (the page) to 1 (full ink). */
export function strength(scale, weight, largest) {
  if (!(weight > 0)) return 0;
  if (scale === "log") return Math.max(0, 1 + Math.log10(weight) / DECADES);
  return scale === "row" ? weight / largest : Math.min(1, weight);
}

/** The strengths of one row. */
export function strengths(scale, row) {
  const largest = scale === "row" ? largestOf(row) : 1;
  return Float32Array.from(row, (weight) => strength(scale, weight, largest));
}

/** What stands at the two ends of the legend; `row` is the row in view, where the scale depends on it. */
export function legendEnds(scale, row) {
  if (scale === "log") return ["≤ 0.001", "1 of the row’s attention, logarithmic"];
  if (scale === "linear") return ["0", "1 of the row’s attention"];
  return ["0", row ? `${twoDigits(largestOf(row))}, this row’s largest` : "each row’s own largest"];
}

/** 0.88: the digits that matter on a screen. */
export function twoDigits(weight) {
  if (weight > 0 && weight < 0.005) return "< 0.01";
  return weight.toFixed(2);
}

/** 0.881: three digits that count, for who asked for exact values. */
export function threeDigits(weight) {
  if (weight === 0 || weight >= 0.001) return Number(weight.toPrecision(3)).toString();
  return weight.toExponential(2).replace("e-", " × 10⁻").replace(/\d+$/, superscript);
}

function superscript(digits) {
  return Array.from(digits, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
}
