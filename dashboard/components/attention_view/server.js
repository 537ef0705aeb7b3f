import { bytesOf } from "./codec.js";
import { patternOf } from "./pattern.js";

const TELL_AFTER = 250; // milliseconds of rest before the server is told

/** What the browser asks of the server: a head that is not here, a row to the last digit; and what it tells. */
export function createServer() {
  let component = null;
  let asked = "";
  let waiting = 0;
  let exact = null;

  /** Takes a message in; what was asked for has come, so the same may be asked for again. */
  function receive(message) {
    component = message;
    asked = "";
    exact = message.data.exact ?? exact;
  }

  function ask(wish) {
    const text = JSON.stringify(wish);
    if (asked === text) return;
    asked = text;
    component.setStateValue("chosen", wish);
  }

  function tell(wish) {
    clearTimeout(waiting);
    waiting = setTimeout(() => ask(wish), TELL_AFTER);
  }

  /** The exact weights of a row as the pattern shows it, or null if they are not here. */
  function exactRow(pattern, query) {
    const { layer, head } = pattern;
    if (exact?.layer !== layer.place || exact.head !== head || exact.token !== query) return null;
    const weights = new Float32Array(bytesOf(exact.cells).buffer);
    if (!pattern.renormalised) return weights;
    const single = { ...layer, query: { labels: [""], special: [false] }, queries: 1 };
    return patternOf(single, { weights, code: "float" }, true).weights;
  }

  return {
    receive,
    ask,
    tell,
    exactRow,
    forget: () => (exact = null),
    silence: (layer, head) => component.setTriggerValue("silence", { layer, head }),
    destroy: () => clearTimeout(waiting),
  };
}
