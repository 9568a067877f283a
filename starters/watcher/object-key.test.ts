import { expect, test } from '@jest/globals';
import { openshift } from '../../k8s/dialects/openshift/api.ts';
import { keysOfNamed } from './object-key.ts';

test('a Cluster and a class are named by the kinds of their own API', () => {
  expect(keysOfNamed(openshift, 'default', { clusterName: 'c1', machineClass: 'large' })).toEqual({
    clusterKey: 'machine.openshift.io/v1beta1 Cluster default/c1',
    classKey: 'machine.openshift.io/v1beta1 MachineClass default/large',
  });
});

test('what is not named, or is no kind of the API, has no key', () => {
  expect(keysOfNamed(openshift, 'default', { clusterName: '', machineClass: undefined })).toEqual({});
  const { machine } = openshift;
  expect(keysOfNamed({ machine }, 'default', { clusterName: 'c1', machineClass: 'large' })).toEqual({});
});
