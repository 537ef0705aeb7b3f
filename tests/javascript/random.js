/** A source of numbers from 0 to 1 that gives the same ones in every run (mulberry32). */
export function randomSource(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `least` to `most`. */
export function whole(random, least, most) {
  return least + Math.floor(random() * (most - least + 1));
}

/** Base64 text of an array of numbers, made by node itself. */
export function base64(numbers) {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString("base64");
}
