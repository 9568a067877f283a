import { describe, expect, it } from '@jest/globals';
import { mergeSettings, NO_SETTINGS, settingsFor, settingsOfText, textOfSettings } from './template-settings.ts';

const settings = (labels: Readonly<Record<string, unknown>>) => ({ ...NO_SETTINGS, labels });
const merge = (present: object, last: object, wanted: object) =>
  mergeSettings(settings({ ...present }), settings({ ...last }), settings({ ...wanted })).labels;

describe('settings of a template, on a machine that is there', () => {
  it('come, change, and go with the template', () => {
    expect(merge({}, {}, { a: '1' })).toEqual({ a: '1' });
    expect(merge({ a: '1' }, { a: '1' }, { a: '2' })).toEqual({ a: '2' });
    expect(merge({ a: '1' }, { a: '1' }, {})).toEqual({});
  });

  it('stay where the template says what it said', () => {
    expect(merge({ a: '1' }, { a: '1' }, { a: '1' })).toEqual({ a: '1' });
  });

  it('stay as somebody has them on the machine, until the template says otherwise', () => {
    expect(merge({ a: 'mine' }, { a: '1' }, { a: '1' })).toEqual({ a: 'mine' });
    expect(merge({}, { a: '1' }, { a: '1' })).toEqual({});
    expect(merge({ a: 'mine' }, { a: '1' }, { a: '2' })).toEqual({ a: '2' });
    expect(merge({ a: 'mine', b: 'mine' }, { a: '1' }, {})).toEqual({ a: 'mine', b: 'mine' });
  });

  it('are compared by what they say, whatever the order', () => {
    const [a, b] = [
      { key: 'k', value: 'v' },
      { value: 'v', key: 'k' },
    ];
    expect(merge({ t: a }, { t: b }, {})).toEqual({});
    expect(textOfSettings(settings({ a, b: 1 }))).toBe(textOfSettings(settings({ b: 1, a: b })));
  });

  it('are nothing where there are none, or where somebody spoiled the record', () => {
    expect(textOfSettings(NO_SETTINGS)).toBeUndefined();
    for (const text of [undefined, '', 'x', '7', '[]', 'null']) expect(settingsOfText(text)).toEqual(NO_SETTINGS);
    const some = { ...settings({ a: '1' }), fields: { deletionPolicy: 'unsafe' } };
    expect(settingsOfText(textOfSettings(some))).toEqual(some);
  });

  it('of an earlier template are its own of the Node, and the newest of how machines go', () => {
    const own = { ...settings({ image: 'v1' }), drain: { timeout: '1h' } };
    const wanted = { ...settings({ image: 'v2' }), drain: { timeout: '1m' } };
    expect(settingsFor(own, wanted, false)).toEqual({ ...settings({ image: 'v1' }), drain: { timeout: '1m' } });
    expect(settingsFor(own, wanted, true)).toEqual(wanted);
  });

  it('of an earlier template are its own in all that one sees of the Node', () => {
    const having = (one: Readonly<Record<string, unknown>>) => ({
      ...NO_SETTINGS,
      labels: one,
      annotations: one,
      taints: one,
      startupTaints: one,
    });
    expect(settingsFor(having({ a: 'v1' }), having({ a: 'v2' }), false)).toEqual(having({ a: 'v1' }));
  });
});
