/** With a fixed number of decimals, for a column of numbers: 0.88. */
export function rounded(value, digits) {
  if (Math.abs(value) < 0.5 * 10 ** -digits) return (0).toFixed(digits);
  return Number.isFinite(value) ? signed(value.toFixed(digits)) : unusual(value);
}

/** With as many decimals as it takes, four at most (more for small numbers): 0.5, 1.0607, 0.000012. */
export function precise(value) {
  if (!Number.isFinite(value)) return unusual(value);
  if (value === 0 || Math.abs(value) >= 1e-3) return signed(String(Number(value.toFixed(4))));
  if (Math.abs(value) >= 1e-6) return signed(value.toFixed(6).replace(/0+$/, ""));
  return powered(value.toExponential(1));
}

/** With three digits that count: 0.881, −12.3, 4.56 × 10⁻⁵. */
export function significant(value) {
  if (!Number.isFinite(value)) return unusual(value);
  const size = Math.abs(value);
  if (size === 0 || (size >= 9.995e-4 && size < 999500)) return signed(String(Number(value.toPrecision(3))));
  return powered(value.toExponential(2));
}

/** 0.881234: as many decimals as a float32 near 1 holds; what is there but rounds to nothing says so. */
export function sixDecimals(weight) {
  return weight > 0 && weight < 5e-7 ? "< 0.000001" : rounded(weight, 6);
}

/** The number that `precise` shows, to tell whether a printed sum is exact. */
export function shown(value) {
  return Number.isFinite(value) && Math.abs(value) >= 1e-3 ? Number(value.toFixed(4)) : value;
}

/** 0.88: the digits of a weight that matter on a screen; what is there but rounds to nothing says so. */
export function twoDigits(weight) {
  return weight > 0 && weight < 0.005 ? "< 0.01" : rounded(weight, 2);
}

/** "3.2%": a share as people read it. */
export function percent(share) {
  if (Number.isNaN(share)) return "no number";
  if (share > 0 && share < 0.0005) return "< 0.1%";
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}%`;
}

/** As many digits as tell a float32 from its neighbours. */
export function shortest(value) {
  if (!Number.isFinite(value)) return value;
  const digits = [6, 7, 8].find((count) => Math.fround(Number(value.toPrecision(count))) === value) ?? 9;
  return Number(value.toPrecision(digits));
}

/** The largest of some numbers, NaN apart; 0 if none is larger. */
export function largestOf(values) {
  let largest = 0;
  for (const value of values) if (value > largest) largest = value;
  return largest;
}

function signed(digits) {
  return digits.replace("-", "−");
}

function powered(exponential) {
  const [digits, power] = exponential.split("e");
  return `${signed(digits)} × 10${[...String(Number(power))].map((letter) => RAISED[letter]).join("")}`;
}

function unusual(value) {
  return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
}

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
