/** A layer as heads show it that came in blocks of so many tokens: every token bears the name of its block. */
export function inBlocks(layer, size) {
  if (size === 1) return layer;
  const query = blocksOf(layer.query, size);
  const key = layer.key === layer.query ? query : blocksOf(layer.key, size);
  return { ...layer, query, key, queries: query.starts.length, keys: key.starts.length, block: size };
}

function blocksOf({ kind, labels, flow }, size) {
  const starts = Array.from({ length: Math.ceil(labels.length / size) }, (_, block) => block * size);
  const blockOf = (token) => Math.floor(token / size);
  const all = starts.map((start) => labels.slice(start, start + size));
  const texts = starts.map((start) => flow?.slice(start, start + size).join(""));
  return {
    kind: kind === "text" ? kind : "runs", // patches one after the other: such a block is no part of a picture
    starts,
    labels: labels.map((_, token) => shortName(all[blockOf(token)])),
    names: labels.map((_, token) => longName(all[blockOf(token)])),
    flow: flow && labels.map((_, token) => texts[blockOf(token)]),
    special: labels.map(() => false),
  };
}

/** On an axis. */
function shortName(labels) {
  return labels.length === 1 ? labels[0] : `${labels[0]} …`;
}

/** In a sentence. */
function longName(labels) {
  return labels.length === 1 ? labels[0] : `${labels[0]} … ${labels.at(-1)}`;
}
