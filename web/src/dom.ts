// SPDX-License-Identifier: Apache-2.0
// Elements. Text from data only ever becomes a text node or an attribute, never markup.

export type Child = Node | string | number | null | undefined | false | Child[];
type Listener = (event: never) => void;
export type Attributes = Record<string, string | number | boolean | null | undefined | Listener>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") {
      node.addEventListener(name, value as EventListener);
    } else {
      set(node, name, value === true ? "" : String(value));
    }
  }
  append(node, children);
  return node;
}

export function append(node: Node, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(node, child);
    else if (child instanceof Node) node.appendChild(child);
    else if (child !== null && child !== undefined && child !== false)
      node.appendChild(document.createTextNode(String(child)));
  }
}

/** A class or sample name: set apart from the text around it whatever its direction, full on hover. */
export function name_text(text: string): HTMLElement {
  return el("bdi", { class: "name", title: text }, named(text));
}

/** Control characters would change the layout of a row, and overrides of direction what it seems to say. */
export function visible(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "␣");
}

/** A name as it is shown where there is room for text only. */
export function named(text: string): string {
  return text === "" ? "(empty)" : visible(text);
}

/** With a capital and a full stop, whoever wrote it. */
export function sentence(text: string): string {
  const shown = visible(text.trim());
  return shown === "" ? "" : shown.charAt(0).toUpperCase() + shown.slice(1).replace(/([^.!?…])$/, "$1.");
}

export function clip(text: string, length: number): string {
  const points = [...visible(text)];
  return points.length > length ? points.slice(0, length - 1).join("") + "…" : points.join("");
}

function set(node: Element, name: string, value: string): void {
  if (name.startsWith("on")) throw new Error(`${name} must be a function`);
  if (name === "href" && !value.startsWith("#")) throw new Error("a report links to itself only");
  if (name === "src" && !/^data:image\/(png|jpeg|webp|gif);base64,/.test(value))
    throw new Error("a report shows images of its own only");
  node.setAttribute(name, value);
}
