// What the map asks the server, and what comes back. All numbers in half precision stay as they are sent.

/** JSON from an address; an Error with the server's sentence and `status` where it refuses. */
export async function jsonFrom(address, signal) {
  return (await answerFrom(address, signal)).json();
}

/** Numbers of two bytes from an address. */
export async function codesFrom(address, signal) {
  return new Uint16Array(await (await answerFrom(address, signal)).arrayBuffer());
}

/** A file from an address. */
export async function fileFrom(address) {
  return (await answerFrom(address)).blob();
}

async function answerFrom(address, signal) {
  const answer = await fetch(address, { signal, cache: "no-store" });
  if (answer.ok) return answer;
  const { error } = await answer.json().catch(() => ({}));
  const failure = new Error(error ?? `The server answers with ${answer.status}.`);
  failure.status = answer.status;
  throw failure;
}

/** The cells of a tile: rows, columns, shares, and maxima where they differ from the shares. */
export function tileFrom(codes) {
  const [rows, columns] = codes;
  const shares = codes.slice(2, 2 + rows * columns);
  const maxima = codes.length > 2 + rows * columns ? codes.slice(2 + rows * columns) : shares;
  return { rows, columns, share: shares, maximum: maxima };
}

/** The little maps of a layer's heads; each covers `block` x `block` tokens with a cell. */
export function thumbnailsFrom(codes, tokens) {
  const [heads, side] = codes;
  const block = Math.max(1, Math.ceil(tokens / Math.max(side, 48)));
  const own = (head) => codes.slice(2 + head * side * side, 2 + (head + 1) * side * side);
  return Array.from({ length: heads }, (_, head) => ({ rows: side, columns: side, block, share: own(head) }));
}
