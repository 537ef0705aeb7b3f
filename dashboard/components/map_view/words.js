import { inkOn, shade } from "../../../core/view/browser/kit/colour.js";
import { largestOf } from "../../../core/view/browser/kit/numbers.js";
import { lastNotAbove } from "./axes.js";
import { halfValues, strengthOf } from "./painting.js";
import { codesFrom } from "./server.js";

const FAINTEST = 0.08; // of the strongest tint: what is weaker has none
const DARKEST = 0.75; // of the scale, so that letters stay readable

/** The attention of one token to all and of all to it, as tints of the text. */
export class ChosenWord {
  token = null;
  row = null;
  column = null;

  /** Fetches the weights of a token; null takes the tints away. */
  async choose(root, token) {
    this.request?.abort();
    this.request = new AbortController();
    Object.assign(this, { token, row: null, column: null });
    if (token === null || !root) return false;
    const codes = await codesFrom(`${root}/${token}`, this.request.signal);
    const weights = halfValues(codes);
    this.row = weights.slice(0, weights.length / 2);
    this.column = weights.slice(weights.length / 2);
    // A token's weight on itself would be on both scales, and says nothing about the text.
    this.most = [this.row, this.column].map((own) => largestOf(own.map((weight, at) => (at === token ? 0 : weight))));
    return true;
  }

  /** How strong the tints of a token are: [it is attended to, it attends], from 0 to 1. */
  strengths(token) {
    if (!this.row || token === this.token) return [0, 0];
    const strength = (own, most) => (own[token] > 0 ? strengthOf("root", own[token], most) : 0);
    return [strength(this.row, this.most[0]), strength(this.column, this.most[1])];
  }

  /** The colours of a token, { colour, ink, below }: what the chosen one attends to, and what attends to it. */
  tint(token, theme, hue) {
    const [to, from] = this.strengths(token);
    const [isTo, isFrom] = [to > FAINTEST, from > FAINTEST];
    if (!isTo && !isFrom) return null;
    const strength = DARKEST * to;
    const behind = isTo ? { colour: shade(theme, strength), ink: inkOn(theme, strength) } : {};
    return { ...behind, below: isFrom ? faded(hue, from) : null };
  }

  /** The marks of the ruler: [token, colour, strength]. */
  marks(theme, hue) {
    if (!this.row) return [];
    const marks = [];
    for (let token = 0; token < this.row.length; token++) {
      const [to, from] = this.strengths(token);
      if (to > FAINTEST) marks.push([token, theme.map, to]);
      if (from > FAINTEST) marks.push([token, hue, from]);
    }
    return marks;
  }
}

function faded(colour, strength) {
  return `color-mix(in srgb, ${colour} ${Math.round(100 * strength)}%, transparent)`;
}

/** The places of a search, one of which is the current one. */
export class Hits {
  places = [];
  at = 0;

  /** Other places; the first one from a token on becomes the current one. */
  show(places, token) {
    this.places = places;
    this.at = Math.max(
      0,
      places.findIndex(([first]) => first >= token),
    );
  }

  step(by) {
    const count = this.places.length;
    if (count) this.at = (this.at + by + count) % count;
    return this.current;
  }

  get current() {
    return this.places[this.at] ?? null;
  }

  /** The class of a token in the text. */
  classOf(token) {
    const place = lastNotAbove(this.places.length, (index) => this.places[index][0], token);
    if (place < 0 || token > this.places[place][1]) return "";
    return place === this.at ? "hit current" : "hit";
  }
}
