import { bytesOf, decode } from "../../../core/view/browser/kit/codec.js";
import { filled, readable } from "../../../core/view/browser/kit/labels.js";
import { percent } from "../../../core/view/browser/kit/numbers.js";

const NAMED = 4; // words that are named where a place is pointed at

/** What Python sent of a scene, ready to be asked. */
export function openWords(sent) {
  const { rows, columns, code } = sent;
  const words = sent.words.map((word) => ({ ...word, mask: word.mask && openMask(word.mask, { rows, columns }) }));
  const maps = sent.maps.map((map) => ({
    ...map,
    values: decode(bytesOf(map.values), code).map((value) => value * map.largest),
  }));
  return { ...sent, words, maps, cells: rows * columns };
}

/** The pixels of a mask, and which share of each place of the grid lies inside. */
function openMask({ side, bits }, { rows, columns }) {
  const bytes = bytesOf(bits);
  const pixels = Array.from({ length: side * side }, (_, place) => (bytes[place >> 3] >> (7 - (place & 7))) & 1);
  const sums = new Float32Array(rows * columns);
  const counts = new Float32Array(rows * columns);
  pixels.forEach((inside, place) => {
    const row = Math.floor((Math.floor(place / side) * rows) / side);
    const cell = row * columns + Math.floor(((place % side) * columns) / side);
    sums[cell] += inside;
    counts[cell] += 1;
  });
  return { side, pixels, shares: sums.map((sum, cell) => sum / counts[cell]) };
}

/** The values of one word over the grid, what is below 0 as 0. */
export function rowOf(scene, map, word) {
  return map.values.slice(word * scene.cells, (word + 1) * scene.cells).map((value) => Math.max(0, value));
}

/** What all places of a row come to. */
export function totalOf(row) {
  return row.reduce((sum, value) => sum + value, 0);
}

/** The place with the largest value; null where nothing is above 0. */
export function topOf(row) {
  let top = null;
  row.forEach((value, cell) => {
    if (value > 0 && (top === null || value > row[top])) top = cell;
  });
  return top;
}

/** The pointing game and the share inside, as core/attribution/pointing_game.py has them; null without a mask or a map. */
export function scoreOf(row, mask) {
  const total = totalOf(row);
  const top = topOf(row);
  if (!mask || top === null) return null;
  const largest = row.filter((value) => value === row[top]).length;
  const hits = row.reduce((sum, value, cell) => sum + (value === row[top] ? mask.shares[cell] : 0), 0);
  const inside = row.reduce((sum, value, cell) => sum + value * mask.shares[cell], 0);
  return { pointing: hits / largest, inside: inside / total, area: totalOf(mask.shares) / mask.shares.length };
}

/** Where a word looks, in a sentence or two with its numbers. */
export function sentenceOfWord(scene, map, place) {
  const word = scene.words[place];
  const row = rowOf(scene, map, place);
  const top = topOf(row);
  const label = readable(word.text);
  const said = [];
  if (top === null) said.push(`Nothing in the picture counts for “${label}” in this map.`);
  else {
    const total = totalOf(row);
    const share = row[top] / total;
    const times = Number((share * scene.cells).toPrecision(2));
    const told = filled(map.says, { word: label, share: percent(share) });
    said.push(`${told} to ${spotName(scene, top)}, the most: ${times} times an even share of ${scene.cells} places.`);
  }
  if (word.tell) said.push(word.tell);
  const score = scoreOf(row, word.mask);
  if (score) {
    said.push(
      `What it means is outlined, ${percent(score.area)} of the picture: ${percent(score.inside)} of the map lies ` +
        `inside, and of the brightest place ${percent(score.pointing)}.`,
    );
  }
  return said.join(" ");
}

/** Which words a place of the picture matters to. */
export function sentenceOfSpot(scene, map, cell) {
  const found = sharesAt(scene, map, cell)
    .map((share, place) => ({ share, place }))
    .filter(({ share, place }) => share > 0 && !scene.words[place].quiet)
    .sort((one, other) => other.share - one.share)
    .slice(0, NAMED);
  if (!found.length) return `${capital(spotName(scene, cell))}: no word has anything here in this map.`;
  const named = found.map(({ share, place }) => `“${readable(scene.words[place].text)}” ${percent(share)}`);
  return `${capital(spotName(scene, cell))}: share of each word’s map that lies here: ${named.join(", ")}.`;
}

/** For each word the share of its map that lies at a place. */
export function sharesAt(scene, map, cell) {
  return scene.words.map((_, place) => {
    const row = rowOf(scene, map, place);
    const total = totalOf(row);
    return total > 0 ? row[cell] / total : 0;
  });
}

/** The numbers of a map: a row for each word and place. */
export function rowsOfWords(scene, map) {
  const lines = scene.words.flatMap(({ text }, place) =>
    Array.from({ length: scene.cells }, (_, cell) => [
      readable(text),
      Math.floor(cell / scene.columns),
      cell % scene.columns,
      Number(map.values[place * scene.cells + cell].toPrecision(4)),
    ]),
  );
  return [["word", "row", "column", map.name], ...lines];
}

function spotName({ columns }, cell) {
  return `row ${Math.floor(cell / columns)}, column ${cell % columns}`;
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
