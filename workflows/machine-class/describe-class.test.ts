import { expect, test } from '@jest/globals';
import { DEFAULT_MACHINE_SETTINGS } from '../machine/settings.ts';
import { entitySettingsOf } from '../settings.ts';
import { describeClass } from './describe-class.ts';
import type { FoundClass } from './machine-class-activities.ts';

const REF = { apiVersion: 'a/v1', kind: 'MachineClass', namespace: 'ns', name: 'medium', uid: 'u' };

function said(machines: number, machineSets: number): string {
  const seen: FoundClass = {
    found: true,
    generation: 1,
    isDeleting: false,
    isHeld: true,
    machines: { kind: 'Machine', count: machines, names: [] },
    machineSets: { kind: 'MachineSet', count: machineSets, names: [] },
    status: {},
    settings: entitySettingsOf(DEFAULT_MACHINE_SETTINGS),
  };
  return describeClass(REF, seen, undefined);
}

test('a class says how many refer to it, one as one', () => {
  expect(said(4, 1)).toContain('**4** machines and **1** set refer to it');
  expect(said(1, 0)).toContain('**1** machine and **0** sets refer to it');
  expect(said(1, 2)).toContain('**1** machine and **2** sets refer to it');
});
