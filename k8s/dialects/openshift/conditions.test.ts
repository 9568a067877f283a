import { expect, test } from '@jest/globals';
import { NOW, storedObject } from '../../../test/world/builders/stored-object.ts';
import { cluster } from './cluster.ts';
import { machineClass } from './machine-class.ts';
import { machineSet } from './machine-set.ts';
import { machine } from './machine.ts';

test('of a status only the conditions are read that are ours to write', () => {
  const conditions = ['Paused', 'Ready', 'MachinesCreated', 'NodeReady', 'Theirs'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: NOW,
  }));
  const stored = (kind: string) => storedObject({ kind, status: { conditions } });
  const { machine: read, otherConditions } = machine.read(stored('Machine'));
  const statuses = [
    read.status,
    machineSet.read(stored('MachineSet')).status,
    machineClass.read(stored('MachineClass')).status,
    cluster.read(stored('Cluster')).status,
  ];
  expect(statuses.map((status) => status.conditions?.map(({ type }) => type))).toEqual([
    ['NodeReady', 'Paused'],
    ['Paused', 'MachinesCreated'],
    ['Ready'],
    ['Paused'],
  ]);
  expect(otherConditions.map(({ type }) => type)).toEqual(['Ready', 'MachinesCreated', 'Theirs']);
});
