import { expect, it } from '@jest/globals';
import { changeChildren, element, parseXml, printXml, textOf } from './xml.ts';

it('reads what moto writes and writes it back', () => {
  const text =
    '<a xmlns="urn:x"><b><item><k>Name</k><v>a&amp;b &lt;c&gt;</v></item><item/></b><c/><d>two words</d></a>';
  const root = parseXml(`<?xml version="1.0" encoding="utf-8"?>\n${text}`);
  expect(textOf(root, 'b', 'item', 'v')).toBe('a&b <c>');
  expect(printXml(root)).toBe(text);
});

it('reads numbered characters', () => {
  expect(parseXml('<a>&#65;&#x1F600;&unknown;</a>').text).toBe('A😀&unknown;');
});

it('changes and drops elements', () => {
  const root = parseXml('<a><b>1</b><b>2</b><c>3</c></a>');
  const changed = changeChildren(root, 'b', ({ text }) => (text === '1' ? undefined : element('b', 'two')));
  expect(printXml(changed)).toBe('<a><b>two</b><c>3</c></a>');
});

it.each(['', 'no XML', '<a><b></a>', '<a>'])('refuses %j', (text) => {
  expect(() => parseXml(text)).toThrow();
});
