const SPACES = new Map([
  [" ", "␣"],
  ["\n", "↵"],
  ["\r", "↵"],
  ["\t", "⇥"],
  ["\u00a0", "␣"],
]);
// Characters that reorder or hide their neighbours: bidi controls, zero-width spaces, lone surrogates.
const UNSEEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu;
const JOINERS_ONLY = /^(?:\u200c|\u200d|[\ufe00-\ufe0f])+$/u;
const RIGHT_TO_LEFT = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const LONGEST = 16;
// The sign of a byte that is no character on its own (core/text.py).
const BYTE = /‹[0-9A-F]{2}›/;
const BYTE_AT_END = /‹[0-9A-F]{2}›$/;

/** A token for an axis: without the spaces around it, whitespace and controls as marks that can be seen. */
export function readable(label) {
  const trimmed = label.trim();
  if (!label) return "∅";
  return marked(trimmed || label, !trimmed);
}

/** A token within its text: its leading space stays a space; line breaks are marked and kept. */
export function flowing(label) {
  return label.trim() ? marked(label, false) : readable(label);
}

/** Whether a token ends in a single byte of a character, as in ‹E2›: a line may end after it, and not within it. */
export function endsInByte(label) {
  return BYTE_AT_END.test(label);
}

/** What the sign of a byte means, if there is one in these labels; else null. */
export function aboutBytes(labels) {
  const found = labels.find((label) => BYTE.test(label));
  return found
    ? `${found.match(BYTE)[0]} is one byte, no letter by itself: rare letters are spelt in two to four.`
    : null;
}

/** At most 16 characters as a reader counts them. */
export function shortened(label, longest = LONGEST) {
  if (label.length <= longest) return label;
  const letters = graphemes(label);
  return letters.length <= longest ? label : `${letters.slice(0, longest - 1).join("")}…`;
}

/** The direction in which a label is read. */
export function direction(label) {
  return RIGHT_TO_LEFT.test(label) ? "rtl" : "ltr";
}

/** Labels of patches: row and column from 0, after the prefix tokens. */
export function patchLabels(rows, columns, prefix) {
  const labels = [...prefix];
  for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) labels.push(`${row}·${column}`);
  return labels;
}

/** "Layer 3, head 2", "Encoder, layer 3": a label that is a number is called a layer; an only head has no number. */
export function headName(layer, head) {
  const name = layer.heads === 1 ? layerName(layer) : `${layerName(layer)}, head ${head}`;
  return name[0].toUpperCase() + name.slice(1);
}

export function layerName({ label, group }) {
  const own = /^\d+$/.test(label) ? `layer ${label}` : readable(label);
  return group ? `${readable(group)}, ${own}` : own;
}

/** A sentence with {names} in it, filled in one pass: a label that holds "{value}" stays as it is. */
export function filled(sentence, words) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => words[name] ?? whole);
}

function marked(text, spacesToo) {
  const seen = JOINERS_ONLY.test(text) ? codePoints(text) : text.replace(UNSEEN, codePoints);
  return Array.from(seen, (letter) => (spacesToo && SPACES.get(letter)) || control(letter)).join("");
}

function control(letter) {
  const code = letter.codePointAt(0);
  if (letter === "\n" || letter === "\r" || letter === "\t") return SPACES.get(letter);
  if (code < 0x20 || code === 0x7f) return `‹${code.toString(16).toUpperCase().padStart(2, "0")}›`;
  return code > 0x7f && code < 0xa0 ? codePoints(letter) : letter;
}

function codePoints(text) {
  const hex = (letter) => letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return Array.from(text, (letter) => `U+${hex(letter)}`).join(" ");
}

function graphemes(text) {
  if (!Intl.Segmenter) return Array.from(text);
  return Array.from(new Intl.Segmenter().segment(text), (part) => part.segment);
}
