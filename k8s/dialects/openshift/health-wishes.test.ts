import { describe, expect, it } from '@jest/globals';
import { storedObject } from '../../../test/world/builders/stored-object.ts';
import { writeHealthClaim } from '../../model/health-claim.ts';
import { machine } from './machine.ts';

const healthOf = (annotations: object) =>
  machine.read(storedObject({ metadata: { annotations }, spec: { providerSpec: {} } })).health;

describe('what the annotations of a Machine ask of health checks', () => {
  it('is nothing where there are none', () => {
    expect(healthOf({})).toEqual({});
  });

  it.each([
    ['machine.openshift.io/remediate', 'its disk is slow'],
    ['cluster.x-k8s.io/remediate-machine', ''],
  ])('%s is a wish', (key, reason) => {
    expect(healthOf({ [key]: reason })).toEqual({ remediate: reason });
  });

  it.each([
    [{ 'machine.openshift.io/skip-remediation': '' }, ''],
    [{ 'machine.openshift.io/skip-remediation': '2026-02-01T12:00:00+01:00' }, '2026-02-01T12:00:00+01:00'],
    [{ 'machine.openshift.io/skip-remediation': 'tomorrow' }, ''],
    [{ 'machine.openshift.io/skip-remediation': '2026-13-45T00:00:00Z' }, ''],
    [{ 'machine.openshift.io/skip-remediation': '2026-02-01' }, ''],
    [{ 'cluster.x-k8s.io/skip-remediation': 'false' }, ''],
    [
      {
        'cluster.x-k8s.io/skip-remediation': '',
        'machine.openshift.io/skip-remediation': '2026-02-01T12:00:00Z',
      },
      '',
    ],
  ])('%j is a veto until %j, empty: for ever', (annotations, skip) => {
    expect(healthOf(annotations)).toEqual({ skip });
  });

  it('another program may remediate it', () => {
    expect(healthOf({ 'host.metal3.io/external-remediation': '' })).toEqual({ external: true });
  });

  it('a check may have it', () => {
    const claim = { name: 'workers', uid: 'u-1' };
    expect(healthOf({ 'millwright.dev/remediated-by': writeHealthClaim(claim) })).toEqual({ claim });
    expect(healthOf({ 'millwright.dev/remediated-by': 'somebody' })).toEqual({});
  });
});
