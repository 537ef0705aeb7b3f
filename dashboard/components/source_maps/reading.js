import { bytesOf, decode } from "../../../core/view/browser/kit/codec.js";
import { readable } from "../../../core/view/browser/kit/labels.js";
import { percent } from "../../../core/view/browser/kit/numbers.js";

/** What Python sent of a scene, ready to be asked; `maps`: the mean of all layers, then each layer's mean and heads. */
export function openSources(sent) {
  const cells = sent.rows * sent.columns;
  const words = sent.words.map((word) => ({ ...word, text: readable(word.text) }));
  const layers = sent.layers.map((layer) => openLayer(layer, cells, words.length));
  const every = layers.flatMap(({ heads }) => heads);
  const all = { name: "mean of all layers", group: "", about: "every mask", heads: every };
  const own = layers.flatMap(({ name, about, heads }) => {
    const group = `Layer ${name}: ${about}`;
    const mean = { name: `layer ${name}, mean`, group, about, heads };
    return [
      mean,
      ...heads.map((head, number) => ({ name: `layer ${name}, head ${number}`, group, about, heads: [head] })),
    ];
  });
  return { ...sent, cells, words, maps: [all, ...own] };
}

/** Heads as { words, parts }, each with a row for every part of the picture; parts that are not sent are 0. */
function openLayer({ name, about, heads, seen, words, parts }, cells, count) {
  const bits = bytesOf(seen);
  const places = [];
  for (let place = 0; place < cells * cells; place++)
    if ((bits[place >> 3] >> (7 - (place & 7))) & 1) places.push(place);
  const [given, taken] = [decode(bytesOf(words), "half"), decode(bytesOf(parts), "half")];
  const head = (_, number) => {
    const own = new Float32Array(cells * cells);
    places.forEach((place, order) => {
      own[place] = taken[number * places.length + order];
    });
    return { words: given.subarray(number * cells * count, (number + 1) * cells * count), parts: own };
  };
  return { name, about, heads: Array.from({ length: heads }, head) };
}

/** What a part was made from: a share for each word, and one for each earlier part; the mean over the heads of a map. */
export function sourcesOf(scene, { heads }, part) {
  const row = (name, width) => meanOf(heads.map((head) => head[name].subarray(part * width, (part + 1) * width)));
  return { words: row("words", scene.words.length), parts: row("parts", scene.cells) };
}

/** What each part of the picture took of a word. */
export function readersOf(scene, { heads }, word) {
  const count = scene.words.length;
  const column = (head) => Float32Array.from({ length: scene.cells }, (_, part) => head.words[part * count + word]);
  return meanOf(heads.map(column));
}

function meanOf(rows) {
  const mean = new Float32Array(rows[0].length);
  for (const row of rows) row.forEach((value, place) => (mean[place] += value / rows.length));
  return mean;
}

export function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The place with the largest value; null where nothing is above 0. */
export function largestAt(values) {
  let most = null;
  values.forEach((value, place) => {
    if (value > 0 && (most === null || value > values[most])) most = place;
  });
  return most;
}

/** What a part was made from, in a sentence or two. */
export function sentenceOfPart(scene, map, part) {
  const { words, parts } = sourcesOf(scene, map, part);
  const own = words.map((share, place) => (scene.words[place].quiet ? 0 : share)); // marks are no words
  const [word, earlier] = [largestAt(own), largestAt(parts)];
  const said = [
    `${capital(spotName(scene, part))}, code ${scene.codes[part]}: ${percent(sumOf(words))} of the look went`,
  ];
  said.push(" to the sentence");
  if (word !== null) said.push(`, of its words most to “${scene.words[word].text}” (${percent(words[word])})`);
  if (earlier === null) said.push("; there was no earlier part to look at.");
  else {
    said.push(`; ${percent(sumOf(parts))} to earlier parts, most of it to ${relation(scene, part, earlier)}`);
    said.push(` (${percent(parts[earlier])}).`);
  }
  return said.join("");
}

/** Which parts read a word. */
export function sentenceOfReaders(scene, map, word) {
  const readers = readersOf(scene, map, word);
  const most = largestAt(readers);
  const label = scene.words[word].text;
  if (most === null) return `No part read “${label}” here.`;
  const mean = percent(sumOf(readers) / scene.cells);
  return `“${label}” got ${mean} of all looks; no part gave it more than ${spotName(scene, most)}: ${percent(readers[most])}.`;
}

/** Where an earlier part lies, seen from a part. */
function relation(scene, part, earlier) {
  const { columns } = scene;
  if (earlier === part - 1 && part % columns) return "the part to the left";
  if (earlier === part - columns) return "the part above";
  if (earlier === part - columns - 1 && part % columns) return "the part above to the left";
  if (earlier === part - columns + 1 && (part + 1) % columns) return "the part above to the right";
  return `that in ${spotName(scene, earlier)}`;
}

/** The numbers of what is shown: a row for each word and for each earlier part. */
export function rowsOfSources(scene, map, part) {
  const { words, parts } = sourcesOf(scene, map, part);
  const number = (value) => Number(value.toPrecision(4));
  const said = scene.words.map(({ text }, place) => ["word", text, "", "", number(words[place])]);
  const read = [...parts.subarray(0, part)].map((value, place) => {
    const at = [Math.floor(place / scene.columns), place % scene.columns];
    return ["part", `code ${scene.codes[place]}`, ...at, number(value)];
  });
  return [["kind", "label", "row", "column", map.name], ...said, ...read];
}

export function spotName({ columns }, part) {
  return `row ${Math.floor(part / columns)}, column ${part % columns}`;
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
