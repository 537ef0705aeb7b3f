/** A matrix as the server sent it, with its values as numbers and `at(row, column)`. */
export function unpacked(matrix) {
  const bytes = Uint8Array.from(atob(matrix.values), (letter) => letter.charCodeAt(0));
  const values = new Float32Array(bytes.buffer);
  const finite = values.filter(Number.isFinite);
  return {
    ...matrix,
    values,
    extent: finite.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1,
    digits: finite.every(Number.isInteger) ? 0 : 2,
    at: (row, column) => values[row * matrix.columns + column],
  };
}

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

/** The number that `precise` shows, to tell whether a printed sum is exact. */
export function shown(value) {
  return Number.isFinite(value) && Math.abs(value) >= 1e-3 ? Number(value.toFixed(4)) : value;
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
