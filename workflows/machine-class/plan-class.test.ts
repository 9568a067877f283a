import { describe, expect, it } from '@jest/globals';
import { DEFAULT_MACHINE_SETTINGS } from '../machine/settings.ts';
import type { FoundClass } from './machine-class-activities.ts';
import { planClass } from './plan-class.ts';

const NOBODY = { kind: 'Machine', count: 0, names: [] };
const ONE = { kind: 'Machine', count: 1, names: ['a'] };
const BASE = { found: true, generation: 1, status: {}, settings: DEFAULT_MACHINE_SETTINGS } as const;

describe('the finalizer of a class', () => {
  it.each<[string, Partial<FoundClass>, 'hold' | 'release' | undefined]>([
    ['is put on where a Machine refers to it', { machines: ONE }, 'hold'],
    ['is not put on where only a set does', { machineSets: ONE }, undefined],
    ['is left alone where nothing does', {}, undefined],
    ['stays where it is', { machines: ONE, isHeld: true }, undefined],
    ['stays without a user while nobody deletes it', { isHeld: true }, undefined],
    ['stays where a Machine refers to it still', { machines: ONE, isHeld: true, isDeleting: true }, undefined],
    ['stays where a set refers to it still', { machineSets: ONE, isHeld: true, isDeleting: true }, undefined],
    ['stays where both do', { machines: ONE, machineSets: ONE, isHeld: true, isDeleting: true }, undefined],
    ['is not taken off where it is not on', { isDeleting: true }, undefined],
    ['is taken off where nothing refers to it any more', { isHeld: true, isDeleting: true }, 'release'],
    [
      "is not put on any more when it is being deleted for somebody else's",
      { machines: ONE, isDeleting: true },
      undefined,
    ],
  ])('%s', (_how, seen, plan) => {
    const machineClass = { ...BASE, isDeleting: false, isHeld: false, machines: NOBODY, machineSets: NOBODY, ...seen };
    expect(planClass(machineClass)).toBe(plan);
  });
});
