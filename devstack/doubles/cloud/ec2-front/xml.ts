/**
 * XML as the EC2 query protocol has it: elements and text, no mixed content, nothing that needs a document type. Reads
 * what moto writes and writes it back changed.
 */

export interface XmlElement {
  readonly name: string;
  /** As written: namespace declarations, which nobody looks into. */
  readonly attributes: string;
  readonly children: readonly XmlElement[];
  /** Of an element without children. */
  readonly text: string;
}

const TAG = /<(\/?)([A-Za-z_][\w.:-]*)([^<>]*?)(\/?)>/g;

/** Throws where the text is no such XML. */
export function parseXml(text: string): XmlElement {
  const open: { name: string; attributes: string; children: XmlElement[]; from: number }[] = [];
  for (const match of text.matchAll(TAG)) {
    const [whole, slash, name = '', attributes = '', selfClosing] = match;
    const end = match.index + whole.length;
    if (slash === '' && selfClosing === '') {
      open.push({ name, attributes, children: [], from: end });
      continue;
    }
    let element: XmlElement;
    if (slash === '') element = { name, attributes, children: [], text: '' };
    else {
      const opened = open.pop();
      if (opened?.name !== name) throw new Error(`</${name}> where </${opened?.name ?? ''}> was to come`);
      const content = opened.children.length === 0 ? unescapeXml(text.slice(opened.from, match.index)) : '';
      element = { name, attributes: opened.attributes, children: opened.children, text: content };
    }
    const parent = open.at(-1);
    if (parent === undefined) return element;
    parent.children.push(element);
  }
  throw new Error(`no XML: ${text.slice(0, 100)}`);
}

export function printXml({ name, attributes, children, text }: XmlElement): string {
  if (children.length === 0 && text === '') return `<${name}${attributes}/>`;
  const content = children.length === 0 ? escapeXml(text) : children.map(printXml).join('');
  return `<${name}${attributes}>${content}</${name}>`;
}

/** An element with text, or with children. */
export function element(name: string, content: string | readonly XmlElement[], attributes = ''): XmlElement {
  const isText = typeof content === 'string';
  return { name, attributes, children: isText ? [] : content, text: isText ? content : '' };
}

export function child(parent: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  let current = parent;
  for (const name of path) current = current?.children.find((each) => each.name === name);
  return current;
}

/** Text of the element at the path; empty where there is none. */
export function textOf(parent: XmlElement | undefined, ...path: readonly string[]): string {
  return child(parent, ...path)?.text ?? '';
}

/** The element with the children of that name replaced by what `change` makes of them; undefined drops one. */
export function changeChildren(
  parent: XmlElement,
  name: string,
  change: (element: XmlElement) => XmlElement | undefined,
): XmlElement {
  const children = parent.children.flatMap((each) => (each.name === name ? (change(each) ?? []) : each));
  return { ...parent, children };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replaceAll(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name = '') => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return ENTITIES[String(name)] ?? whole;
  });
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
