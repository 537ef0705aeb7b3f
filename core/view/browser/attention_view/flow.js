import { inkOn, shade } from "../kit/colour.js";
import { make } from "../kit/dom.js";
import { direction, endsInByte } from "../kit/labels.js";

/** A text as words that can be shaded and, with `hover` and `pick`, pointed at and picked. */
export function createFlow({ hover = null, pick = null } = {}) {
  const element = make("div", { class: hover ? "flow active" : "flow" });
  let words = new Map();
  if (hover) listen(element, hover, pick);

  /** Writes those tokens of a sequence that take part. */
  function write(sequence, tokens) {
    const texts = tokens.map((token) => sequence.flow?.[token] ?? sequence.labels[token]);
    words = new Map(tokens.map((token, place) => [token, wordOf(sequence, token, texts[place])]));
    element.dir = direction(texts.join(""));
    element.replaceChildren(...tokens.flatMap((token, place) => around(words.get(token), texts[place])));
  }

  /** Shades each word by its strength (none without `strengthOf`), and marks who looks and who is pinned. */
  function paint(theme, strengthOf, looking, pinned) {
    for (const [token, word] of words) {
      const drawn = strengthOf ? strengthOf(token) : 0;
      word.style.backgroundColor = drawn > 0 ? shade(theme, drawn) : "";
      word.style.color = drawn > 0 ? inkOn(theme, drawn) : "";
      word.classList.toggle("looking", token === looking);
      word.classList.toggle("pinned", token === pinned);
    }
  }

  /** Brings a word into sight where the text is longer than its place. */
  function reveal(token) {
    const word = words.get(token);
    if (!word || element.scrollHeight <= element.clientHeight) return;
    element.scrollTop = word.offsetTop - element.offsetTop - element.clientHeight / 2;
  }

  /** The words as marks, where they stand within a frame. */
  function marks(frame, theme) {
    return element.hidden ? [] : Array.from(words.values()).flatMap((word) => marksOf(word, frame, theme));
  }

  return { element, write, paint, reveal, marks };
}

function listen(element, hover, pick) {
  const tokenAt = (event) => {
    const token = event.target.closest("[data-token]")?.dataset.token;
    return token === undefined ? null : Number(token);
  };
  element.addEventListener("pointerover", (event) => hover(tokenAt(event)));
  element.addEventListener("pointerleave", () => hover(null));
  element.addEventListener("click", (event) => tokenAt(event) !== null && pick(tokenAt(event)));
}

function wordOf(sequence, token, text) {
  const name = sequence.special[token] ? "token special" : "token";
  return make("span", { class: name, "data-token": token, dir: "auto" }, text.trim());
}

/** A word with the space before it and, after a line break, the break; a line may end after bytes of a character. */
function around(word, text) {
  const space = text.slice(0, text.length - text.trimStart().length);
  const after = text.includes("↵") ? [make("br")] : endsInByte(text) ? [make("wbr")] : [];
  return [space, word, ...after];
}

function marksOf(word, frame, theme) {
  const style = getComputedStyle(word);
  const { left, top, width, height } = word.getBoundingClientRect();
  const box = { x: left - frame.left, y: top - frame.top, width, height, radius: 3 };
  const size = parseFloat(style.fontSize);
  const middle = { x: box.x + width / 2, y: box.y + height / 2 + size * 0.34, align: "middle" };
  const outlined = word.classList.contains("looking") || word.classList.contains("pinned");
  return [
    ...(word.style.backgroundColor ? [{ kind: "rect", ...box, fill: style.backgroundColor }] : []),
    ...(outlined ? [{ kind: "rect", ...box, stroke: theme.accent, line: 2 }] : []),
    { kind: "text", ...middle, text: word.textContent, size, colour: style.color },
  ];
}
