const LEVELS = 253;
const BLOCKED = 254;
const MISSING = 255;
const tables = new Map();

/** The bytes behind base64 text. */
export function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let place = 0; place < raw.length; place++) bytes[place] = raw.charCodeAt(place);
  return bytes;
}

/** The float32 numbers behind base64 text. */
export function floatsOf(text) {
  return new Float32Array(bytesOf(text).buffer);
}

/** Weights from bytes in the code "half" or "root" (codec.py); -1 is "not allowed", NaN is NaN. */
export function decode(bytes, code) {
  const table = weightsOfCodes(code);
  const codes = code === "half" ? new Uint16Array(bytes.slice().buffer) : bytes;
  const weights = new Float32Array(codes.length);
  for (let place = 0; place < codes.length; place++) weights[place] = table[codes[place]];
  return weights;
}

/** Bytes of one weight. */
export function bytesPerWeight(code) {
  return code === "half" ? 2 : 1;
}

/** Number of weights that are sent of a map; a causal map is sent without its upper corner. */
export function cellsSent(queries, keys, causal) {
  if (!causal) return queries * keys;
  let cells = 0;
  for (let query = 0; query < queries; query++) cells += keysSent(query, queries, keys);
  return cells;
}

/** The whole map, row by row, from the weights that were sent. */
export function unfold(sent, queries, keys, causal) {
  if (!causal) return sent;
  const whole = new Float32Array(queries * keys).fill(-1);
  let from = 0;
  for (let query = 0; query < queries; query++) {
    const length = keysSent(query, queries, keys);
    whole.set(sent.subarray(from, from + length), query * keys);
    from += length;
  }
  return whole;
}

function keysSent(query, queries, keys) {
  return Math.max(0, Math.min(keys, query + 1 + keys - queries));
}

function weightsOfCodes(code) {
  if (!tables.has(code)) tables.set(code, code === "half" ? halfTable() : rootTable());
  return tables.get(code);
}

function rootTable() {
  const table = Float32Array.from({ length: 256 }, (_, level) => (level / LEVELS) ** 2);
  table[BLOCKED] = -1;
  table[MISSING] = NaN;
  return table;
}

function halfTable() {
  return Float32Array.from({ length: 65536 }, (_, bits) => {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
  });
}
