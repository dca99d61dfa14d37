/** Makes an element. Attributes are set as given; children are elements or text. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Makes an SVG element. */
export function svg(tag: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/** Sets a text only where it differs, so that nothing is laid out or announced without a reason. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
