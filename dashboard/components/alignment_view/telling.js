import { rounded } from "../step_view/numbers.js";
import { strongest } from "./alignment.js";

const TOLD = 3; // source words that a sentence names
const WORTH_TELLING = 0.05; // a weight from which another panel's word is worth a mention

/** What is said of the word in view. */
export function sentenceFor(scene, maps, focus) {
  return focus.panel === null ? sourceSentence(scene, maps, focus.column) : targetSentence(scene, maps, focus);
}

function targetSentence(scene, maps, { panel: place, row, column }) {
  const panel = scene.panels[place];
  const weights = maps[place].row(row);
  const top = strongest(weights).slice(0, TOLD);
  const seen = top.map((source) => `${quoted(scene.tell(source))} with ${told(weights[source])}`);
  const name = `${quoted(panel.tell(row))} (${panel.title}${certainty(panel, row)})`;
  const first = top.length ? `${name} ${panel.verb} ${joined(seen)}.` : `${name} ${panel.verb} nothing.`;
  const cell =
    column === null || top.includes(column) ? "" : ` On ${quoted(scene.tell(column))}: ${cellTold(weights[column])}.`;
  const others = top.length ? elsewhere(scene, maps, top[0], place) : [];
  const also = others.length ? ` ${quoted(scene.tell(top[0]))} also weighs ${joined(others)}.` : "";
  return first + cell + also;
}

function sourceSentence(scene, maps, column) {
  const found = elsewhere(scene, maps, column, null);
  const name = quoted(scene.tell(column));
  return found.length ? `${name} weighs ${joined(found)}.` : `${name} weighs nothing much in any word.`;
}

/** "0.88 in “accord” (Transformer)": the word of each other panel in which a source word weighs most. */
function elsewhere(scene, maps, column, without) {
  return scene.panels.flatMap((panel, place) => {
    if (place === without) return [];
    const weights = maps[place].column(column);
    const [row] = strongest(weights);
    if (row === undefined || weights[row] < WORTH_TELLING) return [];
    return [`${told(weights[row])} in ${quoted(panel.tell(row))} (${panel.title})`];
  });
}

function certainty({ logProbabilities }, row) {
  const value = logProbabilities?.[row] ?? null;
  return value === null ? "" : `, written with probability ${told(Math.exp(value))}`;
}

function cellTold(weight) {
  return Number.isNaN(weight) ? "not allowed" : told(weight);
}

/** 0.88; what is there but rounds to nothing says so. */
export function told(weight) {
  return weight > 0 && weight < 0.005 ? "< 0.01" : rounded(weight, 2);
}

function quoted(label) {
  return `“${label}”`;
}

function joined(parts) {
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : (parts[0] ?? "");
}
