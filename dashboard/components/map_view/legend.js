import { tokenRange } from "./geometry.js";
import { lowEndOf, SCALES_OF_COLOUR } from "./painting.js";
import { counted, shareText, tokensNamed, weightText } from "./sentences.js";

const LEAST_END = 1e-7; // of a lower end that is worth its digits

/** The scale of colours in view: its lower end, its upper end, and what it measures; null where nothing is drawn yet. */
export function endsOfScale({ limit, depth, look }) {
  if (!limit) return null;
  const isShare = look.kind === "share" && depth > 0;
  const written = isShare ? shareText : weightText;
  const low = lowEndOf(look.scale, limit);
  return [low > LEAST_END ? `≤ ${written(low)}` : "0", written(limit), isShare ? "share" : "weight"];
}

/** What stands above a picture of the figure: its title, what it shows, and the ends of its scale. */
export function wordsOfPicture({ stage, state, painter }, title) {
  const range = (name) => {
    const [first, behind] = tokenRange(stage.view, stage.room, name, state.tokens);
    return tokensNamed([first, Math.max(first, behind - 1)]);
  };
  const kind = painter.look.kind === "share" ? "share of attention" : "largest weight";
  const scale = SCALES_OF_COLOUR[painter.look.scale].toLowerCase();
  const about = `Queries: ${range("query")}; keys: ${range("key")}; of a text of ${counted(state.tokens)} tokens.`;
  const [low, high, what] = endsOfScale(painter) ?? ["0", "0", kind];
  const reading = `${about} The ${kind} of each cell; scale of colours: ${scale}.`;
  return { title, reading, ends: [low, `${high}, the largest ${what} in view`] };
}
