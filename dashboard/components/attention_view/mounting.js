import { mendHistory } from "./history.js";

const mounted = new WeakMap(); // views by the element that holds them

/**
 * What Streamlit calls for each new message and each new theme; one view lives as long as its element.
 *
 * A view takes messages with `receive(component)`, which counts its calls in `turn` and returns the count, and leaves
 * nothing behind after `destroy()`.
 */
export function mounting(View) {
  return (component) => {
    mendHistory();
    const host = component.parentElement;
    if (!mounted.has(host)) mounted.set(host, new View(host));
    const view = mounted.get(host);
    const turn = view.receive(component);
    return () => {
      if (view.turn !== turn) return; // an older call is cleaned up after a newer one has begun
      view.destroy();
      mounted.delete(host);
    };
  };
}
