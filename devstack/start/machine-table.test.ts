import { expect, test } from '@jest/globals';
import type { MachinePhase } from '../../k8s/model/machine.ts';
import { given } from '../../providers/given.ts';
import { areLasting, machineTable, phaseChanges, phases, type ShownMachine } from './machine-table.ts';

const machine = (name: string, phase?: MachinePhase): ShownMachine => ({
  ref: { apiVersion: 'v1', kind: 'Machine', namespace: 'default', name, uid: name },
  status: given({ phase }),
});
const set = (replicas: number) => ({ replicas });

test('lasts once as many machines as asked for are where they stay by themselves', () => {
  expect(areLasting([], [])).toBe(true);
  expect(areLasting([machine('a', 'Running')], [set(2)])).toBe(false);
  expect(areLasting([machine('a', 'Running'), machine('b', 'Provisioned')], [set(2)])).toBe(false);
  expect(areLasting([machine('a', 'Running'), machine('b')], [set(2)])).toBe(false);
  expect(areLasting([machine('a', 'Running'), machine('b', 'Failed')], [set(2)])).toBe(true);
});

test('tells of each machine that is new or in another phase, and of no other', () => {
  const before = phases([machine('a', 'Provisioning'), machine('b', 'Running')]);
  const changes = phaseChanges(before, [machine('a', 'Running'), machine('b', 'Running'), machine('c')]);
  expect(changes.map((line) => line.split(':')[0])).toEqual(['machine a', 'machine c']);
});

test('the table has a line per machine below its head', () => {
  expect(machineTable([machine('a', 'Running'), machine('b')]).split('\n')).toHaveLength(3);
});
