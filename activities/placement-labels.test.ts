import { describe, expect, it } from '@jest/globals';
import type { Instance } from '../providers/provider.ts';
import { placementLabels } from './placement-labels.ts';

const INSTANCE: Instance = { id: 'i-1', providerID: 'metal:///i-1', state: 'running', addresses: [] };

describe('the labels of a Machine by its instance', () => {
  it('tell region, zone and type', () => {
    expect(placementLabels({ ...INSTANCE, region: 'r', zone: 'z', instanceType: 't' })).toEqual({
      'machine.openshift.io/region': 'r',
      'machine.openshift.io/zone': 'z',
      'machine.openshift.io/instance-type': 't',
    });
  });

  it('are not there, and not empty, for what the cloud does not have', () => {
    expect(placementLabels(INSTANCE)).toEqual({});
    expect(placementLabels({ ...INSTANCE, region: '', zone: 'z' })).toEqual({ 'machine.openshift.io/zone': 'z' });
  });
});
