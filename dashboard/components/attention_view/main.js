import { mendHistory } from "./history.js";
import { AttentionView } from "./view.js";

const views = new WeakMap();

/** Streamlit calls this for each new message and each new theme; one view lives as long as its element. */
export default function (component) {
  mendHistory();
  const host = component.parentElement;
  if (!views.has(host)) views.set(host, new AttentionView(host));
  const view = views.get(host);
  const turn = view.receive(component);
  return () => {
    if (view.turn !== turn) return; // an older call is cleaned up after a newer one has begun
    view.destroy();
    views.delete(host);
  };
}
