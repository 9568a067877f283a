import { describe, expect, it } from '@jest/globals';
import { aPass, NOW_MS } from '../../test/workflow/a-pass.ts';
import { forgetMaintenanceStart, noteStart, startOf, startOnRecord } from './drain-start.ts';

const at = (ms: number) => new Date(ms).toISOString();
const maintained = (start: string) => aPass({ status: { maintenance: false, maintenanceDrainStartTime: start } });
const deleted = (start: string) => aPass({ status: { deletion: { drainStartTime: start } } });

describe('the beginning of a drain', () => {
  it.each([
    ['maintenance', maintained(at(5)), 5],
    ['deletion', deleted(at(5)), 5],
    ['maintenance', maintained(at(NOW_MS)), NOW_MS],
    ['maintenance', maintained(at(NOW_MS + 1)), NOW_MS],
    ['maintenance', maintained('soon'), NOW_MS],
    ['maintenance', deleted(at(5)), NOW_MS],
    ['deletion', maintained(at(5)), NOW_MS],
    ['maintenance', aPass(), NOW_MS],
  ] as const)('for a %s is what the status says of it, unless that lies ahead: %#', (purpose, pass, start) => {
    expect(startOf(pass, purpose)).toBe(start);
  });

  it.each([
    ['the time at which its check wished for it', at(5), 5],
    ['now, where that lies ahead', at(NOW_MS + 1), NOW_MS],
    ['now, where the wish tells no time', 'soon', NOW_MS],
  ])('for a reboot is %s', (_what, id, start) => {
    const facts = { status: { deletion: { drainStartTime: at(3) }, maintenanceDrainStartTime: at(4) } };
    expect(startOf(aPass({ machine: { rebootWish: { id, causes: [] } }, ...facts }), 'reboot')).toBe(start);
    expect(startOf(aPass(facts), 'reboot')).toBe(NOW_MS);
  });

  it('for a reboot is new to each pass, and nothing is written of it', () => {
    const pass = aPass({ machine: { rebootWish: { id: at(5), causes: [] } } });
    const before = pass.status;
    expect([noteStart(pass, 'reboot', 5), noteStart(pass, 'reboot', 5)]).toEqual([true, true]);
    expect(pass.status).toBe(before);
  });

  it('is unknown where the status says nothing', () => {
    expect([startOnRecord(aPass(), 'maintenance'), startOnRecord(aPass())]).toEqual([NaN, NaN]);
  });

  it.each(['deletion', 'maintenance'] as const)(
    'for a %s is unknown where it was taken back since, or at that very millisecond',
    (purpose) => {
      const status = { deletion: { drainStartTime: at(5) }, maintenanceDrainStartTime: at(5) };
      const known = [4, 5, 6].map((abortedAt) => startOnRecord(aPass({ status, memory: { abortedAt } }), purpose));
      expect(known).toEqual([5, NaN, NaN]);
    },
  );

  it('is noted once, and put right where the status of a maintenance says another', () => {
    const pass = aPass();
    expect([noteStart(pass, 'maintenance', 7), noteStart(pass, 'maintenance', 7)]).toEqual([true, false]);
    expect(pass.status).toEqual({ ...aPass().status, maintenanceDrainStartTime: at(7) });
    const edited = maintained(at(NOW_MS + 1));
    expect(noteStart(edited, 'maintenance', 7)).toBe(true);
    expect(startOnRecord(edited, 'maintenance')).toBe(7);
    const deletion = aPass();
    expect([noteStart(deletion, 'deletion', 7), deletion.status.deletion]).toEqual([true, { drainStartTime: at(7) }]);
    expect(noteStart(deletion, 'deletion', 8)).toBe(false);
  });

  it('for a maintenance is forgotten with it', () => {
    const pass = maintained(at(5));
    forgetMaintenanceStart(pass);
    expect(pass.status).toEqual({ ...aPass().status, maintenance: false });
  });
});
