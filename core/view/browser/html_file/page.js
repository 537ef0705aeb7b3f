import { AttentionView } from "../attention_view/view.js";
import { bytesOf } from "../kit/codec.js";

// In a file nobody is asked: what a server would answer is in the file, and is unpacked when the view asks for it.
const { heads, ...message } = JSON.parse(document.getElementById("message").textContent);
const view = new AttentionView(document.getElementById("attention"));

function receive(chosen = null) {
  view.receive({ data: { ...message, chosen }, setStateValue: answer });
}

async function answer(_, { layer, head }) {
  const { cells, ...packed } = heads[`${layer}/${head}`];
  receive({ layer, head, ...packed, bytes: await inflated(bytesOf(cells)) });
}

/** The bytes behind those that zlib made. */
async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => receive());
receive();
