const MATHML = "http://www.w3.org/1998/Math/MathML";

/** A formula from its tree (mathml.py), which the browser sets by itself. */
export function formula(tree, display = "inline") {
  const math = document.createElementNS(MATHML, "math");
  math.setAttribute("display", display);
  math.append(branch(tree));
  return math;
}

function branch([name, ...children]) {
  const element = document.createElementNS(MATHML, name);
  if (name === "mspace") element.setAttribute("width", children[0]);
  else element.append(...children.map((child) => (typeof child === "string" ? child : branch(child))));
  return element;
}

/** A formula as plain text: 1/√64. */
export function spelled([name, ...children]) {
  if (name === "mspace") return " ";
  const text = children.map((child) => (typeof child === "string" ? child : spelled(child))).join("");
  return name === "msqrt" ? `√${text}` : text;
}
