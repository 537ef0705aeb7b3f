import { readable } from "../../../core/view/browser/kit/labels.js";
import { significant } from "../../../core/view/browser/kit/numbers.js";

const PARTS = 8; // tokens to each side that are searched for the rest of a word
const LEAST = 6e-8; // what is smaller has no bits in half precision

/** A number of a token or of tokens, with commas. */
export function counted(number) {
  return Math.round(number).toLocaleString("en-US");
}

/** The first and the last token of the word that a token is a part of. */
export function wordAround(labels, token) {
  const begins = (place) => /^\s/.test(labels[place]) || /\s$/.test(labels[place - 1] ?? " ");
  const isLetter = (place) => /^\s?[\p{L}\p{M}\p{N}'’]+$/u.test(labels[place] ?? "");
  let [first, last] = [token, token];
  if (!isLetter(token)) return [token, token];
  while (first > 0 && token - first < PARTS && !begins(first) && isLetter(first - 1)) first--;
  while (last + 1 < labels.length && last - token < PARTS && !begins(last + 1) && isLetter(last + 1)) last++;
  return [first, last];
}

/** A token in quotes, with its word where it is only a part of one. */
export function quotedToken(labels, token) {
  if (labels[token] === undefined) return `token ${counted(token)}`;
  const [first, last] = wordAround(labels, token);
  const own = `“${readable(labels[token])}”`;
  return first === last ? own : `${own} of “${readable(labels.slice(first, last + 1).join(""))}”`;
}

/** Tokens by their numbers. */
export function tokensNamed([first, last]) {
  return first === last ? `token ${counted(first)}` : `tokens ${counted(first)} to ${counted(last)}`;
}

/**
 * What a cell says. `query` and `key` are blocks [first, last] of tokens, `kind` is "share" or "maximum", `value` null
 * where it is not known yet.
 */
export function sentenceOfBlock({ query, key, value, kind, labels, isCausal }) {
  const isToken = query[0] === query[1] && key[0] === key[1];
  const [from, to] = isToken ? namedPair(query[0], key[0], labels) : [tokensNamed(query), tokensNamed(key)];
  const opening = from.startsWith("t") ? `T${from.slice(1)}` : from;
  const verb = query[0] === query[1] ? "does" : "do";
  if (isCausal && key[0] > query[1]) return `${opening} ${verb} not attend to ${to}: the model sees no later token.`;
  if (value === null) return `${opening} to ${to}: this part is being computed.`;
  if (Number.isNaN(value)) return `${opening} to ${to}: no number.`;
  if (isToken) return `${opening} attends to ${to} with weight ${weightText(value)}`;
  const own = query[0] === query[1] ? ["gives", "its"] : ["give", "their"];
  if (kind === "share") return `${opening} ${own[0]} ${shareText(value)} of ${own[1]} attention to ${to}`;
  return `The largest weight of ${from} on ${to} is ${weightText(value)}`;
}

function namedPair(query, key, labels) {
  return [query, key].map((token) => `${quotedToken(labels, token)} (token ${counted(token)})`);
}

/** A share as a percentage with three digits that count. */
export function shareText(share) {
  return share < LEAST ? "less than 0.00001%" : `${significant(100 * share)}%`;
}

/** A weight with three digits that count. */
export function weightText(weight) {
  return weight < LEAST ? "less than 0.0000001" : significant(weight);
}

/** What the attention of a word and to it is at most; `row` and `column` are weights by token. */
export function sentenceOfWord(labels, token, row, column, isCausal) {
  const own = quotedToken(labels, token);
  const to = strongestOf(row, token);
  const from = strongestOf(column, token);
  const named = ([place, weight]) => `${quotedToken(labels, place)} (token ${counted(place)}, ${weightText(weight)})`;
  const first = to ? `${own} attends most to ${named(to)}` : `${own} attends to no other token`;
  const none = isCausal && token === labels.length - 1 ? "no token follows it" : "no other token attends to it";
  return `${first}; ${from ? `${named(from)} attends most to it` : none}.`;
}

/** The index and the value of the largest weight but that of a token itself; null if none is above 0. */
export function strongestOf(weights, apart) {
  let [best, most] = [-1, 0];
  for (let place = 0; place < weights.length; place++) {
    if (place !== apart && weights[place] > most) [best, most] = [place, weights[place]];
  }
  return best < 0 ? null : [best, most];
}

/**
 * The strongest of the links [query, key, weight] that are farther than a distance; "" where there is none. `isAll`:
 * whether those to the first token are among them.
 */
export function sentenceOfStrongest(labels, links, distance, isAll) {
  if (!links.length) return "";
  const [query, key, weight] = links[0];
  const where = `${counted(Math.abs(query - key))} tokens ${key < query ? "earlier" : "later"}`;
  const [from, to] = [query, key].map((token) => quotedToken(labels, token));
  const beside = `no link farther than ${counted(distance)} tokens is stronger`;
  const without = isAll ? "" : " (those to the first token left out)";
  return `${from} puts ${shareText(weight)} of its attention on ${to}, ${where}: ${beside}${without}.`;
}

/** The progress of a reading in a sentence. */
export function progressText({ tokens, layers, read, done, total, seconds, waiting }) {
  if (waiting) return waiting;
  if (done >= total) return "";
  const layer = Math.min(layers.length, read + 1);
  const part = Math.round(Math.max(0, done - read * tokens));
  const left = seconds === null ? "" : `, ${timeText(seconds)} left`;
  return `Reading layer ${layer} of ${layers.length}: ${counted(Math.min(tokens, part))} of ${counted(tokens)} tokens${left}`;
}

function timeText(seconds) {
  if (seconds < 90) return `about ${Math.max(1, Math.round(seconds))} s`;
  return `about ${Math.round(seconds / 60)} min`;
}
