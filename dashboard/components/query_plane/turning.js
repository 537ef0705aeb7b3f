const RIGHT = 180; // degrees of half a turn

/**
 * What a query attends to after a turn in its plane. `keys` and `query` are places [x, y] in the plane, `fixed` is the
 * part of each dot product that lies outside of it, which no turn changes; scores are divided by `divisor`.
 * Returns the query's place, and for each key the dot product, its part in the plane, the angle there in degrees (NaN
 * where there is no direction), and the weight (0 for keys that are not `allowed`).
 */
export function attend({ keys, fixed, query, allowed, divisor }, degrees) {
  const place = rotated(query, degrees);
  const inPlane = keys.map((key) => key[0] * place[0] + key[1] * place[1]);
  const products = inPlane.map((product, key) => product + fixed[key]);
  const scores = products.map((product, key) => (allowed[key] ? product / divisor : -Infinity));
  return { place, inPlane, products, angles: keys.map((key) => angleOf(key, place)), weights: softmax(scores) };
}

/** A place after a turn, counted from the first axis towards the second. */
export function rotated([x, y], degrees) {
  const angle = (degrees * Math.PI) / RIGHT;
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  return [cosine * x - sine * y, sine * x + cosine * y];
}

/** The turn in whole degrees, from -180 to 180, that lets one place point to where another is. */
export function turnTo([fromX, fromY], [toX, toY]) {
  return wrapped(Math.round(((Math.atan2(toY, toX) - Math.atan2(fromY, fromX)) * RIGHT) / Math.PI));
}

/** The same direction between -180 and 180 degrees. */
export function wrapped(degrees) {
  const turned = ((((degrees + RIGHT) % (2 * RIGHT)) + 2 * RIGHT) % (2 * RIGHT)) - RIGHT;
  return turned === -RIGHT && degrees > 0 ? RIGHT : turned;
}

function softmax(scores) {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

function angleOf(key, query) {
  const lengths = Math.hypot(...key) * Math.hypot(...query);
  if (!lengths) return Number.NaN;
  const cosine = (key[0] * query[0] + key[1] * query[1]) / lengths;
  return (Math.acos(Math.min(1, Math.max(-1, cosine))) * RIGHT) / Math.PI;
}
